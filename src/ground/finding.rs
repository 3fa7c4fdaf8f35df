//! The results of runvet: findings, skips, reports. Plain data, and the source of
//! `schemas/report.schema.json`.

mod entry;
mod place;
mod sealed;
mod skip;
mod tools;
mod totals;
mod verdict;
mod whole;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ground::source::EpisodeKey;
use crate::ground::words::words;

pub(crate) use entry::{PARENT, SharedTexts, TIME_UNKNOWN, cut};
pub use entry::{Pause, RunEntry};
pub(crate) use place::Suppression;
pub use place::{Finding, Location, Related, Suppressed};
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

/// The result of checking one episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EpisodeReport {
    /// The episode's id: the name of its directory inside a directory called `episodes`, elsewhere
    /// the id in its records.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub id: String,
    /// The path of the episode's directory, as the user would type it.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub dir: String,
    /// The key that `dir` shows; a path in it keeps its bytes that are not UTF-8.
    #[serde(skip)]
    pub key: EpisodeKey,
    /// The stage of the run: whether it has ended.
    pub lifecycle: Lifecycle,
    /// The mode of the runtime, from `flags.mode` in the summary; absent when the summary has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["meta"]))]
    pub mode: Option<String>,
    /// The adapter that executed the run, from `episode.using` in the state; absent when the state
    /// has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["adapter:core.minimal"]))]
    pub adapter: Option<String>,
    /// `true` if the episode has no finding of severity `error`. It is null where that is open: the
    /// episode kept changing while it was read, the machine lacked memory to read it, or a rule of
    /// level `error` could not be judged because of what the records hold, and no finding says so.
    #[schemars(required, schema_with = "crate::ground::record::nullable::<bool>")]
    pub valid: Option<bool>,
    /// The verdict, which tells records that can't be trusted from records that break a rule of the
    /// team; both are not `valid`.
    #[serde(default)]
    pub verdict: Verdict,
    /// The findings that count, sorted by file, offset and rule.
    pub findings: Vec<Finding>,
    /// The rules that could not be checked; empty when every rule was checked, but for those under
    /// `suppressed_skips`.
    pub skipped: Vec<Skip>,
    /// The findings that do not count, because the configuration ignores them or the baseline
    /// contains them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
    /// The rules that could not be checked, for reasons that the baseline contains; they are not
    /// under `skipped`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed_skips: Vec<Skip>,
    /// The result of each rule that is on; present when it was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) coverage: Option<BTreeMap<String, Coverage>>,
    /// The run as an entry of a list, where a check was asked to keep it.
    #[serde(skip)]
    pub(crate) entry: Option<Arc<RunEntry>>,
    /// `true` if no rule is on that applies to the episode.
    #[serde(skip)]
    pub(crate) is_unchecked: bool,
    /// The files of the run as they were judged, where a check was asked to seal them.
    #[serde(skip)]
    pub(crate) sealed: Option<Box<SealedFiles>>,
}

/// The rule that says what can't be read.
pub(crate) const UNREADABLE: &str = "record/unreadable";

impl EpisodeReport {
    /// Returns the findings as people read them: what others may follow from, then errors before
    /// warnings, and causes before what they lead to.
    pub(crate) fn by_weight(&self) -> Vec<&Finding> {
        let mut findings: Vec<&Finding> = self.findings.iter().collect();
        let weight = |finding: &&Finding| (!finding.is_cause, finding.severity, finding.rule_index);
        findings.sort_by_key(weight);
        findings
    }

    /// Returns the first finding of severity `error`.
    pub(crate) fn first_error(&self) -> Option<&Finding> {
        let is_error = |finding: &&Finding| finding.severity == Severity::Error;
        self.findings.iter().find(is_error)
    }

    /// Returns `true` if findings were held back: the episode kept changing while it was read, and
    /// what disagreed may have been records of two generations.
    #[must_use]
    pub fn kept_changing(&self) -> bool {
        self.skipped
            .iter()
            .any(|skip| skip.kind == SkipKind::Changing)
    }

    /// Decides whether the episode is valid, by the findings that count and the levels of the rules
    /// that could not be judged.
    pub(crate) fn decide(&mut self, level_of: impl Fn(&str) -> Level) {
        let suppressed = self
            .suppressed
            .iter()
            .map(|it| &it.finding);
        let is_told = self
            .findings
            .iter()
            .chain(suppressed)
            .any(|finding| finding.rule == UNREADABLE);

        for skip in &mut self.skipped {
            let is_hidden = match skip.kind {
                SkipKind::Limit => true,
                SkipKind::Unreadable => !is_told,
                _ => false,
            };
            let is_error = || level_of(&skip.rule) == Level::Error;
            skip.leaves_open = skip.is_momentary() || (is_hidden && is_error());
        }

        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        let is_open = self
            .skipped
            .iter()
            .any(|skip| skip.leaves_open);
        self.valid = (!is_open).then(|| !self.findings.iter().any(is_error));
        self.verdict = Verdict::of(self);
    }

    /// Returns the fault that the episode is, if it could not be judged in full.
    #[must_use]
    pub fn fault(&self) -> Option<ReportedFault> {
        let mut open = (self.skipped.iter()).filter(|skip| skip.leaves_open || skip.met_bound);
        let (message, sort) = if self.kept_changing() {
            let message = "the episode kept changing while it was read; check it again";
            (message.to_owned(), FaultSort::Undecided)
        } else if self
            .skipped
            .iter()
            .any(|skip| skip.is_lacking)
        {
            let message = "the machine lacked the resources to read the episode, such as memory";
            (message.to_owned(), FaultSort::Other)
        } else {
            let Skip { rule, reason, .. } = open.next()?;
            let others = match open.count() {
                0 => String::new(),
                1 => " and 1 other rule".to_owned(),
                others => format!(" and {others} other rules"),
            };
            let message = format!("{rule}{others} could not be judged: {reason}");
            (message, FaultSort::Undecided)
        };

        Some(ReportedFault {
            path: self.dir.clone(),
            message,
            sort,
        })
    }

    /// Returns what stood in the way of judging, each reason with the rules that it kept from it.
    pub(crate) fn unjudged(&self) -> impl Iterator<Item = Unjudged<'_>> {
        let mut by_reason: BTreeMap<(&str, SkipKind), Vec<&str>> = BTreeMap::new();
        for skip in &self.skipped {
            by_reason
                .entry((&skip.reason, skip.kind))
                .or_default()
                .push(&skip.rule);
        }

        let unjudged = |((reason, kind), rules)| Unjudged {
            kind,
            reason,
            rules,
            is_denied: kind.is_denied(self.lifecycle),
        };

        by_reason.into_iter().map(unjudged)
    }
}

/// The result of a rule for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::ground::record::describe_values)]
pub(crate) enum Coverage {
    /// The rule has at least one finding, which may be suppressed.
    Found,
    /// The rule compared something and has no finding.
    Sound,
    /// The run holds nothing for the rule to compare.
    Nothing,
    /// The rule could not be checked, or only in part.
    Skipped,
}

/// The rules that could not be judged in an episode for one reason.
pub(crate) struct Unjudged<'e> {
    pub(crate) kind: SkipKind,
    pub(crate) reason: &'e str,
    pub(crate) rules: Vec<&'e str>,
    /// `true` if `--deny-unjudged` counts them.
    pub(crate) is_denied: bool,
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
