//! A directory -> the episodes below it, and what may hide one.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::EpisodeDir;
use super::fault::{Fault, unlistable};
use super::foreign::is_foreign;
use super::group::{Group, are_likely_runs};
use super::hidden::{holds_timeline, is_loop, is_run};
use super::listing::{Listing, list};
use super::nature::{EPISODES, Nature, names_episodes, run_data};
use super::path::{is_nothing, join};
use super::root::Root;
use crate::parallel::in_order;
use crate::source::{Artifact, Entries};

/// The number of directories in one directory from which several workers search them.
const SPLIT: usize = 64;

/// Says of a directory, as the user would type it, whether it is left out.
pub(crate) type Excludes<'e> = &'e (dyn Fn(&Path) -> bool + Sync);

/// A symbolic link to a directory, below a directory called `episodes`.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Its path as the user would type it.
    pub(super) typed: PathBuf,
    /// The real path of the run-data directory around it.
    pub(super) run_data: PathBuf,
    /// The real path of the directory that it leads to.
    pub(super) target: PathBuf,
}

/// What is searched below a directory.
pub(super) enum Below {
    Everything,
    /// Directories called `episodes`, and what is below them. The directory is an episode, but
    /// anybody who adds records to a directory makes it one.
    RunData,
    Nothing,
}

/// The result of a walk so far.
#[derive(Default)]
pub(super) struct Found {
    pub(super) episodes: Vec<EpisodeDir>,
    /// Directories with only a summary: episodes unless there is an episode below them.
    pub(super) candidates: Vec<(PathBuf, Entries)>,
    pub(super) links: Vec<Link>,
    pub(super) faults: Vec<Fault>,
    pub(super) foreign: Vec<PathBuf>,
    pub(super) excluded: usize,
    /// Large directories of runs that were left unopened.
    pub(super) unopened: Vec<Group>,
    /// Whether such directories may be left so.
    pub(super) may_defer: bool,
}

impl Found {
    /// Records what a directory is, and returns what is searched below it.
    pub(super) fn sort_in(
        &mut self,
        root: &Root,
        below: &Path,
        listing: &Listing,
        excludes: Excludes<'_>,
    ) -> Below {
        let typed = || join(&root.typed, below);
        match root.nature(below, listing) {
            Nature::Episode => {
                let episode = root.episode(below, listing.entries);
                let is_below_episodes = episode.id.is_some();
                if is_below_episodes {
                    let run_data = || run_data(&join(&root.real, below));
                    self.look_for_hidden(&episode.path, listing, run_data, excludes);
                }
                let is_given = root.is_given && below == Path::new("");
                if is_given || !is_foreign(&episode) {
                    self.episodes.push(episode);
                    let is_last = is_below_episodes || listing.directories.is_empty();
                    return if is_last {
                        Below::Nothing
                    } else {
                        Below::RunData
                    };
                }
                self.foreign.push(episode.path);
            }
            Nature::UnlessAbove => self.candidates.push((below.to_owned(), listing.entries)),
            Nature::None => {}
        }
        let name = below.file_name().or_else(|| root.real.file_name());
        if name.is_some_and(|name| name == EPISODES)
            && Artifact::ALL.iter().any(|it| listing.entries.has(*it))
        {
            self.faults.push(Fault::Stray(typed()));
        }
        if root.in_episodes || names_episodes(below) {
            for name in &listing.links {
                let run_data = run_data(&join(&root.real, below));
                self.follow(typed().join(name), run_data, excludes);
            }
        }
        Below::Everything
    }

    /// The walk stops at an episode. If records were copied into a group, its runs would be gone.
    fn look_for_hidden(
        &mut self,
        episode: &Path,
        listing: &Listing,
        run_data: impl Fn() -> PathBuf,
        excludes: Excludes<'_>,
    ) {
        for name in &listing.directories {
            let directory = episode.join(name);
            if excludes(&directory) {
                continue;
            }
            match holds_timeline(&directory) {
                Ok(true) => self.faults.push(Fault::Hidden(directory)),
                Ok(false) => {}
                Err(fault) => self.faults.push(fault),
            }
        }
        for name in &listing.links {
            let link = episode.join(name);
            if holds_timeline(&link).unwrap_or(true) {
                self.follow(link, run_data(), excludes);
            }
        }
    }

    /// Notes where a symbolic link leads, if it leads to a directory.
    fn follow(&mut self, typed: PathBuf, run_data: PathBuf, excludes: Excludes<'_>) {
        if excludes(&typed) {
            return;
        }
        let target = typed
            .metadata()
            .and_then(|metadata| metadata.is_dir().then(|| typed.canonicalize()).transpose());
        match target {
            Ok(Some(target)) => self.links.push(Link {
                typed,
                run_data,
                target,
            }),
            Ok(None) => {}
            Err(error) if is_nothing(&error) || is_loop(&error) => {}
            Err(source) => self.faults.push(unlistable(&typed, source)),
        }
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.episodes.append(&mut other.episodes);
        self.candidates.append(&mut other.candidates);
        self.links.append(&mut other.links);
        self.faults.append(&mut other.faults);
        self.foreign.append(&mut other.foreign);
        self.excluded += other.excluded;
        self.unopened.append(&mut other.unopened);
    }

    /// Decides about the candidates.
    pub(super) fn decide(&mut self, root: &Root) {
        if self.candidates.is_empty() {
            return;
        }
        // The deepest first: a candidate that is an episode excludes the candidates above it.
        self.candidates
            .sort_by_key(|(below, _)| std::cmp::Reverse(below.components().count()));
        let above = |path: &Path| {
            path.ancestors()
                .skip(1)
                .map(Path::to_owned)
                .collect::<Vec<_>>()
        };
        let mut holders: BTreeSet<PathBuf> = self
            .episodes
            .iter()
            .flat_map(|episode| above(&episode.path))
            .collect();
        for (below, entries) in self.candidates.drain(..) {
            let episode = root.episode(&below, entries);
            if !holders.contains(&episode.path) {
                holders.extend(above(&episode.path));
                self.episodes.push(episode);
            } else if is_run(&episode) {
                self.faults.push(Fault::Displaced(episode.path));
            }
        }
    }
}

/// Walks down from a directory below the root until it meets episodes. If a directory has many
/// entries, several workers search them. What is excluded is never opened.
pub(super) fn walk(
    root: &Root,
    from: &Path,
    jobs: NonZeroUsize,
    excludes: Excludes<'_>,
    found: &mut Found,
) {
    let mut waiting = vec![from.to_owned()];
    while let Some(below) = waiting.pop() {
        let typed = join(&root.typed, &below);
        let listing = match list(&typed) {
            Ok(listing) => listing,
            Err(source) => {
                found.faults.push(unlistable(&typed, source));
                continue;
            }
        };
        match found.sort_in(root, &below, &listing, excludes) {
            Below::Everything => {}
            Below::RunData => {
                search_episode(root, &below, listing, excludes, found);
                continue;
            }
            Below::Nothing => continue,
        }
        let mut directories = listing.directories;
        let number = directories.len();
        directories.retain(|name| !excludes(&typed.join(name)));
        found.excluded += number - directories.len();
        if directories.len() < SPLIT {
            waiting.extend(directories.iter().map(|name| below.join(name)));
            continue;
        }
        // Whether a candidate is an episode shows when all below it is known.
        let may_defer = found.may_defer && found.candidates.is_empty();
        if may_defer
            && (root.in_episodes || names_episodes(&below))
            && directories
                .first()
                .is_some_and(|name| are_likely_runs(&typed.join(name)))
        {
            let group = Group::new(root.clone(), below, directories);
            found.unopened.push(group);
            continue;
        }
        in_order(
            &directories,
            jobs,
            || (),
            |(), name| {
                let mut found = Found {
                    may_defer,
                    ..Found::default()
                };
                let below = below.join(name);
                walk(root, &below, NonZeroUsize::MIN, excludes, &mut found);
                found
            },
            |part| {
                found.append(part);
                ControlFlow::Continue(())
            },
        );
    }
}

/// Searches an episode that is not below a directory called `episodes` for such directories: runs
/// below them would be hidden.
fn search_episode(
    root: &Root,
    episode: &Path,
    listing: Listing,
    excludes: Excludes<'_>,
    found: &mut Found,
) {
    let within = |below: &Path, listing: Listing| {
        let names = listing.directories.into_iter();
        names.map(|name| below.join(name)).collect::<Vec<_>>()
    };
    let mut waiting = within(episode, listing);
    while let Some(below) = waiting.pop() {
        let path = join(&root.typed, &below);
        if excludes(&path) {
            found.excluded += 1;
            continue;
        }
        let listing = match list(&path) {
            Ok(listing) => listing,
            // The agent may still be at work in the episode.
            Err(error) if is_nothing(&error) => continue,
            Err(source) => {
                found.faults.push(unlistable(&path, source));
                continue;
            }
        };
        if below.file_name().is_none_or(|name| name != EPISODES) {
            waiting.extend(within(&below, listing));
        } else if listing.holds_anything() {
            let episode = join(&root.typed, episode);
            found.faults.push(Fault::Inside { path, episode });
            walk(root, &below, NonZeroUsize::MIN, excludes, found);
        }
    }
}
