//! Directories that change -> what discovery finds in them now, from what was seen before.

mod known;
#[cfg(target_os = "linux")]
mod mounts;
mod others;
mod snapshot;

pub(crate) use known::{KnownRuns, Renewed};
#[cfg(target_os = "linux")]
pub(crate) use mounts::reports_no_changes;
pub(crate) use others::OtherFiles;
pub(crate) use snapshot::look_at;

/// Returns `false`: no file system is known here not to report what others change.
#[cfg(not(target_os = "linux"))]
pub(crate) fn reports_no_changes(_: &std::path::Path) -> bool {
    false
}
