//! A run as lists know it -> the item of it in the JSON of a service and of a page.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::ground::finding::{Hit, Lifecycle, Pause, RunEntry, ToolUse, Verdict};

/// A run as an item of a list. Values that its records do not give are absent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunItem<'r> {
    /// The run's id, as in a report.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    id: &'r str,
    /// The path of the episode's directory, as the user would type it. It names the run among all.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    dir: &'r str,
    /// `true` if the episode has no finding of severity `error`; null where that is undecided.
    #[schemars(required, schema_with = "crate::ground::record::nullable::<bool>")]
    valid: Option<bool>,
    /// The verdict, as in a report.
    verdict: Verdict,
    /// The lifecycle of the run: in progress, ended, or unknown.
    lifecycle: Lifecycle,
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'r str>,
    /// The status that the state gives, whether or not it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'r str>,
    /// The outcome that the summary gives, whether or not it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'r str>,
    /// The start of the run, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<&'r str>,
    /// The start of the run, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    started_sec: Option<i64>,
    /// The duration in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_sec: Option<f64>,
    /// The time of the last change to a file of a run in progress, in seconds since 1970; only the
    /// service says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    written_sec: Option<i64>,
    /// The pause in which a run in progress waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    paused: Option<&'r Pause>,
    /// The last event of a run in progress that does not wait, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<&'r str>,
    /// The number of steps of the plan of a run that has persisted no state yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
    /// The mode of the runtime.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'r str>,
    /// The adapter that executed the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<&'r str>,
    /// Tags as `key:value`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// The names of latencies, each with its milliseconds.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    latencies: &'r [(Arc<str>, f64)],
    /// The names of the metrics of its outcomes, each with its number.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    metrics: &'r [(Arc<str>, f64)],
    /// The tools that it called or wanted to call, in the order of their first calls.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tools: &'r [ToolUse],
    /// The first places that have the `text` or the `call` of the query, at most 3; only the
    /// service says so.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    hits: &'r [Hit],
    /// `true` if there are further such places.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more_hits: bool,
    /// The number of tags, latencies, metrics and tools that are left out: of a page in one file
    /// beyond the first 256 of each.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
    /// The number of findings of severity `error`.
    errors: u64,
    /// The number of findings of severity `warning`.
    warnings: u64,
    /// The number of rules that could not be judged.
    #[serde(skip_serializing_if = "is_zero")]
    unjudged: u64,
    /// The number of findings that do not count.
    #[serde(skip_serializing_if = "is_zero")]
    suppressed: u64,
    /// The rules of the findings, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<&'r str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl<'r> From<&'r RunEntry> for RunItem<'r> {
    fn from(run: &'r RunEntry) -> Self {
        let since_1970 = || {
            run.written?
                .duration_since(UNIX_EPOCH)
                .ok()
        };

        Self {
            id: &run.episode_id,
            dir: &run.dir,
            valid: run.valid,
            verdict: run.verdict.unwrap_or_default(),
            lifecycle: run.lifecycle,
            task: run.task.as_deref(),
            status: run.status.as_deref(),
            outcome: run.outcome.as_deref(),
            started_at: run
                .started_at
                .as_deref()
                .or_else(|| run.time_unknown()),
            started_sec: run.started_sec(),
            duration_sec: run.duration_sec,
            written_sec: since_1970().and_then(|since| i64::try_from(since.as_secs()).ok()),
            paused: run.paused.as_deref(),
            now: run.now.as_deref(),
            steps: run.steps,
            mode: run.mode.as_deref(),
            adapter: run.adapter.as_deref(),
            tags: run.tags.iter().map(tag_text).collect(),
            latencies: &run.latencies,
            metrics: &run.metrics,
            tools: &run.tools,
            hits: &run.hits,
            more_hits: run.more_hits,
            left_out: run.left_out.into(),
            errors: run.totals.errors,
            warnings: run.totals.warnings,
            unjudged: run.unjudged as u64,
            suppressed: run.suppressed(),
            rules: run
                .rules
                .iter()
                .map(|(rule, _)| &**rule)
                .collect(),
        }
    }
}

/// Returns a tag as lists and filters name it.
pub(super) fn tag_text((key, value): &(Arc<str>, Arc<str>)) -> String {
    format!("{key}:{value}")
}

/// Writes runs as items.
pub(crate) fn serialize<S: Serializer>(
    runs: &[Arc<RunEntry>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(
        runs.iter()
            .map(|run| RunItem::from(&**run)),
    )
}
