//! Paths as the user gave them -> the episodes below them, each once, sorted.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dir::Dir;
use super::fault::{Fault, FaultKind, unlistable};
use super::links::LinksFound;
use super::nature::holds_records;
use super::root::{Enclosing, GivenPaths, Root};
use super::tree::OnDisk;
use super::walk::{Excludes, TreeWalk, WalkFindings};
use crate::store::open::{EpisodeDir, records_in};
use crate::store::path::{self, directory_of, is_artifact, tidy};

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
    /// Directories below `episodes` that hold files and no record, in which a run is not likely,
    /// empty ones in the place of a run, and runs with other files that may be records, sorted by
    /// path; directories in which a run is likely are faults. Then given paths without an episode,
    /// where others have some.
    pub passed: Vec<Fault>,
    /// The number of directories that were not opened because the configuration excludes them.
    pub excluded: usize,
    /// `true` if these are all runs of each given path, so that rules over all runs can judge them.
    pub(crate) are_whole: bool,
}

impl From<WalkFindings> for Discovery {
    fn from(found: WalkFindings) -> Self {
        Self {
            episodes: found
                .episodes
                .iter()
                .map(Dir::episode)
                .collect(),
            faults: found.faults,
            foreign: found.foreign,
            passed: found.passed,
            excluded: found.excluded,
            are_whole: false,
        }
    }
}

/// Finds the episodes below paths. A path is a directory anywhere above episodes, an episode's
/// directory, or an artifact, which stands for its episode.
///
/// The walk enters hidden directories except `.git`, opens no directory that is excluded, and
/// follows no symbolic links except the given paths, and those that lead into a store where one is
/// given.
pub(crate) fn discover<P: AsRef<Path>>(
    paths: &[P],
    jobs: NonZeroUsize,
    excludes: Excludes<'_>,
    given: GivenPaths,
    store: Option<&Path>,
) -> WalkFindings {
    let mut search = PathSearch {
        jobs,
        excludes,
        given,
        store,
        found: WalkFindings::default(),
        roots: Vec::new(),
        empty: BTreeSet::new(),
        of_files: BTreeMap::new(),
        around: Enclosing::default(),
    };

    for path in paths {
        if let Err(fault) = search.search(path.as_ref()) {
            search.found.faults.push(fault);
        }
    }

    search.finish()
}

/// A search below some paths.
struct PathSearch<'e> {
    jobs: NonZeroUsize,
    excludes: Excludes<'e>,
    given: GivenPaths,
    /// The real path of the directory into which links to runs are followed.
    store: Option<&'e Path>,
    found: WalkFindings,
    /// The directories that were walked.
    roots: Vec<Arc<Root>>,
    /// The directories in which nothing was found.
    empty: BTreeSet<PathBuf>,
    /// The episodes that a file stands for, by their real paths.
    of_files: BTreeMap<PathBuf, Root>,
    around: Enclosing,
}

impl PathSearch<'_> {
    fn search(&mut self, path: &Path) -> Result<(), Fault> {
        let fault = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidFilename
            | io::ErrorKind::InvalidInput => Fault::new(path, FaultKind::Missing(source)),
            _ => unlistable(path, source),
        };

        let is_artifact = path
            .file_name()
            .is_some_and(is_artifact);
        let parent = directory_of(path);
        // A link that dangles, or a directory in an artifact's place, is still an artifact that
        // can't be read.
        let is_dir = path
            .metadata()
            .or_else(|_| path.symlink_metadata())
            .map_err(fault)?
            .is_dir();
        if !is_dir && !is_artifact {
            return Err(Fault::new(path, FaultKind::NotAnArtifact));
        }

        let excluded = tidy(if is_dir { path } else { parent });
        if self
            .excludes
            .is_some_and(|excludes| excludes(&excluded))
        {
            self.found.excluded += 1;
            return Ok(());
        }

        let is_dir = is_dir && !(is_artifact && holds_records(records_in(parent)));
        let dir = if is_dir { path } else { parent };
        let root = Root::new(dir, self.given).map_err(fault)?;
        if is_dir {
            let root = Arc::new(root);
            let found = self.walk(&root).everything(self.jobs);
            self.note_empty(&root, &found);
            self.found.append(found);
            self.roots.push(root);
        } else {
            let root = self.around.episode_or(root);
            let known = self
                .of_files
                .entry(root.real.clone())
                .or_insert_with(|| root.clone());
            if path::bytes(&root.typed) < path::bytes(&known.typed) {
                *known = root;
            }
        }

        Ok(())
    }

    /// Looks which directories that files stand for are episodes.
    fn search_files(&mut self) {
        let of_files = std::mem::take(&mut self.of_files);
        // The directories below groups that were walked for the sake of a group.
        let mut walked = BTreeSet::new();
        for (real, root) in &of_files {
            if walked.contains(real) {
                continue;
            }

            let root = Arc::new(root.clone());
            let mut found = WalkFindings::default();
            self.walk(&root)
                .visit(Dir::root(&root), &mut found);
            found.excluded = 0;
            if !found.candidates.is_empty() {
                // The walk shows whether there is an episode below it, and below those in it.
                found = self.walk(&root).undecided(self.jobs);
                walked.extend(found.candidates.iter().map(Dir::real));
                found.recordless.clear();
                found.decide(&OnDisk);
                (found.episodes).retain(|it| of_files.contains_key(&it.real()));
                found.links.clear();
            }

            if self.given == GivenPaths::Each {
                self.note_empty(&root, &found);
            }

            if found.episodes.is_empty() {
                found.links.clear();
            } else {
                self.roots.push(root);
            }

            self.found.append(found);
        }
    }

    /// Notes a given path if nothing was found there that is judged, or of which a report tells.
    fn note_empty(&mut self, root: &Root, found: &WalkFindings) {
        if found.episodes.is_empty() && found.faults.is_empty() && found.excluded == 0 {
            self.empty
                .insert(root.typed.to_path_buf());
        }
    }

    fn walk<'w>(&'w self, root: &'w Arc<Root>) -> TreeWalk<'w> {
        TreeWalk::new(&OnDisk, root, self.excludes)
    }

    /// Sorts what was found, and decides about the links.
    fn finish(mut self) -> WalkFindings {
        self.search_files();
        let mut found = std::mem::take(&mut self.found);
        found.sort();

        let mut links = LinksFound::new(self.excludes, self.store);
        while !found.links.is_empty() {
            for root in links.decide(&mut found, &self.roots) {
                let root = Arc::new(root);
                let behind = self.walk(&root).everything(self.jobs);
                if !behind.episodes.is_empty() {
                    self.empty
                        .retain(|given| !root.typed.starts_with(given));
                }
                found.append(behind);
                self.roots.push(root);
            }

            found.sort();
        }

        if self.roots.len() > 1 {
            // Several paths may lead to one episode: the first in order is kept.
            let mut seen = BTreeSet::new();
            found
                .episodes
                .retain(|it| seen.insert(it.real()));

            let mut is_first = |path: &Path| {
                path.canonicalize()
                    .map_or(true, |it| seen.insert(it))
            };

            found
                .foreign
                .retain(|dir| is_first(dir));
            found
                .passed
                .retain(|fault| !fault.is_empty() || is_first(fault.path()));
        }

        if !found.episodes.is_empty() {
            let nothing = |path| Fault::new(path, FaultKind::NothingBelow);
            found
                .passed
                .extend(self.empty.into_iter().map(nothing));
        }

        found
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::ground::source::Artifact;

    #[test]
    fn files_cost_their_number() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let group = top
            .join("episodes/group")
            .join(["d"; 100].join("/"));
        fs::create_dir_all(&group).unwrap();
        let mut search = PathSearch {
            jobs: NonZeroUsize::MIN,
            excludes: None,
            given: GivenPaths::Each,
            store: None,
            found: WalkFindings::default(),
            roots: Vec::new(),
            empty: BTreeSet::new(),
            of_files: BTreeMap::new(),
            around: Enclosing::default(),
        };
        for index in 0..50 {
            let run = group.join(index.to_string());
            fs::create_dir(&run).unwrap();
            for artifact in Artifact::ALL {
                let file = run.join(artifact.file_name());
                fs::write(&file, "{}").unwrap();
                search.search(&file).unwrap();
            }
        }
        // Each directory above is looked at once, and each run is searched once.
        assert_eq!(search.around.len(), group.ancestors().count() + 50);
        assert_eq!(search.of_files.len(), 50);
        assert_eq!(search.finish().episodes.len(), 50);
    }
}
