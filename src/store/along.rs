//! Directories that changed -> the part of a tree that they may have changed.
//!
//! What a directory is depends on its own entries, on those of the directories above it, because a
//! walk stops at an episode, and, of a directory with only a summary, on the runs below it.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::changes::{Changes, is_artifact};
use super::listing::{Listing, list};
use super::path::{join, shared_name};
use super::snapshot::Snapshot;
use super::stillness::FileVersion;
use super::tree::{Dir, OnDisk, Tree};
use super::walk::FoundEpisode;
use crate::source::{EPISODES, EntryKind};

/// A function that is called with each directory before it is listed, by its path from the root on.
pub(crate) type Listen<'l> = &'l (dyn Fn(&Path) + Sync);

/// The tree of a disk, of which only what may have changed is shown, and the way to it.
pub(super) struct Along<'a> {
    /// The root of the walk, as the user would type it.
    pub(super) root: &'a Path,
    pub(super) changes: &'a Changes,
    /// The episodes that were found before, sorted.
    pub(super) episodes: &'a [FoundEpisode],
    /// The function that is called with each directory before it is listed.
    pub(super) listen: Listen<'a>,
    /// The snapshot that notes each directory that is listed.
    pub(super) snapshot: &'a Mutex<Snapshot>,
}

impl Along<'_> {
    /// Returns what a directory on the way lists: the next directories, and if it is a known
    /// episode, what makes it one. Where it has changed as well, that is looked at for its own
    /// sake.
    fn glance(&self, dir: &Dir, below: &Path) -> Listing {
        let mut listing = Listing::default();
        let known = self.episodes.binary_search_by(|it| it.dir.path_order(dir));
        if let Some(known) = known.ok().and_then(|at| self.episodes.get(at)) {
            listing.entries = known.entries;
        }
        for name in self.changes.next(below) {
            let path = join(self.root, &below.join(name));
            let kind = rustix::fs::lstat(&path).map(|stat| FileVersion::from(&stat).kind());
            let name_of = || shared_name(name.as_encoded_bytes());
            match kind {
                Ok(EntryKind::Directory) if name != ".git" => listing.directories.push(name_of()),
                Ok(EntryKind::Link) => listing.links.push(name_of()),
                _ => {}
            }
        }
        listing
    }
}

impl Along<'_> {
    /// Lists a directory after it is watched, and notes what it lists; the names in it only if they
    /// are walked to.
    fn list_and_note(&self, dir: &Dir, is_whole: bool) -> io::Result<Listing> {
        let (below, path) = (dir.below(), dir.path());
        (self.listen)(&below);
        let listing = list(&path);
        let snapshot = self.snapshot.lock();
        let mut snapshot = snapshot.unwrap_or_else(PoisonError::into_inner);
        snapshot.note(below, &path, &listing, is_whole);
        listing
    }
}

impl Tree for Along<'_> {
    fn list(&self, dir: &Dir) -> io::Result<Listing> {
        let below = dir.below();
        if !self.changes.show(&below) {
            return Ok(self.glance(dir, &below));
        }
        let is_whole = self.changes.show_all(&below);
        let mut listing = self.list_and_note(dir, is_whole)?;
        // Whether a directory called `episodes` is empty matters.
        if dir.name() != EPISODES && !is_whole {
            let next = self.changes.next(&below);
            let is_shown = |name: &OsStr| is_artifact(name) || next.contains(&name);
            listing.directories.retain(|name| is_shown(name));
            listing.links.retain(|name| is_shown(name));
        }
        Ok(listing)
    }

    fn holds_timeline(&self, dir: &Dir) -> io::Result<bool> {
        let _ = self.list_and_note(dir, true);
        OnDisk.holds_timeline(dir)
    }
}
