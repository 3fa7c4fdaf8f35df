//! A directory that changed -> the part of a tree that depends on it.
//!
//! What a directory is depends on its own entries; on those of the directories above it, because a
//! walk stops at an episode; and, of a directory with only a summary, on all that is below it.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::listing::Listing;
use super::nature::{EPISODES, Nature};
use super::path::{is_nothing, shared_name};
use super::stillness::FileVersion;
use super::tree::{Dir, OnDisk, Tree};
use crate::source::{Artifact, EntryKind};

/// The tree of a disk, of which only the way to a directory is shown, and what is in it.
pub(super) struct Along<'c> {
    /// The directory, from the root of the walk on.
    changed: &'c Path,
    /// Whether everything below the directory is shown.
    is_whole: bool,
    /// The outermost directory on the way that is an episode unless there is one below it, which is
    /// known once it is listed. Everything below it is shown.
    group: OnceLock<PathBuf>,
}

impl<'c> Along<'c> {
    pub(super) fn new(changed: &'c Path, is_whole: bool) -> Self {
        let group = OnceLock::new();
        Self {
            changed,
            is_whole,
            group,
        }
    }

    /// Whether an episode depends on the directory, and was not found for the sake of another one.
    pub(super) fn has(&self, episode: &Dir) -> bool {
        let below = episode.below();
        self.changed.starts_with(&below) || self.is_whole && below.starts_with(self.changed)
    }

    /// What a directory on the way lists: its records, and the next directory on the way.
    fn glance(dir: &Dir, next: &OsStr) -> Listing {
        let path = dir.path();
        let kind = |name: &OsStr| match rustix::fs::lstat(path.join(name)) {
            Ok(stat) => Some(FileVersion::from(&stat).kind()),
            Err(error) if is_nothing(&error.into()) => None,
            // Listing it says why it can't be looked at.
            Err(_) => Some(EntryKind::Directory),
        };
        let mut listing = Listing::default();
        for artifact in Artifact::ALL {
            if let Some(kind) = kind(artifact.file_name().as_ref()) {
                listing.entries.set(artifact, kind);
            }
        }
        listing.holds_episodes = kind(EPISODES.as_ref()) == Some(EntryKind::Directory);
        if kind(next) == Some(EntryKind::Directory) && next != ".git" {
            listing
                .directories
                .push(shared_name(next.as_encoded_bytes()));
        }
        listing
    }
}

impl Tree for Along<'_> {
    fn list(&self, dir: &Dir) -> io::Result<Listing> {
        let below = dir.below();
        if self
            .group
            .get()
            .is_some_and(|group| below.starts_with(group))
        {
            return OnDisk.list(dir);
        }
        let listing = match self.changed.strip_prefix(&below) {
            Ok(way) => match way.iter().next() {
                Some(next) => Self::glance(dir, next),
                None => OnDisk.list(dir)?,
            },
            Err(_) if self.is_whole => OnDisk.list(dir)?,
            Err(_) => Listing::default(),
        };
        if dir.nature(listing.entries, listing.holds_episodes) == Nature::UnlessAbove {
            let _ = self.group.set(below);
            return OnDisk.list(dir);
        }
        Ok(listing)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::num::NonZeroUsize;
    use std::path::Path;

    use crate::store::{Given, depending_on};

    /// The episodes and the faults below a directory that depend on another one.
    fn found(top: &Path, changed: &str, is_whole: bool) -> (Vec<String>, Vec<String>) {
        let paths = [(changed.into(), is_whole)];
        let found = depending_on(top, &paths, NonZeroUsize::MIN, &|_| false, Given::Each);
        let below = |path: &Path| path.strip_prefix(top).unwrap().display().to_string();
        let episodes = found.episodes.iter().map(|it| below(&it.dir.path()));
        let faults = found.faults.iter().map(|it| below(it.path()));
        (episodes.collect(), faults.collect())
    }

    #[test]
    fn change_concerns_the_runs_around_and_below_it() {
        let temp = tempfile::tempdir().unwrap();
        let write = |file: &str| {
            let file = temp.path().join("runs/episodes").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "{}").unwrap();
        };
        let found = |changed: &str, is_whole| {
            let changed = format!("runs/{changed}");
            let (episodes, faults) = found(temp.path(), &changed, is_whole);
            let names = episodes
                .iter()
                .map(|it| it.strip_prefix("runs/episodes/").unwrap());
            (names.collect::<Vec<_>>().join(" "), faults.join(" "))
        };
        let is = |episodes: &str, faults: &str| (episodes.to_owned(), faults.to_owned());
        write("a/state.json");
        write("a/checkpoints/1/state.json");
        write("a/checkpoints/1/events.jsonl");
        write("group/summary.json");
        write("group/b/events.jsonl");
        write("group/c/events.jsonl");
        assert_eq!(found("episodes/a", false), is("a", ""));
        assert_eq!(found("episodes/group/b", false), is("group/b", ""));
        assert_eq!(found("episodes/group", false), is("", ""));
        assert_eq!(found("episodes/group", true), is("group/b group/c", ""));
        assert_eq!(found("", true), is("a group/b group/c", ""));
        // Copies belong to the run around them, whatever is new.
        assert_eq!(found("episodes/a/checkpoints/1", false), is("a", ""));
        assert_eq!(found("episodes/a/checkpoints", true), is("a", ""));
        // What is gone may have hidden a run, or made it a group.
        fs::remove_dir_all(temp.path().join("runs/episodes/group/b")).unwrap();
        assert_eq!(found("episodes/group/b", false), is("", ""));
        fs::remove_dir_all(temp.path().join("runs/episodes/group/c")).unwrap();
        assert_eq!(found("episodes/group/c", false), is("group", ""));
        // A fault on the way is found on each way.
        write("learn.jsonl");
        assert_eq!(found("episodes/a", false), is("a", "runs/episodes"));
        assert_eq!(found("episodes/group", true), is("group", "runs/episodes"));
    }
}
