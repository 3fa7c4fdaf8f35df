//! Rules of the group `projection`: the timeline confirms the persisted state.

pub(super) mod digest;
mod evidence;
pub(super) mod links;
pub(super) mod missing;
pub(super) mod not_yet;
pub(super) mod outcomes;
pub(super) mod stale;

/// The keys and phases by which a projection event is known.
const EVIDENCE: &[&str] = &["runtime", "event_type", "phase"];

/// The same keys, and those of the parts of the state that it copies.
const COPIES: &[&str] = &[
    "runtime",
    "event_type",
    "phase",
    "payload",
    "outcomes",
    "links",
    "state_sha256",
];
