//! What runvet says: findings, skips, reports. Plain data, and the source of
//! `schemas/report.schema.json`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::printable::{brief, escape};
use crate::source::{Artifact, Excerpt};
use crate::words::words;

/// The version of the report format.
pub const REPORT_VERSION: &str = "1.1.0";

/// Findings of one rule in one episode that a report lists; the rest is counted in one more finding.
///
/// A record of millions of broken items would otherwise fill the memory with sentences that nobody
/// reads.
pub(crate) const MAX_FINDINGS_PER_RULE: usize = 100_000;

/// Why a rule was not judged in an episode that changed during every attempt to read it.
pub(crate) const STILL_CHANGING: SkipReason = SkipReason::new(
    SkipKind::Changing,
    "the episode kept changing while it was read",
);

/// How much a finding weighs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::record::describe_values)]
pub enum Severity {
    /// The records can't be trusted as they are: the gate fails.
    Error,
    /// Worth a look; the gate passes unless warnings are denied.
    Warning,
}

words!(Severity {
    Error = "error",
    Warning = "warning",
});

/// What there is to know about a rule.
#[derive(Debug)]
#[non_exhaustive]
pub struct RuleInfo {
    /// The rule's name: its group and its subject.
    pub id: &'static str,
    /// How much its findings weigh, unless set otherwise.
    pub severity: Severity,
    /// The defect, in one line.
    pub title: &'static str,
    /// What to do about a finding.
    pub hint: &'static str,
    /// The rule's page, in Markdown: what, why it matters, an example, how to fix it.
    pub page: &'static str,
}

/// How much the findings of a rule weigh in a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::record::describe_values)]
pub enum Level {
    /// They fail the gate.
    Error,
    /// They are told.
    Warning,
    /// The rule is not judged.
    Off,
}

impl Level {
    /// The severity of the findings, where there are to be any.
    #[must_use]
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Off => None,
        }
    }
}

words!(Level {
    Error = "error",
    Warning = "warning",
    Off = "off",
});

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
        }
    }
}

/// Where a run stands in its life, as far as its records tell (reference, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::record::describe_values)]
#[non_exhaustive]
pub enum Lifecycle {
    /// The run has ended: its status is any but `pending`.
    Terminal,
    /// The run goes on, or waits: its status is `pending`, or nothing but a timeline is there yet.
    NonTerminal,
    /// The records do not tell.
    Unknown,
}

words!(Lifecycle {
    Terminal = "terminal",
    NonTerminal = "non_terminal",
    Unknown = "unknown",
});

/// The result of checking run data.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(
    title = "runvet report",
    extend("$id" = crate::record::schema_id("report"))
)]
#[non_exhaustive]
pub struct Report {
    /// The version of this format, a semantic version. Minor versions add fields; readers pass over
    /// fields they don't know.
    #[schemars(extend("examples" = ["1.1.0"]))]
    pub schema_version: String,
    /// The program that wrote the report.
    pub tool: Tool,
    /// The episodes that were checked, sorted by `dir`.
    pub episodes: Vec<EpisodeReport>,
    /// The sums over all episodes.
    pub totals: Totals,
    /// The same sums by rule, mode and adapter, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
}

/// The program that wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Tool {
    /// Always `runvet`.
    #[schemars(extend("const" = "runvet"))]
    pub name: String,
    /// The version of the program, a semantic version.
    #[schemars(extend("examples" = ["0.1.0"]))]
    pub version: String,
}

impl Tool {
    /// This very program.
    #[must_use]
    pub fn this() -> Self {
        Self {
            name: "runvet".into(),
            version: env!("CARGO_PKG_VERSION").into(),
        }
    }
}

/// What was found in one episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EpisodeReport {
    /// The episode's id: the name of its directory below a directory called `episodes`, elsewhere
    /// what its records say.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub id: String,
    /// The path of the episode's directory, as the user would type it.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub dir: String,
    /// The same path, with bytes that are not UTF-8.
    #[serde(skip)]
    pub path: PathBuf,
    /// Where the run stands in its life.
    pub lifecycle: Lifecycle,
    /// The mode that the runtime was in, as the summary's `flags.mode` says; absent where it says
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["meta"]))]
    pub mode: Option<String>,
    /// The adapter that executed the run, as the state's `episode.using` says; absent where it says
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["adapter:core.minimal"]))]
    pub adapter: Option<String>,
    /// Whether nothing of severity `error` was found.
    pub valid: bool,
    /// What is wrong, sorted by file, offset and rule.
    pub findings: Vec<Finding>,
    /// The rules that could not be judged; empty when every rule was.
    pub skipped: Vec<Skip>,
    /// What is wrong and does not count, because the configuration ignores it or the baseline knows
    /// it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
}

impl EpisodeReport {
    /// Whether findings were held back: the episode kept changing while it was read, and what
    /// disagreed may have been records of two generations.
    #[must_use]
    pub fn kept_changing(&self) -> bool {
        self.skipped
            .iter()
            .any(|skip| skip.kind == Some(SkipKind::Changing))
    }

    /// What stood in the way of judging, each reason with the rules that it kept from it.
    pub(crate) fn unjudged(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for skip in &self.skipped {
            by_reason.entry(&skip.reason).or_default().push(&skip.rule);
        }
        by_reason
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Finding {
    /// The rule's id; `runvet explain` tells more about it.
    #[schemars(extend("examples" = ["lifecycle/links"]))]
    pub rule: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What is wrong, in one sentence with the values in question.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// What stays the same as long as the finding does, wherever the episode lies and whatever is
    /// written before the place: 32 hexadecimal digits, made from the episode's id, the rule, the
    /// file's name, the pointer and the texts at the place and at the other sides. No two findings
    /// of an episode share it.
    #[serde(default)]
    #[schemars(extend("examples" = ["0c7e3a9d5b1f4e8296a1c0d2e4f60718"]))]
    pub fingerprint: String,
    /// Where it is.
    #[serde(flatten)]
    pub location: Location,
    /// The other side, where two places disagree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

impl fmt::Display for Finding {
    /// The finding in one line: place, severity, rule, message. Text of the records is escaped.
    ///
    /// ```
    /// let report = runvet::check::Check::new().records("ep_1", &[]);
    /// assert_eq!(
    ///     report.findings[0].to_string(),
    ///     "ep_1/events.jsonl: error[events/missing]: there is no events.jsonl"
    /// );
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (location, severity) = (&self.location, self.severity);
        write!(f, "{}", escape(&location.file))?;
        if let (Some(line), Some(column)) = (location.line, location.column) {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {severity}[{}]: {}", self.rule, escape(&self.message))
    }
}

/// A finding that does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Suppressed {
    /// What says so.
    pub by: Suppression,
    /// The reason that the configuration gives; absent for what the baseline knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was found.
    pub finding: Finding,
}

/// Why a finding does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::record::describe_values)]
#[non_exhaustive]
pub enum Suppression {
    /// The configuration ignores it.
    Ignore,
    /// The baseline knows it.
    Baseline,
}

/// Whether findings let an episode count as valid: none of them is an error.
pub(crate) fn is_valid(findings: &[Finding]) -> bool {
    findings
        .iter()
        .all(|finding| finding.severity != Severity::Error)
}

/// The other side of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Related {
    /// What the other side says.
    pub message: String,
    /// Where it says so.
    #[serde(flatten)]
    pub location: Location,
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Location {
    /// The path of the file, as the user would type it.
    #[schemars(extend("examples" = ["runs/episodes/ep_1/state.json"]))]
    pub file: String,
    /// The artifact that the file is.
    #[serde(skip)]
    pub artifact: Option<Artifact>,
    /// The JSON Pointer of the value or key; in `events.jsonl` into the object on the line. Absent
    /// for a whole file, for a missing one and for bytes that are no JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["/links", "/plan/steps/0/status"]))]
    pub pointer: Option<String>,
    /// The line, counted from 1. Absent for a whole file and for a missing one, as are the next
    /// five.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub line: Option<u64>,
    /// The column in characters, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub column: Option<u64>,
    /// The line on which the place ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub end_line: Option<u64>,
    /// The column behind its last character, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub end_column: Option<u64>,
    /// The first byte, counted from 0 at the start of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The number of bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The line around the place, ready to be shown.
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
    /// The digest of the text at the place.
    #[serde(skip)]
    pub digest: Option<Digest>,
}

/// A rule that could not be judged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Skip {
    /// The rule's id.
    pub rule: String,
    /// What stood in the way.
    #[schemars(extend("examples" = ["state.json is missing"]))]
    pub reason: String,
    /// The same, for programs; absent in a report that was read back from JSON.
    #[serde(skip)]
    pub kind: Option<SkipKind>,
}

impl Skip {
    pub(crate) fn new(rule: impl Into<String>, reason: &SkipReason) -> Self {
        Self {
            rule: rule.into(),
            reason: reason.text.to_string(),
            kind: Some(reason.kind),
        }
    }
}

/// What kept a rule from being judged, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SkipKind {
    /// A record that it needs is not there.
    Missing,
    /// A record that it needs can't be read.
    Unreadable,
    /// A record that it needs is not JSON, or too far from its schema.
    Syntax,
    /// A record that it needs is of a version that runvet does not support.
    Version,
    /// A line of the timeline is no event, and could be the one that the rule needs.
    NoEvent,
    /// No projection event dates the snapshot of a run that may not have ended.
    Unreached,
    /// The records do not say whether the run has ended.
    Lifecycle,
    /// The episode kept changing while it was read.
    Changing,
}

words!(SkipKind {
    Missing = "missing",
    Unreadable = "unreadable",
    Syntax = "syntax",
    Version = "version",
    NoEvent = "no_event",
    Unreached = "unreached",
    Lifecycle = "lifecycle",
    Changing = "changing",
});

/// Why a rule could not be judged: in a sentence for people, and as a kind for programs.
#[derive(Clone, Debug)]
pub(crate) struct SkipReason {
    pub(crate) kind: SkipKind,
    pub(crate) text: Cow<'static, str>,
}

impl SkipReason {
    pub(crate) const fn new(kind: SkipKind, text: &'static str) -> Self {
        Self {
            kind,
            text: Cow::Borrowed(text),
        }
    }

    /// A line of the timeline is no event, and could be the one that is needed.
    pub(crate) fn no_event(line: u64) -> Self {
        Self {
            kind: SkipKind::NoEvent,
            text: format!(
                "line {line} of events.jsonl is not an event, and could be the one that matters"
            )
            .into(),
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Sums over episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Totals {
    /// Episodes checked.
    pub episodes: u64,
    /// Episodes without an error.
    pub valid: u64,
    /// Episodes with one error or more.
    pub invalid: u64,
    /// Findings of severity `error`.
    pub errors: u64,
    /// Findings of severity `warning`.
    pub warnings: u64,
    /// Findings that do not count because the configuration ignores them.
    #[serde(default)]
    pub ignored: u64,
    /// Findings that do not count because the baseline knows them.
    #[serde(default)]
    pub baselined: u64,
}

impl Totals {
    /// Counts one more episode in.
    pub fn add(&mut self, episode: &EpisodeReport) {
        self.episodes += 1;
        *if episode.valid {
            &mut self.valid
        } else {
            &mut self.invalid
        } += 1;
        for finding in &episode.findings {
            *match finding.severity {
                Severity::Error => &mut self.errors,
                Severity::Warning => &mut self.warnings,
            } += 1;
        }
        for suppressed in &episode.suppressed {
            *match suppressed.by {
                Suppression::Ignore => &mut self.ignored,
                Suppression::Baseline => &mut self.baselined,
            } += 1;
        }
    }
}

/// Sums by rule, by mode and by adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Statistics {
    /// For each rule that found something: the episodes in which it did, and its findings.
    pub rules: BTreeMap<String, Tally>,
    /// For each mode that the runtime was in: the episodes, and all findings in them.
    /// `(none)` stands for runs that name none, `(others)` for the modes beyond the first 1,000.
    /// Long names are cut.
    pub modes: BTreeMap<String, Tally>,
    /// The same for each adapter.
    pub adapters: BTreeMap<String, Tally>,
}

/// Sums over some episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Tally {
    /// Episodes.
    pub episodes: u64,
    /// Findings of severity `error`.
    pub errors: u64,
    /// Findings of severity `warning`.
    pub warnings: u64,
}

/// Modes and adapters that are told apart: run data may make up any number of them.
const MAX_NAMES: usize = 1_000;

impl Tally {
    fn add(&mut self, severity: Severity) {
        *match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        } += 1;
    }
}

impl Statistics {
    /// Counts one more episode in.
    pub fn add(&mut self, episode: &EpisodeReport) {
        let mut all = Tally {
            episodes: 1,
            ..Tally::default()
        };
        let mut met = BTreeSet::new();
        for finding in &episode.findings {
            all.add(finding.severity);
            let of_rule = self.rules.entry(finding.rule.clone()).or_default();
            of_rule.add(finding.severity);
            of_rule.episodes += u64::from(met.insert(&finding.rule));
        }
        for (names, name) in [
            (&mut self.modes, &episode.mode),
            (&mut self.adapters, &episode.adapter),
        ] {
            let mut name = name.as_deref().map_or_else(|| "(none)".into(), brief);
            if names.len() >= MAX_NAMES && !names.contains_key(&name) {
                name = "(others)".into();
            }
            let tally = names.entry(name).or_default();
            tally.episodes += all.episodes;
            tally.errors += all.errors;
            tally.warnings += all.warnings;
        }
    }
}
