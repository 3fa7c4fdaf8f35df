//! Two plans -> one JSON object: the output of `runvet plan --json`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::PlanComparison;
use crate::read::{Error, RunReader};
use crate::report::raw_json;

/// The plan of one run: as it is persisted, and as it is rebuilt from the timeline.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet plan --json",
    extend("$id" = crate::record::schema_id("plan"))
)]
pub(crate) struct PlanPage {
    /// The run's id.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(crate) episode_id: String,
    /// `plan` of the state as it is stored, whether or not it is valid; null where it is absent or
    /// the state can't be read.
    #[schemars(schema_with = "crate::record::any_value")]
    pub(crate) persisted: Option<Box<RawValue>>,
    /// The rebuilt plan, and where the persisted plan differs from it.
    pub(crate) comparison: PlanComparison,
}

impl PlanPage {
    /// Reads the plan of a run, and rebuilds it from the timeline.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] if the directory can't be opened.
    pub(crate) fn new(run: &RunReader) -> Result<Self, Error> {
        run.load(None, |loaded| {
            let plan = (loaded.state.written()).and_then(|state| state.get("plan"));
            Self {
                episode_id: run.id_of(loaded),
                persisted: plan.and_then(|plan| raw_json(plan).ok()),
                comparison: PlanComparison::of(loaded.run),
            }
        })
    }
}
