//! A directory of a tree, on a disk or made up by the keys of a store -> what it lists.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::EpisodeDir;
use super::listing::{Listing, list};
use super::nature::{self, Nature, below_episodes, holds_records, nature};
use super::path::{self, join};
use super::root::{GivenPaths, Root};
use crate::ground::source::{EPISODES, Entries};

/// The number of levels below a given path that are searched.
///
/// Run data is a dozen levels deep. What the search does for a directory depends on the length of
/// its path, so without a limit a few thousand directories, each in the one before, would keep it
/// busy for minutes.
pub(super) const MAX_LEVELS: usize = 256;

/// Directories, and what their records say as far as it decides which of them are episodes. Unless
/// it says otherwise, a tree is on a disk.
pub(super) trait Tree: Sync {
    /// Returns what a directory lists.
    fn list(&self, dir: &Dir) -> io::Result<Listing>;

    /// Returns whether a directory in an episode holds a timeline, so that a run may be hidden
    /// there.
    fn holds_timeline(&self, dir: &Dir) -> io::Result<bool> {
        nature::holds_timeline(&dir.path())
    }

    /// Returns `true` if the `state.json` of a directory is that of another program.
    fn is_foreign(&self, dir: &Dir) -> bool {
        nature::is_foreign(&dir.episode())
    }

    /// Returns `true` if the summary of a directory names a run.
    fn names_run(&self, dir: &Dir) -> bool {
        nature::names_run(&dir.episode())
    }
}

/// The tree of all directories of a disk.
pub(super) struct OnDisk;

impl Tree for OnDisk {
    fn list(&self, dir: &Dir) -> io::Result<Listing> {
        list(&dir.path())
    }
}

/// A directory of a tree. What the directories in one have in common is kept once, so that a
/// million of them take little memory.
#[derive(Clone, Debug)]
pub(crate) struct Dir {
    pub(super) around: Arc<Around>,
    /// The real name.
    name: Arc<OsStr>,
    /// The artifacts that it lists, once it was listed.
    pub(super) entries: Entries,
}

/// The properties that the directories in a directory have in common.
#[derive(Debug)]
pub(super) struct Around {
    /// The root of the walk.
    root: Arc<Root>,
    /// Its path, as the user typed it.
    given: Arc<Path>,
    /// The beginning of their paths, as the user would type them; of the root, the whole path.
    prefix: Vec<u8>,
    /// The number of bytes of the prefix before the path from the root on.
    before: usize,
    /// The number of levels that they are below the given path.
    pub(super) level: usize,
    /// `true` if it is around the root of the walk.
    is_around_root: bool,
    /// `true` if they are below a directory called `episodes`.
    in_episodes: bool,
    /// `true` if they are below a directory that is an episode unless there is one below it.
    pub(super) in_group: bool,
    /// The episode around them, if that is not below a directory called `episodes`.
    pub(super) episode: Option<Arc<Path>>,
}

impl From<Dir> for EpisodeDir {
    fn from(dir: Dir) -> Self {
        dir.episode()
    }
}

impl Dir {
    /// Returns the directory in which a walk starts.
    pub(super) fn root(root: &Arc<Root>) -> Self {
        let prefix = path::bytes(&root.typed).to_vec();
        let around = Around {
            before: prefix.len(),
            prefix,
            level: root.level,
            is_around_root: true,
            in_episodes: below_episodes(&root.named),
            in_group: false,
            episode: None,
            given: Arc::from(&*root.typed),
            root: Arc::clone(root),
        };

        let name = root
            .named
            .file_name()
            .unwrap_or_default();

        Self::new(&Arc::new(around), name.into())
    }

    pub(super) fn new(around: &Arc<Around>, name: Arc<OsStr>) -> Self {
        Self {
            around: Arc::clone(around),
            name,
            entries: Entries::default(),
        }
    }

    /// Returns what the directories in it have in common: whether it may be a group, and the
    /// episode around them.
    pub(super) fn around_others(
        &self,
        may_be_group: bool,
        episode: Option<Arc<Path>>,
    ) -> Arc<Around> {
        let around = &self.around;
        let prefix = self.prefix();
        Arc::new(Around {
            root: Arc::clone(&around.root),
            given: Arc::clone(&around.given),
            before: if self.is_root() {
                prefix.len()
            } else {
                around.before
            },
            prefix,
            level: around.level + 1,
            is_around_root: false,
            in_episodes: self.is_in_episodes(),
            in_group: around.in_group || may_be_group,
            episode,
        })
    }

    /// Returns what has these names in it, which is no group; most directories have nothing.
    pub(super) fn within(&self, names: &[Arc<OsStr>]) -> Vec<Self> {
        if names.is_empty() {
            return Vec::new();
        }

        let around = self.around_others(false, None);
        names
            .iter()
            .map(Arc::clone)
            .map(|name| Self::new(&around, name))
            .collect()
    }

    /// Returns what the paths of all directories below it start with.
    pub(super) fn prefix(&self) -> Vec<u8> {
        path::prefix(&self.path())
    }

    /// Returns the path as the user would type it.
    pub(crate) fn path(&self) -> PathBuf {
        let [prefix, name] = self.path_parts();
        path::from_bytes([prefix, name].concat())
    }

    /// Returns the path of the directory around it.
    pub(crate) fn parent(&self) -> PathBuf {
        self.path()
            .parent()
            .unwrap_or(Path::new(""))
            .to_owned()
    }

    fn path_parts(&self) -> [&[u8]; 2] {
        let name = if self.is_root() {
            &[]
        } else {
            self.name.as_encoded_bytes()
        };

        [&self.around.prefix, name]
    }

    /// Returns the path from the root of the walk on.
    pub(super) fn below(&self) -> PathBuf {
        let [prefix, name] = self.path_parts();
        let prefix = prefix
            .get(self.around.before..)
            .unwrap_or_default();
        path::from_bytes([prefix, name].concat())
    }

    /// Returns the real path.
    pub(super) fn real(&self) -> PathBuf {
        join(&self.around.root.real, &self.below())
    }

    /// Returns the path whose names count.
    fn named(&self) -> PathBuf {
        join(&self.around.root.named, &self.below())
    }

    /// Returns what a walk starts from at a link, which is this, given the real path of its target.
    pub(super) fn followed(&self, target: PathBuf) -> Root {
        Root {
            named: self.named(),
            ..Root::at(self.path(), target, self.around.level, GivenPaths::None)
        }
    }

    /// Returns `true` if it is directly in a directory called `episodes`.
    pub(super) fn is_directly_in_episodes(&self) -> bool {
        self.named()
            .parent()
            .is_some_and(|parent| parent.ends_with(EPISODES))
    }

    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    pub(super) fn is_root(&self) -> bool {
        self.around.is_around_root
    }

    pub(super) fn is_below_episodes(&self) -> bool {
        self.around.in_episodes
    }

    /// Returns `true` if it is, or is below, a directory called `episodes`.
    pub(super) fn is_in_episodes(&self) -> bool {
        self.around.in_episodes || &*self.name == EPISODES
    }

    /// Returns what it is by what it lists.
    pub(super) fn nature(&self, listing: &Listing) -> Nature {
        let entries = listing.entries;
        if self.is_below_episodes() {
            nature(&self.name, entries)
        } else if &*self.name != EPISODES && holds_records(entries) && !listing.holds_episodes {
            Nature::Episode
        } else {
            Nature::None
        }
    }

    /// Returns the episode that it is.
    pub(crate) fn episode(&self) -> EpisodeDir {
        let name = path::id(&self.name);
        EpisodeDir {
            path: self.path(),
            id: self
                .is_below_episodes()
                .then(|| name.clone()),
            name,
            entries: self.entries,
            within: Some(Arc::clone(&self.around.given)),
        }
    }

    /// Returns the order of the paths, byte by byte.
    pub(super) fn path_order(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.around, &other.around) {
            self.name.cmp(&other.name)
        } else {
            self.path_bytes()
                .cmp(other.path_bytes())
        }
    }

    /// Returns the order of its path and another one, byte by byte.
    pub(super) fn order_to(&self, path: &[u8]) -> Ordering {
        self.path_bytes().cmp(path)
    }

    pub(super) fn starts_with(&self, prefix: &[u8]) -> bool {
        self.path_bytes()
            .take(prefix.len())
            .eq(prefix)
    }

    fn path_bytes(&self) -> impl Iterator<Item = &u8> {
        self.path_parts().into_iter().flatten()
    }
}
