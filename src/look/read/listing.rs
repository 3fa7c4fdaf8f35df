//! Runs as one JSON object: what `runvet list --format json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ground::finding::RunEntry;

/// Some runs of a run-data directory, newest first.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet list --format json",
    extend("$id" = crate::ground::record::schema_id("list"))
)]
pub(crate) struct RunListing {
    /// The runs, at most as many as the limit.
    pub(crate) runs: Vec<RunEntry>,
    /// The number of directories beyond the limit, which were not opened: most likely runs, whether
    /// or not they match the filters.
    pub(crate) more: usize,
}
