//! Directories on a disk -> what each lists, and what its records say of it.

use std::io;

use super::dir::Dir;
use super::nature;
use crate::store::open::{Listing, list};

/// The number of levels below a given path that are searched.
///
/// Run data is a dozen levels deep. What the search does for a directory depends on the length of
/// its path, so without a limit a few thousand directories, each in the one before, would keep it
/// busy for minutes.
pub(crate) const MAX_LEVELS: usize = 256;

/// Directories, and what their records say as far as it decides which of them are episodes. Unless
/// it says otherwise, a tree is on a disk.
pub(crate) trait Tree: Sync {
    /// Returns what a directory lists.
    fn list(&self, dir: &Dir) -> io::Result<Listing>;

    /// Returns whether a directory in an episode holds a timeline, so that a run may be hidden
    /// there.
    fn holds_timeline(&self, dir: &Dir) -> io::Result<bool> {
        nature::holds_timeline(&dir.path())
    }

    /// Returns `true` if the `state.json` of a directory is that of another program.
    fn is_foreign(&self, dir: &Dir) -> bool {
        nature::is_foreign(&dir.episode())
    }

    /// Returns `true` if the summary of a directory names a run.
    fn names_run(&self, dir: &Dir) -> bool {
        nature::names_run(&dir.episode())
    }
}

/// The tree of all directories of a disk.
pub(super) struct OnDisk;

impl Tree for OnDisk {
    fn list(&self, dir: &Dir) -> io::Result<Listing> {
        list(&dir.path())
    }
}
