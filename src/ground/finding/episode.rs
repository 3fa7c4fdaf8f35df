//! The report of one episode, and what it says of its rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    FaultSort, Finding, Level, Lifecycle, ReportedFault, RunEntry, SealedFiles, Severity, Skip,
    SkipKind, Suppressed, Verdict,
};
use crate::ground::source::EpisodeKey;

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
