//! A tree -> the episodes in it, and what may hide one. The one place that goes down a tree.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::content::holds_timeline;
use super::disk::EpisodeDir;
use super::fault::{Fault, FaultKind, unlistable};
use super::listing::Listing;
use super::nature::{Nature, run_data};
use super::path::{self, is_loop, is_nothing, join, real_dir};
use super::recordless::{self, Recordless};
use super::root::{GivenPaths, Root};
use super::tree::{Around, Dir, Tree};
use crate::parallel::in_order;
use crate::source::{Artifact, EPISODES, Entries};

/// The number of directories in one directory from which several workers search them.
const SPLIT: usize = 64;

/// A function that returns `true` if a directory, as the user would type it, is left out; `None`
/// where nothing is.
pub(crate) type Excludes<'e> = Option<&'e (dyn Fn(&Path) -> bool + Sync)>;

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

/// A symbolic link below a directory called `episodes`.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) at: Dir,
    /// `true` if it is in an episode, where it matters only if it leads to a timeline.
    pub(super) is_in_episode: bool,
}

/// The findings in a tree.
#[derive(Debug, Default)]
pub(crate) struct WalkFindings {
    pub(crate) episodes: Vec<FoundEpisode>,
    /// Paths that could not be searched, or below which a run may be hidden.
    pub(crate) faults: Vec<Fault>,
    /// Directories with nothing but the `state.json` of another program.
    pub(crate) foreign: Vec<PathBuf>,
    /// Directories that hold files and no record, in which a run is not likely.
    pub(crate) passed: Vec<Fault>,
    /// The number of directories that were left out and so not opened.
    pub(crate) excluded: usize,
    /// Directories that are most likely runs and were not opened, each with its time.
    pub(super) likely: Vec<(Dir, i128)>,
    /// Directories with only a summary: episodes unless there is an episode below them.
    pub(super) candidates: Vec<FoundEpisode>,
    pub(super) links: Vec<Link>,
    /// Directories that hold files and no record, in which a run may be.
    pub(super) recordless: Vec<Recordless>,
}

/// Returns `true` if an episode with a path is among some that are sorted by path.
pub(super) fn is_among(sorted: &[FoundEpisode], episode: &Path) -> bool {
    let order = |it: &FoundEpisode| it.dir.order_to(path::bytes(episode));
    sorted.binary_search_by(order).is_ok()
}

impl FoundEpisode {
    /// Returns `true` if a directory with a summary above another episode is a run itself, and not
    /// a group with a summary of its own: a run could be hidden by an episode that is added to it.
    fn is_run(&self, tree: &dyn Tree) -> bool {
        let has = |artifact| self.entries.has(artifact);
        has(Artifact::Learn) || has(Artifact::Manifest) || tree.names_run(&self.into())
    }
}

/// Returns `true` if a directory that was not opened is an episode, as nothing is below it.
fn is_episode(tree: &dyn Tree, dir: &Dir) -> bool {
    let listing = tree.list(dir);
    listing.is_ok_and(|it| dir.nature(it.entries, it.holds_episodes) != Nature::None)
}

/// Returns `true` if the path of one of the directories, which are sorted, starts with some bytes.
fn holds<T>(sorted: &[T], dir: impl Fn(&T) -> &Dir, prefix: &[u8]) -> bool {
    let first = sorted.partition_point(|it| dir(it).order_to(prefix).is_lt());
    sorted
        .get(first)
        .is_some_and(|it| dir(it).starts_with(prefix))
}

/// The directories in a directory that are to be searched.
pub(super) struct SubdirectorySearch {
    around: Arc<Around>,
    names: Vec<Arc<OsStr>>,
}

/// The part of a tree that is searched below a directory.
enum Below {
    Everything,
    /// Directories called `episodes`, and what is below them. The directory is an episode, but
    /// anybody who adds records to a directory makes it one.
    RunData,
    Nothing,
}

/// A walk through a tree. What is excluded is never opened.
#[derive(Clone, Copy)]
pub(super) struct TreeWalk<'w> {
    pub(super) tree: &'w dyn Tree,
    pub(super) root: &'w Arc<Root>,
    pub(super) excludes: Excludes<'w>,
}

impl TreeWalk<'_> {
    /// Finds what is at and below the root, and decides what is a group.
    pub(super) fn everything(self, jobs: NonZeroUsize) -> WalkFindings {
        let mut found = self.undecided(jobs);
        found.decide(self.tree);
        found
    }

    /// Finds what is at and below the root, as far as each directory tells it by itself.
    pub(super) fn undecided(self, jobs: NonZeroUsize) -> WalkFindings {
        let mut found = WalkFindings::default();
        self.down_from(vec![Dir::root(self.root)], jobs, &mut found);
        found
    }

    /// Goes down until it meets episodes. If a directory has many entries, several workers search
    /// them.
    fn down_from(self, mut waiting: Vec<Dir>, jobs: NonZeroUsize, found: &mut WalkFindings) {
        while let Some(dir) = waiting.pop() {
            let Some(SubdirectorySearch { around, names }) = self.visit(&dir, found) else {
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
                    let mut found = WalkFindings::default();
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
    pub(super) fn visit(self, dir: &Dir, found: &mut WalkFindings) -> Option<SubdirectorySearch> {
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
            let inside = FaultKind::Inside(episode.to_path_buf());
            found.faults.push(Fault::new(dir.path(), inside));
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
        let may_be_group = dir.nature(listing.entries, listing.holds_episodes);
        let around = dir.around_others(may_be_group == Nature::UnlessAbove, episode);
        let mut names = listing.directories;
        if self.excludes.is_some() {
            let number = names.len();
            names.retain(|name| !self.excludes(&Dir::new(&around, Arc::clone(name))));
            found.excluded += number - names.len();
        }
        if dir.is_deepest() {
            let names = listing
                .likely
                .into_iter()
                .map(|(name, _)| name)
                .chain(names);
            let too_deep =
                names.map(|name| Fault::new(Dir::new(&around, name).path(), FaultKind::TooDeep));
            found.faults.extend(too_deep);
            return None;
        }
        let likely = listing.likely.into_iter();
        let likely = likely.map(|(name, time)| (Dir::new(&around, name), time));
        found.likely.extend(likely);
        Some(SubdirectorySearch { around, names })
    }

    /// Returns `true` if a directory, or a link in its place, is left out.
    fn excludes(self, dir: &Dir) -> bool {
        self.excludes.is_some_and(|excludes| excludes(&dir.path()))
    }

    /// Records what a directory is, and returns what is searched below it.
    fn sort_in(self, dir: &Dir, listing: &Listing, found: &mut WalkFindings) -> Below {
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
        let is_none = dir.nature(entries, listing.holds_episodes) == Nature::None;
        if dir.is_in_episodes() && is_none {
            if Artifact::ALL.iter().any(|it| entries.has(*it)) {
                found.faults.push(Fault::new(dir.path(), FaultKind::Stray));
            } else if !listing.others.are_none() {
                found.recordless.push(Recordless {
                    dir: dir.clone(),
                    files: listing.others.clone(),
                });
            }
        }
        if dir.is_in_episodes() {
            self.note_links(dir, &listing.links, false, found);
        }
        Below::Everything
    }

    /// Returns `true` if a directory outside `episodes`, which no user gave, holds the `state.json`
    /// of another program and no other artifact.
    fn is_foreign(self, dir: &Dir, entries: Entries) -> bool {
        let is_only_state = |it: &Artifact| entries.has(*it) == (*it == Artifact::State);
        let is_given = dir.is_root() && self.root.given == GivenPaths::Each;
        !(dir.is_below_episodes() || is_given)
            && Artifact::ALL.iter().all(is_only_state)
            && self.tree.is_foreign(&dir.episode(entries))
    }

    /// Looks for runs in an episode, at which the walk stops: if records were copied into a group,
    /// its runs would be gone.
    fn look_for_hidden(self, episode: &Dir, listing: &Listing, found: &mut WalkFindings) {
        if listing.directories.is_empty() && listing.links.is_empty() {
            return;
        }
        let around = episode.around_others(false, None);
        for name in &listing.directories {
            let dir = Dir::new(&around, Arc::clone(name));
            if self.excludes(&dir) {
                continue;
            }
            match self.tree.holds_timeline(&dir) {
                Ok(true) => found.faults.push(Fault::new(dir.path(), FaultKind::Hidden)),
                Ok(false) => {}
                Err(source) => found.faults.push(unlistable(&dir.path(), source)),
            }
        }
        self.note_links(episode, &listing.links, true, found);
    }

    /// Notes links in a directory. Where they lead is decided when all runs are found.
    fn note_links(
        self,
        dir: &Dir,
        names: &[Arc<OsStr>],
        is_in_episode: bool,
        found: &mut WalkFindings,
    ) {
        if names.is_empty() {
            return;
        }
        let around = dir.around_others(false, None);
        let links = names.iter().map(|name| Link {
            at: Dir::new(&around, Arc::clone(name)),
            is_in_episode,
        });
        let links = links.filter(|link| !self.excludes(&link.at));
        found.links.extend(links);
    }
}

impl Link {
    /// Returns the real path of the directory that it leads to, if it leads to one and matters.
    pub(super) fn target(&self) -> Result<Option<PathBuf>, Fault> {
        let path = self.at.path();
        if self.is_in_episode && matches!(holds_timeline(&path), Ok(false)) {
            return Ok(None);
        }
        match real_dir(&path) {
            Ok(target) => Ok(Some(target)),
            Err(error) if is_nothing(&error) || is_loop(&error) => Ok(None),
            Err(source) => Err(unlistable(&path, source)),
        }
    }

    /// Returns the real path of the run-data directory around it.
    pub(super) fn run_data(&self) -> PathBuf {
        run_data(&self.at.real())
    }
}

impl WalkFindings {
    /// Decides about the directories with only a summary, now that all below them is known.
    pub(super) fn decide(&mut self, tree: &dyn Tree) {
        let mut candidates = std::mem::take(&mut self.candidates);
        if candidates.is_empty() && self.recordless.is_empty() {
            return;
        }
        self.likely
            .retain(|(dir, _)| !dir.is_in_group() || is_episode(tree, dir));
        self.likely.sort_by(|(a, _), (b, _)| a.path_order(b));
        self.episodes.sort_by(|a, b| a.dir.path_order(&b.dir));
        candidates.sort_by(|a, b| a.dir.path_order(&b.dir));
        // From the last to the first, so that what is below a candidate is decided before it.
        let mut runs: BTreeMap<Vec<u8>, FoundEpisode> = BTreeMap::new();
        for candidate in candidates.into_iter().rev() {
            let prefix = candidate.dir.prefix();
            let first = runs.range(prefix.clone()..).next();
            let is_group = first.is_some_and(|(path, _)| path.starts_with(&prefix))
                || holds(&self.episodes, |it| &it.dir, &prefix)
                || holds(&self.likely, |(dir, _)| dir, &prefix);
            if !is_group {
                runs.insert(path::bytes(&candidate.dir.path()).to_vec(), candidate);
            } else if candidate.is_run(tree) {
                self.faults
                    .push(Fault::new(candidate.dir.path(), FaultKind::Displaced));
            }
        }
        self.episodes.extend(runs.into_values());
        let recordless = std::mem::take(&mut self.recordless);
        if !recordless.is_empty() {
            let dirs = self.episodes.iter().map(|it| &it.dir);
            let dirs = dirs.chain(self.likely.iter().map(|(dir, _)| dir));
            let (mut faults, notes) = recordless::decide(recordless, dirs.map(Dir::path).collect());
            self.faults.append(&mut faults);
            self.passed = notes;
        }
    }

    /// Links that lead to a directory that is not judged are faults; whether there are any.
    /// `lead` tells where a link leads.
    pub(super) fn decide_links(
        &mut self,
        roots: &[Arc<Root>],
        excludes: Excludes<'_>,
        mut lead: impl FnMut(&Link) -> Result<Option<PathBuf>, Fault>,
    ) -> bool {
        let links = std::mem::take(&mut self.links);
        if links.is_empty() {
            return false;
        }
        let mut typed_roots: BTreeMap<&[u8], BTreeSet<&Path>> = BTreeMap::new();
        for root in roots {
            let typed = typed_roots.entry(path::bytes(&root.real)).or_default();
            typed.insert(&root.typed);
        }
        // Two given paths may lead to one link.
        let mut faults = BTreeMap::new();
        for link in links {
            let (fault, target) = match lead(&link) {
                Ok(None) => continue,
                Ok(Some(target)) => (None, target),
                Err(fault) => (Some(fault), PathBuf::new()),
            };
            let is_in_run_data = target.starts_with(link.run_data());
            let is_looked_at = target.ancestors().any(|real| {
                let typed = typed_roots.get(path::bytes(real)).into_iter().flatten();
                typed
                    .map(|typed| join(typed, target.strip_prefix(real).unwrap_or(real)))
                    .any(|it| {
                        *real == *target
                            || is_in_run_data
                                && (self.has(&it) || excludes.is_some_and(|excludes| excludes(&it)))
                    })
            });
            if !is_looked_at {
                let path = link.at.path();
                let not_judged = || Fault::new(&path, FaultKind::Link(target));
                faults.insert(path.clone(), fault.unwrap_or_else(not_judged));
            }
        }
        self.faults.extend(faults.into_values());
        true
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.episodes.append(&mut other.episodes);
        self.faults.append(&mut other.faults);
        self.foreign.append(&mut other.foreign);
        self.excluded += other.excluded;
        self.likely.append(&mut other.likely);
        self.candidates.append(&mut other.candidates);
        self.links.append(&mut other.links);
        self.passed.append(&mut other.passed);
        self.recordless.append(&mut other.recordless);
    }

    /// Returns `true` if an episode with a path is among those found, which are sorted.
    pub(super) fn has(&self, episode: &Path) -> bool {
        is_among(&self.episodes, episode)
    }

    /// Sorts what was found by path.
    pub(super) fn sort(&mut self) {
        self.episodes.sort_by(|a, b| a.dir.path_order(&b.dir));
        self.candidates.sort_by(|a, b| a.dir.path_order(&b.dir));
        self.links.sort_by(|a, b| a.at.path_order(&b.at));
        let order = |fault: &Fault| fault.path().as_os_str().to_owned();
        self.faults.sort_by_cached_key(order);
        self.passed.sort_by_cached_key(order);
        self.recordless.sort_by(|a, b| a.dir.path_order(&b.dir));
        self.foreign.sort();
    }
}
