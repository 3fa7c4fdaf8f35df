//! One finding, the places that it is about, and what suppresses it.

use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Severity;
use crate::ground::digest::Digest;
use crate::ground::printable::escape;
use crate::ground::source::{Artifact, Excerpt};
use crate::ground::words::words;

/// One defect that a rule found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Finding {
    /// The rule, as its place among the rules of the check; `None` where the finding was read from
    /// JSON, which has the id alone. What comes first can explain what comes later, as a record
    /// that can't be read does.
    #[serde(skip)]
    pub(crate) rule_index: Option<usize>,
    /// `true` if others may follow from it.
    #[serde(skip)]
    pub(crate) is_cause: bool,
    /// `true` if its rule is what a team declares.
    #[serde(skip)]
    pub(crate) is_of_team: bool,
    /// A text that tells it from other findings of the same rule at the same places.
    #[serde(skip)]
    pub(crate) besides: String,
    /// Its fingerprint in baselines of earlier versions, where that is another: it covers more.
    #[serde(skip)]
    pub(crate) former: Option<String>,
    /// The artifacts that it rests on; `None` for all that belongs to the episode.
    #[serde(skip)]
    pub(crate) rests_on: Option<&'static [Artifact]>,
    /// The id of the rule; `runvet explain` prints its page.
    #[schemars(extend("examples" = ["lifecycle/links"]))]
    pub rule: String,
    /// The severity of the finding.
    pub severity: Severity,
    /// The defect, in one sentence that shows the values.
    pub message: String,
    /// Advice on how to fix it.
    pub help: String,
    /// A stable identifier of the finding: 32 hexadecimal digits, computed from the episode's id,
    /// the rule, the name of the file, the pointer, the values at the place and at the related
    /// places, and the number of lines that the finding stands for. It does not change when the
    /// episode moves, when keys change places, or when text is added before the place. It is unique
    /// within an episode.
    #[serde(default)]
    #[schemars(extend("examples" = ["0c7e3a9d5b1f4e8296a1c0d2e4f60718"]))]
    pub fingerprint: String,
    /// The place of the defect.
    #[serde(flatten)]
    pub location: Location,
    /// The other places that the finding is about, such as the other of two values that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

impl fmt::Display for Finding {
    /// Returns the finding in one line: place, severity, rule, message. Text of the records is
    /// escaped.
    ///
    /// ```
    /// let report = runvet::gate::Gate::default().records("ep_1", &[]);
    /// assert_eq!(
    ///     report.findings[0].to_string(),
    ///     "ep_1/events.jsonl: error[events/missing]: there is no events.jsonl"
    /// );
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (severity, rule, message) = (self.severity, &self.rule, escape(&self.message));
        let place = self
            .location
            .place_in(&escape(&self.location.file));
        write!(f, "{place}: {severity}[{rule}]: {message}")
    }
}

/// A finding that does not count.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, PartialEq)]
#[non_exhaustive]
pub struct Suppressed {
    /// The kind of suppression.
    pub(crate) by: Suppression,
    /// The reason from the configuration; absent when the baseline suppresses the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The finding that is suppressed.
    pub finding: Finding,
}

impl Suppressed {
    /// Returns what suppresses the finding: `ignore` or `baseline`.
    #[must_use]
    pub fn by(&self) -> &'static str {
        self.by.word()
    }
}

/// The reason why a finding does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::ground::record::describe_values)]
pub(crate) enum Suppression {
    /// The configuration ignores it.
    Ignore,
    /// The baseline contains it.
    Baseline,
}

words!(Suppression {
    Ignore = "ignore",
    Baseline = "baseline",
});

impl Location {
    /// Returns the text around the place on its line, and where in this text the place is.
    #[must_use]
    pub fn excerpt(&self) -> Option<(&str, Range<usize>)> {
        let excerpt = self.excerpt.as_ref()?;
        Some((&excerpt.text, excerpt.span.clone()))
    }

    /// Returns the name of the artifact, or else the path of the file.
    pub(crate) fn name(&self) -> &str {
        let artifact = self.artifact.map(Artifact::file_name);
        artifact.unwrap_or(&self.file)
    }

    /// Returns `file:line:column`, not escaped.
    pub(crate) fn place(&self) -> String {
        self.place_in(&self.file)
    }

    /// Returns the same with another text for the file.
    pub(crate) fn place_in(&self, file: &str) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
            _ => file.to_owned(),
        }
    }
}

/// Another place that a finding is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Related {
    /// A description of what is at this place.
    pub message: String,
    /// The place.
    #[serde(flatten)]
    pub location: Location,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Default)]
#[non_exhaustive]
pub struct Location {
    /// The path of the file, as the user would type it.
    #[schemars(extend("examples" = ["runs/episodes/ep_1/state.json"]))]
    pub file: String,
    /// The artifact that the file is.
    #[serde(skip)]
    pub artifact: Option<Artifact>,
    /// The JSON Pointer to the value or key; in `events.jsonl` relative to the object on the line.
    /// Absent for a whole file, a missing file, and bytes that are not JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["/links", "/plan/steps/0/status"]))]
    pub pointer: Option<String>,
    /// The line where the place starts, counted from 1. Absent for a whole file and a missing file,
    /// as are `column`, `end_line`, `end_column`, `offset` and `length`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub line: Option<u64>,
    /// The column where the place starts, in characters, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub column: Option<u64>,
    /// The line where the place ends, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub end_line: Option<u64>,
    /// The column after the last character of the place, in characters, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub end_column: Option<u64>,
    /// The offset of the first byte of the place, counted from 0 at the start of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The length of the place, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The line around the place, ready to be shown.
    #[serde(skip)]
    pub(crate) excerpt: Option<Excerpt>,
    /// The digest of the text at the place.
    #[serde(skip)]
    pub(crate) digest: Option<Digest>,
}
