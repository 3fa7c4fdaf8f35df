//! A tree -> the episodes in it, and what may hide one. The one place that goes down a tree.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::EpisodeDir;
use super::fault::{Fault, unlistable};
use super::listing::Listing;
use super::nature::{EPISODES, Nature, run_data};
use super::path::{is_loop, is_nothing, join};
use super::root::Root;
use super::tree::{Around, Dir, Tree};
use crate::parallel::in_order;
use crate::source::{Artifact, Entries};

/// The number of directories in one directory from which several workers search them.
const SPLIT: usize = 64;

/// Says of a directory, as the user would type it, whether it is left out.
pub(crate) type Excludes<'e> = &'e (dyn Fn(&Path) -> bool + Sync);

/// An episode that was found.
#[derive(Clone, Debug)]
pub(crate) struct FoundEpisode {
    pub(super) dir: Dir,
    pub(super) entries: Entries,
}

/// An episode's directory, in the form in which it is at hand.
pub(crate) trait AsEpisodeDir: Sync {
    fn as_episode_dir(&self) -> Cow<'_, EpisodeDir>;
}

impl AsEpisodeDir for EpisodeDir {
    fn as_episode_dir(&self) -> Cow<'_, EpisodeDir> {
        Cow::Borrowed(self)
    }
}

impl AsEpisodeDir for FoundEpisode {
    fn as_episode_dir(&self) -> Cow<'_, EpisodeDir> {
        Cow::Owned(self.into())
    }
}

impl From<&FoundEpisode> for EpisodeDir {
    fn from(found: &FoundEpisode) -> Self {
        found.dir.episode(found.entries)
    }
}

/// A symbolic link to a directory, below a directory called `episodes`.
#[derive(Debug)]
pub(super) struct Link {
    /// Its path as the user would type it.
    pub(super) typed: PathBuf,
    /// The real path of the run-data directory around it.
    pub(super) run_data: PathBuf,
    /// The real path of the directory that it leads to.
    pub(super) target: PathBuf,
}

/// What was found in a tree.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) episodes: Vec<FoundEpisode>,
    /// Paths that could not be searched, or below which a run may be hidden.
    pub(crate) faults: Vec<Fault>,
    /// Directories with nothing but the `state.json` of another program.
    pub(crate) foreign: Vec<PathBuf>,
    /// The number of directories that were left out and so not opened.
    pub(crate) excluded: usize,
    /// Directories that are most likely runs and were not opened, each with its time.
    pub(super) likely: Vec<(Dir, i128)>,
    /// Directories with only a summary: episodes unless there is an episode below them.
    pub(super) candidates: Vec<FoundEpisode>,
    pub(super) links: Vec<Link>,
}

/// The directories in a directory that are to be searched.
pub(super) struct Within {
    around: Arc<Around>,
    names: Vec<Arc<OsStr>>,
}

/// What is searched below a directory.
enum Below {
    Everything,
    /// Directories called `episodes`, and what is below them. The directory is an episode, but
    /// anybody who adds records to a directory makes it one.
    RunData,
    Nothing,
}

/// A walk through a tree. What is excluded is never opened.
#[derive(Clone, Copy)]
pub(super) struct Walk<'w> {
    pub(super) tree: &'w dyn Tree,
    pub(super) root: &'w Root,
    pub(super) excludes: Excludes<'w>,
}

impl Walk<'_> {
    /// Finds what is at and below the root.
    pub(super) fn everything(self, jobs: NonZeroUsize) -> Found {
        let mut found = Found::default();
        self.down_from(vec![Dir::root(self.root)], jobs, &mut found);
        self.decide(&mut found);
        found
    }

    /// Goes down until it meets episodes. If a directory has many entries, several workers search
    /// them.
    fn down_from(self, mut waiting: Vec<Dir>, jobs: NonZeroUsize, found: &mut Found) {
        while let Some(dir) = waiting.pop() {
            let Some(Within { around, names }) = self.visit(&dir, found) else {
                continue;
            };
            let within = |name: &Arc<OsStr>| Dir::new(&around, Arc::clone(name));
            if names.len() < SPLIT {
                waiting.extend(names.iter().map(within));
                continue;
            }
            in_order(
                &names,
                jobs,
                || (),
                |(), name| {
                    let mut found = Found::default();
                    self.down_from(vec![within(name)], NonZeroUsize::MIN, &mut found);
                    found
                },
                |part| {
                    found.append(part);
                    ControlFlow::Continue(())
                },
            );
        }
    }

    /// Records what a directory is, and returns the directories in it that are to be searched.
    pub(super) fn visit(self, dir: &Dir, found: &mut Found) -> Option<Within> {
        let mut episode = dir.episode_around().map(Arc::clone);
        let listing = match self.tree.list(dir) {
            Ok(listing) => listing,
            // The agent may still be at work in the episode.
            Err(error) if episode.is_some() && is_nothing(&error) => return None,
            Err(source) => {
                found.faults.push(unlistable(&dir.path(), source));
                return None;
            }
        };
        if dir.name() == EPISODES
            && let Some(episode) = episode.take_if(|_| listing.holds_anything())
        {
            let (path, episode) = (dir.path(), episode.to_path_buf());
            found.faults.push(Fault::Inside { path, episode });
        }
        if episode.is_none() {
            match self.sort_in(dir, &listing, found) {
                Below::Everything => {}
                Below::RunData => episode = Some(dir.path().into()),
                Below::Nothing => return None,
            }
        }
        if listing.directories.is_empty() && listing.likely.is_empty() {
            return None;
        }
        let around = dir.around_others(episode);
        let likely = listing.likely.into_iter();
        let likely = likely.map(|(name, time)| (Dir::new(&around, name), time));
        found.likely.extend(likely);
        let mut names = listing.directories;
        let number = names.len();
        names.retain(|name| !(self.excludes)(&Dir::new(&around, Arc::clone(name)).path()));
        found.excluded += number - names.len();
        Some(Within { around, names })
    }

    /// Records what a directory is, and returns what is searched below it.
    fn sort_in(self, dir: &Dir, listing: &Listing, found: &mut Found) -> Below {
        let entries = listing.entries;
        let episode = || FoundEpisode {
            dir: dir.clone(),
            entries,
        };
        match dir.nature(entries, listing.holds_episodes) {
            Nature::Episode => {
                if dir.is_below_episodes() {
                    self.look_for_hidden(dir, listing, found);
                }
                if self.is_foreign(dir, entries) {
                    found.foreign.push(dir.path());
                } else {
                    found.episodes.push(episode());
                    let is_last = dir.is_below_episodes() || listing.directories.is_empty();
                    return if is_last {
                        Below::Nothing
                    } else {
                        Below::RunData
                    };
                }
            }
            Nature::UnlessAbove => found.candidates.push(episode()),
            Nature::None => {}
        }
        if dir.name() == EPISODES && Artifact::ALL.iter().any(|it| entries.has(*it)) {
            found.faults.push(Fault::Stray(dir.path()));
        }
        if dir.is_in_episodes() {
            for name in &listing.links {
                self.follow(dir, name, found);
            }
        }
        Below::Everything
    }

    /// Whether a directory outside `episodes`, which no user gave, holds the `state.json` of
    /// another program and no other artifact.
    fn is_foreign(self, dir: &Dir, entries: Entries) -> bool {
        let is_only_state = |it: &Artifact| entries.has(*it) == (*it == Artifact::State);
        let is_given = dir.is_root() && self.root.is_given;
        !(dir.is_below_episodes() || is_given)
            && Artifact::ALL.iter().all(is_only_state)
            && self.tree.is_foreign(&dir.episode(entries))
    }

    /// The walk stops at an episode. If records were copied into a group, its runs would be gone.
    fn look_for_hidden(self, episode: &Dir, listing: &Listing, found: &mut Found) {
        if listing.directories.is_empty() && listing.links.is_empty() {
            return;
        }
        let around = episode.around_others(None);
        let holds_timeline = |name: &Arc<_>| {
            let dir = Dir::new(&around, Arc::clone(name));
            self.tree.holds_timeline(&dir)
        };
        for name in &listing.directories {
            let path = episode.path().join(&**name);
            if (self.excludes)(&path) {
                continue;
            }
            match holds_timeline(name) {
                Ok(true) => found.faults.push(Fault::Hidden(path)),
                Ok(false) => {}
                Err(source) => found.faults.push(unlistable(&path, source)),
            }
        }
        for name in &listing.links {
            if holds_timeline(name).unwrap_or(true) {
                self.follow(episode, name, found);
            }
        }
    }

    /// Notes where a symbolic link in a directory leads, if it leads to a directory.
    fn follow(self, dir: &Dir, name: &OsStr, found: &mut Found) {
        let typed = dir.path().join(name);
        if (self.excludes)(&typed) {
            return;
        }
        let target = typed
            .metadata()
            .and_then(|metadata| metadata.is_dir().then(|| typed.canonicalize()).transpose());
        match target {
            Ok(Some(target)) => found.links.push(Link {
                run_data: run_data(&join(&self.root.real, &dir.below())),
                target,
                typed,
            }),
            Ok(None) => {}
            Err(error) if is_nothing(&error) || is_loop(&error) => {}
            Err(source) => found.faults.push(unlistable(&typed, source)),
        }
    }

    /// Decides about the directories with only a summary, now that all below them is known.
    pub(super) fn decide(self, found: &mut Found) {
        let mut candidates = std::mem::take(&mut found.candidates);
        if candidates.is_empty() {
            return;
        }
        // The deepest first: a candidate that is an episode excludes the candidates above it.
        candidates.sort_by_key(|it| std::cmp::Reverse(it.dir.below().components().count()));
        let paths: BTreeSet<PathBuf> = candidates.iter().map(|it| it.dir.below()).collect();
        let above = |dir: &Dir| {
            let below = dir.below();
            let above = below.ancestors().skip(1).filter(|it| paths.contains(*it));
            above.map(Path::to_owned).collect::<Vec<_>>()
        };
        let episodes = found.episodes.iter();
        let mut holders: BTreeSet<PathBuf> = episodes.flat_map(|it| above(&it.dir)).collect();
        found.likely.retain(|(dir, _)| {
            let above = above(dir);
            let is_run = above.is_empty() || self.is_episode(dir);
            holders.extend(above.into_iter().filter(|_| is_run));
            is_run
        });
        for candidate in candidates {
            if !holders.contains(&candidate.dir.below()) {
                holders.extend(above(&candidate.dir));
                found.episodes.push(candidate);
            } else if self.is_run(&candidate) {
                found.faults.push(Fault::Displaced(candidate.dir.path()));
            }
        }
    }

    /// Whether a directory that was not opened is an episode, as nothing is below it.
    fn is_episode(self, dir: &Dir) -> bool {
        let listing = self.tree.list(dir);
        listing.is_ok_and(|it| dir.nature(it.entries, it.holds_episodes) != Nature::None)
    }

    /// Whether a directory with a summary above another episode is a run itself, and not a group
    /// with a summary of its own: a run could be hidden by an episode that is added to it.
    fn is_run(self, dir: &FoundEpisode) -> bool {
        let has = |artifact| dir.entries.has(artifact);
        has(Artifact::Learn) || has(Artifact::Manifest) || self.tree.names_run(&dir.into())
    }
}

impl Found {
    pub(super) fn append(&mut self, mut other: Self) {
        self.episodes.append(&mut other.episodes);
        self.faults.append(&mut other.faults);
        self.foreign.append(&mut other.foreign);
        self.excluded += other.excluded;
        self.likely.append(&mut other.likely);
        self.candidates.append(&mut other.candidates);
        self.links.append(&mut other.links);
    }

    /// Whether an episode with a path is among those found, which are sorted.
    pub(super) fn has(&self, episode: &Path) -> bool {
        let order = |it: &FoundEpisode| it.dir.order_to(episode);
        self.episodes.binary_search_by(order).is_ok()
    }

    /// Sorts what was found by path.
    pub(super) fn sort(&mut self) {
        self.episodes.sort_by(|a, b| a.dir.path_order(&b.dir));
        let order = |fault: &Fault| fault.path().as_os_str().to_owned();
        self.faults.sort_by_cached_key(order);
        self.foreign.sort();
    }
}
