//! Symbolic links below given paths, and what was found -> those that may hide runs: faults, or
//! directories to walk.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dir::Dir;
use super::fault::FaultKind;
use super::nature::names_episodes;
use super::root::{Root, episode_around};
use super::tree::MAX_LEVELS;
use super::walk::{Excludes, WalkFindings};
use crate::ground::source::{Artifact, EPISODES};
use crate::store::open::list;
use crate::store::path::{directory_of, is_artifact, is_loop, join, real_dir};

/// The links that were found, and what is done with those that lead to directories.
pub(crate) struct LinksFound<'l> {
    excludes: Excludes<'l>,
    /// The real path of the directory into which links are followed.
    store: Option<&'l Path>,
    /// The targets that were followed.
    followed: BTreeSet<PathBuf>,
}

impl<'l> LinksFound<'l> {
    pub(crate) fn new(excludes: Excludes<'l>, store: Option<&'l Path>) -> Self {
        Self {
            excludes,
            store,
            followed: BTreeSet::new(),
        }
    }

    /// Takes the links of what was found, which is sorted. Adds a fault for each that may lead to
    /// runs that are not judged, and returns what those lead to that are followed.
    pub(crate) fn decide(&mut self, found: &mut WalkFindings, roots: &[Arc<Root>]) -> Vec<Root> {
        let mut links = std::mem::take(&mut found.links);
        // In the place of an artifact, a rule finds it.
        links.retain(|link| !is_artifact(link.name()));
        links.sort_by(Dir::path_order);
        // Two given paths may lead to one link.
        links.dedup_by(|a, b| a.path_order(b).is_eq());

        let mut follow = Vec::new();
        for link in links {
            let path = link.path();
            let target = match real_dir(&path) {
                Ok(target) => target,
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => continue,
                Err(error) if error.kind() == io::ErrorKind::NotFound || is_loop(&error) => {
                    if link.name() == EPISODES || link.is_directly_in_episodes() {
                        found.fault(path, FaultKind::DanglingLink);
                    }
                    continue;
                }
                Err(source) => {
                    found.fault(path, FaultKind::Unlistable(source));
                    continue;
                }
            };

            let is_known = self.is_looked_at(&target, found, roots);
            if is_known || !may_hold_runs(&link, &target, found) {
                continue;
            }

            let is_in_store = self
                .store
                .is_some_and(|store| target.starts_with(store));
            if !is_in_store {
                found.fault(path, FaultKind::Link(target));
            } else if self.followed.insert(target.clone()) {
                follow.push(link.followed(target));
            }
        }

        follow
    }

    /// Returns `true` if a directory is a given path, or one that a walk meets or passes over
    /// because it is excluded.
    fn is_looked_at(&self, target: &Path, found: &WalkFindings, roots: &[Arc<Root>]) -> bool {
        self.followed.contains(target)
            || roots
                .iter()
                .any(|root| self.is_met(target, root, found))
    }

    /// Returns `true` if the walk from a root meets a directory, or passes over it.
    fn is_met(&self, target: &Path, root: &Root, found: &WalkFindings) -> bool {
        let Ok(below) = target.strip_prefix(&root.real) else {
            return false;
        };
        let names_git = below
            .components()
            .any(|part| part.as_os_str() == ".git");
        if names_git || below.components().count() > MAX_LEVELS {
            return false;
        }

        let typed = |below: &Path| join(&root.typed, below);
        let is_excluded = |at: &Path| {
            self.excludes
                .is_some_and(|excludes| excludes(&typed(at)))
        };

        // What is in an episode below `episodes` is not searched.
        let is_closed = |at: &Path| {
            found
                .episode_at(&typed(at))
                .is_some_and(Dir::is_below_episodes)
        };

        below.ancestors().any(is_excluded) || !below.ancestors().skip(1).any(is_closed)
    }
}

/// Returns `true` if a link to a directory may hide runs: the directory holds an artifact, or may
/// be one that holds episodes. In the place of a run, any directory may be one.
fn may_hold_runs(link: &Dir, target: &Path, found: &WalkFindings) -> bool {
    let path = link.path();
    let around = found.episode_at(directory_of(&path));
    if link.is_below_episodes() && around.is_none() {
        return true;
    }

    // What can't be listed may hold anything.
    let Ok(listing) = list(target) else {
        return true;
    };

    if around.is_some_and(|episode| target.starts_with(episode.real())) {
        // An episode may hold copies of records, as checkpoints do.
        return listing.entries.has(Artifact::Events);
    }

    let is_of_episodes =
        link.name() == EPISODES || names_episodes(target) && episode_around(target).is_none();
    listing.holds_episodes
        || !listing.entries.is_empty()
        || is_of_episodes && listing.holds_anything()
}
