//! Rules of the group `plan`: the persisted plan agrees with the timeline.

mod difference;
pub(super) mod legacy_labels;
pub(super) mod no_event;
pub(super) mod projection;
pub(super) mod step_ids;
pub(super) mod still_running;

pub(crate) use difference::plan_difference;

/// The keys and phases that the plan of a timeline rests on.
const PLAN: &[&str] = &[
    "plan",
    "act",
    "phase",
    "payload",
    "source",
    "agent_id",
    "step_records",
    "steps",
    "step_id",
    "step_status",
];
