//! The keys of objects -> episodes, and what a store answers -> the report of an episode as JSON.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use runvet::finding::Totals;
use runvet::source::{Artifact, Entries, EpisodeKey};
use runvet::store::{Artifacts, Content, InMemory, Opened, ReadAt, Unreadable, Version};
use runvet::table::{RowFormat, Table, TableWriter};

use crate::check::Checker;
use crate::{artifact, errors, locked};

/// Episodes, each with its path, its id where its place says it, and its name.
type Found = Vec<(String, Option<String>, String)>;

/// The episodes that objects with these keys make up, and what keeps others from being found.
#[pyfunction]
pub(crate) fn episodes_of(
    py: Python<'_>,
    root: &str,
    keys: Vec<String>,
) -> (Found, Vec<(String, String)>) {
    py.detach(move || {
        let found = runvet::store::episodes_of(root, keys.iter().map(String::as_str));
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        let episodes = found.episodes.into_iter();
        let faults = found.faults.iter();
        (
            episodes
                .map(|it| (text(&it.path), it.id, it.name))
                .collect(),
            faults
                .map(|it| (text(it.path()), it.to_string()))
                .collect(),
        )
    })
}

/// The answer to a fetch of one artifact.
#[derive(FromPyObject)]
enum Fetched {
    Bytes(PyBackedBytes),
    /// A file that it was written to.
    Spooled(PathBuf),
    /// It is there, and fetched when a rule reads it; where this is true, it is a directory.
    Listed(Option<bool>),
    /// Its number of bytes is beyond this limit.
    Beyond(u64),
}

/// The fetch of one episode, and what it raised while rules read.
struct Fetch {
    fetch: Py<PyAny>,
    wrong: Mutex<Option<PyErr>>,
}

impl Fetch {
    fn new(fetch: Py<PyAny>) -> Self {
        let wrong = Mutex::default();
        Self { fetch, wrong }
    }

    fn all(&self, number: usize) -> PyResult<Objects<'_>> {
        self.raised()?;
        let answer = Python::attach(|py| {
            self.fetch
                .call1(py, (number,))?
                .extract(py)
        })?;
        Objects::of(answer, self)
    }

    /// Fetches a file of the episode that only some rules read.
    fn one(&self, path: &str) -> Result<Opened<'static>, Unreadable> {
        let answer = Python::attach(|py| {
            let answer = self
                .fetch
                .call_method1(py, "open", (path,))?;
            answer.extract::<Fetched>(py)
        });
        match answer {
            Ok(Fetched::Bytes(bytes)) => Ok(Opened::from_reader(Arc::<[u8]>::from(&*bytes))),
            Ok(Fetched::Spooled(path)) => Ok(Opened::from_reader(Spooled(File::open(path)?))),
            Ok(Fetched::Listed(Some(true))) => Err(Unreadable::Directory),
            Ok(Fetched::Listed(_)) => Err(Unreadable::Vanished),
            Ok(Fetched::Beyond(limit)) => Err(Unreadable::TooLarge(limit)),
            Err(error) => {
                let why = Unreadable::Other("it can't be fetched".to_owned());
                *locked(&self.wrong) = Some(error);
                Err(why)
            }
        }
    }

    /// Raises what a call has raised since the last time.
    fn raised(&self) -> PyResult<()> {
        locked(&self.wrong)
            .take()
            .map_or(Ok(()), Err)
    }
}

/// The artifacts of an episode, as a store had them.
struct Objects<'f> {
    memory: InMemory<'static>,
    spooled: Vec<(Artifact, File)>,
    fetch: &'f Fetch,
}

impl<'f> Objects<'f> {
    fn of(answer: Vec<(String, Fetched, Option<String>)>, fetch: &'f Fetch) -> PyResult<Self> {
        let mut contents = Vec::new();
        let mut versions = Vec::new();
        let mut spooled = Vec::new();
        for (name, fetched, version) in answer {
            let artifact = artifact(&name)?;
            let content = match fetched {
                Fetched::Bytes(bytes) => Content::Shared((*bytes).into()),
                Fetched::Beyond(limit) => Content::Unreadable(Unreadable::TooLarge(limit)),
                Fetched::Listed(Some(true)) => Content::Unreadable(Unreadable::Directory),
                Fetched::Listed(_) => Content::Listed,
                Fetched::Spooled(path) => {
                    spooled.push((artifact, File::open(path)?));
                    Content::Listed
                }
            };
            contents.push((artifact, content));
            versions.extend(version.map(|version| (artifact, Version::new(version))));
        }
        let memory: InMemory<'static> = contents.into_iter().collect();
        Ok(Self {
            memory: versions
                .into_iter()
                .fold(memory, |memory, (artifact, version)| {
                    memory.with_version(artifact, version)
                }),
            spooled,
            fetch,
        })
    }
}

impl Artifacts for Objects<'_> {
    fn entries(&self) -> Entries {
        self.memory.entries()
    }

    fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable> {
        match self
            .spooled
            .iter()
            .find(|(it, _)| *it == artifact)
        {
            Some((_, file)) => Ok(Opened::from_reader(Spooled(file.try_clone()?))),
            None => match self.memory.open(artifact) {
                Err(Unreadable::ListedOnly) => self.fetch.one(artifact.file_name()),
                opened => opened,
            },
        }
    }

    fn probe(&self, artifact: Artifact) -> Result<(), Unreadable> {
        match self.memory.open(artifact) {
            Ok(_) | Err(Unreadable::ListedOnly) => Ok(()),
            Err(why) => Err(why),
        }
    }

    /// An empty object is fetched by its listing.
    fn is_empty(&self, artifact: Artifact) -> Result<bool, Unreadable> {
        match self.memory.open(artifact) {
            Err(Unreadable::ListedOnly) => Ok(false),
            _ => self.memory.is_empty(artifact),
        }
    }

    fn open_named(&self, path: &str) -> Result<Opened<'_>, Unreadable> {
        match Artifact::ALL
            .into_iter()
            .find(|it| it.file_name() == path)
        {
            Some(artifact) if self.entries().has(artifact) => self.open(artifact),
            Some(_) => Err(Unreadable::Vanished),
            None => self.fetch.one(path),
        }
    }

    fn version(&self, artifact: Artifact) -> Option<Version> {
        self.memory.version(artifact)
    }
}

/// A file in which the content of an object is.
struct Spooled(File);

impl ReadAt for Spooled {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(&self.0, buffer, offset)
    }
}

/// Judges an episode that `fetch` brings, as the JSON report has it, and says why it could not be
/// judged, how many skips `deny_unjudged` counts, and whether no rule is on. `fetch` is called
/// again where there are findings, with the number of the fetch, and its method `open` with the
/// path of a file that only some rules read.
#[pyfunction]
pub(crate) fn fetched(
    py: Python<'_>,
    checker: &Bound<'_, Checker>,
    uri: String,
    id: Option<String>,
    fetch: Py<PyAny>,
) -> PyResult<(String, Option<String>, u64, bool)> {
    let checker = checker.get();
    let fetch = Fetch::new(fetch);
    py.detach(move || {
        checker.judging(|gate| {
            let key = EpisodeKey::Text(uri);
            let report = gate.settled(&key, id.as_deref(), |number| fetch.all(number))?;
            fetch.raised()?;
            let mut text = Vec::new();
            runvet::report::write_json(&mut text, &report)?;
            let text = String::from_utf8_lossy(&text).into_owned();
            let fault = report
                .fault()
                .map(|fault| fault.message);
            let mut totals = Totals::default();
            totals.add(&report);
            Ok((text, fault, totals.unjudged, totals.unchecked > 0))
        })
    })
}

/// Writes the rows of a table of episodes that are fetched, in NDJSON.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct TableRows {
    writer: TableWriter,
    /// Writers that no thread uses.
    idle: Mutex<Vec<TableWriter>>,
}

#[pymethods]
impl TableRows {
    #[new]
    fn new(checker: &Bound<'_, Checker>, table: &str) -> PyResult<Self> {
        let table: Table = table
            .parse()
            .map_err(errors::unknown_word("table"))?;
        Ok(Self {
            writer: TableWriter::new(table, RowFormat::Ndjson, &checker.get().gate),
            idle: Mutex::default(),
        })
    }

    /// Writes the rows of an episode that `fetch` brings, see [`fetched`], to a binary file, and
    /// returns why the episode could not be judged.
    fn write(
        &self,
        py: Python<'_>,
        uri: String,
        id: Option<String>,
        fetch: Py<PyAny>,
        out: Py<PyAny>,
    ) -> PyResult<Option<String>> {
        let fetch = Fetch::new(fetch);
        py.detach(move || {
            let lent = locked(&self.idle).pop();
            let mut writer = lent.unwrap_or_else(|| self.writer.clone());
            let mut out = BufWriter::with_capacity(PIECE, PyFile(out));
            let key = EpisodeKey::Text(uri);
            let fetch_again = |number| fetch.all(number);
            let fault = writer.write_fetched(&key, id.as_deref(), fetch_again, &mut out)?;
            locked(&self.idle).push(writer);
            fetch.raised()?;
            out.flush()?;
            Ok(fault.map(|fault| fault.message))
        })
    }
}

/// The bytes to hand over to Python at a time.
const PIECE: usize = 64 << 10;

/// A file of Python.
struct PyFile(Py<PyAny>);

impl Write for PyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| {
            self.0
                .call_method1(py, "write", (bytes,))
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
