//! Paths as the user gave them -> the episodes below them, each once, sorted.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use walkdir::WalkDir;

use super::{Entries, EpisodeDir, display, id_of, list};
use crate::source::Artifact;

/// What was found below the given paths, and what stood in the way.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The episodes, sorted by path.
    pub episodes: Vec<EpisodeDir>,
    /// Paths that could not be looked at.
    pub faults: Vec<Fault>,
}

/// A path that could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// There is nothing at the path.
    #[error("{}: no such file or directory", printable(.0))]
    Missing(PathBuf),
    /// The path is a file that is no artifact of a run.
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

/// Finds the episodes below paths: directories above, among or below run data, episode directories, or artifact files,
/// which stand for their episodes.
///
/// The walk enters hidden directories, never `.git`, and follows no symbolic link but a given path itself.
#[must_use]
pub fn discover<P: AsRef<Path>>(paths: &[P]) -> Discovery {
    let mut discovery = Discovery::default();
    let mut seen = BTreeSet::new();
    for path in paths {
        if let Err(fault) = look(path.as_ref(), &mut discovery, &mut seen) {
            discovery.faults.push(fault);
        }
    }
    discovery.episodes.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    discovery
}

/// A directory to walk: as the user typed it, and where it really is.
struct Root {
    typed: PathBuf,
    real: PathBuf,
}

fn look(path: &Path, discovery: &mut Discovery, seen: &mut BTreeSet<PathBuf>) -> Result<(), Fault> {
    let fault = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => Fault::Missing(path.to_owned()),
        _ => Fault::Unlistable { path: path.to_owned(), source },
    };
    let real = |path: &Path| path.canonicalize().map_err(fault);
    // A link that dangles is still an artifact that can't be read.
    if path.metadata().or_else(|_| path.symlink_metadata()).map_err(fault)?.is_dir() {
        walk(&Root { typed: tidy(path), real: real(path)? }, discovery, seen);
        return Ok(());
    }
    if path.file_name().and_then(OsStr::to_str).and_then(Artifact::from_file_name).is_none() {
        return Err(Fault::NotAnArtifact(path.to_owned()));
    }
    let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let root = Root { typed: tidy(parent), real: real(parent)? };
    let root = enclosing_episode(&root).unwrap_or(root);
    match list(&root.typed) {
        Ok(listing) if is_episode(listing.entries, listing.holds_episodes, below_episodes(&root.real)) => {
            push(&root, Path::new(""), listing.entries, discovery, seen);
        }
        Ok(_) => {}
        Err(source) => discovery.faults.push(Fault::Unlistable { path: root.typed, source }),
    }
    Ok(())
}

/// A path without `.` in it, as a user would type it.
fn tidy(path: &Path) -> PathBuf {
    let tidy: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    if tidy.as_os_str().is_empty() { PathBuf::from(".") } else { tidy }
}

/// `typed` joined with what lies below it.
pub(super) fn join(typed: &Path, below: &Path) -> PathBuf {
    if typed == Path::new(".") && below != Path::new("") {
        below.to_owned()
    } else if below == Path::new("") {
        typed.to_owned()
    } else {
        typed.join(below)
    }
}

/// Whether a directory lies below one called `episodes`.
fn below_episodes(real: &Path) -> bool {
    real.parent().is_some_and(|parent| parent.components().any(|part| part.as_os_str() == "episodes"))
}

/// Whether a directory is an episode, as far as it can be told without looking further down.
pub(super) fn is_episode(entries: Entries, holds_episodes: bool, below_episodes: bool) -> bool {
    !holds_episodes
        && (entries.has(Artifact::State)
            || entries.has(Artifact::Events)
            || (below_episodes && entries.has(Artifact::Summary)))
}

/// Copies of records lie in checkpoints inside an episode: below `episodes`, the outermost episode on the way counts.
fn enclosing_episode(root: &Root) -> Option<Root> {
    let mut ancestors: Vec<(&Path, &Path)> = root.typed.ancestors().zip(root.real.ancestors()).collect();
    ancestors.retain(|(typed, real)| *typed != Path::new("") && typed.file_name() == real.file_name());
    ancestors.into_iter().rev().filter(|(_, real)| below_episodes(real)).find_map(|(typed, real)| {
        let entries = list(typed).ok().filter(|listing| !listing.holds_episodes)?.entries;
        (entries.has(Artifact::State) || entries.has(Artifact::Events))
            .then(|| Root { typed: typed.to_owned(), real: real.to_owned() })
    })
}

fn walk(root: &Root, discovery: &mut Discovery, seen: &mut BTreeSet<PathBuf>) {
    let below_root = below_episodes(&root.real);
    // Directories with a summary alone: episodes unless an episode lies below them.
    let mut candidates: Vec<(PathBuf, Entries)> = Vec::new();
    let first = discovery.episodes.len();
    let mut entries = WalkDir::new(&root.typed).into_iter();
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(&root.typed).to_owned();
                let source = error.into_io_error().unwrap_or_else(|| io::Error::other("a loop of directories"));
                discovery.faults.push(Fault::Unlistable { path, source });
                continue;
            }
        };
        let is_root = entry.depth() == 0;
        if !is_root && !entry.file_type().is_dir() {
            continue;
        }
        if !is_root && entry.file_name() == ".git" {
            entries.skip_current_dir();
            continue;
        }
        let below = entry.path().strip_prefix(&root.typed).unwrap_or(Path::new(""));
        let below_episodes = below_root
            || (!is_root && root.real.file_name() == Some(OsStr::new("episodes")))
            || below.parent().is_some_and(|parent| parent.components().any(|part| part.as_os_str() == "episodes"));
        // Where a directory can't be listed, the walk meets the same fault when it goes down, and tells it then.
        let Ok(listing) = list(entry.path()) else { continue };
        if is_episode(listing.entries, listing.holds_episodes, false) {
            let below = below.to_owned();
            entries.skip_current_dir();
            push(root, &below, listing.entries, discovery, seen);
        } else if is_episode(listing.entries, listing.holds_episodes, below_episodes) {
            candidates.push((below.to_owned(), listing.entries));
        }
    }
    // The deepest first: a candidate that is an episode keeps those above it from being one.
    candidates.sort_by_key(|(below, _)| std::cmp::Reverse(below.components().count()));
    let mut holders: BTreeSet<PathBuf> = BTreeSet::new();
    if !candidates.is_empty() {
        for episode in discovery.episodes.iter().skip(first) {
            holders.extend(episode.path.ancestors().skip(1).map(Path::to_owned));
        }
    }
    for (below, entries) in candidates {
        let path = join(&root.typed, &below);
        if !holders.contains(&path) {
            holders.extend(path.ancestors().skip(1).map(Path::to_owned));
            push(root, &below, entries, discovery, seen);
        }
    }
}

fn push(root: &Root, below: &Path, entries: Entries, discovery: &mut Discovery, seen: &mut BTreeSet<PathBuf>) {
    let real = if below == Path::new("") { root.real.clone() } else { root.real.join(below) };
    let id = below_episodes(&real).then(|| real.file_name().map(id_of)).flatten();
    if seen.insert(real) {
        discovery.episodes.push(EpisodeDir { path: join(&root.typed, below), id, entries });
    }
}
