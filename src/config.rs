//! The text of `runvet.toml` -> its settings, each with its place, or the first error.
//!
//! Names of rules and globs are plain texts here; [`crate::gate`] resolves them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::finding::{Level, Location};
use crate::printable::{escape, quote};
use crate::report::Format;
use crate::source::{self, Artifact};
use crate::timestamp::Timestamp;

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
    #[schemars(with = "String", extend("pattern" = "^/", "examples" = ["/plan/steps"]))]
    pub(crate) pointer: Option<Spanned<String>>,
    /// Why the findings do not count; must not be empty.
    #[schemars(with = "String", length(min = 1))]
    pub(crate) reason: Spanned<String>,
    /// The first day on which the findings count again, in UTC.
    #[serde(default)]
    #[schemars(with = "String", extend("pattern" = r"^\d{4}-\d{2}-\d{2}$", "examples" = ["2026-12-31"]))]
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
        let written = toml::value::Datetime::deserialize(deserializer)?.to_string();
        Self::parse(&written).ok_or_else(|| {
            serde::de::Error::custom("expected a date such as 2026-12-31, without a time")
        })
    }
}

/// An error in a configuration.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}{message}{}", place(.location), suggestion(.help.as_deref()))]
#[non_exhaustive]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// Where it is.
    pub location: Box<Location>,
    /// What may have been meant.
    pub help: Option<String>,
}

fn place(location: &Location) -> String {
    let file = escape(&location.file);
    match (location.line, location.column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
        _ => format!("{file}: "),
    }
}

fn suggestion(help: Option<&str>) -> String {
    help.map(|help| format!(" ({help})")).unwrap_or_default()
}

/// A user's file that errors point into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File<'f> {
    /// Its path, as messages name it.
    pub(crate) name: &'f str,
    /// The directory that it lies in, whose name need not be UTF-8.
    pub(crate) dir: &'f Path,
    /// Its text.
    pub(crate) text: &'f str,
}

impl File<'_> {
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
        }
    }

    /// The line number of a place.
    pub(crate) fn line(self, span: &Range<usize>) -> u64 {
        source::Spot::of(self.text.as_bytes(), span).line
    }

    /// Reads the file.
    pub(crate) fn read(self) -> Result<Config, ConfigError> {
        let config: Config = toml::from_str(self.text).map_err(|error| {
            let (message, help) = reworded(error.message());
            self.error(error.span().unwrap_or_default(), message, help)
        })?;
        for ignore in &config.ignores {
            if ignore.reason.get_ref().trim().is_empty() {
                return Err(self.error(ignore.reason.span(), "the reason is empty", None));
            }
            if let Some(file) = &ignore.file
                && Artifact::from_file_name(file.get_ref()).is_none()
            {
                let names = Artifact::ALL.map(Artifact::file_name).join(", ");
                let message = format!("an episode has no such file, only {names}");
                return Err(self.error(file.span(), message, None));
            }
            if let Some(pointer) = &ignore.pointer
                && !pointer.get_ref().starts_with('/')
            {
                let help = format!("did you mean `/{}`?", pointer.get_ref());
                return Err(self.error(
                    pointer.span(),
                    "a JSON Pointer starts with `/`",
                    Some(help),
                ));
            }
        }
        Ok(config)
    }
}

/// Rewords a message of serde or toml for users, and says what may have been meant. A test covers
/// each of their messages.
fn reworded(message: &str) -> (String, Option<String>) {
    if let Some(missing) = message.strip_prefix("missing field ") {
        return (format!("the key {missing} is missing"), None);
    }
    let Some((what, expected)) = message.split_once(", expected ") else {
        let is_not_a_word = message == "wanted string or table";
        return (
            if is_not_a_word {
                "expected a string, in quotes"
            } else {
                message
            }
            .to_owned(),
            None,
        );
    };
    let unknown = what
        .strip_prefix("unknown ")
        .and_then(|what| what.split('`').nth(1));
    if let Some(wanted) = unknown {
        let kind = if what.starts_with("unknown field") {
            "key"
        } else {
            "value"
        };
        return (
            format!("unknown {kind} {}", quote(wanted)),
            Some(nearest(wanted, expected)),
        );
    }
    let words = match expected {
        "a nonzero usize" => "a whole number, at least 1",
        "usize" => "a whole number, at least 0",
        "a boolean" => "`true` or `false`",
        "a string" => "a string, in quotes",
        "path string" => "a path, in quotes",
        "a TOML datetime" => "a date such as 2026-12-31, without quotes",
        "a map" => "a table",
        "a sequence" if what == "invalid type: map" => {
            return (
                "expected a list of tables".into(),
                Some("write the name in two pairs of brackets: `[[…]]`".into()),
            );
        }
        "a sequence" => "a list in brackets",
        _ => return (message.to_owned(), None),
    };
    (format!("expected {words}"), None)
}

/// The most similar of the words that serde expects, or all of them.
fn nearest(wanted: &str, known: &str) -> String {
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    match known
        .iter()
        .map(|known| (strsim::osa_distance(wanted, known), known))
        .min()
    {
        Some((distance, name)) if distance <= 3 => format!("did you mean `{name}`?"),
        _ => format!("expected one of: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of a text: its line and column, its message and its help.
    fn error_of(text: &str) -> (u64, u64, String, Option<String>) {
        let file = File {
            name: "runvet.toml",
            dir: Path::new(""),
            text,
        };
        let error = file.read().unwrap_err();
        let (line, column) = (error.location.line, error.location.column);
        (line.unwrap(), column.unwrap(), error.message, error.help)
    }

    #[test]
    fn each_message_of_serde_and_toml_is_reworded() {
        let ignore = "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = 'x'\n";
        for (text, line, column, message) in [
            ("fromat = 'json'", 1, 1, "unknown key \"fromat\""),
            ("format = 'jsno'", 1, 10, "unknown value \"jsno\""),
            ("format = 1", 1, 10, "expected a string, in quotes"),
            (
                "rules = { 'plan/*' = 1 }",
                1,
                22,
                "expected a string, in quotes",
            ),
            ("deny-warnings = 1", 1, 17, "expected `true` or `false`"),
            ("jobs = 0", 1, 8, "expected a whole number, at least 1"),
            ("jobs = 'x'", 1, 8, "expected a whole number, at least 1"),
            (
                "max-findings = -1",
                1,
                16,
                "expected a whole number, at least 0",
            ),
            (
                "max-findings = 1.5",
                1,
                16,
                "expected a whole number, at least 0",
            ),
            ("baseline = 1", 1, 12, "expected a path, in quotes"),
            ("exclude = 'x'", 1, 11, "expected a list in brackets"),
            ("exclude = [1]", 1, 12, "expected a string, in quotes"),
            ("rules = 1", 1, 9, "expected a table"),
            ("[ignore]", 1, 1, "expected a list of tables"),
            (
                "[[ignore]]\nrule = 'a/b'",
                1,
                1,
                "the key `episode` is missing",
            ),
            (
                &format!("{ignore}expires = 'x'"),
                5,
                11,
                "expected a date such as 2026-12-31, without quotes",
            ),
            (
                &format!("{ignore}expires = 2026-12-31T00:00:00Z"),
                5,
                11,
                "expected a date such as 2026-12-31, without a time",
            ),
        ] {
            let error = error_of(text);
            assert_eq!(
                (error.0, error.1, &*error.2),
                (line, column, message),
                "{text}"
            );
        }
    }

    #[test]
    fn the_help_names_the_nearest_word_or_all() {
        let help = |text: &str| error_of(text).3.unwrap();
        assert_eq!(help("deny-warning = 1"), "did you mean `deny-warnings`?");
        assert_eq!(help("rules = { 'plan/*' = 'of' }"), "did you mean `off`?");
        assert_eq!(help("rules = { 'plan/*' = 'x' }"), "did you mean `off`?");
        assert!(help("zzzzzzzz = 1").starts_with("expected one of: format, deny-warnings, "));
        assert!(help("[ignore]").contains("`[[…]]`"));
    }

    #[test]
    fn an_error_displays_its_place_and_its_help() {
        let text = "deny-warning = true";
        let file = File {
            name: "a/runvet.toml",
            dir: Path::new(""),
            text,
        };
        assert_eq!(
            file.read().unwrap_err().to_string(),
            "a/runvet.toml:1:1: unknown key \"deny-warning\" (did you mean `deny-warnings`?)"
        );
    }

    #[test]
    fn days_are_days_of_the_calendar() {
        assert!(Day::parse("2026-12-31") < Day::parse("2027-01-01"));
        assert_eq!(Day::parse("2026-02-30"), None);
    }
}
