//! The import of logs -> what it did, for the class `Imported`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use runvet::import::{Change, Import, ImportedRun};
use runvet::redact::Redaction;

use crate::json::{Encoder, object};

/// A run of an import: its id, directory, format and log, what became of it, and why not.
type Row = (String, PathBuf, String, String, String, Option<String>);

/// What an import did: its runs, what was left out, errors and notes.
type Report = (Vec<Row>, BTreeMap<String, u64>, Vec<String>, Vec<String>);

/// Imports logs into a run-data directory.
#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    reason = "keywords of a function of Python"
)]
pub(crate) fn import_logs(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    into: PathBuf,
    format: Option<String>,
    only: Vec<String>,
    since: Option<SystemTime>,
    tags: BTreeMap<String, String>,
    ended: bool,
    anchor: bool,
    strict: bool,
    key: Option<PathBuf>,
) -> PyResult<Report> {
    let mut import = Import::new(into);
    if let Some(format) = format {
        import = import.format(&format).ok_or_else(|| {
            let known: Vec<&str> = Import::formats().collect();
            let known = known.join(", ");
            PyValueError::new_err(format!("{format:?} is not a format: auto, {known}"))
        })?;
    }
    import = only
        .into_iter()
        .fold(import, Import::only);
    import = since
        .into_iter()
        .fold(import, Import::since);
    for (name, value) in tags {
        import = import.tag(name, value);
    }
    if ended {
        import = import.ended();
    }
    if anchor {
        import = import.anchor();
    }
    if strict {
        import = import.strict();
    }
    if let Some(key) = key {
        import = import.redacted(Redaction::new().key(key));
    }
    let imported = py.detach(|| import.paths(&paths));
    let imported = imported.map_err(|error| PyOSError::new_err(error.to_string()))?;
    let errors = [imported.errors, imported.faults].concat();
    let rows = imported
        .runs
        .into_iter()
        .map(row)
        .collect();
    Ok((rows, imported.skipped, errors, imported.notes))
}

fn row(run: ImportedRun) -> Row {
    let (change, reason) = match run.change {
        Change::New => ("new", None),
        Change::Again => ("again", None),
        Change::Unchanged => ("unchanged", None),
        Change::Refused(why) => ("refused", Some(why)),
        _ => ("unknown", None),
    };
    let format = run.format.to_owned();
    (
        run.id,
        run.path,
        format,
        run.source,
        change.to_owned(),
        reason,
    )
}

/// What an import takes from a span: its role, name, input, output and more.
#[pyfunction]
pub(crate) fn words_of_span<'py>(
    py: Python<'py>,
    span: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let span = Encoder::new(None).value(span)?;
    object(py, &runvet::import::words_of_span(&span))
}
