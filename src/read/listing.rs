//! Runs as one JSON object: what `runvet list --format json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::Lifecycle;

/// Some runs of a run-data directory, newest first.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet list --format json",
    extend("$id" = crate::record::schema_id("list"))
)]
pub(crate) struct RunListing {
    /// The runs, at most as many as the limit.
    pub(crate) runs: Vec<RunEntry>,
    /// The number of directories beyond the limit, which were not opened: most likely runs, whether
    /// or not they match the filters.
    pub(crate) more: usize,
}

impl RunListing {
    /// A list of runs, and how many more there are.
    #[must_use]
    pub(crate) fn new(runs: Vec<RunEntry>, more: usize) -> Self {
        Self { runs, more }
    }
}

/// A run as an entry of a list. What its records do not say is null.
#[derive(Clone, Debug, Serialize, JsonSchema, PartialEq)]
#[non_exhaustive]
pub struct RunEntry {
    /// The run's id: the name of its directory.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub episode_id: String,
    /// The task, from the state or else from the summary.
    pub task: Option<String>,
    /// When the run started, as written; an RFC 3339 date-time where the record is valid.
    #[schemars(extend("examples" = ["2026-03-01T12:00:00.000000+00:00"]))]
    pub started_at: Option<String>,
    /// The status that the state gives, as written, whether or not it is one.
    #[schemars(extend("examples" = ["ok", "pending"]))]
    pub status: Option<String>,
    /// The outcome that the summary gives, as written, whether or not it is one.
    #[schemars(extend("examples" = ["success"]))]
    pub outcome: Option<String>,
    /// The duration in seconds that the summary gives; at least 0 where the record is valid.
    pub duration_sec: Option<f64>,
    /// Whether it has ended.
    pub lifecycle: Lifecycle,
    /// The path of its directory: the given path joined with what lies below.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub dir: String,
    /// Whether it has no finding of severity `error`, where it was judged: `runvet list --invalid`
    /// does that. Null where it was not judged, or kept changing while it was read.
    pub valid: Option<bool>,
    /// The rule of its first finding of severity `error`; null where there is none, or the run was
    /// not judged.
    #[schemars(extend("examples" = ["plan/projection"]))]
    pub first_error: Option<String>,
}
