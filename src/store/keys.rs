//! The keys of objects -> the episodes that they make up, by the law for directories.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::EpisodeDir;
use super::discover::Discovery;
use super::fault::Fault;
use super::nature::{EPISODES, Nature, below_episodes, names_episodes, nature_of};
use super::path::{id as id_of, join};
use crate::source::{Artifact, Entries, EntryKind};

/// Finds the episodes that objects with these keys make up, as a check finds those on a disk. Keys
/// are paths below a root, which is the location of a directory of any kind; their order does not
/// matter. Objects that are no artifacts count as well: they show which directories there are.
///
/// Nothing is read. So an episode outside `episodes` whose only artifact is a `state.json` may be
/// the record of another program, and a summary above other episodes counts as that of a group
/// unless `learn.jsonl` or `manifest.json` is beside it.
///
/// ```
/// use runvet::source::Artifact;
/// let keys = [
///     "episodes/ep_1/checkpoints/7/state.json", // a copy: the walk stops at an episode
///     "episodes/ep_1/state.json",
///     "episodes/nightly/ep_2/events.jsonl",
/// ];
/// let found = runvet::store::episodes_of("s3://bucket/runs", keys);
/// let paths: Vec<_> = found.episodes.iter().map(|episode| episode.path.to_str()).collect();
/// let names = ["ep_1", "nightly/ep_2"].map(|name| format!("s3://bucket/runs/episodes/{name}"));
/// assert_eq!(paths, [Some(&*names[0]), Some(&*names[1])]);
/// assert_eq!(found.episodes[1].id.as_deref(), Some("ep_2"));
/// assert!(found.episodes[0].entries.has(Artifact::State) && found.faults.is_empty());
/// ```
#[must_use]
pub fn episodes_of<'k>(root: &str, keys: impl IntoIterator<Item = &'k str>) -> Discovery {
    let mut tree = Tree::default();
    let mut found = Discovery::default();
    for key in keys {
        if !tree.add(key) {
            found
                .faults
                .push(Fault::Key(join(Path::new(root), Path::new(key))));
        }
    }
    tree.walk(Path::new(root), &mut found);
    let order = |path: &Path| path.as_os_str().to_owned();
    found
        .episodes
        .sort_by_cached_key(|episode| order(&episode.path));
    found.faults.sort_by_cached_key(|fault| order(fault.path()));
    found
}

/// The directories that keys name, each with its entries. The first one is the root.
struct Tree<'k> {
    dirs: Vec<Dir<'k>>,
}

#[derive(Default)]
struct Dir<'k> {
    name: &'k str,
    /// The directory around it; that of the root is the root.
    parent: usize,
    entries: Entries,
    directories: BTreeMap<&'k str, usize>,
}

impl Default for Tree<'_> {
    fn default() -> Self {
        Self {
            dirs: vec![Dir::default()],
        }
    }
}

/// A directory that is looked at.
struct Visit {
    dir: usize,
    is_below_episodes: bool,
    nature: Nature,
}

impl<'k> Tree<'k> {
    /// Adds a key; whether its parts are names, so that it is a path. One that ends with a slash
    /// stands for a directory.
    fn add(&mut self, key: &'k str) -> bool {
        let (directories, file) = key.rsplit_once('/').unwrap_or(("", key));
        let is_name = |part: &str| !matches!(part, "" | "." | "..");
        let parts = || directories.split('/').filter(|_| !directories.is_empty());
        let is_path = parts().all(is_name) && !matches!(file, "." | "..");
        if !is_path || (directories.is_empty() && key.starts_with('/')) {
            return false;
        }
        let mut at = 0;
        for name in parts() {
            at = self.directory(at, name);
        }
        if let (Some(artifact), Some(dir)) = (Artifact::from_file_name(file), self.dirs.get_mut(at))
        {
            dir.entries.set(artifact, EntryKind::File);
        }
        true
    }

    /// The directory with a name in another one.
    fn directory(&mut self, parent: usize, name: &'k str) -> usize {
        let next = self.dirs.len();
        let Some(dir) = self.dirs.get_mut(parent) else {
            return parent;
        };
        let at = *dir.directories.entry(name).or_insert(next);
        if at == next {
            if let Some(artifact) = Artifact::from_file_name(name)
                && !dir.entries.has(artifact)
            {
                dir.entries.set(artifact, EntryKind::Directory);
            }
            self.dirs.push(Dir {
                name,
                parent,
                ..Dir::default()
            });
        }
        at
    }

    /// Walks down from the root until it meets episodes.
    fn walk(&self, root: &Path, found: &mut Discovery) {
        let mut visits = Vec::new();
        let mut waiting = vec![(0, below_episodes(root))];
        while let Some((at, is_below)) = waiting.pop() {
            let Some(dir) = self.dirs.get(at) else {
                continue;
            };
            let name = self.name(root, at);
            let holds_episodes = dir.directories.contains_key(EPISODES);
            let nature = nature_of(name, is_below, dir.entries, holds_episodes);
            visits.push(Visit {
                dir: at,
                is_below_episodes: is_below,
                nature,
            });
            if nature == Nature::Episode && is_below {
                let hidden = self
                    .within(at)
                    .filter(|at| self.entries(*at).has(Artifact::Events));
                let hidden = hidden.map(|at| Fault::Hidden(self.path(root, at)));
                found.faults.extend(hidden);
                continue;
            }
            if nature == Nature::Episode {
                let inside = self.run_data_inside(at);
                found
                    .faults
                    .extend(inside.iter().map(|inside| Fault::Inside {
                        path: self.path(root, *inside),
                        episode: self.path(root, at),
                    }));
                waiting.extend(inside.into_iter().map(|inside| (inside, false)));
                continue;
            }
            if name == EPISODES && Artifact::ALL.iter().any(|it| dir.entries.has(*it)) {
                found.faults.push(Fault::Stray(self.path(root, at)));
            }
            let is_below = is_below || name == EPISODES || (at == 0 && names_episodes(root));
            waiting.extend(self.within(at).map(|at| (at, is_below)));
        }
        self.decide(root, &visits, found);
    }

    /// Decides about directories with only a summary: episodes unless there is an episode below
    /// them.
    fn decide(&self, root: &Path, visits: &[Visit], found: &mut Discovery) {
        let mut holds_episode = vec![false; self.dirs.len()];
        // What is below a directory was visited after it.
        for visit in visits.iter().rev() {
            let Some(dir) = self.dirs.get(visit.dir) else {
                continue;
            };
            let holds = holds_episode.get(visit.dir).is_some_and(|holds| *holds);
            let is_episode = match visit.nature {
                Nature::Episode => true,
                Nature::UnlessAbove => !holds,
                Nature::None => false,
            };
            if is_episode {
                found.episodes.push(self.episode(root, visit));
            } else if visit.nature == Nature::UnlessAbove
                && (dir.entries.has(Artifact::Learn) || dir.entries.has(Artifact::Manifest))
            {
                found
                    .faults
                    .push(Fault::Displaced(self.path(root, visit.dir)));
            }
            if let Some(parent) = holds_episode.get_mut(dir.parent) {
                *parent |= is_episode || holds;
            }
        }
    }

    /// The directories in an episode that are called `episodes` and hold anything.
    fn run_data_inside(&self, episode: usize) -> Vec<usize> {
        let mut inside = Vec::new();
        let mut waiting: Vec<usize> = self.within(episode).collect();
        while let Some(at) = waiting.pop() {
            if self.dirs.get(at).is_some_and(|dir| dir.name == EPISODES) {
                let mut artifacts = Artifact::ALL.into_iter();
                let holds_artifact = artifacts.any(|it| self.entries(at).has(it));
                if holds_artifact || self.within(at).next().is_some() {
                    inside.push(at);
                }
            } else {
                waiting.extend(self.within(at));
            }
        }
        inside
    }

    /// The directories in a directory that may hold episodes.
    fn within(&self, at: usize) -> impl Iterator<Item = usize> {
        let directories = self
            .dirs
            .get(at)
            .into_iter()
            .flat_map(|dir| &dir.directories);
        let searched = directories.filter(|(name, _)| **name != ".git");
        searched.map(|(_, at)| *at)
    }

    fn entries(&self, at: usize) -> Entries {
        self.dirs.get(at).map(|dir| dir.entries).unwrap_or_default()
    }

    fn name<'n>(&'n self, root: &'n Path, at: usize) -> &'n OsStr {
        match self.dirs.get(at) {
            Some(dir) if at > 0 => OsStr::new(dir.name),
            _ => root.file_name().unwrap_or_default(),
        }
    }

    fn path(&self, root: &Path, at: usize) -> PathBuf {
        let dirs = std::iter::successors(self.dirs.get(at), |dir| self.dirs.get(dir.parent));
        // The root has no name, and nothing above it.
        let mut names: Vec<&str> = dirs
            .map(|dir| dir.name)
            .take_while(|name| !name.is_empty())
            .collect();
        names.reverse();
        join(root, &names.iter().collect::<PathBuf>())
    }

    fn episode(&self, root: &Path, visit: &Visit) -> EpisodeDir {
        let name = id_of(self.name(root, visit.dir));
        EpisodeDir {
            path: self.path(root, visit.dir),
            id: visit.is_below_episodes.then(|| name.clone()),
            name,
            entries: self.entries(visit.dir),
        }
    }
}
