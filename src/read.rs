//! The door to reading: a run-data directory -> its runs, and of each the state, the summary, the
//! events and the plan.
//!
//! Reading honours the reference's versioning: a state without
//! `intuition_mode` reads as `advisory`, a summary without insight or direction reads, and so do
//! newer minor versions. Nothing is judged here: see [`crate::check`] for that.
//!
//! ```
//! use runvet::read::RunData;
//!
//! let run_data = RunData::open("corpus/demo")?;
//! for run in run_data.runs(2) {
//!     println!("{} {}", run.episode_id, run.task.unwrap_or_default());
//! }
//! let episode = run_data.episode("ep_01")?; // a unique prefix is enough
//! let state = episode.state()?;
//! assert_eq!(state.record()?.goal.task, "Summarize the open tickets");
//! assert_eq!(state.object().get("goal").unwrap().get("type").unwrap().raw(), "\"task\"");
//! assert_eq!(episode.events()?.count(), 11);
//! # Ok::<(), runvet::read::Error>(())
//! ```

mod events;

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::document::{Node, OwnedDocument};
use crate::facts;
use crate::finding::Lifecycle;
use crate::printable::escape;
use crate::record::{State, Summary};
use crate::schema::{self, Schema};
use crate::source::{Artifact, Spot};
use crate::store::{self, EpisodeDir, Files, RunDir, Stream};
pub use events::{EventLine, EventTexts, Events};

/// Why something can't be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no run-data directory at a path: it holds no directory called `episodes`.
    #[error("{} is no run-data directory: it can't be listed, or holds no directory called `episodes`", escape(&.path.to_string_lossy()))]
    NoRunData {
        /// The path.
        path: PathBuf,
    },
    /// No run has that id, nor an id that starts so.
    #[error("there is no run {}{}", crate::printable::quote(.id), suggestion(.nearest))]
    UnknownRun {
        /// What was asked for.
        id: String,
        /// The ids that are most alike.
        nearest: Vec<String>,
    },
    /// Several runs have an id that starts so.
    #[error("several runs start with {}: {}", crate::printable::quote(.prefix), .matches.iter().map(|id| escape(id)).collect::<Vec<_>>().join(", "))]
    Ambiguous {
        /// What was asked for.
        prefix: String,
        /// Some of their ids.
        matches: Vec<String>,
    },
    /// An artifact can't be read, or is not what it should be.
    #[error("{}{}: {reason}", escape(&.path.to_string_lossy()), place(*.line, *.column))]
    Artifact {
        /// The artifact.
        path: PathBuf,
        /// The line in it, counted from 1, where there is a place to name.
        line: Option<u64>,
        /// The column in characters, counted from 1.
        column: Option<u64>,
        /// What is wrong.
        reason: String,
    },
}

fn suggestion(nearest: &[String]) -> String {
    let ids: Vec<_> = nearest.iter().map(|id| escape(id)).collect();
    if ids.is_empty() {
        String::new()
    } else {
        format!("; the nearest are {}", ids.join(", "))
    }
}

fn place(line: Option<u64>, column: Option<u64>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!(":{line}:{column}"),
        _ => String::new(),
    }
}

/// A directory that holds runs.
#[derive(Debug)]
pub struct RunData {
    root: PathBuf,
    /// Newest first.
    runs: Vec<RunDir>,
}

impl Error {
    /// What a check could not do with a directory.
    pub(crate) fn from_fault(path: &Path, fault: &store::Fault) -> Self {
        Self::Artifact {
            path: path.to_owned(),
            line: None,
            column: None,
            reason: fault.to_string(),
        }
    }
}

impl RunData {
    /// Opens a run-data directory: one that holds a directory called `episodes`. It is listed once,
    /// here.
    ///
    /// # Errors
    ///
    /// [`Error::NoRunData`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let root = path.as_ref().to_owned();
        match store::runs(&root) {
            Ok(runs) => Ok(Self { root, runs }),
            Err(_) => Err(Error::NoRunData { path: root }),
        }
    }

    /// The path that was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// How many directories there are that are most likely runs; none of them is opened to find
    /// out.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The runs, newest first, `limit` of them at most. Runs beyond the limit are not opened.
    ///
    /// Newest is decided by the time in a directory's name, where it ends in a ULID, else by when
    /// the directory last changed. A run whose records can't be read is an entry with what is known
    /// of it.
    #[must_use]
    pub fn runs(&self, limit: usize) -> Vec<RunEntry> {
        self.episodes()
            .take(limit)
            .map(|episode| episode.entry())
            .collect()
    }

    /// The runs as episodes to read from, newest first, each opened when its turn comes.
    pub fn episodes(&self) -> impl Iterator<Item = Episode> {
        self.runs.iter().filter_map(|run| {
            Some(Episode {
                dir: run.episode()?,
            })
        })
    }

    /// The run with an id, with an id that starts so, at a path, or the newest one (`@latest`).
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRun`] and [`Error::Ambiguous`].
    pub fn episode(&self, name: &str) -> Result<Episode, Error> {
        if name == "@latest" {
            return self.episodes().next().ok_or_else(|| Error::UnknownRun {
                id: name.into(),
                nearest: Vec::new(),
            });
        }
        if let Some(run) = self.runs.iter().find(|run| run.name == name)
            && let Some(dir) = run.episode()
        {
            return Ok(Episode { dir });
        }
        if name.contains('/') || name.starts_with('.') {
            return Episode::at(name);
        }
        let candidates = self
            .runs
            .iter()
            .filter(|run| !name.is_empty() && run.name.starts_with(name));
        let mut matches: Vec<EpisodeDir> = candidates.filter_map(RunDir::episode).take(8).collect();
        match (matches.pop(), matches.is_empty()) {
            (Some(dir), true) => Ok(Episode { dir }),
            (Some(last), false) => {
                let ids = matches.into_iter().chain([last]).filter_map(|dir| dir.id);
                Err(Error::Ambiguous {
                    prefix: name.into(),
                    matches: ids.collect(),
                })
            }
            (None, _) => Err(self.unknown(name)),
        }
    }

    fn unknown(&self, id: &str) -> Error {
        let wanted: String = id.chars().take(64).collect();
        let mut ranked: Vec<(usize, &str)> = self
            .runs
            .iter()
            .filter(|run| run.name.len() <= 128)
            .map(|run| (strsim::osa_distance(&wanted, &run.name), &*run.name))
            .collect();
        ranked.sort_unstable();
        Error::UnknownRun {
            id: id.into(),
            nearest: ranked
                .into_iter()
                .take(3)
                .map(|(_, name)| name.to_owned())
                .collect(),
        }
    }
}

/// What a list of runs says of one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunEntry {
    /// The run's id: the name of its directory.
    pub episode_id: String,
    /// The task, as the state or else the summary tells it.
    pub task: Option<String>,
    /// When the run started, as written.
    pub started_at: Option<String>,
    /// How the run stands, as the state says.
    pub status: Option<String>,
    /// How it ended, as the summary says.
    pub outcome: Option<String>,
    /// How long it took, in seconds, as the summary says.
    pub duration_sec: Option<f64>,
    /// Where it stands in its life.
    pub lifecycle: Lifecycle,
}

/// One run, to read from.
#[derive(Debug)]
pub struct Episode {
    dir: EpisodeDir,
}

impl Episode {
    /// The run at a path: an episode's directory, or an artifact in it.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRun`] where there is no episode, and [`Error::Ambiguous`] where there are
    /// several.
    pub fn at(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let mut found = store::discover(&[path], NonZeroUsize::MIN).episodes;
        let name = path.to_string_lossy().into_owned();
        match (found.pop(), found.is_empty()) {
            (Some(dir), true) => Ok(Self { dir }),
            (Some(_), false) => {
                let matches = found
                    .into_iter()
                    .take(8)
                    .map(|dir| store::display(&dir.path))
                    .collect();
                Err(Error::Ambiguous {
                    prefix: name,
                    matches,
                })
            }
            (None, _) => Err(Error::UnknownRun {
                id: name,
                nearest: Vec::new(),
            }),
        }
    }

    /// The run's id: the name of its directory below `episodes`, else what its records say, else
    /// its directory's name.
    #[must_use]
    pub fn id(&self) -> String {
        let named = |artifact, path: &[&str]| {
            let document = self.document(artifact).ok()?;
            text_at(document.root(), path)
        };
        self.dir
            .id
            .clone()
            .or_else(|| named(Artifact::State, &["episode", "id"]))
            .or_else(|| named(Artifact::Summary, &["episode_id"]))
            .unwrap_or_else(|| {
                self.dir
                    .path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned()
            })
    }

    /// The run's directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir.path
    }

    /// The path of an artifact, if the directory lists one.
    #[must_use]
    pub fn artifact(&self, artifact: Artifact) -> Option<PathBuf> {
        self.dir
            .entries
            .has(artifact)
            .then(|| self.dir.path.join(artifact.file_name()))
    }

    /// The directory as a check takes it.
    #[must_use]
    pub fn dir(&self) -> &EpisodeDir {
        &self.dir
    }

    /// The state record, as it was stored and as a type.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where there is none, or it is no JSON.
    pub fn state(&self) -> Result<Stored<State>, Error> {
        self.stored(Artifact::State, &schema::STATE)
    }

    /// The summary record, as it was stored and as a type.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where there is none, or it is no JSON.
    pub fn summary(&self) -> Result<Stored<Summary>, Error> {
        self.stored(Artifact::Summary, &schema::SUMMARY)
    }

    /// The bytes of an artifact.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where there is none, it can't be read, or is larger than 64 MiB.
    pub fn bytes(&self, artifact: Artifact) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = self.stream(artifact)?.read_all(&mut bytes);
        read.map_err(|why| self.error(artifact, None, why.to_string()))?;
        Ok(bytes)
    }

    /// The events, one at a time, in the order of the timeline. A line that is no event is an
    /// error, and the next one goes on.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where there is no timeline, or it can't be opened.
    pub fn events(&self) -> Result<Events, Error> {
        Ok(Events::new(
            self.stream(Artifact::Events)?,
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

    /// What a list of runs says of this one. Records that can't be read leave gaps.
    #[must_use]
    pub fn entry(&self) -> RunEntry {
        let state = self.document(Artifact::State).ok();
        let summary = self.document(Artifact::Summary).ok();
        let of = |document: &Option<OwnedDocument>, path: &[&str]| {
            text_at(document.as_ref()?.root(), path)
        };
        let status = of(&state, &["outcomes", "status"]);
        let duration = summary
            .as_ref()
            .and_then(|summary| summary.root().get("duration_sec")?.number());
        RunEntry {
            episode_id: self.id(),
            task: of(&state, &["goal", "task"]).or_else(|| of(&summary, &["task"])),
            started_at: of(&state, &["episode", "started_at"])
                .or_else(|| of(&summary, &["started_at"])),
            lifecycle: facts::lifecycle(status.as_deref(), self.dir.entries),
            status,
            outcome: of(&summary, &["outcome"]),
            duration_sec: duration.map(crate::document::Number::as_f64),
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

    fn document(&self, artifact: Artifact) -> Result<OwnedDocument, Error> {
        OwnedDocument::read(self.bytes(artifact)?).map_err(|error| {
            let bytes = self.bytes(artifact).unwrap_or_default();
            let spot = Spot::of(&bytes, &(error.offset..error.offset));
            self.error(
                artifact,
                Some((spot.line, spot.column)),
                format!("not JSON: {error}"),
            )
        })
    }

    /// The artifacts, to read from.
    pub(crate) fn files(&self) -> Result<Files<'static>, Error> {
        Files::open(&self.dir, false).map_err(|error| io_error(&self.dir.path, &error))
    }

    fn stream(&self, artifact: Artifact) -> Result<Stream<'static>, Error> {
        if !self.dir.entries.has(artifact) {
            return Err(self.error(artifact, None, "there is no such file".into()));
        }
        self.files()?
            .stream(artifact)
            .map_err(|why| self.error(artifact, None, why.to_string()))
    }

    fn error(&self, artifact: Artifact, place: Option<(u64, u64)>, reason: String) -> Error {
        let path = self.dir.path.join(artifact.file_name());
        Error::Artifact {
            path,
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            reason,
        }
    }
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
    /// The plain JSON object that was stored: with unknown fields, the texts of numbers and the
    /// order of keys.
    #[must_use]
    pub fn object(&self) -> Node<'_> {
        self.document.root()
    }

    /// The document by itself.
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
    /// The record as a type. Fields that the type does not know are passed over; they are in
    /// [`Stored::object`].
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] with the place where the record does not fit its type.
    pub fn record(&self) -> Result<T, Error> {
        if let Some((span, reason)) = self.schema.first_violation(self.document.view()) {
            let spot = Spot::of(self.text().as_bytes(), &span);
            return Err(Error::Artifact {
                path: self.path.clone(),
                line: Some(spot.line),
                column: Some(spot.column),
                reason,
            });
        }
        typed(self.text()).map_err(|reason| Error::Artifact {
            path: self.path.clone(),
            line: None,
            column: None,
            reason,
        })
    }
}

/// A text as a type. Of keys that stand twice the last one counts, as everywhere here.
fn typed<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| reason(&error))?;
    serde_json::from_value(value).map_err(|error| reason(&error))
}

fn reason(error: &serde_json::Error) -> String {
    let reason = error.to_string();
    escape(reason.split(" at line ").next().unwrap_or_default()).into_owned()
}

fn io_error(path: &Path, why: &io::Error) -> Error {
    Error::Artifact {
        path: path.to_owned(),
        line: None,
        column: None,
        reason: why.to_string(),
    }
}
