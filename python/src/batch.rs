//! The keys of objects -> episodes, and what a store answers -> the report of an episode as JSON.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use runvet::finding::Totals;
use runvet::source::{Artifact, Entries, EpisodeKey};
use runvet::store::{Artifacts, Content, InMemory, Opened, ReadAt, Unreadable, Version};

use crate::artifact;
use crate::check::Checker;

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
            faults.map(|it| (text(it.path()), it.to_string())).collect(),
        )
    })
}

/// What a fetch brings of one artifact.
#[derive(FromPyObject)]
enum Fetched {
    Bytes(PyBackedBytes),
    /// A file that it was written to.
    Spooled(PathBuf),
    /// It is only listed; or, where this is true, a directory.
    Listed(Option<bool>),
    /// Its number of bytes is beyond this limit.
    Beyond(u64),
}

/// The artifacts of an episode, as a store had them.
struct Objects {
    memory: InMemory<'static>,
    spooled: Vec<(Artifact, File)>,
}

impl Objects {
    fn of(answer: Vec<(String, Fetched, Option<String>)>) -> PyResult<Self> {
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
        })
    }
}

impl Artifacts for Objects {
    fn entries(&self) -> Entries {
        self.memory.entries()
    }

    fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable> {
        match self.spooled.iter().find(|(it, _)| *it == artifact) {
            Some((_, file)) => Ok(Opened::from_reader(Spooled(file.try_clone()?))),
            None => self.memory.open(artifact),
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
/// again where there are findings, with the number of the fetch.
#[pyfunction]
pub(crate) fn fetched(
    py: Python<'_>,
    checker: &Bound<'_, Checker>,
    uri: String,
    id: Option<String>,
    fetch: Py<PyAny>,
) -> PyResult<(String, Option<String>, u64, bool)> {
    let checker = checker.get();
    py.detach(move || {
        checker.judging(|gate| {
            let key = EpisodeKey::Text(uri);
            let report = gate.settled(&key, id.as_deref(), |number| {
                let answer = Python::attach(|py| fetch.call1(py, (number,))?.extract(py))?;
                Objects::of(answer)
            })?;
            let mut text = Vec::new();
            runvet::report::write_json(&mut text, &report)?;
            let text = String::from_utf8_lossy(&text).into_owned();
            let fault = report.fault().map(|fault| fault.message);
            let mut totals = Totals::default();
            totals.add(&report);
            Ok((text, fault, totals.unjudged, totals.unchecked > 0))
        })
    })
}
