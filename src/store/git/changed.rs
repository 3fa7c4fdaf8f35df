//! The output of git for a working tree -> the episodes that changed since a revision.
//!
//! An episode is left out only if git says that each of its artifacts is unchanged, and each other
//! file that a team's schemas judge. So a file that git does not track, ignores, or keeps in a
//! nested repository counts as changed: run data can't hide from a check.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::command::{git, listed, pathspecs, shown, top};
use crate::ground::source::{Artifact, EntryKind};
use crate::store::find::Dir;
use crate::store::open::EpisodeDir;
use crate::store::path::is_gone;

/// The parts of an episode that a check reads besides its artifacts.
pub(crate) struct Reads {
    /// The targets of artifacts that are links: git reports the link alone, so an episode with one
    /// counts as changed.
    pub(crate) links: bool,
    /// The files that a manifest names. An episode with one counts as changed.
    pub(crate) named_files: bool,
    /// The names of other files, which are asked of git as artifacts are.
    pub(crate) other_files: Vec<Arc<str>>,
}

impl Reads {
    fn more_of(&self, episode: &EpisodeDir) -> bool {
        let is_link = |it: &Artifact| episode.entries.kind(*it) == Some(EntryKind::Link);
        (self.links && Artifact::ALL.iter().any(is_link))
            || (self.named_files && episode.entries.has(Artifact::Manifest))
    }
}

/// Returns those of the episodes below paths that changed since a revision, and the directories
/// that held a record then and hold none now, by their paths from the top of the working tree; or
/// why that can't be determined.
pub(crate) fn changed_since(
    revision: &str,
    episodes: Vec<Dir>,
    paths: &[PathBuf],
    reads: &Reads,
) -> Result<(Vec<Dir>, Vec<PathBuf>), String> {
    let changes = GitChanges::since(revision, &reads.other_files)?;
    let mut real = BTreeSet::new();
    let mut touched = Vec::new();

    for found in episodes {
        let episode = found.episode();
        let dir = episode
            .path
            .canonicalize()
            .map_err(|error| format!("{}: {error}", shown(&episode.path)))?;
        if changes.touch(&episode, &dir, &reads.other_files)? || reads.more_of(&episode) {
            touched.push(found);
        }

        real.insert(dir);
    }

    Ok((touched, changes.lost(&real, paths)))
}

/// The artifacts and other files of the working tree around the working directory, compared with a
/// revision. Paths are those that git prints, from the top of the tree.
struct GitChanges {
    top: PathBuf,
    tracked: BTreeSet<PathBuf>,
    /// The files that differ from the revision or are gone, and their directories.
    differ: BTreeSet<PathBuf>,
    changed: BTreeSet<PathBuf>,
}

impl GitChanges {
    fn since(revision: &str, other_files: &[Arc<str>]) -> Result<Self, String> {
        let top = top()?;
        let commit = format!("{revision}^{{commit}}");
        let verify = "rev-parse --verify --quiet --end-of-options".split(' ');
        let commit = git(&top, verify.chain([&*commit])).map_err(|_| {
            let top = shown(&top);
            match revision {
                "" => "the revision is an empty text: did the command that names it fail?".into(),
                _ => format!("{top} has no commit `{revision}`; a shallow clone may lack it"),
            }
        })?;
        let commit = String::from_utf8_lossy(&commit);

        let files = pathspecs(other_files);
        let paths = |command: &str| {
            let files = files.iter().map(String::as_str);
            let paths = git(
                &top,
                command
                    .split(' ')
                    .chain(["--"])
                    .chain(files),
            )?;
            Ok::<BTreeSet<PathBuf>, String>(listed(&paths).collect())
        };

        let tracked = paths("ls-files -z")?;
        // Staged changes, and unstaged ones. `git diff` would report both, but it sometimes
        // rewrites the index.
        let staged = "diff-index --cached --name-only -z --no-renames --ignore-submodules=all";
        let mut differ = paths(&format!("{staged} {}", commit.trim_end()))?;
        differ.extend(paths("ls-files -z --modified")?);

        let changed = differ
            .iter()
            .filter_map(|path| path.parent())
            .map(Path::to_owned)
            .collect();

        Ok(Self {
            top,
            tracked,
            differ,
            changed,
        })
    }

    /// Returns the directories below paths from which all records are gone, except those inside an
    /// episode.
    fn lost(&self, episodes: &BTreeSet<PathBuf>, paths: &[PathBuf]) -> Vec<PathBuf> {
        let paths: Vec<PathBuf> = paths
            .iter()
            .filter_map(|path| path.canonicalize().ok())
            .collect();
        let records = [Artifact::State, Artifact::Events];
        let is_lost = |dir: &&PathBuf| {
            let real = self.top.join(dir);
            let was_episode = records.iter().any(|record| {
                self.differ
                    .contains(&dir.join(record.file_name()))
            });
            was_episode
                && records
                    .iter()
                    .all(|record| is_gone(&real.join(record.file_name())))
                && paths
                    .iter()
                    .any(|path| real.starts_with(path))
                && !real
                    .ancestors()
                    .any(|above| episodes.contains(above))
        };

        self.changed
            .iter()
            .filter(is_lost)
            .cloned()
            .collect()
    }

    /// Returns whether an episode, whose directory really is `real`, changed.
    fn touch(
        &self,
        episode: &EpisodeDir,
        real: &Path,
        other_files: &[Arc<str>],
    ) -> Result<bool, String> {
        let below = real
            .strip_prefix(&self.top)
            .map_err(|_| {
                let (path, top) = (shown(&episode.path), shown(&self.top));
                format!("{path} lies outside of {top}, so git can't say whether it changed")
            })?;
        let is_new = |name: &str| !self.tracked.contains(&below.join(name));
        let mut there = Artifact::ALL
            .into_iter()
            .filter(|artifact| episode.entries.has(*artifact));
        let is_there = |name: &&Arc<str>| !is_gone(&real.join(&***name));

        Ok(self.changed.contains(below)
            || there.any(|artifact| is_new(artifact.file_name()))
            || other_files
                .iter()
                .filter(is_there)
                .any(|name| is_new(name)))
    }
}
