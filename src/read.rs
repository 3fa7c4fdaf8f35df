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
mod listing;
mod naming;
pub mod policy;
mod run;
mod stored;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use crate::finding::RunEntry;
use crate::printable::{escape, quote};
use crate::store::{self, Fault, RunDir, display};
pub(crate) use events::EventLines;
pub use events::{EventLine, EventTexts};
pub use filter::RunFilter;
#[cfg(feature = "cli")]
pub(crate) use filter::{Range, Tallied, Words};
pub(crate) use listing::RunListing;
pub(crate) use run::Records;
pub use run::RunReader;
pub use stored::Stored;

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
    let ids: Vec<_> = nearest.iter().map(|id| escape(id)).collect();
    format!("; did you mean {}?", ids.join(" or "))
}

fn shown(place: Option<(u64, u64)>) -> String {
    place
        .map(|(line, column)| format!(":{line}:{column}"))
        .unwrap_or_default()
}

/// A name that leads to several runs or run-data directories, where it should lead to one.
#[derive(Debug)]
pub struct Ambiguous {
    kind: Several,
    name: String,
    matches: Vec<String>,
    has_more: bool,
}

/// The kind of the matches of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Several {
    /// Run-data directories below a path, and none is at it.
    RunData,
    /// Runs whose ids contain a text.
    Ids,
    /// Runs with one id, in different groups.
    SharedId,
    /// Runs below a path.
    Runs,
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

/// Returns the error that several things match a name.
fn ambiguous(kind: Several, name: &str, matches: Vec<String>, has_more: bool) -> Error {
    Error::Ambiguous(Ambiguous {
        kind,
        name: name.to_owned(),
        matches,
        has_more,
    })
}

/// Returns the error that several things are below a path.
fn several_below(kind: Several, path: &Path, mut found: Vec<PathBuf>) -> Error {
    let has_more = found.len() > MAX_MATCHES;
    found.truncate(MAX_MATCHES);
    let found = found.iter().map(|path| display(path)).collect();
    ambiguous(kind, &path.to_string_lossy(), found, has_more)
}

impl fmt::Display for Ambiguous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, name) = (escape(&self.name), quote(&self.name));
        match self.kind {
            Several::RunData => write!(
                f,
                "several directories below {path} contain one called `episodes`; name one of them"
            ),
            Several::Ids => write!(f, "several runs match {name}"),
            Several::SharedId => {
                write!(f, "several runs have the id {name}; name one by its path")
            }
            Several::Runs => write!(f, "several runs are below {path}; name one of them"),
        }?;
        let matches: Vec<_> = self.matches.iter().map(|it| escape(it)).collect();
        let more = if self.has_more { " and more" } else { "" };
        write!(f, ": {}{more}", matches.join(", "))
    }
}

impl std::error::Error for Ambiguous {}

/// The number of runs or directories that an error names; beyond it, it says that there are more.
const MAX_MATCHES: usize = 8;

/// A directory that holds runs.
#[derive(Debug)]
pub struct RunData {
    root: PathBuf,
    /// Newest first.
    runs: Vec<RunDir>,
    faults: Vec<Fault>,
    /// The places of the runs with an id, once somebody asks for one.
    by_id: OnceLock<BTreeMap<String, Vec<usize>>>,
}

impl Error {
    /// Returns an error at a path as a whole.
    pub(crate) fn at(path: impl Into<PathBuf>, reason: &impl ToString) -> Self {
        Self::Artifact {
            path: path.into(),
            place: None,
            reason: reason.to_string(),
        }
    }
}

impl RunData {
    fn new(root: PathBuf, found: store::FoundRuns) -> Self {
        let store::FoundRuns { runs, faults } = found;
        let by_id = OnceLock::new();
        Self {
            root,
            runs,
            faults,
            by_id,
        }
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
        self.iter().take(limit).map(|run| run.entry()).collect()
    }

    /// Returns the runs to read from, newest first, each opened when its turn comes.
    pub fn iter(&self) -> impl Iterator<Item = RunReader> {
        self.opened().filter_map(Result::ok)
    }

    /// Returns the runs, newest first, and the directories between them that hold what most likely
    /// was one.
    pub(crate) fn opened(&self) -> impl Iterator<Item = Result<RunReader, Fault>> {
        self.runs.iter().filter_map(|run| match run.open() {
            Ok(run) => Some(Ok(run.into())),
            Err(fault) => fault.map(Err),
        })
    }
}
