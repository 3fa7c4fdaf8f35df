//! A directory to search -> what it and the directories below it are.

use std::path::{Component, Path, PathBuf};

use super::EpisodeDir;
use super::listing::{Listing, list};
use super::nature::{Nature, below_episodes, names_episodes, nature, nature_of};
use super::path::{id as id_of, join, tidy};
use crate::source::Entries;

/// A directory to walk: its path as the user typed it, and its real path.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) typed: PathBuf,
    pub(super) real: PathBuf,
    /// Whether the real path, or a directory above it, is called `episodes`.
    pub(super) in_episodes: bool,
    /// Whether a user gave it.
    pub(super) is_given: bool,
}

impl Root {
    pub(super) fn new(typed: PathBuf, real: PathBuf, is_given: bool) -> Self {
        let in_episodes = names_episodes(&real);
        Self {
            typed,
            real,
            in_episodes,
            is_given,
        }
    }

    /// Whether a path is below a directory called `episodes`.
    fn is_below_episodes(&self, below: &Path) -> bool {
        below.parent().map_or_else(
            || below_episodes(&self.real),
            |parent| self.in_episodes || names_episodes(parent),
        )
    }

    /// What a directory is by its own entries.
    pub(super) fn nature(&self, below: &Path, listing: &Listing) -> Nature {
        let name = below.file_name().or_else(|| self.real.file_name());
        let name = name.unwrap_or_default();
        let is_below = self.is_below_episodes(below);
        nature_of(name, is_below, listing.entries, listing.holds_episodes)
    }

    pub(super) fn episode(&self, below: &Path, entries: Entries) -> EpisodeDir {
        let name = below
            .file_name()
            .or_else(|| self.real.file_name())
            .map(id_of)
            .unwrap_or_default();
        let id = self.is_below_episodes(below).then(|| name.clone());
        EpisodeDir {
            path: join(&self.typed, below),
            id,
            name,
            entries,
        }
    }
}

/// The outermost episode around a directory below `episodes`: an episode may contain checkpoints,
/// which hold copies of records.
pub(super) fn enclosing_episode(root: &Root) -> Option<Root> {
    let above: Vec<(usize, &Path)> = root.real.ancestors().enumerate().collect();
    above
        .into_iter()
        .rev()
        .filter(|(_, real)| below_episodes(real))
        .find_map(|(levels, real)| {
            let entries = list(real).ok()?.entries;
            let is_episode = nature(real.file_name()?, entries) == Nature::Episode;
            let typed = || up(&root.typed, levels, real);
            is_episode.then(|| Root::new(typed(), real.to_owned(), root.is_given))
        })
}

/// The directory `levels` above `typed`, whose real path is `real`: as a user would type it, unless
/// a symbolic link lies between.
fn up(typed: &Path, levels: usize, real: &Path) -> PathBuf {
    let mut above = typed.to_owned();
    for _ in 0..levels {
        match above.components().next_back() {
            Some(Component::Normal(_)) => drop(above.pop()),
            _ => above = tidy(&above.join("..")),
        }
    }
    let above = tidy(&above);
    if above.canonicalize().is_ok_and(|path| path == real) {
        above
    } else {
        real.to_owned()
    }
}
