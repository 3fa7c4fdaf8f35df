//! The text of `runvet.toml` -> its settings, each with its place, and its mistakes.
//!
//! Names of rules and globs are plain texts here; [`crate::gate`] resolves them.

mod files;
mod reading;
pub(crate) mod tables;
mod team;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::finding::{Deny, Level, Location};
use crate::printable::escape;
use crate::report::Format;
use crate::source::{self, Artifact};
use crate::timestamp::Timestamp;
pub(crate) use files::Files;
use tables::{
    ClosedSet, Data, Entries, OrderTable, Pack, Params, RuleTable, Scalar, SchemaTable,
    SelectorKey, VersionTable,
};
pub(crate) use team::read_team;

/// The settings in `runvet.toml`. Every key is optional.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "runvet configuration (runvet.toml)", extend("$id" = crate::record::schema_id("config")))]
pub(crate) struct Config {
    /// The format of the report on standard output.
    #[schemars(with = "Format")]
    pub(crate) format: Option<Setting<Format>>,
    /// Whether warnings fail the gate, as errors do.
    #[schemars(with = "bool")]
    pub(crate) deny_warnings: Option<Setting<bool>>,
    /// Whether rules that could not be judged fail the gate: in a run that has ended, all of them;
    /// in any other run, those that can't be judged because of what a record contains.
    #[schemars(with = "bool")]
    pub(crate) deny_unjudged: Option<Setting<bool>>,
    /// The maximum number of findings that the human format shows for each rule; 0 shows all.
    #[schemars(with = "usize")]
    pub(crate) max_findings: Option<Setting<usize>>,
    /// The number of episodes to check in parallel, at least 1; the default is the number of cores.
    #[schemars(with = "NonZeroUsize")]
    pub(crate) jobs: Option<Setting<NonZeroUsize>>,
    /// The path of the baseline, a file of known findings that do not fail the gate; relative to
    /// the directory of this file.
    #[schemars(with = "String", extend("examples" = ["runvet-baseline.json"]))]
    pub(crate) baseline: Option<Setting<PathBuf>>,
    /// Directories that are not checked, each as a glob.
    #[schemars(with = "Vec<Glob>")]
    pub(crate) exclude: Vec<Spanned<String>>,
    /// Whether the files that `manifest.json` names must have the digests and sizes that it gives
    /// for them: sets `manifest/digest` to `error`, over which `rules` takes precedence.
    #[schemars(with = "bool")]
    pub(crate) verify_manifest: Option<Setting<bool>>,
    /// The rules and groups of rules to check, and no others; all if there are none. A selected
    /// rule that is off is checked as a warning.
    #[schemars(with = "Vec<RuleName>")]
    pub(crate) select: Vec<Spanned<String>>,
    /// The rules and groups of rules that must judge each run that has ended. One that has nothing
    /// to compare, can't be checked, or is off, is a finding of `coverage/required`.
    #[schemars(with = "Vec<RuleName>")]
    pub(crate) require: Vec<Spanned<String>>,
    /// The level of each rule or group of rules. A rule takes precedence over its group.
    #[schemars(with = "BTreeMap<RuleName, Level>")]
    pub(crate) rules: Rules,
    /// Levels of rules for some directories. They take precedence over `rules`, and later ones over
    /// earlier ones.
    #[serde(rename = "override")]
    pub(crate) overrides: Vec<Override>,
    /// Findings that do not count, each with a reason.
    #[serde(rename = "ignore")]
    pub(crate) ignores: Vec<Ignore>,
    /// Files in which a team declares schemas, vocabulary and selectors; relative to the directory
    /// of this file.
    #[schemars(with = "Vec<String>", extend("examples" = [["gate/refunds.toml"]]))]
    pub(crate) packs: Vec<Spanned<PathBuf>>,
    /// Schemas for open parts of records. Each is a rule.
    #[serde(rename = "schema")]
    pub(crate) schemas: Vec<SchemaTable>,
    /// Schemas for versions of the state and the summary for which runvet has no schema.
    #[serde(rename = "version")]
    pub(crate) versions: Vec<VersionTable>,
    /// Orders of events. Each is a rule.
    #[serde(rename = "order")]
    pub(crate) orders: Vec<OrderTable>,
    /// Rules in the expression language CEL.
    #[serde(rename = "rule")]
    pub(crate) team_rules: Vec<RuleTable>,
    /// Values that messages, numbers and expressions name as `params.NAME`. They take precedence
    /// over those of packs.
    #[schemars(with = "BTreeMap<String, Scalar>")]
    pub(crate) params: Params,
    /// The allowed values of keys of events. Any other value is a finding of `team/vocabulary`.
    #[schemars(with = "BTreeMap<SelectorKey, ClosedSet>")]
    pub(crate) vocabulary: BTreeMap<Spanned<String>, Spanned<Data>>,
    /// Named selectors. In this file, a name stands for its selector.
    #[schemars(with = "BTreeMap<String, Entries>")]
    pub(crate) selector: BTreeMap<Spanned<String>, Spanned<Data>>,
}

impl Config {
    /// What fails a check besides errors.
    pub(crate) fn deny(&self) -> Deny {
        let is_set = |it: &Option<Setting<bool>>| it.as_ref().is_some_and(|it| it.value);
        Deny {
            warnings: is_set(&self.deny_warnings),
            unjudged: is_set(&self.deny_unjudged),
        }
    }

    /// What this file itself declares of a team.
    fn team(&self) -> Pack {
        Pack {
            schemas: self.schemas.clone(),
            versions: self.versions.clone(),
            orders: self.orders.clone(),
            rules: self.team_rules.clone(),
            params: self.params.clone(),
            vocabulary: self.vocabulary.clone(),
            selector: self.selector.clone(),
        }
    }
}

/// A setting that flags, variables and calls can set too.
#[derive(Clone, Debug)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// The source of a setting.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// A place in the configuration.
    File(Range<usize>),
    /// A flag, or a variable of the environment.
    Given(String),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Setting<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self {
            origin: Origin::File(written.span()),
            value: written.into_inner(),
        })
    }
}

/// The levels of rules and groups of rules.
pub(crate) type Rules = BTreeMap<Spanned<String>, Spanned<Level>>;

/// The id of a rule, or a group of rules such as `plan/*`.
#[derive(JsonSchema)]
#[schemars(inline, extend("examples" = ["record/misspelled-field", "plan/*"]))]
#[expect(dead_code, reason = "a description for the schema")]
struct RuleName(String);

/// A glob for the path of a directory, relative to the directory of this file. It also matches
/// everything inside that directory. A glob without `/` matches directories with that name at any
/// depth.
#[derive(JsonSchema)]
#[schemars(inline, extend("examples" = ["runs/old", "runs/*/episodes/ep_3*", "checkpoints"]))]
#[expect(dead_code, reason = "a description for the schema")]
struct Glob(String);

/// Levels of rules for some directories.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Override {
    /// The directories, each as a glob.
    #[schemars(with = "Vec<Glob>")]
    pub(crate) paths: Vec<Spanned<String>>,
    /// The level of each rule or group of rules in these directories.
    #[schemars(with = "BTreeMap<RuleName, Level>")]
    pub(crate) rules: Rules,
}

/// Findings that do not count, and why.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ignore {
    /// The rule, or group of rules, whose findings are ignored.
    #[schemars(with = "RuleName")]
    pub(crate) rule: Spanned<String>,
    /// The episodes in which findings are ignored.
    #[schemars(with = "Glob")]
    pub(crate) episode: Spanned<String>,
    /// The file whose findings are ignored. Absent to ignore findings in any file.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = Artifact::ALL.map(Artifact::file_name)))]
    pub(crate) file: Option<String>,
    /// The JSON Pointer to the value at which findings are ignored, including everything inside it.
    /// Absent to ignore findings at any place.
    #[serde(default)]
    #[schemars(with = "String", extend("pattern" = "^/", "patternErrorMessage" = "a JSON Pointer starts with `/`", "examples" = ["/plan/steps"]))]
    pub(crate) pointer: Option<String>,
    /// Why the findings do not count; must not be empty.
    #[schemars(with = "String", extend("pattern" = r"\S", "patternErrorMessage" = "the reason is empty"))]
    pub(crate) reason: String,
    /// The first day on which the findings count again, in UTC.
    #[serde(default)]
    #[schemars(with = "String", extend("format" = "date", "pattern" = r"^\d{4}-\d{2}-\d{2}$", "patternErrorMessage" = "expected a date such as 2026-12-31, without a time", "examples" = ["2026-12-31"]))]
    pub(crate) expires: Option<Day>,
}

/// A day, written as `2026-12-31`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Day {
    pub(crate) text: String,
    /// When it starts, in UTC.
    pub(crate) start: Timestamp,
}

impl TryFrom<String> for Day {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let start = Timestamp::parse(&format!("{text}T00:00:00Z"));
        let start = start.ok_or("this date does not exist")?;
        Ok(Self { text, start })
    }
}

/// A mistake in a configuration, and the others that were found with it.
#[derive(Debug, thiserror::Error, Clone)]
#[error("{}", lines(self))]
#[non_exhaustive]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// Where it is.
    pub location: Box<Location>,
    /// What may have been meant.
    pub help: Option<String>,
    /// The other mistakes, in the order of their places.
    pub others: Vec<ConfigError>,
}

impl ConfigError {
    /// The first of some mistakes, with the others; `None` if there are none.
    pub(crate) fn first_of(mut mistakes: Vec<Self>) -> Option<Self> {
        mistakes.sort_by_key(|mistake| {
            let Location {
                file, line, column, ..
            } = &*mistake.location;
            (file.clone(), *line, *column)
        });
        let mut mistakes = mistakes.into_iter();
        let first = mistakes.next()?;
        Some(Self {
            others: mistakes.collect(),
            ..first
        })
    }

    /// The mistake and the others.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }
}

/// A line for each mistake: its place, what is wrong, what may have been meant.
fn lines(error: &ConfigError) -> String {
    let lines: Vec<String> = error.each().map(line).collect();
    lines.join("\n")
}

fn line(error: &ConfigError) -> String {
    let (location, message) = (&error.location, &error.message);
    let file = escape(&location.file);
    let place = match (location.line, location.column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
        _ => format!("{file}: "),
    };
    let help = error.help.as_ref();
    let help = help.map(|help| format!(" ({help})")).unwrap_or_default();
    format!("{place}{message}{help}")
}

/// A user's file that errors point into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConfigSource<'f> {
    /// Its path, as messages name it.
    pub(crate) name: &'f str,
    /// The directory that it lies in, whose name need not be UTF-8.
    pub(crate) dir: &'f Path,
    /// Its text.
    pub(crate) text: &'f str,
}

impl ConfigSource<'_> {
    /// An error at a place.
    pub(crate) fn error(
        self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> ConfigError {
        let mut location = Location {
            file: self.name.into(),
            ..Location::default()
        };
        if let Some((spot, excerpt)) = source::locate(self.text.as_bytes(), 0, 1, &[span])
            .into_iter()
            .next()
        {
            location.line = Some(spot.line);
            location.column = Some(spot.column);
            location.excerpt = Some(excerpt);
        }
        ConfigError {
            message: message.into(),
            location: Box::new(location),
            help,
            others: Vec::new(),
        }
    }

    /// The file and the line of a place.
    pub(crate) fn place(self, span: &Range<usize>) -> String {
        let line = source::Spot::of(self.text.as_bytes(), span).line;
        format!("{}:{line}", self.name)
    }

    /// The source of a setting, as users know it.
    #[cfg(feature = "cli")]
    pub(crate) fn origin(self, origin: &Origin) -> String {
        match origin {
            Origin::File(span) => self.place(span),
            Origin::Given(name) => name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_days_of_the_calendar() {
        let day = |text: &str| Day::try_from(text.to_owned());
        assert!(day("2026-12-31").unwrap().start < day("2027-01-01").unwrap().start);
        assert_eq!(day("2026-02-30"), Err("this date does not exist"));
    }
}
