//! The door to reading: a run-data directory -> its runs, and of each the state, the summary, the
//! events and the plan.
//!
//! Reading follows the versioning rules of the reference: a state without `intuition_mode` reads as
//! `advisory`, and a summary without insight or direction is accepted, as are newer minor versions.
//! Reading does not check the records: [`crate::check`] does.
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
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::printable::escape;
use crate::source::Spot;
use crate::store::{self, Fault, RunDir, display};
pub(crate) use events::EventLines;
pub use events::{EventLine, EventTexts, Events};
pub use filter::RunFilter;
#[cfg(feature = "cli")]
pub(crate) use filter::{Facet, Listed, Range, Tallied, Words};
pub use listing::RunEntry;
pub(crate) use listing::RunListing;
pub(crate) use run::Records;
pub use run::RunReader;
pub use stored::Stored;

/// Why something can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no run-data directory at a path: it holds no directory called `episodes`.
    #[error("{} is not a run-data directory: it can't be listed, or contains no directory called `episodes`", escape(&.path.to_string_lossy()))]
    NoRunData {
        /// The path.
        path: PathBuf,
    },
    /// Several run-data directories are below a path, and none is at it.
    #[error("several directories below {} contain one called `episodes`; name one of them: {}", escape(&.path.to_string_lossy()), listed_paths(.found, *.more))]
    SeveralRunData {
        /// The path.
        path: PathBuf,
        /// The first of them.
        found: Vec<PathBuf>,
        /// Whether there are more.
        more: bool,
    },
    /// No id of a run is, starts with or contains this text.
    #[error("there is no run {}{}", crate::printable::quote(.id), suggestion(.nearest))]
    UnknownRun {
        /// The id that was requested.
        id: String,
        /// Ids that differ from it in a few letters.
        nearest: Vec<String>,
    },
    /// Several runs match a part of an id.
    #[error("several runs match {}: {}", crate::printable::quote(.name), listed(.matches, *.more))]
    Ambiguous {
        /// The part of an id that was requested.
        name: String,
        /// The ids of some of them, sorted.
        matches: Vec<String>,
        /// Whether there are more.
        more: bool,
    },
    /// Several runs, in different groups, have this id.
    #[error("several runs have the id {}; name one by its path: {}", crate::printable::quote(.id), listed_paths(.paths, *.more))]
    SharedId {
        /// The id.
        id: String,
        /// The directories of some of them, sorted.
        paths: Vec<PathBuf>,
        /// Whether there are more.
        more: bool,
    },
    /// Several runs are below a path that should lead to one.
    #[error("several runs are below {}; name one of them: {}", escape(&.path.to_string_lossy()), listed_paths(.found, *.more))]
    SeveralRuns {
        /// The path.
        path: PathBuf,
        /// The directories of some of them, sorted.
        found: Vec<PathBuf>,
        /// Whether there are more.
        more: bool,
    },
    /// An artifact can't be read, or has the wrong content.
    #[error("{}{}: {reason}", escape(&.path.to_string_lossy()), shown(*.place))]
    Artifact {
        /// The artifact.
        path: PathBuf,
        /// The place in it, if known.
        place: Option<LineColumn>,
        /// What is wrong.
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

fn listed(ids: &[String], more: bool) -> String {
    let ids: Vec<_> = ids.iter().map(|id| escape(id)).collect();
    format!("{}{}", ids.join(", "), if more { " and more" } else { "" })
}

fn listed_paths(paths: &[PathBuf], more: bool) -> String {
    let paths: Vec<_> = paths.iter().map(|path| display(path)).collect();
    listed(&paths, more)
}

fn shown(place: Option<LineColumn>) -> String {
    place
        .map(|place| format!(":{}:{}", place.line, place.column))
        .unwrap_or_default()
}

/// The number of runs or directories that an error names; beyond it, it says that there are more.
const MAX_MATCHES: usize = 8;

/// A place in a text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LineColumn {
    /// Counted from 1.
    pub line: u64,
    /// Characters, counted from 1.
    pub column: u64,
}

impl From<Spot> for LineColumn {
    fn from(spot: Spot) -> Self {
        Self {
            line: spot.line,
            column: spot.column,
        }
    }
}

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
    /// An error of a check.
    pub(crate) fn from_fault(path: &Path, fault: &Fault) -> Self {
        Self::Artifact {
            path: path.to_owned(),
            place: None,
            reason: fault.to_string(),
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

    /// The path that was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The paths that can't be searched, sorted: a run may be there.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The number of directories that are most likely runs; none of them is opened.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there are no runs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Entries for the newest runs, `limit` at most. Other runs are not opened.
    ///
    /// The age of a run is the time in its directory's name, if the name ends in a ULID, else the
    /// last change of the directory. If a record can't be read, the entry lacks the fields from it.
    #[must_use]
    pub fn list(&self, limit: usize) -> Vec<RunEntry> {
        self.iter().take(limit).map(|run| run.entry()).collect()
    }

    /// The runs to read from, newest first, each opened when its turn comes.
    pub fn iter(&self) -> impl Iterator<Item = RunReader> {
        let runs = self.runs.iter();
        runs.filter_map(|run| run.episode().map(RunReader::from))
    }
}

fn io_error(path: &Path, why: &io::Error) -> Error {
    Error::Artifact {
        path: path.to_owned(),
        place: None,
        reason: why.to_string(),
    }
}
