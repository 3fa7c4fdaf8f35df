//! Directories that changed -> the part of a tree that they may have changed.
//!
//! What a directory is depends on its own entries, on those of the directories above it, because a
//! walk stops at an episode, and, of a directory with only a summary, on the runs below it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::listing::{Listing, list};
use super::path::{join, shared_name};
use super::snapshot::Snapshot;
use super::stillness::FileVersion;
use super::tree::{Dir, OnDisk, Tree};
use super::walk::FoundEpisode;
use crate::source::{Artifact, EPISODES, EntryKind};

/// A function that is called with each directory before it is listed, by its path from the root on.
pub(crate) type Listen<'l> = &'l (dyn Fn(&Path) + Sync);

/// Paths from the root of a walk on at which something changed, each with whether everything below
/// may have changed too. Otherwise, only the artifacts in the directory did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(pub(crate) BTreeMap<PathBuf, bool>);

impl Changes {
    /// Adds a path at which something changed.
    pub(super) fn add(&mut self, below: PathBuf, is_whole: bool) {
        *self.0.entry(below).or_default() |= is_whole;
    }

    /// Returns `true` if what is known of a path may have changed.
    pub(super) fn show(&self, below: &Path) -> bool {
        self.0.contains_key(below) || self.show_all(below)
    }

    /// Returns `true` if everything at and below a path may have changed. An artifact's name may be
    /// that of a directory.
    fn show_all(&self, below: &Path) -> bool {
        let mut last = None;
        for above in below.ancestors() {
            match self.0.get(above) {
                Some(true) => return true,
                Some(false) if last.is_some_and(is_artifact) => return true,
                _ => last = above.file_name(),
            }
        }
        false
    }

    /// Returns the paths of which everything is shown, and those of which only the directory is.
    pub(super) fn parts(&self) -> (Vec<PathBuf>, Vec<&Path>) {
        let (mut whole, mut single) = (Vec::new(), Vec::new());
        for (below, is_whole) in &self.0 {
            if *is_whole {
                whole.push(below.clone());
            } else {
                single.push(&**below);
                whole.extend(Artifact::ALL.map(|artifact| below.join(artifact.file_name())));
            }
        }
        (whole, single)
    }

    /// Returns the names in a directory that lead to changes.
    fn next(&self, below: &Path) -> Vec<&OsStr> {
        let mut names = Vec::new();
        let mut from = below.to_owned();
        while let Some((change, _)) = self.0.range(from.clone()..).next() {
            let Ok(way) = change.strip_prefix(below) else {
                break;
            };
            let mut after = OsString::new();
            if let Some(name) = way.iter().next() {
                names.push(name);
                after.push(name);
            }
            // No name has this byte: what comes next is in another directory.
            after.push("\0");
            from = below.join(after);
        }
        names
    }
}

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

fn is_artifact(name: &OsStr) -> bool {
    name.to_str().and_then(Artifact::from_file_name).is_some()
}
