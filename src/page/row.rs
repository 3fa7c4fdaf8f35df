//! The report on a run -> the run as a row of a list.

use std::borrow::Cow;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::{EpisodeReport, Lifecycle, Totals, Verdict};

/// A run as an item of a list. What its records do not say is absent. Texts are short, and safe to
/// print.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RunItem")]
pub(crate) struct RunRow<'r> {
    /// The run's id, as in a report.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(crate) id: &'r str,
    /// The path of the episode's directory, as the user would type it. It names the run among all.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(crate) dir: &'r str,
    /// Whether the episode has no finding of severity `error`; null where that is undecided.
    #[schemars(required, schema_with = "crate::record::nullable::<bool>")]
    pub(crate) valid: Option<bool>,
    /// The verdict, as in a report.
    pub(crate) verdict: Verdict,
    /// Whether the run has ended.
    pub(crate) lifecycle: Lifecycle,
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<&'r str>,
    /// The status that the state gives, whether or not it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<&'r str>,
    /// The outcome that the summary gives, whether or not it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<&'r str>,
    /// When the run started, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_at: Option<&'r str>,
    /// When the run started, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_sec: Option<i64>,
    /// The duration in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) duration_sec: Option<f64>,
    /// When a file of a run in progress was last written, in seconds since 1970; only the service
    /// says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) written_sec: Option<i64>,
    /// The mode of the runtime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<Cow<'r, str>>,
    /// The adapter that executed the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) adapter: Option<Cow<'r, str>>,
    /// Tags as `key:value`, at most 8.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<Cow<'r, str>>,
    /// The names of latencies, each with its milliseconds; at most 12.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) latencies: Vec<(&'r str, f64)>,
    /// The names of the metrics of its outcomes, each with its number; at most 12.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) metrics: Vec<(&'r str, f64)>,
    /// The number of findings of severity `error`.
    pub(crate) errors: u64,
    /// The number of findings of severity `warning`.
    pub(crate) warnings: u64,
    /// The number of rules that could not be judged.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) unjudged: usize,
    /// The number of findings that do not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) suppressed: usize,
    /// The rules of the findings, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rules: Vec<&'r str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl<'r> RunRow<'r> {
    pub(crate) fn of(report: &'r EpisodeReport) -> Self {
        let totals = Totals::of(report);
        let unjudged: BTreeSet<&str> = report.skipped.iter().map(|skip| &*skip.rule).collect();
        let findings = report.findings.iter();
        let rules: BTreeSet<&str> = findings.map(|finding| &*finding.rule).collect();
        let card = report.card.as_deref();
        let tags = card.map(|card| &*card.tags).unwrap_or_default();
        let brief = |text: &str| Cow::Owned(crate::printable::brief(text));
        Self {
            id: &report.id,
            dir: &report.dir,
            valid: report.valid,
            verdict: report.verdict,
            lifecycle: report.lifecycle,
            task: card.and_then(|card| card.task.as_deref()),
            status: card.and_then(|card| card.status.as_deref()),
            outcome: card.and_then(|card| card.outcome.as_deref()),
            started_at: card.and_then(|card| card.started_at.as_deref()),
            started_sec: card.and_then(|card| card.started_sec),
            duration_sec: card.and_then(|card| card.duration_sec),
            written_sec: None,
            mode: report.mode.as_deref().map(brief),
            adapter: report.adapter.as_deref().map(brief),
            tags: tags.iter().map(tag_text).collect(),
            latencies: card
                .map(|card| figures(&card.latencies))
                .unwrap_or_default(),
            metrics: card.map(|card| figures(&card.metrics)).unwrap_or_default(),
            errors: totals.errors,
            warnings: totals.warnings,
            unjudged: unjudged.len(),
            suppressed: report.suppressed.len(),
            rules: rules.into_iter().collect(),
        }
    }
}

fn figures(kept: &[(String, f64)]) -> Vec<(&str, f64)> {
    kept.iter().map(|(name, value)| (&**name, *value)).collect()
}

/// A tag as lists and filters name it.
fn tag_text<'r>((key, value): &(String, String)) -> Cow<'r, str> {
    format!("{key}:{value}").into()
}
