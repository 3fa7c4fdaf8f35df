//! A directory of a tree, on a disk or made up by the keys of a store -> its paths, and what its
//! place and its entries make of it.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::nature::{Nature, below_episodes, holds_records, nature};
use super::root::{GivenPaths, Root};
use crate::ground::source::{EPISODES, Entries};
use crate::store::open::{EpisodeDir, Listing};
use crate::store::path::{self, join};

/// A directory of a tree. What the directories in one have in common is kept once, so that a
/// million of them take little memory.
#[derive(Clone, Debug)]
pub(crate) struct Dir {
    shared: Arc<Shared>,
    /// The real name.
    name: Arc<OsStr>,
    /// The artifacts that it lists, once it was listed.
    pub(super) entries: Entries,
}

/// The properties that the directories in a directory have in common.
#[derive(Debug)]
struct Shared {
    /// The root of the walk.
    root: Arc<Root>,
    /// The beginning of their paths, as the user would type them; of the root, the whole path.
    prefix: Vec<u8>,
    /// The number of levels that they are below the given path.
    level: usize,
    /// `true` if they are below a directory called `episodes`.
    in_episodes: bool,
    /// `true` if they are below a directory that is an episode unless there is one below it.
    in_group: bool,
    /// The episode around them, if that is not below a directory called `episodes`.
    episode: Option<Arc<Path>>,
}

/// The directories in one that are to be searched, each made when its turn comes.
pub(super) struct Within {
    shared: Arc<Shared>,
    pub(super) names: Vec<Arc<OsStr>>,
}

impl Within {
    /// Returns the directory with a name.
    pub(super) fn dir(&self, name: &Arc<OsStr>) -> Dir {
        Dir::new(&self.shared, Arc::clone(name))
    }

    pub(super) fn dirs(&self) -> impl Iterator<Item = Dir> {
        self.names
            .iter()
            .map(|name| self.dir(name))
    }
}

impl From<Dir> for EpisodeDir {
    fn from(dir: Dir) -> Self {
        dir.episode()
    }
}

impl Dir {
    /// Returns the directory in which a walk starts.
    pub(super) fn root(root: &Arc<Root>) -> Self {
        let shared = Shared {
            prefix: path::bytes(&root.typed).to_vec(),
            level: root.level,
            in_episodes: below_episodes(&root.named),
            in_group: false,
            episode: None,
            root: Arc::clone(root),
        };

        let name = root
            .named
            .file_name()
            .unwrap_or_default();

        Self::new(&Arc::new(shared), name.into())
    }

    fn new(shared: &Arc<Shared>, name: Arc<OsStr>) -> Self {
        Self {
            shared: Arc::clone(shared),
            name,
            entries: Entries::default(),
        }
    }

    /// Returns what has these names in it and is to be searched, where this may be a group, and
    /// where an episode is around them.
    pub(super) fn searched_within(
        &self,
        names: Vec<Arc<OsStr>>,
        may_be_group: bool,
        episode: Option<Arc<Path>>,
    ) -> Within {
        let shared = Arc::new(Shared {
            root: Arc::clone(&self.shared.root),
            prefix: self.prefix(),
            level: self.level() + 1,
            in_episodes: self.is_in_episodes(),
            in_group: self.is_in_group() || may_be_group,
            episode,
        });

        Within { shared, names }
    }

    /// Returns what has these names in it, which is no group; most directories have nothing.
    pub(super) fn within(&self, names: &[Arc<OsStr>]) -> Vec<Self> {
        if names.is_empty() {
            return Vec::new();
        }

        self.searched_within(names.to_vec(), false, None)
            .dirs()
            .collect()
    }

    /// Returns what the paths of all directories below it start with.
    fn prefix(&self) -> Vec<u8> {
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

        [&self.shared.prefix, name]
    }

    /// Returns the path from the root of the walk on.
    pub(in crate::store) fn below(&self) -> PathBuf {
        let path = self.path();
        path.strip_prefix(&*self.shared.root.typed)
            .unwrap_or(&path)
            .to_owned()
    }

    /// Returns the real path.
    pub(super) fn real(&self) -> PathBuf {
        join(&self.shared.root.real, &self.below())
    }

    /// Returns the path whose names count.
    fn named(&self) -> PathBuf {
        join(&self.shared.root.named, &self.below())
    }

    /// Returns what a walk starts from at a link, which is this, given the real path of its target.
    pub(super) fn followed(&self, target: PathBuf) -> Root {
        Root {
            named: self.named(),
            ..Root::at(self.path(), target, self.level(), GivenPaths::None)
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

    /// Returns the number of levels that it is below the given path.
    pub(super) fn level(&self) -> usize {
        self.shared.level
    }

    /// Returns `true` if it is below a directory that is an episode unless there is one below it.
    pub(super) fn is_in_group(&self) -> bool {
        self.shared.in_group
    }

    /// Returns the episode around it, if that is not below a directory called `episodes`.
    pub(super) fn episode_around(&self) -> Option<Arc<Path>> {
        self.shared.episode.clone()
    }

    pub(super) fn is_root(&self) -> bool {
        self.level() == self.shared.root.level
    }

    pub(super) fn is_below_episodes(&self) -> bool {
        self.shared.in_episodes
    }

    /// Returns `true` if it is, or is below, a directory called `episodes`.
    pub(super) fn is_in_episodes(&self) -> bool {
        self.shared.in_episodes || &*self.name == EPISODES
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
            within: Some(Arc::clone(&self.shared.root.typed)),
        }
    }

    /// Returns the order of the paths, byte by byte.
    pub(in crate::store) fn path_order(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.shared, &other.shared) {
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

    /// Returns `true` if one of some directories, which are sorted by their paths, is below it.
    pub(super) fn is_above_one(&self, sorted: &[&Self]) -> bool {
        let prefix = self.prefix();
        let first = sorted.partition_point(|it| it.order_to(&prefix).is_lt());
        sorted
            .iter()
            .skip(first)
            .find(|it| !it.is_root())
            .is_some_and(|it| {
                it.path_bytes()
                    .take(prefix.len())
                    .eq(&prefix)
            })
    }

    fn path_bytes(&self) -> impl Iterator<Item = &u8> {
        self.path_parts().into_iter().flatten()
    }
}
