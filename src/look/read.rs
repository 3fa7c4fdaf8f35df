//! Reading: a run-data directory -> its runs, and of each the state, the summary, the
//! events and the plan.
//!
//! Reading follows the versioning rules of the reference: a state without `intuition_mode` reads as
//! `advisory`, and a summary without insight or direction is accepted, as are newer minor versions.
//! Reading does not check the records: [`crate::gate`] does.
//!
//! ```
//! use runvet::read::RunData;
//!
//! let run_data = RunData::open("corpus/demo")?;
//! for entry in run_data.list(2) {
//!     println!("{} {}", entry.episode_id, entry.task.unwrap_or_default());
//! }
//! let run = run_data.get("ep_01")?; // a unique part of an id is enough
//! let state = run.state()?;
//! assert_eq!(state.record()?.goal.task, "Summarize the open tickets");
//! assert_eq!(state.object().get("goal").unwrap().get("type").unwrap().raw(), "\"task\"");
//! assert_eq!(run.events()?.count(), 11);
//! # Ok::<(), runvet::read::Error>(())
//! ```

mod events;
mod filter;
mod hits;
mod listing;
mod naming;
pub mod policy;
mod run;
mod stored;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use crate::ground::finding::RunEntry;
use crate::ground::parallel::{cores, in_order};
use crate::ground::printable::{escape, quote};
use crate::store::{self, Fault, ListedRun, display};
pub use events::{EventLine, EventLines, EventTexts};
pub use filter::RunFilter;
pub(crate) use filter::{FigureRange, Tallied, range};
pub(crate) use hits::SEARCHED;
pub(crate) use listing::RunListing;
pub(super) use run::Records;
pub use run::RunReader;
pub use stored::Stored;
pub(super) use stored::with_defaults;
pub(crate) use text::{TextSearch, search_words};

/// The reason why something can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no run-data directory at a path: it holds no directory called `episodes`.
    #[error("{} is not a run-data directory: it can't be listed, or contains no directory called `episodes`", escape(&.path.to_string_lossy()))]
    NoRunData {
        /// The path.
        path: PathBuf,
    },
    /// No id of a run is, starts with or contains this text.
    #[error("there is no run {}{}", quote(.id), suggestion(.nearest))]
    UnknownRun {
        /// The id that was requested.
        id: String,
        /// Ids that differ from it in a few letters.
        nearest: Vec<String>,
    },
    /// A part of an id, an id or a path leads to several runs or run-data directories.
    #[error(transparent)]
    Ambiguous(Ambiguous),
    /// An artifact can't be read, or has the wrong content.
    #[error("{}{}: {reason}", escape(&.path.to_string_lossy()), shown(*.place))]
    Artifact {
        /// The artifact.
        path: PathBuf,
        /// The line and the column in it, if known; both are counted from 1.
        place: Option<(u64, u64)>,
        /// The defect.
        reason: String,
    },
}

fn suggestion(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }

    let ids: Vec<_> = nearest
        .iter()
        .map(|id| escape(id))
        .collect();

    format!("; did you mean {}?", ids.join(" or "))
}

fn shown(place: Option<(u64, u64)>) -> String {
    place
        .map(|(line, column)| format!(":{line}:{column}"))
        .unwrap_or_default()
}

/// A name that leads to several runs or run-data directories, where it should lead to one.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct Ambiguous {
    text: String,
    name: String,
    matches: Vec<String>,
}

impl Ambiguous {
    /// Returns the id, the part of an id, or the path that was requested.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the ids or, where these are equal or a path was requested, the paths of the first
    /// matches.
    #[must_use]
    pub fn matches(&self) -> &[String] {
        &self.matches
    }
}

/// Returns the error that several things match a name; `what` says so in words.
fn ambiguous(what: &str, name: &str, matches: Vec<String>, has_more: bool) -> Error {
    let named: Vec<_> = matches
        .iter()
        .map(|it| escape(it))
        .collect();
    let more = if has_more { " and more" } else { "" };

    Error::Ambiguous(Ambiguous {
        text: format!("{what}: {}{more}", named.join(", ")),
        name: name.to_owned(),
        matches,
    })
}

/// Returns the error that several things are below a path, in words around the path.
fn several_below([what, advice]: [&str; 2], path: &Path, mut found: Vec<PathBuf>) -> Error {
    let has_more = found.len() > MAX_MATCHES;
    found.truncate(MAX_MATCHES);
    let found = found
        .iter()
        .map(|path| display(path))
        .collect();
    let path = path.to_string_lossy();
    let what = format!("{what} {}{advice}", escape(&path));
    ambiguous(&what, &path, found, has_more)
}

/// The number of runs or directories that an error names; beyond it, it says that there are more.
const MAX_MATCHES: usize = 8;

/// A directory that holds runs.
#[derive(Debug)]
pub struct RunData {
    root: PathBuf,
    /// Newest first.
    runs: Vec<ListedRun>,
    faults: Vec<Fault>,
    /// The places of the runs with an id, once somebody asks for one.
    by_id: OnceLock<BTreeMap<String, Vec<usize>>>,
}

impl Error {
    /// Returns an error at a path as a whole.
    pub(super) fn at(path: impl Into<PathBuf>, reason: &impl ToString) -> Self {
        Self::Artifact {
            path: path.into(),
            place: None,
            reason: reason.to_string(),
        }
    }
}

impl RunData {
    fn new(root: PathBuf, (mut runs, mut faults): (Vec<ListedRun>, Vec<Fault>)) -> Self {
        runs.sort_by(ListedRun::order);
        faults.sort_by(|a, b| a.path().cmp(b.path()));
        let by_id = OnceLock::new();

        Self {
            root,
            runs,
            faults,
            by_id,
        }
    }

    /// Returns all of these runs, each once, with the root of the first.
    fn joined(mut parts: Vec<Self>) -> Self {
        if parts.len() <= 1 {
            return parts
                .pop()
                .unwrap_or_else(|| Self::new(PathBuf::new(), (Vec::new(), Vec::new())));
        }

        let root = parts
            .first()
            .map(|first| first.root.clone());
        let (mut runs, mut seen, mut faults) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
        for part in parts {
            runs.extend(part.runs.into_iter().filter(|run| {
                let path = run.path();
                seen.insert(path.canonicalize().unwrap_or(path))
            }));
            let part = part.faults.into_iter();
            faults.extend(part.map(|fault| (fault.path().to_owned(), fault)));
        }

        let faults = faults.into_values().collect();
        Self::new(root.unwrap_or_default(), (runs, faults))
    }

    /// Opens a run-data directory: one that holds a directory called `episodes`. It is listed once,
    /// here.
    ///
    /// # Errors
    ///
    /// [`Error::NoRunData`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let root = path.as_ref().to_owned();
        match store::runs(&root) {
            Ok(found) => Ok(Self::new(root, found)),
            Err(_) => Err(Error::NoRunData { path: root }),
        }
    }

    /// Returns the path that was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Returns the paths that can't be searched, sorted: a run may be there.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Returns the number of directories that are most likely runs; none of them is opened.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Returns `true` if there are no runs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Entries for the newest runs, `limit` at most, or all for 0. Other runs are not opened.
    ///
    /// The age of a run is the time in its directory's name, if the name ends in a ULID, else the
    /// last change of the directory. If a record can't be read, the entry lacks the fields from it.
    #[must_use]
    pub fn list(&self, limit: usize) -> Vec<RunEntry> {
        let limit = if limit == 0 { usize::MAX } else { limit };
        self.iter()
            .take(limit)
            .map(|run| run.entry())
            .collect()
    }

    /// Returns the runs to read from, newest first, each opened when its turn comes.
    pub fn iter(&self) -> impl Iterator<Item = RunReader> {
        self.runs
            .iter()
            .filter_map(|run| run.open().ok())
            .map(RunReader::from)
    }

    /// Hands what a function makes of each run to another one, newest first, and the directories
    /// between them that hold what most likely was one, as long as that goes on. Threads of the
    /// machine share the work, each with its own state.
    pub(crate) fn each<S, R: Send>(
        &self,
        new_state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, RunReader) -> R + Sync,
        mut take: impl FnMut(Result<R, Fault>) -> ControlFlow<()>,
    ) {
        let opened = |state: &mut S, run: &ListedRun| match run.open() {
            Ok(run) => Some(Ok(work(state, run.into()))),
            Err(fault) => fault.map(Err),
        };

        in_order(&self.runs, cores(), new_state, opened, |result| {
            result.map_or(ControlFlow::Continue(()), &mut take)
        });
    }
}
