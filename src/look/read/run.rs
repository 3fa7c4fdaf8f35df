//! One run, wherever it is -> its records, its events and its entry in a list.

mod records;
mod times;

use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::filter::RunFilter;
use super::stored::Stored;
use super::{Error, EventLine, EventLines, EventTexts, RunEntry, several_below};
use crate::gate::Gate;
use crate::ground::digest::FileDigest;
use crate::ground::document::{Kind, OwnedDocument, Refused};
use crate::ground::finding::{EpisodeReport, Lifecycle};
use crate::ground::record::{State, Summary};
use crate::ground::source::{Artifact, EpisodeKey, line_and_column};
use crate::judge::check::Worker;
use crate::judge::load::{self, Buffers, LoadRequest, Loaded, LoadedRecord, NOT_THERE, NoText};
use crate::reading::outline::Listening;
use crate::reading::schema::{self, CompiledSchema};
use crate::store::{
    self, Artifacts, Discovery, EpisodeDir, Fault, FaultKind, GivenPaths, InMemory, LinkPolicy,
    OpenEpisode, Opened,
};

pub(in crate::look) use records::Records;

/// One run, to read from.
///
/// ```
/// use runvet::read::RunReader;
/// use runvet::source::Artifact;
/// use runvet::store::{Content, InMemory};
///
/// let state = br#"{"goal":{"task":"tidy up"},"outcomes":{"status":"pending"}}"#;
/// let event = br#"{"phase":"start","timestamp":"2026-03-01T12:00:00Z","payload":{}}"#;
/// let memory = InMemory::from_iter([
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
    /// Of a run in memory, its location and its artifacts.
    memory: Option<Arc<InMemoryRun>>,
    /// The links that are followed.
    links: LinkPolicy,
}

/// A run in memory.
#[derive(Debug)]
struct InMemoryRun {
    key: EpisodeKey,
    artifacts: InMemory<'static>,
}

impl From<EpisodeDir> for RunReader {
    fn from(dir: EpisodeDir) -> Self {
        Self {
            dir,
            memory: None,
            links: LinkPolicy::Refused,
        }
    }
}

impl RunReader {
    /// Returns the run whose artifacts are in memory. The key is its location, as a report prints
    /// it; the id is the one that its records must have.
    #[must_use]
    pub fn of(key: &EpisodeKey, id: Option<&str>, memory: InMemory<'static>) -> Self {
        let path = key.as_path();
        let name = path.file_name().unwrap_or_default();
        let dir = EpisodeDir {
            path: path.to_owned(),
            id: id.map(str::to_owned),
            name: name.to_string_lossy().into_owned(),
            entries: memory.entries(),
            within: None,
        };

        let memory = InMemoryRun {
            key: key.clone(),
            artifacts: memory,
        };

        Self {
            dir,
            memory: Some(Arc::new(memory)),
            links: LinkPolicy::Refused,
        }
    }

    /// Returns the run with the links followed that a gate follows, see
    /// [`Gate::follow_links_into`].
    #[must_use]
    pub fn following(self, gate: &Gate) -> Self {
        let links = gate.links().clone();
        Self { links, ..self }
    }

    /// Returns the run as one that is below a directory: no link on the way from there is followed.
    pub(crate) fn beneath(self, dir: &Path) -> Self {
        let dir = self.dir.beneath(dir);
        Self { dir, ..self }
    }

    /// Returns the run at a path: an episode's directory, or an artifact in it.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRun`] where there is no episode, [`Error::Ambiguous`] where there are
    /// several, and [`Error::Artifact`] for a file that is not an artifact.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_given(path.as_ref(), GivenPaths::Each)
    }

    pub(super) fn open_given(path: &Path, given: GivenPaths) -> Result<Self, Error> {
        let Discovery {
            episodes: mut found,
            faults,
            ..
        } = store::discover(&[path], NonZeroUsize::MIN, None, given, None).into();

        match (found.pop(), found.is_empty()) {
            (Some(dir), true) => Ok(dir.into()),
            (Some(last), false) => {
                found.push(last);
                let found = found
                    .into_iter()
                    .map(|dir| dir.path)
                    .collect();
                let what = ["several runs are below", "; name one of them"];
                Err(several_below(what, path, found))
            }
            (None, _) if matches!(&*faults, [it] if matches!(it.kind(), FaultKind::NotAnArtifact)) => {
                Err(Error::at(path, &"it is not an artifact of a run"))
            }
            (None, _) => Err(Error::UnknownRun {
                id: path.to_string_lossy().into_owned(),
                nearest: Vec::new(),
            }),
        }
    }

    /// Returns the run's id, the same as in a report: the name of its directory below `episodes`,
    /// else the id in its records, else its directory's name.
    #[must_use]
    pub fn id(&self) -> String {
        match &self.dir.id {
            Some(id) => id.clone(),
            None => self.entry().episode_id,
        }
    }

    /// Returns the id of a run that was loaded.
    pub(in crate::look) fn id_of(&self, loaded: &Loaded<'_, '_>) -> String {
        let id = loaded.run.stage.id.as_ref();
        id.map_or_else(|| self.dir.name.clone(), |(id, _)| id.clone().into_owned())
    }

    /// Returns the run's directory, or the location of a run in memory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir.path
    }

    /// Returns the path of an artifact, if there is one.
    #[must_use]
    pub fn artifact(&self, artifact: Artifact) -> Option<PathBuf> {
        self.dir
            .entries
            .has(artifact)
            .then(|| self.dir.path.join(artifact.file_name()))
    }

    /// Returns the directory, as a check expects it; `None` of a run in memory.
    #[must_use]
    pub fn dir(&self) -> Option<&EpisodeDir> {
        self.memory
            .is_none()
            .then_some(&self.dir)
    }

    /// Judges the run, wherever it is.
    ///
    /// # Errors
    ///
    /// A fault if its directory can't be opened.
    pub fn judge(&self, gate: &mut Gate) -> Result<EpisodeReport, Fault> {
        gate.judge(|worker| self.check_and(worker, None, |_| ()))
            .map(|(report, ())| report)
    }

    /// Checks the run, and lets `also` use all that was loaded for it.
    pub(in crate::look) fn check_and<R>(
        &self,
        worker: &mut Worker,
        listening: Option<Listening<'_>>,
        also: impl Fn(&Loaded<'_, '_>) -> R,
    ) -> Result<(EpisodeReport, R), Fault> {
        match self.memory.as_deref() {
            None => worker.directory(&self.dir, listening, also),
            Some(InMemoryRun { key, artifacts }) => {
                let id = self.dir.id.as_deref();
                Ok(worker.artifacts(key, id, artifacts, listening, also))
            }
        }
    }

    /// Loads the run without judging it.
    pub(in crate::look) fn load<R>(
        &self,
        listening: Option<Listening<'_>>,
        also: impl FnOnce(&Loaded<'_, '_>) -> R,
    ) -> Result<R, Error> {
        self.load_as(&LoadRequest::default(), listening, also)
    }

    fn load_as<R>(
        &self,
        request: &LoadRequest,
        listening: Option<Listening<'_>>,
        also: impl FnOnce(&Loaded<'_, '_>) -> R,
    ) -> Result<R, Error> {
        let (id, buffers) = (self.dir.id.as_deref(), &mut Buffers::default());
        let also = |loaded: Loaded<'_, '_>| also(&loaded);
        self.with_files(|files| load::episode(files, id, request, listening, buffers, also))
    }

    /// Opens the run once, to read several of its artifacts.
    fn with_files<R>(&self, read: impl FnOnce(&dyn Artifacts) -> R) -> Result<R, Error> {
        match self.memory.as_deref() {
            Some(of) => Ok(read(&of.artifacts)),
            None => Ok(read(&self.files()?)),
        }
    }

    /// Returns the state record, as it was stored and as a type.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where the file is missing, or not a JSON object.
    pub fn state(&self) -> Result<Stored<State>, Error> {
        self.stored(Artifact::State, &schema::STATE)
    }

    /// Returns the summary record, as it was stored and as a type.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where the file is missing, or not a JSON object.
    pub fn summary(&self) -> Result<Stored<Summary>, Error> {
        self.stored(Artifact::Summary, &schema::SUMMARY)
    }

    /// Returns the bytes of an artifact.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where the file is missing, can't be read, or is larger than 64 MiB.
    pub fn bytes(&self, artifact: Artifact) -> Result<Vec<u8>, Error> {
        self.bytes_of(artifact, self.stream(artifact)?)
    }

    fn bytes_of(&self, artifact: Artifact, opened: Opened<'_>) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        opened
            .read_record(&mut bytes)
            .map_err(|why| self.error(artifact, None, why.to_string()))?;
        Ok(bytes)
    }

    /// Returns the events, one at a time, in the order of the timeline. A line that is not an event
    /// is an error, and the next call reads the next line.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where there is no timeline, or it can't be opened.
    pub fn events(&self) -> Result<impl Iterator<Item = Result<EventLine, Error>> + use<>, Error> {
        let mut lines = self.event_texts()?;
        Ok(std::iter::from_fn(move || lines.next_line()))
    }

    /// Returns the events as plain JSON objects, see [`EventLines::next_document`].
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where there is no timeline, or it can't be opened.
    pub fn event_texts(&self) -> Result<EventTexts, Error> {
        Ok(EventLines::new(
            self.stream(Artifact::Events)?.growing(),
            self.dir
                .path
                .join(Artifact::Events.file_name()),
        ))
    }

    /// Returns this run as an entry of a list. Records that can't be read leave fields empty.
    ///
    /// Texts are those of the records, whether or not their schemas allow them. Id and lifecycle
    /// are those that a check reports.
    #[must_use]
    pub fn entry(&self) -> RunEntry {
        self.records().entry
    }

    /// Returns the same, if the run is among those that are asked for.
    pub fn entry_if(&self, filter: &mut RunFilter) -> Option<RunEntry> {
        self.matched(filter, &mut Vec::new())
    }

    /// Returns the same, and adds what could not be read of what decides.
    pub(crate) fn matched(&self, filter: &RunFilter, unread: &mut Vec<Error>) -> Option<RunEntry> {
        let mut entry = if filter.asks_for_calls() {
            self.entry_with_calls(unread)
        } else {
            self.entry()
        };

        if filter.silent_for.is_some() && entry.lifecycle == Lifecycle::NonTerminal {
            entry.written = store::last_written(self.path());
        }
        if !filter.admits_cut(&entry, || None) {
            return None;
        }

        filter.add_calls(&mut entry);
        if filter.text.is_empty() {
            return Some(entry);
        }

        let mut hits = self.hits(&filter.text);
        unread.append(&mut hits.unread);
        if hits.first.is_empty() {
            return None;
        }

        entry.add_hits(hits.first, hits.more);
        Some(entry)
    }

    /// Returns this run as an entry of a list, with its tools.
    fn entry_with_calls(&self, unread: &mut Vec<Error>) -> RunEntry {
        let loaded = self.load_as(&LoadRequest::calls(), None, |loaded| {
            let records = self.loaded_records(loaded);
            (records.entry, loaded.timeline.calls.clone())
        });

        match loaded {
            Ok((mut entry, calls)) => {
                match calls {
                    Some(Err(why)) => unread.push(self.error(Artifact::Events, None, why)),
                    calls => {
                        entry.tools = calls
                            .and_then(Result::ok)
                            .unwrap_or_default();
                    }
                }
                entry
            }
            Err(error) => {
                unread.push(error);
                self.entry()
            }
        }
    }

    /// Returns the records, as far as they can be read. The timeline is not read.
    pub(crate) fn records(&self) -> Records {
        let (state, summary) = (Artifact::State, Artifact::Summary);
        let read = self.with_files(|files| {
            (
                self.document_in(files, state),
                self.document_in(files, summary),
            )
        });
        let (state, summary) =
            read.unwrap_or_else(|_| (self.document(state), self.document(summary)));
        Records::of(self, state, summary)
    }

    /// Returns the records of a run that was loaded.
    pub(in crate::look) fn loaded_records(&self, loaded: &Loaded<'_, '_>) -> Records {
        let record = |artifact, record: &LoadedRecord<'_>| match record.document() {
            Ok(document) => Ok(OwnedDocument::of(document)),
            Err(why) => {
                let offset = match &why {
                    NoText::Refused(Refused::Syntax(error)) => Some(error.offset),
                    _ => None,
                };
                let place = offset.map(|at| line_and_column(record.bytes, at));
                Err(self.error(artifact, place, why.to_string()))
            }
        };

        let state = record(Artifact::State, loaded.state);
        Records::of(self, state, record(Artifact::Summary, loaded.summary))
    }

    fn stored<T>(
        &self,
        artifact: Artifact,
        schema: &'static CompiledSchema,
    ) -> Result<Stored<T>, Error> {
        let document = self.document(artifact)?;
        let (root, text) = (document.root(), document.view().text());
        if root.kind() != Kind::Object {
            let place = line_and_column(text.as_bytes(), root.span().start);
            let reason = format!("{}, not an object", root.kind().with_article());
            return Err(self.error(artifact, Some(place), reason));
        }

        Ok(Stored {
            document,
            schema,
            path: self.dir.path.join(artifact.file_name()),
            artifact,
            as_type: PhantomData,
        })
    }

    /// Returns an artifact that is one JSON text.
    pub(crate) fn document(&self, artifact: Artifact) -> Result<OwnedDocument, Error> {
        self.document_of(artifact, self.bytes(artifact)?)
    }

    /// Returns an artifact that is one JSON text, of a run that is open.
    fn document_in(
        &self,
        files: &dyn Artifacts,
        artifact: Artifact,
    ) -> Result<OwnedDocument, Error> {
        self.refuse_missing(artifact)?;
        let opened = files
            .open(artifact)
            .map_err(|why| self.error(artifact, None, why.to_string()))?;
        self.document_of(artifact, self.bytes_of(artifact, opened)?)
    }

    fn document_of(&self, artifact: Artifact, bytes: Vec<u8>) -> Result<OwnedDocument, Error> {
        OwnedDocument::read_record(bytes).map_err(|(why, bytes)| {
            let place = match why {
                Refused::Syntax(error) => Some(line_and_column(&bytes, error.offset)),
                Refused::TooManyValues | Refused::NoMemory => None,
            };
            self.error(artifact, place, why.to_string())
        })
    }

    fn files(&self) -> Result<OpenEpisode, Error> {
        OpenEpisode::open(&self.dir, self.links.clone())
            .map_err(|error| Error::at(&self.dir.path, &error))
    }

    fn refuse_missing(&self, artifact: Artifact) -> Result<(), Error> {
        if self.dir.entries.has(artifact) {
            Ok(())
        } else {
            Err(self.error(artifact, None, NOT_THERE.into()))
        }
    }

    /// Returns the content of an artifact, to be read piece by piece.
    pub(crate) fn stream(&self, artifact: Artifact) -> Result<Opened<'static>, Error> {
        self.refuse_missing(artifact)?;
        let opened = match &self.memory {
            Some(of) => of.artifacts.open_shared(artifact),
            None => self.files()?.open_file(artifact),
        };

        opened.map_err(|why| self.error(artifact, None, why.to_string()))
    }

    /// Returns the content of a file that was attached, if it is the one whose digest is its name.
    pub(crate) fn attachment(&self, name: &str) -> Option<Vec<u8>> {
        let file = name.strip_prefix("attachments/")?;
        let (sha256, extension) = file
            .split_once('.')
            .unwrap_or((file, ""));
        let is_plain = extension
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric());
        FileDigest::parse(sha256).filter(|_| is_plain)?;

        let files = self.files().ok()?;
        let mut content = Vec::new();
        files
            .open_named(name)
            .ok()?
            .read_record(&mut content)
            .ok()?;

        FileDigest::of(&content)
            .to_string()
            .eq_ignore_ascii_case(sha256)
            .then_some(content)
    }

    pub(super) fn error(
        &self,
        artifact: Artifact,
        place: Option<(u64, u64)>,
        reason: String,
    ) -> Error {
        let path = self.dir.path.join(artifact.file_name());
        Error::Artifact {
            path,
            place,
            reason,
        }
    }
}
