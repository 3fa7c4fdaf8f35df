//! Paths as the user gave them -> the episodes below them, each once, sorted.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::EpisodeDir;
use super::fault::{Fault, unlistable};
use super::foreign::Given;
use super::listing::list;
use super::nature::{Nature, holds_records};
use super::path::tidy;
use super::root::{Root, enclosing_episode};
use super::unopened::{Unopened, faults_of_links, is_among};
use super::walk::{Excludes, Found, Link, walk};
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
    /// The number of directories that were left out and so not opened.
    pub(crate) excluded: usize,
    /// Names of directories that most likely are episodes, where a search may leave them so.
    pub(crate) unopened: Unopened,
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
    given: Given<'_>,
) -> Discovery {
    find(paths, jobs, excludes, given, false)
}

/// The same, but leaves the directories in large directories of runs unopened.
#[must_use]
pub(crate) fn search<P: AsRef<Path>>(
    paths: &[P],
    jobs: NonZeroUsize,
    excludes: Excludes<'_>,
    given: Given<'_>,
) -> Discovery {
    // Several paths may lead to one episode, which shows when all are known.
    find(paths, jobs, excludes, given, paths.len() == 1)
}

fn find<P: AsRef<Path>>(
    paths: &[P],
    jobs: NonZeroUsize,
    excludes: Excludes<'_>,
    given: Given<'_>,
    may_defer: bool,
) -> Discovery {
    let mut search = Search {
        jobs,
        excludes,
        given,
        may_defer,
        found: Discovery::default(),
        links: Vec::new(),
        roots: Vec::new(),
    };
    for path in paths {
        if let Err(fault) = search.search(path.as_ref()) {
            search.found.faults.push(fault);
        }
    }
    search.finish(paths.len())
}

/// A search below some paths.
struct Search<'e> {
    jobs: NonZeroUsize,
    excludes: Excludes<'e>,
    given: Given<'e>,
    may_defer: bool,
    found: Discovery,
    links: Vec<Link>,
    /// The directories that were walked.
    roots: Vec<Root>,
}

impl Search<'_> {
    fn search(&mut self, path: &Path) -> Result<(), Fault> {
        let fault = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => Fault::Missing(path.to_owned()),
            _ => unlistable(path, source),
        };
        let real = |path: &Path| path.canonicalize().map_err(fault);
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
        if is_dir && !(is_artifact && list(parent).is_ok_and(|it| holds_records(it.entries))) {
            let root = self.root(tidy(path), real(path)?);
            let found = self.walk(&root, self.may_defer);
            self.take(found);
            self.roots.push(root);
            return Ok(());
        }
        let root = self.root(tidy(parent), real(parent)?);
        let root = enclosing_episode(&root).unwrap_or(root);
        let listing = list(&root.typed).map_err(|source| unlistable(&root.typed, source))?;
        let below = Path::new("");
        let nature = root.nature(below, &listing);
        let mut found = Found::default();
        if let Nature::UnlessAbove = nature {
            // The walk shows whether there is an episode below it.
            found = self.walk(&root, false);
            found.episodes.retain(|episode| episode.path == root.typed);
            found.links.clear();
        } else {
            found.sort_in(&root, below, &listing, self.excludes);
        }
        let is_found = !found.episodes.is_empty();
        if !is_found {
            found.links.clear();
        }
        self.take(found);
        if is_found {
            self.roots.push(root);
        }
        Ok(())
    }

    fn root(&self, typed: PathBuf, real: PathBuf) -> Root {
        let is_given = match self.given {
            Given::Each => true,
            Given::Only(given) => typed == tidy(given),
            Given::None => false,
        };
        Root::new(typed, real, is_given)
    }

    fn walk(&self, root: &Root, may_defer: bool) -> Found {
        let mut found = Found {
            may_defer,
            ..Found::default()
        };
        walk(root, Path::new(""), self.jobs, self.excludes, &mut found);
        found.decide(root);
        found
    }

    fn take(&mut self, mut found: Found) {
        self.found.episodes.append(&mut found.episodes);
        self.found.faults.append(&mut found.faults);
        self.found.foreign.append(&mut found.foreign);
        self.found.excluded += found.excluded;
        self.links.append(&mut found.links);
        self.found.unopened.groups.append(&mut found.unopened);
    }

    /// Sorts what was found below a number of given paths, and decides about the links.
    fn finish(mut self, paths: usize) -> Discovery {
        let found = &mut self.found;
        found
            .episodes
            .sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
        if found.unopened.is_empty() {
            let is_episode = |typed: &Path| is_among(&found.episodes, typed);
            let faults = faults_of_links(self.links, &self.roots, is_episode, self.excludes);
            found.faults.extend(faults);
        } else {
            found.unopened.links = self.links;
            found.unopened.roots = self.roots;
        }
        found
            .faults
            .sort_by(|a, b| a.path().as_os_str().cmp(b.path().as_os_str()));
        found.foreign.sort();
        if paths > 1 {
            // Several paths may lead to one episode: the first in order is kept.
            let mut seen = BTreeSet::new();
            let mut is_first = |path: &Path| path.canonicalize().map_or(true, |it| seen.insert(it));
            found.episodes.retain(|episode| is_first(&episode.path));
            found.foreign.retain(|dir| is_first(dir));
        }
        self.found
    }
}
