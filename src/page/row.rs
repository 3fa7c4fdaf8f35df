//! The report on a run -> the run as a row of a list.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::finding::{EpisodeReport, Lifecycle, Severity};

/// The maximum number of rules that a row names.
const MAX_RULES: usize = 24;

/// A run as a row of a list. What its records do not say is absent.
#[derive(Debug, Serialize)]
pub(crate) struct Row<'r> {
    pub(crate) id: &'r str,
    /// The path of the episode's directory, which names the run among all.
    pub(crate) dir: &'r str,
    pub(crate) valid: Option<bool>,
    pub(crate) lifecycle: Lifecycle,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_at: Option<&'r str>,
    /// The same in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_sec: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) duration_sec: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) adapter: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) latencies: Vec<(&'r str, f64)>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// The number of rules that could not be judged.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) unjudged: usize,
    /// The number of findings that do not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) suppressed: usize,
    /// The rules of the findings, each once.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) rules: BTreeSet<&'r str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl<'r> Row<'r> {
    pub(crate) fn of(report: &'r EpisodeReport) -> Self {
        let of = |severity: Severity| {
            let findings = report.findings.iter();
            findings
                .filter(|finding| finding.severity == severity)
                .count()
        };
        let unjudged: BTreeSet<&str> = report.skipped.iter().map(|skip| &*skip.rule).collect();
        let rules: BTreeSet<&str> = report
            .findings
            .iter()
            .map(|finding| &*finding.rule)
            .collect();
        let card = report.card.as_deref();
        let tags = card.map(|card| &*card.tags).unwrap_or_default();
        let latencies = card.map(|card| &*card.latencies).unwrap_or_default();
        Self {
            id: &report.id,
            dir: &report.dir,
            valid: report.valid,
            lifecycle: report.lifecycle,
            task: card.and_then(|card| card.task.as_deref()),
            status: card.and_then(|card| card.status.as_deref()),
            outcome: card.and_then(|card| card.outcome.as_deref()),
            started_at: card.and_then(|card| card.started_at.as_deref()),
            started_sec: card.and_then(|card| card.started_sec),
            duration_sec: card.and_then(|card| card.duration_sec),
            mode: report.mode.as_deref().map(crate::printable::brief),
            adapter: report.adapter.as_deref().map(crate::printable::brief),
            tags: tags.iter().map(tag_text).collect(),
            latencies: latencies
                .iter()
                .map(|(name, value)| (&**name, *value))
                .collect(),
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            unjudged: unjudged.len(),
            suppressed: report.suppressed.len(),
            rules: rules.into_iter().take(MAX_RULES).collect(),
        }
    }
}

/// A tag as lists and filters name it.
fn tag_text((key, value): &(String, String)) -> String {
    format!("{key}:{value}")
}
