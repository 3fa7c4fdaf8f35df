//! Whether the persisted plan agrees with the timeline.

mod difference;
pub(super) mod legacy_labels;
pub(super) mod no_event;
pub(super) mod projection;
pub(super) mod step_ids;
pub(super) mod still_running;
