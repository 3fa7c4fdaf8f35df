//! A tree -> the episodes in it, and what may hide one. The one place that goes down a tree.

use std::mem;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dir::{Dir, Within};
use super::fault::{Fault, FaultKind};
use super::listed_run::ListedRun;
use super::nature::Nature;
use super::recordless;
use super::root::{GivenPaths, Root};
use super::tree::{MAX_LEVELS, Tree};
use crate::ground::parallel::in_order;
use crate::ground::printable::count;
use crate::ground::source::{Artifact, EPISODES};
use crate::store::open::{Listing, OtherNames};
use crate::store::path::{self, is_nothing};

/// The number of directories in one directory from which several workers search them.
const SPLIT: usize = 64;

/// A function that returns `true` if a directory, as the user would type it, is left out; `None`
/// where nothing is.
pub(crate) type Excludes<'e> = Option<&'e (dyn Fn(&Path) -> bool + Sync)>;

/// The findings in a tree.
#[derive(Debug, Default)]
pub(crate) struct WalkFindings {
    pub(crate) episodes: Vec<Dir>,
    /// Paths that could not be searched, or below which a run may be hidden.
    pub(crate) faults: Vec<Fault>,
    /// Directories with nothing but the `state.json` of another program.
    pub(crate) foreign: Vec<PathBuf>,
    /// Directories that hold files and no record, in which a run is not likely, and those of runs
    /// with other files that may be records.
    pub(crate) passed: Vec<Fault>,
    /// The number of directories that were left out and so not opened.
    pub(crate) excluded: usize,
    /// Directories that are most likely runs and were not opened.
    pub(super) unopened: Vec<ListedRun>,
    /// Directories with only a summary: episodes unless there is an episode below them.
    pub(super) candidates: Vec<Dir>,
    /// The symbolic links.
    pub(super) links: Vec<Dir>,
    /// Directories that hold these files and no record, in which a run may be.
    pub(super) recordless: Vec<(Dir, OtherNames)>,
}

/// A walk through a tree. What is excluded is never opened.
#[derive(Clone, Copy)]
pub(crate) struct TreeWalk<'w> {
    pub(super) tree: &'w dyn Tree,
    pub(super) root: &'w Arc<Root>,
    pub(super) excludes: Excludes<'w>,
    /// `false` where runs are only listed: what is most likely one is not opened, and nothing is
    /// said of links.
    pub(super) opens_runs: bool,
}

impl<'w> TreeWalk<'w> {
    /// Returns a walk that opens runs.
    pub(crate) fn new(tree: &'w dyn Tree, root: &'w Arc<Root>, excludes: Excludes<'w>) -> Self {
        Self {
            tree,
            root,
            excludes,
            opens_runs: true,
        }
    }

    /// Finds what is at and below the root, and decides what is a group.
    pub(crate) fn everything(self, jobs: NonZeroUsize) -> WalkFindings {
        let mut found = self.undecided(jobs);
        found.decide(self.tree);
        found
    }

    /// Finds what is at and below the root, as far as each directory tells it by itself.
    pub(crate) fn undecided(self, jobs: NonZeroUsize) -> WalkFindings {
        let mut found = WalkFindings::default();
        self.down_from(Dir::root(self.root), jobs, &mut found);
        found
    }

    /// Goes down until it meets episodes. If a directory has many entries, several workers search
    /// them.
    fn down_from(self, top: Dir, jobs: NonZeroUsize, found: &mut WalkFindings) {
        let mut waiting = vec![top];
        while let Some(dir) = waiting.pop() {
            let Some(within) = self.visit(dir, found) else {
                continue;
            };
            if within.names.len() < SPLIT {
                waiting.extend(within.dirs());
                continue;
            }

            in_order(
                &within.names,
                jobs,
                || (),
                |(), name| {
                    let mut found = WalkFindings::default();
                    self.down_from(within.dir(name), NonZeroUsize::MIN, &mut found);
                    found
                },
                |part| {
                    found.append(part);
                    ControlFlow::Continue(())
                },
            );
        }
    }

    /// Records what a directory is, and returns those in it that are to be searched.
    pub(super) fn visit(self, mut dir: Dir, found: &mut WalkFindings) -> Option<Within> {
        if !self.opens_runs && ListedRun::stays_closed(&dir, &mut found.unopened) {
            return None;
        }

        let mut episode = dir.episode_around();
        let listing = match self.tree.list(&dir) {
            Ok(listing) => listing,
            // The agent may still be at work in the episode.
            Err(error) if episode.is_some() && is_nothing(&error) => return None,
            Err(source) => {
                found.fault(dir.path(), FaultKind::Unlistable(source));
                return None;
            }
        };

        dir.entries = listing.entries;
        if dir.name() == EPISODES
            && let Some(episode) = episode.take_if(|_| listing.holds_anything())
        {
            let inside = FaultKind::Inside(episode.to_path_buf());
            found.fault(dir.path(), inside);
        }

        self.note_links(&dir, &listing, found);
        let nature = dir.nature(&listing);
        if episode.is_none() && self.sort_in(&dir, nature, &listing, found) {
            if dir.is_below_episodes() {
                return None;
            }
            // Anybody who adds records to a directory makes it an episode, so directories called
            // `episodes` below it, and what is below them, are searched.
            episode = Some(dir.path().into());
        }

        if listing.directories.is_empty() {
            return None;
        }

        let may_be_group = nature == Nature::UnlessAbove;
        let mut within = dir.searched_within(listing.directories, may_be_group, episode);
        let mut names = mem::take(&mut within.names);
        let number = names.len();
        names.retain(|name| !self.excludes(&within.dir(name)));
        found.excluded += number - names.len();
        within.names = names;

        if dir.level() >= MAX_LEVELS {
            let too_deep = within
                .dirs()
                .map(|dir| Fault::new(dir.path(), FaultKind::TooDeep));
            found.faults.extend(too_deep);
            return None;
        }

        Some(within)
    }

    /// Returns `true` if a directory, or a link in its place, is left out.
    fn excludes(self, dir: &Dir) -> bool {
        self.excludes
            .is_some_and(|excludes| excludes(&dir.path()))
    }

    /// Records what a directory is by itself; returns `true` if it is an episode.
    fn sort_in(
        self,
        dir: &Dir,
        nature: Nature,
        listing: &Listing,
        found: &mut WalkFindings,
    ) -> bool {
        if nature != Nature::None
            && let Some(files) = listing.others.like_records()
            && !self.is_foreign(dir)
        {
            found
                .passed
                .push(Fault::new(dir.path(), FaultKind::Beside(files)));
        }

        match nature {
            Nature::Episode => {
                if dir.is_below_episodes() {
                    self.look_for_hidden(dir, listing, found);
                }
                if !self.is_foreign(dir) {
                    found.episodes.push(dir.clone());
                    return true;
                }
                found.foreign.push(dir.path());
            }
            Nature::UnlessAbove => found.candidates.push(dir.clone()),
            Nature::None if !dir.is_in_episodes() => {}
            Nature::None if !dir.entries.is_empty() => found.fault(dir.path(), FaultKind::Stray),
            Nature::None if !listing.others.are_none() => {
                found
                    .recordless
                    .push((dir.clone(), listing.others.clone()));
            }
            Nature::None if listing.is_empty() && dir.is_directly_in_episodes() => {
                found
                    .passed
                    .push(Fault::new(dir.path(), FaultKind::Empty));
            }
            Nature::None => {}
        }

        false
    }

    /// Returns `true` if a directory outside `episodes`, which no user gave, holds the `state.json`
    /// of another program and no other artifact.
    fn is_foreign(self, dir: &Dir) -> bool {
        let has_only_state = dir.entries.has(Artifact::State)
            && dir
                .entries
                .without(Artifact::State)
                .is_empty();
        let is_given = dir.is_root() && self.root.given == GivenPaths::Each;
        !(dir.is_below_episodes() || is_given) && has_only_state && self.tree.is_foreign(dir)
    }

    /// Looks for runs in an episode, at which the walk stops: if records were copied into a group,
    /// its runs would be gone.
    fn look_for_hidden(self, episode: &Dir, listing: &Listing, found: &mut WalkFindings) {
        for dir in episode.within(&listing.directories) {
            if self.excludes(&dir) {
                continue;
            }
            match self.tree.holds_timeline(&dir) {
                Ok(true) => found.fault(dir.path(), FaultKind::Hidden),
                Ok(false) => {}
                Err(source) => found.fault(dir.path(), FaultKind::Unlistable(source)),
            }
        }
    }

    /// Notes the links in a directory. Whether they matter is decided when all runs are found.
    fn note_links(self, dir: &Dir, listing: &Listing, found: &mut WalkFindings) {
        if self.opens_runs {
            let links = dir.within(&listing.links).into_iter();
            found
                .links
                .extend(links.filter(|link| !self.excludes(link)));
        }
    }
}

/// Returns the number of empty directories among what was passed over.
pub(crate) fn empty_in(passed: &[Fault]) -> u64 {
    passed
        .iter()
        .filter(|fault| fault.is_empty())
        .count() as u64
}

impl WalkFindings {
    pub(super) fn fault(&mut self, path: PathBuf, kind: FaultKind) {
        self.faults.push(Fault::new(path, kind));
    }

    /// Returns what may have kept episodes from being found, to be added to a sentence; an empty
    /// text if nothing was left out.
    pub(crate) fn exclusion(&self) -> String {
        match self.excluded as u64 {
            0 => String::new(),
            number => format!(
                ": the configuration excludes {}",
                count(number, "directory")
            ),
        }
    }

    /// Decides about the directories with only a summary, now that all below them is known.
    pub(super) fn decide(&mut self, tree: &dyn Tree) {
        if self.candidates.is_empty() && self.recordless.is_empty() {
            return;
        }

        // Of what was not opened, that must be known for certain.
        self.unopened.retain(|run| {
            let is_run = |it: Listing| run.dir.nature(&it) != Nature::None;
            !run.dir.is_in_group() || tree.list(&run.dir).is_ok_and(is_run)
        });

        if !self.candidates.is_empty() {
            self.decide_candidates(tree);
        }

        let recordless = mem::take(&mut self.recordless);
        if !recordless.is_empty() {
            let dirs = self
                .episodes
                .iter()
                .chain(self.unopened.iter().map(|it| &it.dir))
                .map(Dir::path);
            let (mut faults, notes) = recordless::decide(recordless, dirs.collect());
            self.faults.append(&mut faults);
            self.passed.extend(notes);
        }
    }

    /// Decides which directories with only a summary are groups. Whatever is below one makes it a
    /// group: the innermost is an episode.
    fn decide_candidates(&mut self, tree: &dyn Tree) {
        let candidates = mem::take(&mut self.candidates);
        let mut all: Vec<&Dir> = self
            .unopened
            .iter()
            .map(|run| &run.dir)
            .chain(&self.episodes)
            .chain(&candidates)
            .collect();
        all.sort_by(|a, b| a.path_order(b));
        let (groups, runs): (Vec<&Dir>, Vec<&Dir>) = candidates
            .iter()
            .partition(|candidate| candidate.is_above_one(&all));

        let displaced = groups
            .into_iter()
            .filter(|group| is_run(group, tree))
            .map(|group| Fault::new(group.path(), FaultKind::Displaced));
        self.faults.extend(displaced);
        self.episodes
            .extend(runs.into_iter().cloned());
    }

    /// Sorts what was found by path.
    pub(crate) fn sort(&mut self) {
        self.episodes.sort_by(Dir::path_order);
        let order = |fault: &Fault| fault.path().as_os_str().to_owned();
        self.faults.sort_by_cached_key(order);
        self.passed.sort_by_cached_key(order);
        self.foreign.sort();
    }

    /// Returns the number of empty directories in the place of runs.
    pub(crate) fn empty(&self) -> u64 {
        empty_in(&self.passed)
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.episodes
            .append(&mut other.episodes);
        self.faults.append(&mut other.faults);
        self.foreign.append(&mut other.foreign);
        self.excluded += other.excluded;
        self.unopened
            .append(&mut other.unopened);
        self.candidates
            .append(&mut other.candidates);
        self.links.append(&mut other.links);
        self.passed.append(&mut other.passed);
        self.recordless
            .append(&mut other.recordless);
    }

    /// Returns the episode with a path among those found, which are sorted.
    pub(crate) fn episode_at(&self, path: &Path) -> Option<&Dir> {
        let order = |it: &Dir| it.order_to(path::bytes(path));
        let at = self.episodes.binary_search_by(order);
        self.episodes.get(at.ok()?)
    }
}

/// Returns `true` if a directory with a summary above another episode is a run itself, and not a
/// group with a summary of its own: a run could be hidden by an episode that is added to it.
fn is_run(dir: &Dir, tree: &dyn Tree) -> bool {
    dir.entries.has(Artifact::Learn) || dir.entries.has(Artifact::Manifest) || tree.names_run(dir)
}
