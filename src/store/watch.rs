//! Directories that change -> what discovery finds in them now, from what was seen before.

mod known;
mod mounts;
mod others;
mod snapshot;

pub(crate) use known::{KnownRuns, Renewed};
pub(crate) use mounts::reports_no_changes;
pub(crate) use others::OtherFiles;
pub(crate) use snapshot::look_at;
