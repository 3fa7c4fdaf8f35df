//! The name and the entries of a directory -> whether it is an episode.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::source::{Artifact, EPISODES, Entries};

/// The nature of a directory: whether it is an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// It is one, whatever is below it.
    Episode,
    /// It is one unless there is an episode below it.
    UnlessAbove,
    /// It is none.
    None,
}

/// Returns what a directory below one called `episodes` is, by its name and its own entries.
/// Nothing else in it counts, so that a run can't be hidden by what is added to it.
pub(super) fn nature(name: &OsStr, entries: Entries) -> Nature {
    if name == EPISODES {
        Nature::None
    } else if holds_records(entries) {
        Nature::Episode
    } else if entries.has(Artifact::Summary) {
        Nature::UnlessAbove
    } else {
        Nature::None
    }
}

/// Returns `true` if a directory holds a record that makes it an episode anywhere.
pub(super) fn holds_records(entries: Entries) -> bool {
    entries.has(Artifact::State) || entries.has(Artifact::Events)
}

/// Returns `true` if a directory is below one called `episodes`.
pub(super) fn below_episodes(real: &Path) -> bool {
    real.parent().is_some_and(names_episodes)
}

/// Returns `true` if any directory of a path is called `episodes`.
pub(super) fn names_episodes(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == EPISODES)
}

/// Returns the run-data directory around a directory that is, or is below, one called `episodes`:
/// the outermost.
pub(super) fn run_data(real: &Path) -> PathBuf {
    real.components()
        .take_while(|part| part.as_os_str() != EPISODES)
        .collect()
}
