//! Whether the timeline confirms the persisted state.

pub(super) mod digest;
mod evidence;
pub(super) mod links;
pub(super) mod missing;
pub(super) mod not_yet;
pub(super) mod outcomes;
pub(super) mod stale;
