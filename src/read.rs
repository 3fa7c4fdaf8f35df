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
mod listing;
mod naming;
pub mod policy;

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::check::Session;
use crate::document::{Node, OwnedDocument, Refused};
use crate::facts::{self, Run, StateFacts, SummaryFacts, Value};
use crate::finding::{EpisodeReport, Lifecycle};
use crate::load::{self, Buffers, Loaded, Wanted};
use crate::printable::escape;
use crate::record::{State, Summary};
use crate::schema::{self, Schema};
use crate::source::{Artifact, EpisodeKey, Spot};
use crate::store::{
    self, Artifacts, Directory, Discovery, EpisodeDir, Fault, Given, Memory, Opened, RunDir,
    display,
};
pub(crate) use events::Glanced;
pub use events::{EventLine, EventTexts, Events};
pub use listing::Listing;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    fn new(root: PathBuf, found: store::Runs) -> Self {
        let store::Runs { runs, faults } = found;
        Self { root, runs, faults }
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
    #[must_use]
    pub fn iter(&self) -> Runs<'_> {
        Runs(self.runs.iter())
    }
}

/// The runs of a run-data directory, newest first.
#[derive(Clone, Debug)]
pub struct Runs<'r>(std::slice::Iter<'r, RunDir>);

impl Iterator for Runs<'_> {
    type Item = RunReader;

    fn next(&mut self) -> Option<RunReader> {
        self.0.find_map(RunDir::episode).map(RunReader::from)
    }
}

impl<'r> IntoIterator for &'r RunData {
    type Item = RunReader;
    type IntoIter = Runs<'r>;

    fn into_iter(self) -> Runs<'r> {
        self.iter()
    }
}

/// A run as an entry of a list. What its records do not say is null.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RunEntry {
    /// The run's id: the name of its directory.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub episode_id: String,
    /// The task, from the state or else from the summary.
    pub task: Option<String>,
    /// When the run started, as written; an RFC 3339 date-time where the record is valid.
    #[schemars(extend("examples" = ["2026-03-01T12:00:00.000000+00:00"]))]
    pub started_at: Option<String>,
    /// The status that the state gives, as written, whether or not it is one.
    #[schemars(extend("examples" = ["ok", "pending"]))]
    pub status: Option<String>,
    /// The outcome that the summary gives, as written, whether or not it is one.
    #[schemars(extend("examples" = ["success"]))]
    pub outcome: Option<String>,
    /// The duration in seconds that the summary gives; at least 0 where the record is valid.
    pub duration_sec: Option<f64>,
    /// Whether it has ended.
    pub lifecycle: Lifecycle,
    /// The path of its directory: the given path joined with what lies below.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub dir: String,
    /// Whether it has no finding of severity `error`, where it was judged: `runvet list --invalid`
    /// does that. Null where it was not judged, or kept changing while it was read.
    pub valid: Option<bool>,
    /// The rule of its first finding of severity `error`; null where there is none, or the run was
    /// not judged.
    #[schemars(extend("examples" = ["plan/projection"]))]
    pub first_error: Option<String>,
}

/// One run, to read from.
///
/// ```
/// use runvet::read::RunReader;
/// use runvet::source::Artifact;
/// use runvet::store::{Content, Memory};
///
/// let state = br#"{"goal":{"task":"tidy up"},"outcomes":{"status":"pending"}}"#;
/// let event = br#"{"phase":"start","timestamp":"2026-03-01T12:00:00Z","payload":{}}"#;
/// let memory = Memory::from_iter([
///     (Artifact::State, Content::Bytes(state)),
///     (Artifact::Events, Content::Shared(event.as_slice().into())),
/// ]);
/// let run = RunReader::of(&"s3://runs/ep_1".into(), Some("ep_1"), memory);
/// assert_eq!(run.entry().task.as_deref(), Some("tidy up"));
/// assert_eq!(run.events()?.count(), 1);
/// # Ok::<(), runvet::read::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RunReader {
    /// The directory; of a run in memory, its location, its id and what is there.
    dir: EpisodeDir,
    /// The location and the artifacts of a run in memory.
    memory: Option<Arc<(EpisodeKey, Memory<'static>)>>,
}

impl From<EpisodeDir> for RunReader {
    fn from(dir: EpisodeDir) -> Self {
        Self { dir, memory: None }
    }
}

impl RunReader {
    /// The run whose artifacts are in memory. The key is its location, as a report prints it; the
    /// id is the one that its records must have.
    #[must_use]
    pub fn of(key: &EpisodeKey, id: Option<&str>, memory: Memory<'static>) -> Self {
        let path = key.as_path();
        let name = path.file_name().unwrap_or_default();
        let dir = EpisodeDir {
            path: path.to_owned(),
            id: id.map(str::to_owned),
            name: name.to_string_lossy().into_owned(),
            entries: memory.entries(),
        };
        let memory = Some(Arc::new((key.clone(), memory)));
        Self { dir, memory }
    }

    /// The run at a path: an episode's directory, or an artifact in it.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRun`] where there is no episode, [`Error::SeveralRuns`] where there are
    /// several, and [`Error::Artifact`] for a file that is no artifact.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_given(path.as_ref(), Given::Each)
    }

    fn open_given(path: &Path, given: Given<'_>) -> Result<Self, Error> {
        let Discovery {
            episodes: mut found,
            faults,
            ..
        } = store::discover(&[path], NonZeroUsize::MIN, &|_| false, given);
        match (found.pop(), found.is_empty()) {
            (Some(dir), true) => Ok(dir.into()),
            (Some(last), false) => {
                found.push(last);
                let more = found.len() > MAX_MATCHES;
                found.truncate(MAX_MATCHES);
                Err(Error::SeveralRuns {
                    path: path.to_owned(),
                    found: found.into_iter().map(|dir| dir.path).collect(),
                    more,
                })
            }
            (None, _) if matches!(*faults, [Fault::NotAnArtifact(_)]) => Err(Error::Artifact {
                path: path.to_owned(),
                place: None,
                reason: "it is not an artifact of a run".into(),
            }),
            (None, _) => Err(Error::UnknownRun {
                id: path.to_string_lossy().into_owned(),
                nearest: Vec::new(),
            }),
        }
    }

    /// The run's id, the same as in a report: the name of its directory below `episodes`, else the
    /// id in its records, else its directory's name.
    #[must_use]
    pub fn id(&self) -> String {
        match &self.dir.id {
            Some(id) => id.clone(),
            None => self.entry().episode_id,
        }
    }

    /// The run's directory, or the location of a run in memory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir.path
    }

    /// The path of an artifact, if there is one.
    #[must_use]
    pub fn artifact(&self, artifact: Artifact) -> Option<PathBuf> {
        self.dir
            .entries
            .has(artifact)
            .then(|| self.dir.path.join(artifact.file_name()))
    }

    /// The directory, as a check expects it; `None` of a run in memory.
    #[must_use]
    pub fn dir(&self) -> Option<&EpisodeDir> {
        self.memory.is_none().then_some(&self.dir)
    }

    /// Checks the run, wherever it is.
    ///
    /// # Errors
    ///
    /// [`Fault::Unlistable`] where its directory can't be opened.
    pub fn check(&self, session: &mut Session) -> Result<EpisodeReport, Fault> {
        self.check_and(session, |_| ()).map(|(report, ())| report)
    }

    /// Checks the run, and lets `also` use the same loaded records.
    pub(crate) fn check_and<R>(
        &self,
        session: &mut Session,
        also: impl Fn(&Run<'_>) -> R,
    ) -> Result<(EpisodeReport, R), Fault> {
        match self.memory.as_deref() {
            None => session.episode_and(&self.dir, also),
            Some((key, memory)) => {
                Ok(session.artifacts_and(key, self.dir.id.as_deref(), memory, also))
            }
        }
    }

    /// Loads the records of the run.
    pub(crate) fn load<R>(&self, also: impl FnOnce(&Run<'_>) -> R) -> Result<R, Error> {
        let directory;
        let files: &dyn Artifacts = if let Some(of) = self.memory.as_deref() {
            &of.1
        } else {
            directory = self.files()?;
            &directory
        };
        let (id, buffers) = (self.dir.id.as_deref(), &mut Buffers::default());
        let also = |loaded: Loaded<'_, '_>| also(loaded.run);
        Ok(load::episode(files, id, Wanted::default(), buffers, also))
    }

    /// The state record, as it was stored and as a type.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where the file is missing or not JSON.
    pub fn state(&self) -> Result<Stored<State>, Error> {
        self.stored(Artifact::State, &schema::STATE)
    }

    /// The summary record, as it was stored and as a type.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where the file is missing or not JSON.
    pub fn summary(&self) -> Result<Stored<Summary>, Error> {
        self.stored(Artifact::Summary, &schema::SUMMARY)
    }

    /// The bytes of an artifact.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where the file is missing, can't be read, or is larger than 64 MiB.
    pub fn bytes(&self, artifact: Artifact) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = self.stream(artifact)?.read_record(&mut bytes);
        read.map_err(|why| self.error(artifact, None, why.to_string()))?;
        Ok(bytes)
    }

    /// The events, one at a time, in the order of the timeline. A line that is not an event is an
    /// error, and the next call reads the next line.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where there is no timeline, or it can't be opened.
    pub fn events(&self) -> Result<Events, Error> {
        Ok(Events::new(
            self.stream(Artifact::Events)?.growing(),
            self.dir.path.join(Artifact::Events.file_name()),
        ))
    }

    /// The events as plain JSON objects, see [`EventTexts::next_document`].
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where there is no timeline, or it can't be opened.
    pub fn event_texts(&self) -> Result<EventTexts, Error> {
        self.events().map(EventTexts::new)
    }

    /// This run as an entry of a list. Records that can't be read leave fields empty.
    ///
    /// Texts are those of the records, whether or not their schemas allow them. Id and lifecycle
    /// are those that a check reports.
    #[must_use]
    pub fn entry(&self) -> RunEntry {
        let (state, summary) = (
            self.document(Artifact::State).ok(),
            self.document(Artifact::Summary).ok(),
        );
        let (state, summary) = (state.as_ref(), summary.as_ref());
        let of = |record: Option<&OwnedDocument>, path: &[&str]| text_at(record?.root(), path);
        let (state_refused, summary_refused) = (
            refused(&schema::STATE, state),
            refused(&schema::SUMMARY, summary),
        );
        let state_facts = value(state, state_refused.as_deref()).map(StateFacts::new);
        let summary_facts = value(summary, summary_refused.as_deref()).map(SummaryFacts::new);
        let id = facts::id(self.dir.id.as_deref(), state_facts, summary_facts);
        let duration = summary.and_then(|summary| summary.root().get("duration_sec")?.number());
        RunEntry {
            episode_id: id.map_or_else(|| self.dir.name.clone(), |(id, _)| id.into_owned()),
            task: of(state, &["goal", "task"]).or_else(|| of(summary, &["task"])),
            started_at: of(state, &["episode", "started_at"])
                .or_else(|| of(summary, &["started_at"])),
            lifecycle: facts::lifecycle(state_facts, self.dir.entries),
            status: of(state, &["outcomes", "status"]),
            outcome: of(summary, &["outcome"]),
            duration_sec: duration.map(crate::document::Number::as_f64),
            dir: display(&self.dir.path),
            valid: None,
            first_error: None,
        }
    }

    fn stored<T>(&self, artifact: Artifact, schema: &'static Schema) -> Result<Stored<T>, Error> {
        let path = self.dir.path.join(artifact.file_name());
        Ok(Stored {
            document: self.document(artifact)?,
            schema,
            path,
            as_type: std::marker::PhantomData,
        })
    }

    /// An artifact that is one JSON text.
    pub(crate) fn document(&self, artifact: Artifact) -> Result<OwnedDocument, Error> {
        OwnedDocument::read_record(self.bytes(artifact)?).map_err(|(why, bytes)| {
            let place = match why {
                Refused::Syntax(error) => {
                    Some(Spot::of(&bytes, &(error.offset..error.offset)).into())
                }
                Refused::TooManyValues | Refused::NoMemory => None,
            };
            self.error(artifact, place, why.to_string())
        })
    }

    fn files(&self) -> Result<Directory, Error> {
        Directory::open(&self.dir, false).map_err(|error| io_error(&self.dir.path, &error))
    }

    fn stream(&self, artifact: Artifact) -> Result<Opened<'static>, Error> {
        if !self.dir.entries.has(artifact) {
            return Err(self.error(artifact, None, "there is no such file".into()));
        }
        let opened = match &self.memory {
            Some(of) => of.1.open_shared(artifact),
            None => self.files()?.open_file(artifact),
        };
        opened.map_err(|why| self.error(artifact, None, why.to_string()))
    }

    fn error(&self, artifact: Artifact, place: Option<LineColumn>, reason: String) -> Error {
        let path = self.dir.path.join(artifact.file_name());
        Error::Artifact {
            path,
            place,
            reason,
        }
    }
}

/// The tokens of a record that its schema refuses; `None` where the record has no facts.
fn refused(schema: &Schema, record: Option<&OwnedDocument>) -> Option<Vec<u32>> {
    let violations = schema.violations(record?.view()).ok()?;
    Some(violations.iter().map(|violation| violation.token).collect())
}

/// The value of a record that has facts.
fn value<'a>(record: Option<&'a OwnedDocument>, refused: Option<&'a [u32]>) -> Option<Value<'a>> {
    Some(Value::root(record?.view(), refused?))
}

/// The text at the end of a path of keys.
fn text_at(root: Node<'_>, path: &[&str]) -> Option<String> {
    root.at(path)?.text().map(std::borrow::Cow::into_owned)
}

/// A record, as it was stored and as a type.
#[derive(Debug)]
pub struct Stored<T> {
    document: OwnedDocument,
    schema: &'static Schema,
    path: PathBuf,
    as_type: std::marker::PhantomData<fn() -> T>,
}

impl<T> Stored<T> {
    /// The stored JSON object, with unknown fields, the texts of numbers and the order of keys.
    #[must_use]
    pub fn object(&self) -> Node<'_> {
        self.document.root()
    }

    /// The document.
    #[must_use]
    pub fn into_document(self) -> OwnedDocument {
        self.document
    }

    /// The stored text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.document.view().text()
    }
}

impl<T: DeserializeOwned> Stored<T> {
    /// The record as a type. Fields that the type does not have are ignored, and numbers are
    /// rounded to what the type holds. One beyond a double, or a count beyond a `u64`, becomes the
    /// largest there is. [`Stored::object`] has the fields, and the numbers as they were written.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] with the place where the record does not fit its type.
    pub fn record(&self) -> Result<T, Error> {
        if let Some((span, reason)) = self.schema.first_violation(self.document.view()) {
            let spot = Spot::of(self.text().as_bytes(), &span);
            return Err(Error::Artifact {
                path: self.path.clone(),
                place: Some(spot.into()),
                reason,
            });
        }
        typed(self.object()).map_err(|reason| Error::Artifact {
            path: self.path.clone(),
            place: None,
            reason,
        })
    }
}

/// A value as a type, or why it can't be read as one, without a place. The last of several equal
/// keys counts, as everywhere.
fn typed<T: DeserializeOwned>(value: Node<'_>) -> Result<T, String> {
    serde_json::from_value(value.to_value()).map_err(|why| escape(&why.to_string()).into_owned())
}

fn io_error(path: &Path, why: &io::Error) -> Error {
    Error::Artifact {
        path: path.to_owned(),
        place: None,
        reason: why.to_string(),
    }
}
