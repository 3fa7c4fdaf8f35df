//! Whether the timeline confirms the persisted state.

mod evidence;
pub(super) mod links;
pub(super) mod missing;
pub(super) mod outcomes;
pub(super) mod stale;
