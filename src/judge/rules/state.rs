//! Rules of the group `state`: the state by itself is sound.

pub(super) mod missing;
pub(super) mod newer_version;
pub(super) mod not_yet;
pub(super) mod schema;
pub(super) mod version;
