//! The text of `runvet.toml` -> what it says, each value with its place, or the place where it says
//! nothing that is known.
//!
//! Names of rules and globs are texts here; [`crate::gate`] knows what they stand for.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::finding::{Level, Location};
use crate::printable::quote;
use crate::report::Format;
use crate::source;
use crate::timestamp::Timestamp;

/// The settings in `runvet.toml`. Every key is optional.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "runvet configuration (runvet.toml)", extend("$id" = crate::record::schema_id("config")))]
pub struct Config {
    /// The format of the report on standard output.
    #[schemars(with = "Format")]
    pub format: Option<Spanned<Format>>,
    /// Whether warnings fail the gate, as errors do.
    #[schemars(with = "bool")]
    pub deny_warnings: Option<Spanned<bool>>,
    /// The maximum number of findings that the human format shows for each rule; 0 shows all.
    #[schemars(with = "usize")]
    pub max_findings: Option<Spanned<usize>>,
    /// The number of episodes to check in parallel, at least 1; the default is the number of cores.
    #[schemars(with = "std::num::NonZeroUsize")]
    pub jobs: Option<Spanned<std::num::NonZeroUsize>>,
    /// The path of the baseline, a file of known findings that do not fail the gate; relative to
    /// the directory of this file.
    #[schemars(with = "String", extend("examples" = ["runvet-baseline.json"]))]
    pub baseline: Option<Spanned<PathBuf>>,
    /// Directories that are not checked, each as a glob.
    #[schemars(with = "Vec<Glob>")]
    pub exclude: Vec<Spanned<String>>,
    /// The level of each rule or group of rules. A rule takes precedence over its group.
    #[schemars(with = "BTreeMap<RuleName, Level>")]
    pub rules: Rules,
    /// Levels of rules for some directories. They take precedence over `rules`, and later ones over
    /// earlier ones.
    #[serde(rename = "override")]
    pub overrides: Vec<Override>,
    /// Findings that do not count, each with a reason.
    #[serde(rename = "ignore")]
    pub ignores: Vec<Ignore>,
}

/// The levels of rules and groups of rules.
pub type Rules = BTreeMap<Spanned<String>, Spanned<Level>>;

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
pub struct Override {
    /// The directories, each as a glob.
    #[schemars(with = "Vec<Glob>")]
    pub paths: Vec<Spanned<String>>,
    /// The level of each rule or group of rules in these directories.
    #[schemars(with = "BTreeMap<RuleName, Level>")]
    pub rules: Rules,
}

/// Findings that do not count, and why.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ignore {
    /// The rule, or group of rules, whose findings are ignored.
    #[schemars(with = "RuleName")]
    pub rule: Spanned<String>,
    /// The episodes in which findings are ignored.
    #[schemars(with = "Glob")]
    pub episode: Spanned<String>,
    /// The JSON Pointer to the value at which findings are ignored, including everything inside it.
    /// Absent to ignore findings at any place.
    #[serde(default)]
    #[schemars(with = "String", extend("pattern" = "^/", "examples" = ["/plan/steps"]))]
    pub pointer: Option<Spanned<String>>,
    /// Why the findings do not count; must not be empty.
    #[schemars(with = "String", length(min = 1))]
    pub reason: Spanned<String>,
    /// The first day on which the findings count again, in UTC.
    #[serde(default)]
    #[schemars(with = "String", extend("pattern" = r"^\d{4}-\d{2}-\d{2}$", "examples" = ["2026-12-31"]))]
    pub expires: Option<Day>,
}

/// A day, which starts at an instant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    start: Timestamp,
    text: String,
}

impl Day {
    /// The day written as `2026-12-31`.
    ///
    /// ```
    /// use runvet::config::Day;
    /// assert!(Day::parse("2026-12-31") < Day::parse("2027-01-01"));
    /// assert_eq!(Day::parse("2026-02-30"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
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
        Self::parse(&written)
            .ok_or_else(|| serde::de::Error::custom("expected a day, such as 2026-12-31"))
    }
}

/// A place in a file that says nothing that is known.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What is wrong there.
    pub message: String,
    /// Where it is.
    pub location: Box<Location>,
    /// What may be meant.
    pub help: Option<String>,
}

/// A file of the user's, to point into.
#[derive(Clone, Copy, Debug)]
pub struct File<'f> {
    /// Its path, as messages name it.
    pub name: &'f str,
    /// What it holds.
    pub text: &'f str,
}

impl File<'_> {
    /// Something is wrong at a place.
    #[must_use]
    pub fn problem(
        self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Problem {
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
        Problem {
            message: message.into(),
            location: Box::new(location),
            help,
        }
    }

    /// The line of a place.
    #[must_use]
    pub fn line(self, span: &Range<usize>) -> u64 {
        source::Spot::of(self.text.as_bytes(), span).line
    }

    /// What the file says.
    ///
    /// # Errors
    ///
    /// The first place where it is not TOML, or holds what is unknown or of the wrong type.
    ///
    /// ```
    /// use runvet::config::File;
    /// let file = |text| File { name: "runvet.toml", text };
    /// assert!(file("deny-warnings = true").read().is_ok());
    /// let problem = file("deny-warning = true").read().unwrap_err();
    /// assert_eq!(problem.help.as_deref(), Some("did you mean `deny-warnings`?"));
    /// ```
    pub fn read(self) -> Result<Config, Problem> {
        let config: Config = toml::from_str(self.text).map_err(|error| {
            let (message, help) = reworded(error.message());
            self.problem(error.span().unwrap_or_default(), message, help)
        })?;
        for ignore in &config.ignores {
            if ignore.reason.get_ref().trim().is_empty() {
                return Err(self.problem(
                    ignore.reason.span(),
                    "a reason must say something",
                    None,
                ));
            }
            if let Some(pointer) = &ignore.pointer
                && !pointer.get_ref().starts_with('/')
            {
                let help = format!("did you mean `/{}`?", pointer.get_ref());
                return Err(self.problem(
                    pointer.span(),
                    "a JSON Pointer starts with `/`",
                    Some(help),
                ));
            }
        }
        Ok(config)
    }
}

/// What serde says, in words of this file, and what may be meant.
fn reworded(message: &str) -> (String, Option<String>) {
    if let Some(missing) = message.strip_prefix("missing field ") {
        return (format!("the key {missing} is missing"), None);
    }
    let Some((what, expected)) = message.split_once(", expected ") else {
        let is_no_word = message == "wanted string or table";
        return (
            if is_no_word {
                "expected a word in quotes"
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
            format!("{} is no known {kind}", quote(wanted)),
            Some(nearest(wanted, expected)),
        );
    }
    let words = match expected {
        "a nonzero usize" => "a whole number from 1 on",
        "usize" => "a whole number from 0 on",
        "a boolean" => "`true` or `false`",
        "a string" => "a text in quotes",
        "path string" => "a path in quotes",
        "a TOML datetime" => "a day without quotes, such as 2026-12-31",
        "a map" => "a table",
        "a sequence" if what == "invalid type: map" => {
            return (
                "expected a list of tables".into(),
                Some("put the name in two pairs of brackets: `[[…]]`".into()),
            );
        }
        "a sequence" => "a list in brackets",
        _ => return (message.to_owned(), None),
    };
    (format!("expected {words}"), None)
}

/// The nearest of the words that serde knows, or all of them.
fn nearest(wanted: &str, known: &str) -> String {
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    match known
        .iter()
        .map(|known| (strsim::osa_distance(wanted, known), known))
        .min()
    {
        Some((distance, name)) if distance <= 3 => format!("did you mean `{name}`?"),
        _ => format!("known here: {}", known.join(", ")),
    }
}
