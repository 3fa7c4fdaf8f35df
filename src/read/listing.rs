//! Runs as one JSON object: what `runvet list --format json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use super::RunEntry;

/// Some runs of a run-data directory, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet list --format json",
    extend("$id" = crate::record::schema_id("list"))
)]
#[non_exhaustive]
pub struct Listing {
    /// The runs, at most as many as the limit.
    pub runs: Vec<RunEntry>,
    /// The number of directories beyond the limit, which were not opened: most likely runs, whether
    /// or not they match the filters.
    pub more: usize,
}

impl Listing {
    /// A list of runs, and how many more there are.
    #[must_use]
    pub fn new(runs: Vec<RunEntry>, more: usize) -> Self {
        Self { runs, more }
    }
}
