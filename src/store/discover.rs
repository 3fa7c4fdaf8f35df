//! Paths as the user gave them -> the episodes below them, each once, sorted.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

use super::EpisodeDir;
use super::disk::{Listing, list};
use super::foreign::{Given, is_foreign};
use super::path::{display, id as id_of, is_nothing, join};
use crate::finding::{FaultSort, ReportedFault};
use crate::parallel::in_order;
use crate::source::{Artifact, Entries};

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
}

/// A path that could not be searched, or below which a run may be hidden.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The path does not exist.
    Missing(PathBuf),
    /// The path is a file that is not an artifact of a run.
    NotAnArtifact(PathBuf),
    /// A directory can't be listed, or a path can't be reached.
    Unlistable {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Artifacts lie directly in a directory called `episodes`, which is never an episode.
    Stray(PathBuf),
    /// A directory with a timeline lies in an episode, where nothing is searched.
    Hidden(PathBuf),
    /// The key of an object is no path: a part of it is empty, `.` or `..`.
    Key(PathBuf),
    /// A symbolic link below `episodes` leads to a directory that is not searched.
    Link {
        /// The link.
        path: PathBuf,
        /// The directory that it leads to.
        target: PathBuf,
    },
}

impl Fault {
    /// The path that was not searched.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Missing(path)
            | Self::NotAnArtifact(path)
            | Self::Stray(path)
            | Self::Hidden(path)
            | Self::Key(path)
            | Self::Unlistable { path, .. }
            | Self::Link { path, .. } => path,
        }
    }

    /// Whether a given path is at fault, and not what lies below one.
    pub(crate) fn is_of_given_path(&self) -> bool {
        matches!(self, Self::Missing(_) | Self::NotAnArtifact(_))
    }

    /// What is wrong with the path.
    fn message(&self) -> String {
        match self {
            Self::Missing(_) => "no such file or directory".into(),
            Self::NotAnArtifact(_) => {
                let names = Artifact::ALL.map(Artifact::file_name).join(", ");
                format!("not a directory and not an artifact of a run ({names})")
            }
            Self::Unlistable { source, .. } => source.to_string(),
            Self::Stray(_) => {
                "artifacts lie directly in a directory called `episodes`, so they belong to no run"
                    .into()
            }
            Self::Hidden(_) => "a directory in an episode holds events.jsonl, so a run may be \
                                hidden; move it, or exclude it"
                .into(),
            Self::Key(_) => "a part of the key is empty, `.` or `..`, so it is no path".into(),
            Self::Link { target, .. } => format!(
                "a symbolic link to a directory that is not checked; exclude the link, or give {} \
                 too",
                printable(target)
            ),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", printable(self.path()), self.message())
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unlistable { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<&Fault> for ReportedFault {
    fn from(fault: &Fault) -> Self {
        Self {
            path: display(fault.path()),
            message: fault.message(),
            sort: match fault {
                Fault::Unlistable { .. } => FaultSort::Unlistable,
                _ => FaultSort::Other,
            },
        }
    }
}

fn printable(path: &Path) -> String {
    crate::printable::escape(&display(path)).into_owned()
}

/// The name of a directory below which all runs are judged.
pub(super) const EPISODES: &str = "episodes";

/// The number of directories in one directory from which several workers search them.
const SPLIT: usize = 64;

/// Says of a directory, as the user would type it, whether it is left out.
pub(crate) type Excludes<'e> = &'e (dyn Fn(&Path) -> bool + Sync);

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
    let mut search = Search {
        jobs,
        excludes,
        given,
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

/// A directory to walk: its path as the user typed it, and its real path.
struct Root {
    typed: PathBuf,
    real: PathBuf,
    /// Whether the real path, or a directory above it, is called `episodes`.
    in_episodes: bool,
    /// Whether a user gave it.
    is_given: bool,
}

/// A symbolic link to a directory, below a directory called `episodes`.
struct Link {
    /// Its path as the user would type it.
    typed: PathBuf,
    /// The real path of the run-data directory around it.
    run_data: PathBuf,
    /// The real path of the directory that it leads to.
    target: PathBuf,
}

/// A search below some paths.
struct Search<'e> {
    jobs: NonZeroUsize,
    excludes: Excludes<'e>,
    given: Given<'e>,
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
            let found = self.walk(&root);
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
            found = self.walk(&root);
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

    fn walk(&self, root: &Root) -> Found {
        let mut found = Found::default();
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
    }

    /// Sorts what was found below a number of given paths, and decides about the links.
    fn finish(mut self, paths: usize) -> Discovery {
        let order = |a: &EpisodeDir, b: &Path| a.path.as_os_str().cmp(b.as_os_str());
        self.found.episodes.sort_by(|a, b| order(a, &b.path));
        let is_episode = |typed: &Path| {
            let episodes = &self.found.episodes;
            episodes.binary_search_by(|it| order(it, typed)).is_ok()
        };
        // Two given paths may lead to one link.
        let mut faults = BTreeMap::new();
        for link in self.links {
            let is_looked_at = self.roots.iter().any(|root| {
                let Ok(below) = link.target.strip_prefix(&root.real) else {
                    return false;
                };
                let typed = join(&root.typed, below);
                below == Path::new("")
                    || link.target.starts_with(&link.run_data)
                        && (is_episode(&typed) || (self.excludes)(&typed))
            });
            if !is_looked_at {
                faults.insert(link.typed, link.target);
            }
        }
        let faults = faults
            .into_iter()
            .map(|(path, target)| Fault::Link { path, target });
        self.found.faults.extend(faults);
        self.found
            .faults
            .sort_by(|a, b| a.path().as_os_str().cmp(b.path().as_os_str()));
        self.found.foreign.sort();
        if paths > 1 {
            // Several paths may lead to one episode: the first in order is kept.
            let mut seen = BTreeSet::new();
            let mut is_first = |path: &Path| path.canonicalize().map_or(true, |it| seen.insert(it));
            let found = &mut self.found;
            found.episodes.retain(|episode| is_first(&episode.path));
            found.foreign.retain(|dir| is_first(dir));
        }
        self.found
    }
}

fn unlistable(path: &Path, source: io::Error) -> Fault {
    Fault::Unlistable {
        path: path.to_owned(),
        source,
    }
}

/// Whether a directory holds a record that makes it an episode anywhere.
fn holds_records(entries: Entries) -> bool {
    entries.has(Artifact::State) || entries.has(Artifact::Events)
}

impl Root {
    fn new(typed: PathBuf, real: PathBuf, is_given: bool) -> Self {
        let in_episodes = names_episodes(&real);
        Self {
            typed,
            real,
            in_episodes,
            is_given,
        }
    }

    /// Whether a path is below a directory called `episodes`.
    fn is_below_episodes(&self, below: &Path) -> bool {
        below.parent().map_or_else(
            || below_episodes(&self.real),
            |parent| self.in_episodes || names_episodes(parent),
        )
    }

    /// What a directory is by its own entries.
    fn nature(&self, below: &Path, listing: &Listing) -> Nature {
        let name = below.file_name().or_else(|| self.real.file_name());
        let name = name.unwrap_or_default();
        let is_below = self.is_below_episodes(below);
        nature_of(name, is_below, listing.entries, listing.holds_episodes)
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
pub(super) fn below_episodes(real: &Path) -> bool {
    real.parent().is_some_and(names_episodes)
}

/// Whether any directory of a path is called `episodes`.
pub(super) fn names_episodes(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == EPISODES)
}

/// The run-data directory around a directory that is, or is below, one called `episodes`: the
/// outermost.
fn run_data(real: &Path) -> PathBuf {
    real.components()
        .take_while(|part| part.as_os_str() != EPISODES)
        .collect()
}

/// Whether a directory is an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// It is one, whatever is below it.
    Episode,
    /// It is one unless there is an episode below it.
    UnlessAbove,
    /// It is none.
    None,
}

/// What a directory is, by its name, where it is, its own entries, and whether it contains a
/// directory called `episodes`.
pub(super) fn nature_of(
    name: &OsStr,
    is_below_episodes: bool,
    entries: Entries,
    holds_episodes: bool,
) -> Nature {
    if is_below_episodes {
        nature(name, entries)
    } else if name != EPISODES && holds_records(entries) && !holds_episodes {
        Nature::Episode
    } else {
        Nature::None
    }
}

/// What a directory below one called `episodes` is, by its name and its own entries. Nothing else
/// in it counts, so that a run can't be hidden by what is added to it.
pub(super) fn nature(name: &OsStr, entries: Entries) -> Nature {
    if name == EPISODES {
        Nature::None
    } else if holds_records(entries) {
        Nature::Episode
    } else if entries.has(Artifact::Summary) {
        Nature::UnlessAbove
    } else {
        Nature::None
    }
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
            let entries = list(real).ok()?.entries;
            let is_episode = nature(real.file_name()?, entries) == Nature::Episode;
            let typed = || up(&root.typed, levels, real);
            is_episode.then(|| Root::new(typed(), real.to_owned(), root.is_given))
        })
}

/// The directory `levels` above `typed`, whose real path is `real`: as a user would type it, unless
/// a symbolic link lies between.
fn up(typed: &Path, levels: usize, real: &Path) -> PathBuf {
    let mut above = typed.to_owned();
    for _ in 0..levels {
        match above.components().next_back() {
            Some(Component::Normal(_)) => drop(above.pop()),
            _ => above = tidy(&above.join("..")),
        }
    }
    let above = tidy(&above);
    if above.canonicalize().is_ok_and(|path| path == real) {
        above
    } else {
        real.to_owned()
    }
}

/// Whether a directory in an episode holds a timeline, so that a run may be hidden there.
pub(super) fn holds_timeline(directory: &Path) -> Result<bool, Fault> {
    let timeline = directory.join(Artifact::Events.file_name());
    match timeline.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if is_nothing(&error) || is_loop(&error) => Ok(false),
        Err(source) => Err(unlistable(directory, source)),
    }
}

/// Whether a symbolic link leads to itself, and so nowhere.
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// The result of a walk so far.
#[derive(Default)]
struct Found {
    episodes: Vec<EpisodeDir>,
    /// Directories with only a summary: episodes unless there is an episode below them.
    candidates: Vec<(PathBuf, Entries)>,
    links: Vec<Link>,
    faults: Vec<Fault>,
    foreign: Vec<PathBuf>,
    excluded: usize,
}

impl Found {
    /// Records what a directory is, and returns whether episodes may be below it.
    fn sort_in(
        &mut self,
        root: &Root,
        below: &Path,
        listing: &Listing,
        excludes: Excludes<'_>,
    ) -> bool {
        let typed = || join(&root.typed, below);
        match root.nature(below, listing) {
            Nature::Episode => {
                let episode = root.episode(below, listing.entries);
                if episode.id.is_some() {
                    let run_data = || run_data(&join(&root.real, below));
                    self.look_for_hidden(&episode.path, listing, run_data, excludes);
                }
                let is_given = root.is_given && below == Path::new("");
                if is_given || !is_foreign(&episode) {
                    self.episodes.push(episode);
                    return false;
                }
                self.foreign.push(episode.path);
            }
            Nature::UnlessAbove => self.candidates.push((below.to_owned(), listing.entries)),
            Nature::None => {}
        }
        let name = below.file_name().or_else(|| root.real.file_name());
        if name.is_some_and(|name| name == EPISODES)
            && Artifact::ALL.iter().any(|it| listing.entries.has(*it))
        {
            self.faults.push(Fault::Stray(typed()));
        }
        if root.in_episodes || names_episodes(below) {
            for name in &listing.links {
                let run_data = run_data(&join(&root.real, below));
                self.follow(typed().join(name), run_data, excludes);
            }
        }
        true
    }

    /// The walk stops at an episode. If records were copied into a group, its runs would be gone.
    fn look_for_hidden(
        &mut self,
        episode: &Path,
        listing: &Listing,
        run_data: impl Fn() -> PathBuf,
        excludes: Excludes<'_>,
    ) {
        for name in &listing.directories {
            let directory = episode.join(name);
            if excludes(&directory) {
                continue;
            }
            match holds_timeline(&directory) {
                Ok(true) => self.faults.push(Fault::Hidden(directory)),
                Ok(false) => {}
                Err(fault) => self.faults.push(fault),
            }
        }
        for name in &listing.links {
            let link = episode.join(name);
            if holds_timeline(&link).unwrap_or(true) {
                self.follow(link, run_data(), excludes);
            }
        }
    }

    /// Notes where a symbolic link leads, if it leads to a directory.
    fn follow(&mut self, typed: PathBuf, run_data: PathBuf, excludes: Excludes<'_>) {
        if excludes(&typed) {
            return;
        }
        let target = typed
            .metadata()
            .and_then(|metadata| metadata.is_dir().then(|| typed.canonicalize()).transpose());
        match target {
            Ok(Some(target)) => self.links.push(Link {
                typed,
                run_data,
                target,
            }),
            Ok(None) => {}
            Err(error) if is_nothing(&error) || is_loop(&error) => {}
            Err(source) => self.faults.push(unlistable(&typed, source)),
        }
    }

    fn append(&mut self, mut other: Self) {
        self.episodes.append(&mut other.episodes);
        self.candidates.append(&mut other.candidates);
        self.links.append(&mut other.links);
        self.faults.append(&mut other.faults);
        self.foreign.append(&mut other.foreign);
        self.excluded += other.excluded;
    }

    /// Decides about the candidates.
    fn decide(&mut self, root: &Root) {
        if self.candidates.is_empty() {
            return;
        }
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
        for (below, entries) in self.candidates.drain(..) {
            let episode = root.episode(&below, entries);
            if !holders.contains(&episode.path) {
                holders.extend(above(&episode.path));
                self.episodes.push(episode);
            }
        }
    }
}

/// Walks down from a directory below the root until it meets episodes. If a directory has many
/// entries, several workers search them. What is excluded is never opened.
fn walk(root: &Root, from: &Path, jobs: NonZeroUsize, excludes: Excludes<'_>, found: &mut Found) {
    let mut waiting = vec![from.to_owned()];
    while let Some(below) = waiting.pop() {
        let typed = join(&root.typed, &below);
        let listing = match list(&typed) {
            Ok(listing) => listing,
            Err(source) => {
                found.faults.push(unlistable(&typed, source));
                continue;
            }
        };
        if !found.sort_in(root, &below, &listing, excludes) {
            continue;
        }
        let mut directories = listing.directories;
        let number = directories.len();
        directories.retain(|name| !excludes(&typed.join(name)));
        found.excluded += number - directories.len();
        if directories.len() < SPLIT {
            waiting.extend(directories.iter().map(|name| below.join(name)));
            continue;
        }
        in_order(
            &directories,
            jobs,
            || (),
            |(), name| {
                let mut found = Found::default();
                let below = below.join(name);
                walk(root, &below, NonZeroUsize::MIN, excludes, &mut found);
                found
            },
            |part| {
                found.append(part);
                ControlFlow::Continue(())
            },
        );
    }
}
