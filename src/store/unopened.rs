//! The names in large directories of runs -> each run, opened when it is judged.
//!
//! Below `episodes`, a directory in a large one is nearly always a run without directories of its
//! own. Until its turn comes, its name is all that is kept of it. Then it is opened once, both to
//! be listed and to be judged. A directory that may hold runs is searched instead.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use rustix::fd::AsFd;

use super::EpisodeDir;
use super::disk::Directory;
use super::fault::{Fault, unlistable};
use super::group::Group;
use super::listing::{Listing, open_dir};
use super::path::{self, join};
use super::root::Root;
use super::walk::{Below, Excludes, Found, Link, walk};
use crate::parallel::in_order;

/// Names that are not opened yet, and what can be decided only when all are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unopened {
    pub(super) groups: Vec<Group>,
    pub(super) links: Vec<Link>,
    pub(super) roots: Vec<Root>,
}

/// The place of an episode in a list: in that of those found, or in the names of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    group: Option<u32>,
    at: u32,
}

/// What a turn is of.
pub(crate) enum Item<'u> {
    Found(&'u EpisodeDir),
    Name(Name<'u>),
}

/// The name of a directory that is not open yet.
#[derive(Clone, Copy)]
pub(crate) struct Name<'u> {
    group: &'u Group,
    name: &'u OsStr,
}

/// What a directory is, now that it was opened.
#[derive(Default)]
pub(crate) struct Sight {
    /// The episode, open.
    pub(crate) episode: Option<(EpisodeDir, Directory)>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) links: Vec<Link>,
    /// Whether it is no episode by its own entries, but holds directories that may be some.
    pub(crate) is_group: bool,
}

/// What a search below names found, sorted.
#[derive(Default)]
pub(crate) struct Searched {
    pub(crate) episodes: Vec<EpisodeDir>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) links: Vec<Link>,
    /// The number of directories that were left out.
    pub(crate) excluded: usize,
}

impl Name<'_> {
    /// Opens the directory, and lists it.
    pub(crate) fn open(self, follow_links: bool, excludes: Excludes<'_>) -> Sight {
        let Group { root, below, .. } = self.group;
        let below = below.join(self.name);
        let typed = join(&root.typed, &below);
        let mut found = Found::default();
        let listed = open_dir(&typed).and_then(|dir| {
            let listing = Listing::of(dir.as_fd())?;
            Ok((dir, listing))
        });
        let mut sight = Sight::default();
        match listed {
            Err(source) => found.faults.push(unlistable(&typed, source)),
            Ok((dir, listing)) => {
                let searched = found.sort_in(root, &below, &listing, excludes);
                if matches!(searched, Below::Everything) && !listing.directories.is_empty() {
                    sight.is_group = true;
                    return sight;
                }
                found.decide(root);
                let directory = Directory::new(dir, listing.entries, follow_links);
                sight.episode = found.episodes.pop().map(|episode| (episode, directory));
            }
        }
        (sight.faults, sight.links) = (found.faults, found.links);
        sight
    }
}

impl Unopened {
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The number of names.
    #[cfg(feature = "cli")]
    pub(crate) fn len(&self) -> usize {
        self.groups.iter().map(Group::len).sum()
    }

    /// The episodes that were found and the names, sorted by path.
    pub(crate) fn order(&self, found: &[EpisodeDir]) -> Vec<Turn> {
        let turns = |group, length| (0..length).map(move |at| Turn { group, at });
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let mut order: Vec<Turn> = turns(None, count(found.len())).collect();
        for (group, number) in self.groups.iter().zip(0..) {
            order.extend(turns(Some(number), count(group.len())));
        }
        let parts = |turn: &Turn| match self.item(*turn, found) {
            Some(Item::Found(episode)) => [path::bytes(&episode.path), b""],
            Some(Item::Name(Name { group, name })) => [&*group.prefix, name.as_encoded_bytes()],
            None => [b"".as_slice(); 2],
        };
        // Each list is sorted, so that comparing paths is seldom necessary.
        order.sort_by(|a, b| {
            if a.group == b.group {
                a.at.cmp(&b.at)
            } else {
                parts(a)
                    .iter()
                    .copied()
                    .flatten()
                    .cmp(parts(b).iter().copied().flatten())
            }
        });
        order
    }

    /// What a turn is of.
    pub(crate) fn item<'u>(&'u self, turn: Turn, found: &'u [EpisodeDir]) -> Option<Item<'u>> {
        let at = usize::try_from(turn.at).ok()?;
        let Some(group) = turn.group else {
            return found.get(at).map(Item::Found);
        };
        let group = self.groups.get(usize::try_from(group).ok()?)?;
        let name = group.name(at)?;
        Some(Item::Name(Name { group, name }))
    }

    /// Searches all directories of some turns before any of them is judged, and returns the
    /// episodes with those that were found already, sorted.
    pub(crate) fn search(
        &self,
        turns: &[Turn],
        known: &[EpisodeDir],
        jobs: NonZeroUsize,
        excludes: Excludes<'_>,
    ) -> Searched {
        let mut found = Found::default();
        in_order(
            turns,
            jobs,
            || (),
            |(), turn| {
                let mut found = Found::default();
                match self.item(*turn, known) {
                    Some(Item::Found(episode)) => found.episodes.push(episode.clone()),
                    Some(Item::Name(Name { group, name })) => {
                        let below = group.below.join(name);
                        walk(&group.root, &below, NonZeroUsize::MIN, excludes, &mut found);
                        found.decide(&group.root);
                    }
                    None => {}
                }
                found
            },
            |part| {
                found.append(part);
                ControlFlow::Continue(())
            },
        );
        let Found {
            mut episodes,
            mut faults,
            links,
            excluded,
            ..
        } = found;
        episodes.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
        faults.sort_by(|a, b| a.path().as_os_str().cmp(b.path().as_os_str()));
        Searched {
            episodes,
            faults,
            links,
            excluded,
        }
    }

    /// The faults of links to directories that are not judged, now that all names were opened:
    /// those that the search met, and those that were met since.
    pub(crate) fn faults(
        &self,
        links: Vec<Link>,
        episodes: [&[EpisodeDir]; 2],
        excludes: Excludes<'_>,
    ) -> Vec<Fault> {
        let is_run = |typed: &Path| {
            let is_episode = |name| Name::open(name, false, excludes).episode.is_some();
            let mut groups = self.groups.iter();
            groups.any(|group| {
                let name = group.name_of(typed).map(|name| Name { group, name });
                name.is_some_and(is_episode)
            })
        };
        let is_episode =
            |typed: &Path| episodes.iter().any(|list| is_among(list, typed)) || is_run(typed);
        let links = self.links.iter().cloned().chain(links);
        faults_of_links(links, &self.roots, is_episode, excludes)
    }
}

/// Whether a path is that of an episode in a sorted list.
pub(super) fn is_among(episodes: &[EpisodeDir], typed: &Path) -> bool {
    let order = |it: &EpisodeDir| it.path.as_os_str().cmp(typed.as_os_str());
    episodes.binary_search_by(order).is_ok()
}

/// The faults of links that lead to a directory that is not judged, sorted.
pub(super) fn faults_of_links(
    links: impl IntoIterator<Item = Link>,
    roots: &[Root],
    is_episode: impl Fn(&Path) -> bool,
    excludes: Excludes<'_>,
) -> Vec<Fault> {
    // Two given paths may lead to one link.
    let mut faults = BTreeMap::new();
    for link in links {
        let is_looked_at = roots.iter().any(|root| {
            let Ok(below) = link.target.strip_prefix(&root.real) else {
                return false;
            };
            let typed = join(&root.typed, below);
            below == Path::new("")
                || link.target.starts_with(&link.run_data)
                    && (is_episode(&typed) || excludes(&typed))
        });
        if !is_looked_at {
            faults.insert(link.typed, link.target);
        }
    }
    faults
        .into_iter()
        .map(|(path, target)| Fault::Link { path, target })
        .collect()
}
