//! The text of `runvet.toml` -> its settings, each with its place, and its mistakes.
//!
//! Names of rules and globs are plain texts here; [`crate::gate`] resolves them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

pub use crate::config_file::ConfigError;
pub(crate) use crate::config_file::{ConfigSource, Files};
use crate::finding::Level;
use crate::report::Format;
use crate::rules::{ALL, RuleSet};
use crate::source::Artifact;
use crate::team::{
    self, ClosedSet, Data, Entries, OrderTable, Pack, Params, RuleTable, Scalar, SchemaTable,
    SelectorKey, VersionTable,
};
use crate::timestamp::Timestamp;

const SCHEMA: &str = include_str!("../schemas/config.schema.json");

/// The settings in `runvet.toml`. Every key is optional.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "runvet configuration (runvet.toml)", extend("$id" = crate::record::schema_id("config")))]
pub(crate) struct Config {
    /// The format of the report on standard output.
    #[schemars(with = "Format")]
    pub(crate) format: Option<Spanned<Format>>,
    /// Whether warnings fail the gate, as errors do.
    #[schemars(with = "bool")]
    pub(crate) deny_warnings: Option<Spanned<bool>>,
    /// Whether rules that could not be judged fail the gate: in a run that has ended, all of them;
    /// in any other run, those that can't be judged because of what a record contains.
    #[schemars(with = "bool")]
    pub(crate) deny_unjudged: Option<Spanned<bool>>,
    /// The maximum number of findings that the human format shows for each rule; 0 shows all.
    #[schemars(with = "usize")]
    pub(crate) max_findings: Option<Spanned<usize>>,
    /// The number of episodes to check in parallel, at least 1; the default is the number of cores.
    #[schemars(with = "std::num::NonZeroUsize")]
    pub(crate) jobs: Option<Spanned<std::num::NonZeroUsize>>,
    /// The path of the baseline, a file of known findings that do not fail the gate; relative to
    /// the directory of this file.
    #[schemars(with = "String", extend("examples" = ["runvet-baseline.json"]))]
    pub(crate) baseline: Option<Spanned<PathBuf>>,
    /// Directories that are not checked, each as a glob.
    #[schemars(with = "Vec<Glob>")]
    pub(crate) exclude: Vec<Spanned<String>>,
    /// Whether the files that `manifest.json` names must have the digests and sizes that it gives
    /// for them: sets `manifest/digest` to `error`, over which `rules` takes precedence.
    #[schemars(with = "bool")]
    pub(crate) verify_manifest: Option<Spanned<bool>>,
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

/// What the text of a file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// The settings, without those that are wrong.
    pub(crate) config: Config,
    pub(crate) mistakes: Vec<ConfigError>,
}

impl ConfigSource<'_> {
    /// Reads the file as `runvet.toml`.
    pub(crate) fn read(self) -> Reading {
        let (config, mistakes) = self.read_as(SCHEMA);
        Reading { config, mistakes }
    }
}

/// Reads all that a configuration declares of a team, its packs included.
pub(crate) fn read_team(
    file: ConfigSource<'_>,
    config: &Config,
    files: &Files,
    mistakes: &mut Vec<ConfigError>,
) -> RuleSet {
    let is_built_in = |group: &str| {
        let mut groups = ALL.iter().map(|rule| rule.info.id.split('/').next());
        groups.any(|known| known == Some(group))
    };
    let team = team::read(
        file,
        &config.team(),
        &config.packs,
        files,
        &is_built_in,
        mistakes,
    );
    RuleSet::of_team(team)
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
    pub(crate) file: Option<Spanned<String>>,
    /// The JSON Pointer to the value at which findings are ignored, including everything inside it.
    /// Absent to ignore findings at any place.
    #[serde(default)]
    #[schemars(with = "String", extend("pattern" = "^/", "patternErrorMessage" = "a JSON Pointer starts with `/`", "examples" = ["/plan/steps"]))]
    pub(crate) pointer: Option<Spanned<String>>,
    /// Why the findings do not count; must not be empty.
    #[schemars(with = "String", extend("pattern" = r"\S", "patternErrorMessage" = "the reason is empty"))]
    pub(crate) reason: Spanned<String>,
    /// The first day on which the findings count again, in UTC.
    #[serde(default)]
    #[schemars(with = "String", extend("format" = "date", "pattern" = r"^\d{4}-\d{2}-\d{2}$", "patternErrorMessage" = "expected a date such as 2026-12-31, without a time", "examples" = ["2026-12-31"]))]
    pub(crate) expires: Option<Day>,
}

/// A day, which starts at an instant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day {
    start: Timestamp,
    text: String,
}

impl Day {
    /// The day written as `2026-12-31`.
    fn parse(text: &str) -> Option<Self> {
        Some(Self {
            start: Timestamp::parse(&format!("{text}T00:00:00Z"))?,
            text: text.to_owned(),
        })
    }

    /// When it starts, in UTC.
    pub(crate) fn start(&self) -> &Timestamp {
        &self.start
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("this date does not exist"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_days_of_the_calendar() {
        assert!(Day::parse("2026-12-31") < Day::parse("2027-01-01"));
        assert_eq!(Day::parse("2026-02-30"), None);
    }
}
