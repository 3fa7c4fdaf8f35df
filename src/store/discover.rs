//! Paths as the user gave them -> the episodes below them, each once, sorted.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

use walkdir::WalkDir;

use super::EpisodeDir;
use super::disk::{Listing, list};
use super::path::{display, id as id_of, join};
use crate::parallel::in_order;
use crate::source::{Artifact, Entries};

/// The episodes below the given paths, and the paths that could not be searched.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Discovery {
    /// The episodes, sorted by path.
    pub episodes: Vec<EpisodeDir>,
    /// Paths that could not be searched.
    pub faults: Vec<Fault>,
}

/// A path that could not be searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The path does not exist.
    #[error("{}: no such file or directory", printable(.0))]
    Missing(PathBuf),
    /// The path is a file that is not an artifact of a run.
    #[error("{}: not a directory and not an artifact of a run ({})", printable(.0), artifact_names())]
    NotAnArtifact(PathBuf),
    /// A directory can't be listed, or a path can't be reached.
    #[error("{}: {source}", printable(.path))]
    Unlistable {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn printable(path: &Path) -> String {
    crate::printable::escape(&display(path)).into_owned()
}

fn artifact_names() -> String {
    Artifact::ALL.map(Artifact::file_name).join(", ")
}

/// The number of directories in one directory from which several workers search them.
const SPLIT: usize = 64;

/// Finds the episodes below paths. A path is a directory anywhere above episodes, an episode's
/// directory, or an artifact, which stands for its episode.
///
/// The walk enters hidden directories except `.git`, and follows no symbolic links except the given
/// paths.
#[must_use]
pub(crate) fn discover<P: AsRef<Path>>(paths: &[P], jobs: NonZeroUsize) -> Discovery {
    let mut discovery = Discovery::default();
    for path in paths {
        if let Err(fault) = search(path.as_ref(), jobs, &mut discovery) {
            discovery.faults.push(fault);
        }
    }
    discovery
        .episodes
        .sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    if paths.len() > 1 {
        // Several paths may lead to one episode: the first in order is kept.
        let mut seen = BTreeSet::new();
        discovery.episodes.retain(|episode| {
            episode
                .path
                .canonicalize()
                .map_or(true, |real| seen.insert(real))
        });
    }
    discovery
}

/// A directory to walk: its path as the user typed it, and its real path.
struct Root {
    typed: PathBuf,
    real: PathBuf,
    /// Whether the real path, or a directory above it, is called `episodes`.
    in_episodes: bool,
}

fn search(path: &Path, jobs: NonZeroUsize, discovery: &mut Discovery) -> Result<(), Fault> {
    let fault = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => Fault::Missing(path.to_owned()),
        _ => Fault::Unlistable {
            path: path.to_owned(),
            source,
        },
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
    // A link that dangles, or a directory in an artifact's place, is still an artifact that can't
    // be read.
    let is_dir = path
        .metadata()
        .or_else(|_| path.symlink_metadata())
        .map_err(fault)?
        .is_dir();
    if is_dir && !(is_artifact && list(parent).is_ok_and(|listing| holds_records(listing.entries)))
    {
        let root = Root::new(tidy(path), real(path)?);
        let mut found = Found::default();
        walk(&root, Path::new(""), jobs, &mut found);
        found.finish(&root, discovery);
        return Ok(());
    }
    if !is_artifact {
        return Err(Fault::NotAnArtifact(path.to_owned()));
    }
    let root = Root::new(tidy(parent), real(parent)?);
    let root = enclosing_episode(&root).unwrap_or(root);
    match list(&root.typed) {
        Ok(listing) if is_episode(listing.entries, listing.holds_episodes, false) => {
            discovery
                .episodes
                .push(root.episode(Path::new(""), listing.entries));
        }
        Ok(listing)
            if is_episode(
                listing.entries,
                listing.holds_episodes,
                below_episodes(&root.real),
            ) =>
        {
            // With only a summary it is an episode unless there is an episode below it.
            let mut found = Found::default();
            walk(&root, Path::new(""), jobs, &mut found);
            let mut below = Discovery::default();
            found.finish(&root, &mut below);
            discovery.episodes.extend(
                below
                    .episodes
                    .into_iter()
                    .filter(|episode| episode.path == root.typed),
            );
        }
        Ok(_) => {}
        Err(source) => discovery.faults.push(Fault::Unlistable {
            path: root.typed,
            source,
        }),
    }
    Ok(())
}

/// Whether a directory holds a record that makes it an episode anywhere.
fn holds_records(entries: Entries) -> bool {
    entries.has(Artifact::State) || entries.has(Artifact::Events)
}

impl Root {
    fn new(typed: PathBuf, real: PathBuf) -> Self {
        let in_episodes = names_episodes(&real);
        Self {
            typed,
            real,
            in_episodes,
        }
    }

    /// Whether a path is below a directory called `episodes`.
    fn is_below_episodes(&self, below: &Path) -> bool {
        below.parent().map_or_else(
            || below_episodes(&self.real),
            |parent| self.in_episodes || names_episodes(parent),
        )
    }

    fn episode(&self, below: &Path, entries: Entries) -> EpisodeDir {
        let name = below
            .file_name()
            .or_else(|| self.real.file_name())
            .map(id_of)
            .unwrap_or_default();
        let id = self.is_below_episodes(below).then(|| name.clone());
        EpisodeDir {
            path: join(&self.typed, below),
            id,
            name,
            entries,
        }
    }
}

/// A path without `.` in it, as a user would type it.
fn tidy(path: &Path) -> PathBuf {
    let tidy: PathBuf = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    if tidy.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        tidy
    }
}

/// Whether a directory is below one called `episodes`.
fn below_episodes(real: &Path) -> bool {
    real.parent().is_some_and(names_episodes)
}

/// Whether any directory of a path is called `episodes`.
fn names_episodes(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "episodes")
}

/// Whether a directory is an episode, judged by its own entries.
pub(super) fn is_episode(entries: Entries, holds_episodes: bool, below_episodes: bool) -> bool {
    !holds_episodes
        && (holds_records(entries) || (below_episodes && entries.has(Artifact::Summary)))
}

/// The outermost episode around a directory below `episodes`: an episode may contain checkpoints,
/// which hold copies of records.
fn enclosing_episode(root: &Root) -> Option<Root> {
    let above: Vec<(usize, &Path)> = root.real.ancestors().enumerate().collect();
    above
        .into_iter()
        .rev()
        .filter(|(_, real)| below_episodes(real))
        .find_map(|(levels, real)| {
            let listing = list(real).ok()?;
            let is_episode = !listing.holds_episodes && holds_records(listing.entries);
            is_episode.then(|| Root::new(up(&root.typed, levels, real), real.to_owned()))
        })
}

/// `typed` without its last `levels` parts; `..` instead where a part is a symbolic link.
fn up(typed: &Path, levels: usize, real: &Path) -> PathBuf {
    match typed.ancestors().nth(levels) {
        Some(above) if above.file_name().is_some() && above.file_name() == real.file_name() => {
            above.to_owned()
        }
        _ => tidy(
            &std::iter::repeat_n("..", levels).fold(typed.to_owned(), |path, up| path.join(up)),
        ),
    }
}

/// The result of a walk so far.
#[derive(Default)]
struct Found {
    episodes: Vec<EpisodeDir>,
    /// Directories with only a summary: episodes unless there is an episode below them.
    candidates: Vec<(PathBuf, Entries)>,
    faults: Vec<Fault>,
}

impl Found {
    /// Records what a directory is, and returns whether episodes may be below it.
    fn sort_in(&mut self, root: &Root, below: &Path, listing: &Listing) -> bool {
        if is_episode(listing.entries, listing.holds_episodes, false) {
            self.episodes.push(root.episode(below, listing.entries));
            return false;
        }
        if listing.entries.has(Artifact::Summary)
            && is_episode(
                listing.entries,
                listing.holds_episodes,
                root.is_below_episodes(below),
            )
        {
            self.candidates.push((below.to_owned(), listing.entries));
        }
        true
    }

    fn append(&mut self, mut other: Self) {
        self.episodes.append(&mut other.episodes);
        self.candidates.append(&mut other.candidates);
        self.faults.append(&mut other.faults);
    }

    /// Decides about the candidates.
    fn finish(mut self, root: &Root, discovery: &mut Discovery) {
        if !self.candidates.is_empty() {
            // The deepest first: a candidate that is an episode excludes the candidates above it.
            self.candidates
                .sort_by_key(|(below, _)| std::cmp::Reverse(below.components().count()));
            let above = |path: &Path| {
                path.ancestors()
                    .skip(1)
                    .map(Path::to_owned)
                    .collect::<Vec<_>>()
            };
            let mut holders: BTreeSet<PathBuf> = self
                .episodes
                .iter()
                .flat_map(|episode| above(&episode.path))
                .collect();
            for (below, entries) in self.candidates {
                let episode = root.episode(&below, entries);
                if !holders.contains(&episode.path) {
                    holders.extend(above(&episode.path));
                    self.episodes.push(episode);
                }
            }
        }
        discovery.episodes.append(&mut self.episodes);
        discovery.faults.append(&mut self.faults);
    }
}

/// Walks down from a directory below the root until it meets episodes. If a directory has many
/// entries, several workers search them.
fn walk(root: &Root, from: &Path, jobs: NonZeroUsize, found: &mut Found) {
    let start = join(&root.typed, from);
    let mut entries = WalkDir::new(&start).into_iter();
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(&root.typed).to_owned();
                let source = error
                    .into_io_error()
                    .unwrap_or_else(|| io::Error::other("a loop of directories"));
                found.faults.push(Fault::Unlistable { path, source });
                continue;
            }
        };
        let is_start = entry.depth() == 0;
        if !is_start && !entry.file_type().is_dir() {
            continue;
        }
        if !is_start && entry.file_name() == ".git" {
            entries.skip_current_dir();
            continue;
        }
        let listing = match list(entry.path()) {
            Ok(listing) => listing,
            Err(source) => {
                found.faults.push(Fault::Unlistable {
                    path: entry.path().to_owned(),
                    source,
                });
                entries.skip_current_dir();
                continue;
            }
        };
        let below = from.join(entry.path().strip_prefix(&start).unwrap_or(Path::new("")));
        if !found.sort_in(root, &below, &listing) {
            entries.skip_current_dir();
        } else if listing.directories.len() >= SPLIT {
            entries.skip_current_dir();
            let search_entry = |(): &mut (), directory: &OsString| {
                let mut found = Found::default();
                let below = below.join(directory);
                // Usually it is an episode, and there is nothing to walk.
                match list(&join(&root.typed, &below)) {
                    Ok(listing) if is_episode(listing.entries, listing.holds_episodes, false) => {
                        found.sort_in(root, &below, &listing);
                    }
                    _ => walk(root, &below, NonZeroUsize::MIN, &mut found),
                }
                found
            };
            in_order(
                &listing.directories,
                jobs,
                || (),
                search_entry,
                |part| {
                    found.append(part);
                    ControlFlow::Continue(())
                },
            );
        }
    }
}
