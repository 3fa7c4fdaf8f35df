//! The keys of objects -> the episodes that they make up, by the law for directories.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use super::dir::Dir;
use super::discover::Discovery;
use super::fault::{Fault, FaultKind};
use super::root::{GivenPaths, Root};
use super::tree::Tree;
use super::walk::TreeWalk;
use crate::ground::source::{Artifact, EPISODES, EntryKind};
use crate::store::open::Listing;
use crate::store::path::{join, shared_name};

/// Finds the episodes that objects with these keys make up, as a check finds those on a disk. Keys
/// are paths below a root, which is the location of a directory of any kind; their order does not
/// matter. Objects that are not artifacts count as well: they show which directories there are.
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
    let mut tree = KeyTree(BTreeMap::from([("", Listing::default())]));
    let wrong: Vec<&str> = keys
        .into_iter()
        .filter(|key| !tree.add(key))
        .collect();
    let root = Root::at(Path::new(root), root.into(), 0, GivenPaths::None);
    let root = Arc::new(root);
    let mut found = TreeWalk::new(&tree, &root, None).everything(NonZeroUsize::MIN);
    let wrong = wrong
        .into_iter()
        .map(|key| Fault::new(join(&root.typed, Path::new(key)), FaultKind::Key));
    found.faults.splice(..0, wrong);
    found.sort();

    found.into()
}

/// The directories that keys name, by their paths from the root on.
struct KeyTree<'k>(BTreeMap<&'k str, Listing>);

impl<'k> KeyTree<'k> {
    /// Adds a key; returns `true` if its parts are names, so that it is a path. One that ends with
    /// a slash stands for a directory.
    fn add(&mut self, key: &'k str) -> bool {
        let (directories, file) = key
            .rsplit_once('/')
            .unwrap_or(("", key));
        let is_name = |part: &str| !matches!(part, "" | "." | "..");
        let is_path = key == file || directories.split('/').all(is_name);
        if !is_path || matches!(file, "." | "..") {
            return false;
        }
        for (end, _) in key.match_indices('/') {
            self.add_directory(key.get(..end).unwrap_or_default());
        }

        if let Some(listing) = self.0.get_mut(directories) {
            match Artifact::from_file_name(file) {
                Some(artifact) => listing
                    .entries
                    .set(artifact, EntryKind::File),
                None if file.is_empty() => {}
                None => listing.others.add(file.as_bytes()),
            }
        }

        true
    }

    /// Adds a directory to the one that it is in.
    fn add_directory(&mut self, path: &'k str) {
        if self.0.contains_key(path) {
            return;
        }

        self.0.insert(path, Listing::default());
        let (parent, name) = path
            .rsplit_once('/')
            .unwrap_or(("", path));
        let Some(listing) = self.0.get_mut(parent) else {
            return;
        };
        if let Some(artifact) = Artifact::from_file_name(name)
            && !listing.entries.has(artifact)
        {
            listing
                .entries
                .set(artifact, EntryKind::Directory);
        }

        if name != ".git" {
            listing.holds_episodes |= name == EPISODES;
            listing
                .directories
                .push(shared_name(name.as_bytes()));
        }
    }

    fn get(&self, dir: &Dir) -> Option<&Listing> {
        self.0.get(dir.below().to_str()?)
    }
}

/// Nothing is read of the objects.
impl Tree for KeyTree<'_> {
    fn list(&self, dir: &Dir) -> io::Result<Listing> {
        Ok(self
            .get(dir)
            .cloned()
            .unwrap_or_default())
    }

    fn holds_timeline(&self, dir: &Dir) -> io::Result<bool> {
        let listing = self.get(dir);
        Ok(listing.is_some_and(|it| it.entries.has(Artifact::Events)))
    }

    fn is_foreign(&self, _: &Dir) -> bool {
        false
    }

    fn names_run(&self, _: &Dir) -> bool {
        false
    }
}
