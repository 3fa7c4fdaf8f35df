//! Paths as the user gave them -> the episodes below them, each once, sorted.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::EpisodeDir;
#[cfg(feature = "watch")]
use super::along::Along;
use super::fault::{Fault, unlistable};
use super::listing::list;
use super::nature::holds_records;
use super::path::{join, tidy};
use super::root::{Root, enclosing_episode};
use super::tree::{Dir, OnDisk, Tree};
use super::walk::{Excludes, Found, Walk};
use crate::source::Artifact;

/// The episodes below the given paths, and the paths that could not be searched.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Discovery {
    /// The episodes, sorted by path.
    pub episodes: Vec<EpisodeDir>,
    /// Paths that could not be searched, sorted by path.
    pub faults: Vec<Fault>,
    /// Directories outside `episodes` that hold the `state.json` of another program and no other
    /// artifact, and so no episode. A given path is an episode whatever its record says.
    pub foreign: Vec<PathBuf>,
}

impl From<Found> for Discovery {
    fn from(found: Found) -> Self {
        Self {
            episodes: found.episodes.iter().map(Into::into).collect(),
            faults: found.faults,
            foreign: found.foreign,
        }
    }
}

/// The paths of a search that a user gave. What they lead to is judged in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Each,
    None,
}

/// Finds the episodes below paths. A path is a directory anywhere above episodes, an episode's
/// directory, or an artifact, which stands for its episode.
///
/// The walk enters hidden directories except `.git`, opens no directory that is excluded, and
/// follows no symbolic links except the given paths.
#[must_use]
pub(crate) fn discover<P: AsRef<Path>>(
    paths: &[P],
    jobs: NonZeroUsize,
    excludes: Excludes<'_>,
    given: Given,
) -> Found {
    let mut search = Search::new(jobs, excludes, given);
    for path in paths {
        if let Err(fault) = search.search(path.as_ref()) {
            search.found.faults.push(fault);
        }
    }
    search.finish(paths.len())
}

/// Finds what depends on directories below a given one that changed. Each is a path from there on,
/// with whether everything below it may have changed as well.
#[cfg(feature = "watch")]
pub(crate) fn depending_on(
    top: &Path,
    changes: &[(PathBuf, bool)],
    jobs: NonZeroUsize,
    excludes: Excludes<'_>,
    given: Given,
) -> Found {
    let mut search = Search::new(jobs, excludes, given);
    if let Ok(root) = search.root(top)
        && !excludes(&root.typed)
    {
        for (changed, is_whole) in changes {
            let tree = Along::new(changed, *is_whole);
            let mut found = search.walk(&root, &tree).everything(jobs);
            found.episodes.retain(|it| tree.has(&it.dir));
            search.found.append(found);
        }
        search.roots.push(root);
    }
    let mut found = search.finish(1);
    found
        .episodes
        .dedup_by(|a, b| a.dir.path_order(&b.dir).is_eq());
    found.foreign.dedup();
    found
}

/// A search below some paths.
struct Search<'e> {
    jobs: NonZeroUsize,
    excludes: Excludes<'e>,
    given: Given,
    found: Found,
    /// The directories that were walked.
    roots: Vec<Root>,
}

impl<'e> Search<'e> {
    fn new(jobs: NonZeroUsize, excludes: Excludes<'e>, given: Given) -> Self {
        Self {
            jobs,
            excludes,
            given,
            found: Found::default(),
            roots: Vec::new(),
        }
    }

    fn root(&self, dir: &Path) -> io::Result<Root> {
        Ok(Root {
            typed: tidy(dir),
            real: dir.canonicalize()?,
            is_given: self.given == Given::Each,
        })
    }

    fn search(&mut self, path: &Path) -> Result<(), Fault> {
        let fault = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => Fault::Missing(path.to_owned()),
            _ => unlistable(path, source),
        };
        let is_artifact = path
            .file_name()
            .and_then(OsStr::to_str)
            .and_then(Artifact::from_file_name)
            .is_some();
        let parent = path
            .parent()
            .filter(|parent| *parent != Path::new(""))
            .unwrap_or(Path::new("."));
        // A link that dangles, or a directory in an artifact's place, is still an artifact that
        // can't be read.
        let is_dir = path
            .metadata()
            .or_else(|_| path.symlink_metadata())
            .map_err(fault)?
            .is_dir();
        if !is_dir && !is_artifact {
            return Err(Fault::NotAnArtifact(path.to_owned()));
        }
        if (self.excludes)(&tidy(if is_dir { path } else { parent })) {
            self.found.excluded += 1;
            return Ok(());
        }
        let is_dir =
            is_dir && !(is_artifact && list(parent).is_ok_and(|it| holds_records(it.entries)));
        let dir = if is_dir { path } else { parent };
        let root = self.root(dir).map_err(fault)?;
        if is_dir {
            let found = self.walk(&root, &OnDisk).everything(self.jobs);
            self.found.append(found);
            self.roots.push(root);
        } else {
            self.search_one(enclosing_episode(&root).unwrap_or(root));
        }
        Ok(())
    }

    /// Looks whether a directory is an episode.
    fn search_one(&mut self, root: Root) {
        let mut found = Found::default();
        self.walk(&root, &OnDisk)
            .visit(&Dir::root(&root), &mut found);
        found.excluded = 0;
        if !found.candidates.is_empty() {
            // The walk shows whether there is an episode below it.
            found = self.walk(&root, &OnDisk).everything(self.jobs);
            found.episodes.retain(|episode| episode.dir.is_root());
            found.links.clear();
        }
        let is_found = !found.episodes.is_empty();
        if !is_found {
            found.links.clear();
        }
        self.found.append(found);
        if is_found {
            self.roots.push(root);
        }
    }

    fn walk<'w>(&'w self, root: &'w Root, tree: &'w dyn Tree) -> Walk<'w> {
        Walk {
            tree,
            root,
            excludes: self.excludes,
        }
    }

    /// Sorts what was found below a number of given paths, and decides about the links.
    fn finish(mut self, paths: usize) -> Found {
        self.found.sort();
        if !self.found.links.is_empty() {
            self.decide_links();
            self.found.sort();
        }
        let mut found = self.found;
        if paths > 1 {
            // Several paths may lead to one episode: the first in order is kept.
            let mut seen = BTreeSet::new();
            let mut is_first = |path: &Path| path.canonicalize().map_or(true, |it| seen.insert(it));
            found.episodes.retain(|it| is_first(&it.dir.path()));
            found.foreign.retain(|dir| is_first(dir));
        }
        found
    }

    /// Links that lead to a directory that is not judged are faults.
    fn decide_links(&mut self) {
        // Two given paths may lead to one link.
        let mut faults = BTreeMap::new();
        for link in std::mem::take(&mut self.found.links) {
            let is_looked_at = self.roots.iter().any(|root| {
                let Ok(below) = link.target.strip_prefix(&root.real) else {
                    return false;
                };
                let typed = join(&root.typed, below);
                below == Path::new("")
                    || link.target.starts_with(&link.run_data)
                        && (self.found.has(&typed) || (self.excludes)(&typed))
            });
            if !is_looked_at {
                faults.insert(link.typed, link.target);
            }
        }
        let faults = faults.into_iter();
        let faults = faults.map(|(path, target)| Fault::Link { path, target });
        self.found.faults.extend(faults);
    }
}
