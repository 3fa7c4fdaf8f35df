//! A directory to search -> the episode around it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::nature::{Nature, below_episodes, nature};
use crate::store::open::records_in;
use crate::store::path::{real_dir, tidy};

/// The paths of a search that a user gave. What they lead to is judged in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GivenPaths {
    Each,
    None,
}

/// A directory to walk: its path as the user typed it, and its real path.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) typed: Arc<Path>,
    pub(crate) real: PathBuf,
    /// The path whose names count: the real one, or that of the link through which it was found.
    pub(super) named: PathBuf,
    /// The number of levels that it is below a given path.
    pub(super) level: usize,
    pub(crate) given: GivenPaths,
}

impl Root {
    pub(crate) fn new(dir: &Path, given: GivenPaths) -> io::Result<Self> {
        Ok(Self::at(tidy(dir), real_dir(dir)?, 0, given))
    }

    /// Returns a directory with a real path, a number of levels below a given one.
    pub(crate) fn at(
        typed: impl Into<Arc<Path>>,
        real: PathBuf,
        level: usize,
        given: GivenPaths,
    ) -> Self {
        Self {
            typed: typed.into(),
            named: real.clone(),
            real,
            level,
            given,
        }
    }
}

/// The outermost episode that each directory is or is in, below `episodes`: an episode may contain
/// checkpoints, which hold copies of records. Each directory is looked at once.
#[derive(Debug, Default)]
pub(super) struct Enclosing(BTreeMap<PathBuf, Option<PathBuf>>);

impl Enclosing {
    /// Returns the episode around a directory; the directory itself where there is none.
    pub(super) fn episode_or(&mut self, root: Root) -> Root {
        let Some(real) = self.around(&root.real) else {
            return root;
        };
        let levels = root
            .real
            .strip_prefix(&real)
            .map_or(0, |below| below.components().count());
        let typed = up(&root.typed, levels, &real);
        Root::at(typed, real, root.level, root.given)
    }

    /// Returns the number of directories that were looked at.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn around(&mut self, dir: &Path) -> Option<PathBuf> {
        let known = dir
            .ancestors()
            .find_map(|above| self.0.get_key_value(above));
        let (known, mut episode) = known.map_or((Path::new(""), None), |(dir, episode)| {
            (&**dir, episode.clone())
        });
        let levels = known.components().count();
        let above: Vec<&Path> = dir.ancestors().collect();
        for dir in above.into_iter().rev().skip(levels) {
            let is_episode = || {
                let name = dir.file_name()?;
                Some(below_episodes(dir) && nature(name, records_in(dir)) == Nature::Episode)
            };

            if episode.is_none() && is_episode() == Some(true) {
                episode = Some(dir.to_owned());
            }

            self.0
                .insert(dir.to_owned(), episode.clone());
        }

        episode
    }
}

/// Returns the episode that a directory, which need not exist yet, is or would be in.
pub(crate) fn episode_around(dir: &Path) -> Option<PathBuf> {
    let real = std::path::absolute(dir)
        .ok()?
        .ancestors()
        .find_map(|above| real_dir(above).ok())?;
    Enclosing::default().around(&real)
}

/// Returns the directory `levels` above `typed`, whose real path is `real`: as a user would type
/// it, unless a symbolic link lies between.
fn up(typed: &Path, levels: usize, real: &Path) -> PathBuf {
    let mut above = typed.to_owned();
    for _ in 0..levels {
        match above.components().next_back() {
            Some(Component::Normal(_)) => drop(above.pop()),
            _ => above = tidy(&above.join("..")),
        }
    }

    let above = tidy(&above);
    if above
        .canonicalize()
        .is_ok_and(|path| path == real)
    {
        above
    } else {
        real.to_owned()
    }
}
