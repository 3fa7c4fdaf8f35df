//! The state record by itself.

pub(super) mod missing;
pub(super) mod newer_version;
pub(super) mod not_yet;
pub(super) mod schema;
pub(super) mod version;
