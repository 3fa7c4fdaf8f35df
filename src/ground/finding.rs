//! The results of runvet: findings, skips, reports. Plain data, and the source of
//! `schemas/report.schema.json`.

mod entry;
mod episode;
mod sealed;
mod skip;
mod tools;
mod totals;
mod verdict;
mod whole;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ground::digest::Digest;
use crate::ground::printable::escape;
use crate::ground::source::{Artifact, Excerpt};
use crate::ground::words::words;

pub(crate) use entry::{PARENT, SharedTexts, TIME_UNKNOWN, cut};
pub use entry::{Pause, RunEntry};
pub use episode::EpisodeReport;
pub(crate) use episode::{Coverage, UNREADABLE, Unjudged};
pub(crate) use sealed::{SealedFile, SealedFiles, Uncovered, UncoveredKind};
pub use skip::Skip;
pub(crate) use skip::{STILL_CHANGING, SkipKind, SkipReason};
pub(crate) use tools::CallResult;
pub use tools::{Hit, ToolUse};
pub use totals::{Deny, NotJudged, Statistics, Totals};
pub(crate) use totals::{NONE, Tally, by_rule};
pub(crate) use totals::{OTHERS, quantile, sum_of};
pub use verdict::Verdict;
pub use whole::Whole;

/// The version of the report format.
pub const REPORT_VERSION: &str = "2.2.0";

/// Findings of one rule in one episode that a report lists; the rest is counted in one more
/// finding.
///
/// A record with millions of broken items would otherwise exhaust the memory.
pub(crate) const MAX_FINDINGS_PER_RULE: usize = 10_000;

/// The severity of a finding.
#[derive(
    PartialOrd, Ord, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::ground::record::describe_values)]
pub enum Severity {
    /// The records can't be trusted, or they break a rule of the team; the gate fails.
    Error,
    /// The finding deserves a look; the gate passes unless warnings are denied.
    Warning,
}

words!(Severity {
    Error = "error",
    Warning = "warning",
});

/// The description of a rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RuleInfo {
    /// The rule's name: its group and its subject.
    pub id: Cow<'static, str>,
    /// Its level, unless set otherwise: a rule that is off by default runs when it is asked for.
    pub level: Level,
    /// The defect, in one line.
    pub title: Cow<'static, str>,
    /// The advice on what to do about a finding.
    pub hint: Cow<'static, str>,
    /// The rule's page, in Markdown: what, why it matters, an example, how to fix it.
    pub page: Cow<'static, str>,
    /// The address of a page about the rule, if its team declares one.
    pub url: Option<String>,
    /// The words by which a team sorts its rules.
    pub tags: Vec<String>,
    /// When a rule of a team finds something: only one that does before an act holds it back.
    pub holds: Option<Holds>,
}

/// The time at which a rule of a team can find something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = crate::ground::record::describe_values)]
pub enum Holds {
    /// Before an act is made: it is held back.
    Before,
    /// After an act: it needs the result.
    After,
    /// Once all is written.
    End,
}

impl Holds {
    /// Returns it in words for people.
    pub(crate) const fn shown(self) -> &'static str {
        match self {
            Self::Before => "holds back",
            Self::After => "found afterwards: it needs the result",
            Self::End => "found at the end",
        }
    }
}

/// The address of the site of `docs/`; empty if `Cargo.toml` names no `homepage`.
const SITE: &str = env!("CARGO_PKG_HOMEPAGE");

impl RuleInfo {
    /// Returns the address of a page about the rule: that which its team declares, or that on the
    /// site.
    pub(crate) fn address(&self) -> Option<String> {
        let on_site = || match self.id {
            Cow::Borrowed(id) if !SITE.is_empty() => Some(page_on(SITE, id)),
            _ => None,
        };
        self.url.clone().or_else(on_site)
    }
}

/// Returns the address of a built-in rule on a site: its id is the anchor.
fn page_on(site: &str, id: &str) -> String {
    format!("{}/rules.html#{id}", site.trim_end_matches('/'))
}

/// The level of a rule: the severity of its findings, or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::ground::record::describe_values)]
pub enum Level {
    /// Findings of the rule are errors and fail the gate.
    Error,
    /// As `error`, but an act that a person answered with *yes* is no finding. Only for orders and
    /// rules of a team that hold acts back.
    Ask,
    /// Findings of the rule are warnings and are reported.
    Warning,
    /// The rule is not checked.
    Off,
}

impl Level {
    /// Returns the severity of the findings, where there are to be any.
    pub(crate) const fn severity(self) -> Option<Severity> {
        match self {
            Self::Error | Self::Ask => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Off => None,
        }
    }
}

words!(pub Level {
    Error = "error",
    Ask = "ask",
    Warning = "warning",
    Off = "off",
});

/// The stage of a run: whether it has ended, according to its records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::ground::record::describe_values)]
#[non_exhaustive]
pub enum Lifecycle {
    /// The run has ended: it has a status other than `pending`, and is not paused.
    Terminal,
    /// The run is in progress or paused: its status is `pending`, or it is `partial` while there is
    /// neither a summary nor a manifest and its state links neither; or it has only a timeline so
    /// far.
    NonTerminal,
    /// The records do not show whether the run has ended.
    #[default]
    Unknown,
}

impl Lifecycle {
    /// Returns what it is, in words for people.
    pub(crate) const fn stage(self) -> &'static str {
        match self {
            Self::Terminal => "ended",
            Self::NonTerminal => "in progress",
            Self::Unknown => "unknown whether it ended",
        }
    }
}

words!(Lifecycle {
    Terminal = "terminal",
    NonTerminal = "non_terminal",
    Unknown = "unknown",
});

/// The result of checking run data.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(
    title = "runvet report",
    extend("$id" = crate::ground::record::schema_id("report"))
)]
#[non_exhaustive]
pub struct Report {
    /// The semantic version of this format. Minor versions add fields; readers must ignore unknown
    /// fields.
    #[schemars(extend("examples" = ["2.1.0"]))]
    pub schema_version: String,
    /// The program that wrote the report.
    pub tool: Tool,
    /// The episodes that were checked, sorted by `dir`.
    pub episodes: Vec<EpisodeReport>,
    /// The totals over all episodes.
    pub totals: Totals,
    /// `true` if everything was read and judged: there are no faults.
    pub complete: bool,
    /// The paths that could not be read and the episodes that could not be judged, sorted by path.
    /// Everything else is in the report.
    pub faults: Vec<ReportedFault>,
    /// Totals by rule, mode and adapter; present when they were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) statistics: Option<Statistics>,
}

/// A path that could not be read, or an episode that could not be judged.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ReportedFault {
    /// The path, as the user would type it.
    #[schemars(extend("examples" = ["runs/episodes/ep_1"]))]
    pub path: String,
    /// The reason why it could not be read or judged.
    #[schemars(extend("examples" = ["Permission denied (os error 13)"]))]
    pub message: String,
    /// The sort of fault.
    #[serde(skip)]
    pub(crate) sort: FaultSort,
}

impl ReportedFault {
    /// Sorts faults and drops duplicates.
    pub(crate) fn tidy(faults: &mut Vec<Self>) {
        let order = |fault: &Self| (fault.path.clone(), fault.message.clone(), fault.sort);
        faults.sort_by_cached_key(order);
        faults.dedup_by_key(|fault| order(fault));
    }
}

impl fmt::Display for ReportedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// A sort of fault that a report lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum FaultSort {
    /// A directory could not be read.
    Unlistable,
    /// An episode could not be judged in full.
    Undecided,
    /// A symbolic link was not followed.
    Link,
    /// Anything else.
    #[default]
    Other,
}

/// The program that wrote a report.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Tool {
    /// Always `runvet`.
    #[schemars(extend("const" = "runvet"))]
    pub name: String,
    /// The semantic version of the program.
    #[schemars(extend("examples" = ["0.1.0"]))]
    pub version: String,
}

impl Tool {
    /// Returns this very program.
    #[must_use]
    pub fn this() -> Self {
        Self {
            name: "runvet".into(),
            version: env!("CARGO_PKG_VERSION").into(),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_of_a_rule_is_at_its_id_on_the_site() {
        let expected = "https://runvet.example/docs/rules.html#plan/step-ids";
        assert_eq!(
            page_on("https://runvet.example/docs/", "plan/step-ids"),
            expected
        );
    }
}
