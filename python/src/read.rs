//! Run data -> its runs, and of each the records, the events and the plan as Python objects.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyMapping};
use runvet::Timestamp;
use runvet::document::{Node, OwnedDocument};
use runvet::finding::ReportedFault;
use runvet::plan::PlanComparison;
use runvet::read::{self, EventTexts, RunFilter, RunReader};
use runvet::source::EpisodeKey;
use runvet::store::Fault;
use runvet::table::{RowFormat, Table, TableWriter};

use crate::check::{Checker, Records};
use crate::json::{Numbers, Objects, Text, loads, object};
use crate::stream::{Caller, patiently};
use crate::{artifact, errors, locked};

/// Paths, each with what is wrong there.
type Faults = Vec<(String, String)>;

/// A directory of runs, which is listed once.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct RunData(Arc<read::RunData>);

#[pymethods]
impl RunData {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let given = path.clone();
        let opened = patiently(py, move |_| read::RunData::find_only(given))?;
        let opened = opened.map_err(|error| errors::of_read(py, &error))?;
        if opened
            .faults()
            .iter()
            .any(Fault::is_of_given_path)
        {
            return Err(errors::of_read(py, &read::Error::NoRunData { path }));
        }
        Ok(Self(Arc::new(opened)))
    }

    /// Entries of the newest runs that match, `limit` at most, or all for 0.
    fn runs<'py>(
        &self,
        py: Python<'py>,
        limit: usize,
        wanted: Wanted,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut filter = wanted.filter()?;
        let limit = if limit == 0 { usize::MAX } else { limit };
        let data = Arc::clone(&self.0);
        let entries: Vec<_> = patiently(py, move |caller| {
            let runs = data
                .iter()
                .take_while(|_| caller.waits());
            let entries = runs.filter_map(|run| run.entry_if(&mut filter));
            entries.take(limit).collect()
        })?;
        let entries = entries.iter().map(|entry| {
            py.check_signals()?;
            object(py, entry)
        });
        PyList::new(py, entries.collect::<PyResult<Vec<_>>>()?)
    }

    /// The rows of a table as NDJSON, and what could not be read or judged.
    fn table<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        checker: &Checker,
        wanted: Wanted,
    ) -> PyResult<(Bound<'py, PyBytes>, Faults)> {
        let table: Table = name
            .parse()
            .map_err(errors::unknown_word("table"))?;
        let filter = wanted.filter()?;
        let (path, gate) = (self.0.path().to_owned(), checker.gate.clone());
        let (rows, faults) = patiently(py, move |caller| {
            let mut rows = Rows {
                bytes: Vec::new(),
                caller,
            };
            let mut faults = Faults::new();
            let mut wrong = |fault: ReportedFault| faults.push((fault.path, fault.message));
            let found = gate.discover(&[path]);
            found
                .faults
                .iter()
                .map(Into::into)
                .for_each(&mut wrong);
            let writer = TableWriter::new(table, RowFormat::Ndjson, &gate).filter(filter);
            let written = writer.write(&found.episodes, &mut rows, &mut wrong);
            written.map(|()| (rows.bytes, faults))
        })??;
        Ok((PyBytes::new(py, &rows), faults))
    }

    /// The runs, newest first.
    fn episodes(&self, py: Python<'_>) -> PyResult<Vec<Episode>> {
        let data = Arc::clone(&self.0);
        patiently(py, move |caller| {
            let runs = data
                .iter()
                .take_while(|_| caller.waits());
            runs.map(Episode::from).collect()
        })
    }

    fn get(&self, py: Python<'_>, name: Text) -> PyResult<Episode> {
        let found = py.detach(|| self.0.get(&name.0));
        found
            .map(Episode::from)
            .map_err(|error| errors::of_read(py, &error))
    }

    fn faults(&self) -> Faults {
        let faults = self.0.faults().iter();
        let row = |fault| {
            let fault = ReportedFault::from(fault);
            (fault.path, fault.message)
        };
        faults.map(row).collect()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }
}

/// Rows of a table, as long as somebody waits for them.
struct Rows<'c> {
    bytes: Vec<u8>,
    caller: &'c Caller,
}

impl Write for Rows<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.caller.waits() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Which runs are meant: a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Wanted {
    statuses: Vec<String>,
    outcomes: Vec<String>,
    tags: Vec<String>,
    adapters: Vec<String>,
    metrics: Vec<String>,
    search: String,
    silent_for: Option<String>,
    since: Option<String>,
    until: Option<String>,
}

impl Wanted {
    fn filter(self) -> PyResult<RunFilter> {
        let mut filter = RunFilter::default();
        filter.statuses = self.statuses;
        filter.outcomes = self.outcomes;
        filter.tags = self.tags;
        filter.adapters = self.adapters;
        for metric in self.metrics {
            filter
                .metric(&metric)
                .map_err(|wrong| PyValueError::new_err(format!("metric is {metric:?}: {wrong}")))?;
        }
        filter.search(&self.search);
        let silence = |text: String| {
            RunFilter::silence(&text).map_err(|expected| {
                PyValueError::new_err(format!("silent_for is {text:?}: {expected}"))
            })
        };
        filter.silent_for = self
            .silent_for
            .map(silence)
            .transpose()?;
        let time = |name, text: Option<String>| {
            text.map(|text| time(name, &text))
                .transpose()
        };
        filter.since = time("since", self.since)?;
        filter.until = time("until", self.until)?;
        Ok(filter)
    }
}

/// The time that an argument means.
fn time(name: &str, text: &str) -> PyResult<Timestamp> {
    RunFilter::time(text)
        .map_err(|expected| PyValueError::new_err(format!("{name} is {text:?}, not {expected}")))
}

/// The time that an argument means, in microseconds since 1970.
#[pyfunction]
pub(crate) fn moment(name: &str, text: &str) -> PyResult<Option<i64>> {
    Ok(micros(&time(name, text)?))
}

/// The instant that a date-time of a record is, in microseconds since 1970.
#[pyfunction]
pub(crate) fn instant(text: &str) -> Option<i64> {
    micros(&Timestamp::parse(text)?)
}

fn micros(time: &Timestamp) -> Option<i64> {
    let micros = |time: Duration| i64::try_from(time.as_micros()).ok();
    match time
        .system_time()?
        .duration_since(UNIX_EPOCH)
    {
        Ok(since) => micros(since),
        Err(before) => micros(before.duration()).map(|micros| -micros),
    }
}

/// One run, to read from.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Episode {
    run: RunReader,
    is_on_disk: bool,
}

impl From<RunReader> for Episode {
    fn from(run: RunReader) -> Self {
        Self {
            run,
            is_on_disk: true,
        }
    }
}

#[pymethods]
impl Episode {
    #[staticmethod]
    fn at(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| RunReader::open(&path));
        opened
            .map(Self::from)
            .map_err(|error| match error {
                read::Error::UnknownRun { id, .. } if path.exists() => errors::no_artifact(py, &id),
                error => errors::of_read(py, &error),
            })
    }

    #[staticmethod]
    fn of(py: Python<'_>, id: &str, records: &Bound<'_, PyMapping>) -> PyResult<Self> {
        let records = Records::of(records)?;
        let run = py.detach(|| RunReader::of(&EpisodeKey::from(id), Some(id), records.kept()));
        Ok(Self {
            run,
            is_on_disk: false,
        })
    }

    #[getter]
    fn id(&self, py: Python<'_>) -> String {
        py.detach(|| self.run.id())
    }

    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.is_on_disk
            .then(|| self.run.path().to_owned())
    }

    fn entry<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let entry = py.detach(|| self.run.entry());
        object(py, &entry)
    }

    fn artifacts(&self) -> Vec<&'static str> {
        let all = runvet::source::Artifact::ALL.into_iter();
        let there = all.filter(|artifact| self.run.artifact(*artifact).is_some());
        there
            .map(runvet::source::Artifact::name)
            .collect()
    }

    fn record(&self, py: Python<'_>, name: &str) -> PyResult<Record> {
        let read = py.detach(|| match name {
            "state" => Some(
                self.run
                    .state()
                    .map(read::Stored::into_document),
            ),
            "summary" => Some(
                self.run
                    .summary()
                    .map(read::Stored::into_document),
            ),
            _ => None,
        });
        let message = || PyValueError::new_err(format!("{name:?} is not 'state' or 'summary'"));
        read.ok_or_else(message)?
            .map(Record)
            .map_err(|error| errors::of_read(py, &error))
    }

    fn bytes<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let artifact = artifact(name)?;
        let read = py.detach(|| self.run.bytes(artifact));
        let bytes = read.map_err(|error| errors::of_read(py, &error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn events(&self, py: Python<'_>, phase: Option<String>, strict: bool) -> PyResult<Events> {
        let opened = py.detach(|| self.run.event_texts());
        let texts = opened.map_err(|error| errors::of_read(py, &error))?;
        Ok(Events {
            reading: Mutex::new(Some((texts, Objects::new(Numbers::Python)))),
            phase,
            strict,
        })
    }

    /// The comparison of the plans, and the line at which they part.
    fn compare_plan<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Option<u64>)> {
        let compared = self.compared(py)?;
        Ok((object(py, &compared)?, compared.differs_from()))
    }

    fn plan<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let compared = self.compared(py)?;
        object(py, &compared.rebuilt)
    }

    fn check<'py>(&self, py: Python<'py>, checker: &Checker) -> PyResult<Bound<'py, PyAny>> {
        checker.episode(py, &self.run)
    }

    /// Returns what `runvet diff --json` prints.
    fn diff<'py>(
        &self,
        py: Python<'py>,
        other: &Self,
        checker: &Checker,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (left, right, mut gate) = (self.run.clone(), other.run.clone(), checker.gate.clone());
        let compared = patiently(py, move |_| runvet::diff::json(&left, &right, &mut gate))?;
        let text = compared.map_err(|error| errors::of_read(py, &error))?;
        loads(py, &String::from_utf8_lossy(&text), Numbers::Python)
    }

    fn view<'py>(&self, py: Python<'py>, checker: &Checker) -> PyResult<Bound<'py, PyAny>> {
        let (run, mut gate) = (self.run.clone(), checker.gate.clone());
        let page = patiently(py, move |_| runvet::view::json(&run, &mut gate))?;
        let text = page.map_err(|error| errors::of_read(py, &error))?;
        loads(py, &String::from_utf8_lossy(&text), Numbers::Python)
    }
}

impl Episode {
    fn compared(&self, py: Python<'_>) -> PyResult<PlanComparison> {
        let run = self.run.clone();
        let compared = patiently(py, move |_| runvet::plan::compare(&run))?;
        compared.map_err(|error| errors::of_read(py, &error))
    }
}

/// A stored record.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Record(OwnedDocument);

#[pymethods]
impl Record {
    fn dict<'py>(&self, py: Python<'py>, numbers: &str) -> PyResult<Bound<'py, PyAny>> {
        Objects::new(numbers.parse()?).of(py, self.0.root())
    }

    #[getter]
    fn text(&self) -> &str {
        self.0.text()
    }

    #[getter]
    fn duplicates(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.0.duplicates())
    }
}

/// The events of a timeline, one at a time.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Events {
    /// `None` while a thread reads.
    reading: Mutex<Option<(EventTexts, Objects)>>,
    phase: Option<String>,
    strict: bool,
}

#[pymethods]
impl Events {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let taken = locked(&self.reading).take();
        let Some(mut reading) = taken else {
            return Err(PyValueError::new_err(
                "another thread reads these events already",
            ));
        };
        let next = self.advance(py, &mut reading);
        *locked(&self.reading) = Some(reading);
        next
    }
}

impl Events {
    fn advance<'py>(
        &self,
        py: Python<'py>,
        (texts, objects): &mut (EventTexts, Objects),
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            match py.detach(|| texts.next_document()) {
                None => return Ok(None),
                Some(Ok((_, node))) => {
                    let is_wanted = |wanted: &String| {
                        let phase = node.get("phase").and_then(Node::text);
                        phase.as_deref() == Some(wanted)
                    };
                    if self
                        .phase
                        .as_ref()
                        .is_none_or(is_wanted)
                    {
                        return objects.of(py, node).map(Some);
                    }
                    py.check_signals()?;
                }
                Some(Err(error)) if self.strict => return Err(errors::of_read(py, &error)),
                Some(Err(error)) => return bad_line(py, &error).map(Some),
            }
        }
    }
}

/// A line that is not an event, as data.
fn bad_line<'py>(py: Python<'py>, error: &read::Error) -> PyResult<Bound<'py, PyAny>> {
    let read::Error::Artifact {
        place: Some((line, column)),
        reason,
        ..
    } = error
    else {
        return Err(errors::of_read(py, error));
    };
    let class = py
        .import("runvet._read")?
        .getattr("BadLine")?;
    class.call1((line, column, reason))
}
