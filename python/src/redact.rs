//! Runs -> redacted copies, for the class `Redacted`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use runvet::redact::{Error, Redaction};

use crate::check::Checker;
use crate::stream::patiently;

/// What was copied: the runs with their copies, what was refused, the numbers of what is readable,
/// and the rules that find something else.
type Copies = (
    Vec<(PathBuf, PathBuf)>,
    Vec<String>,
    BTreeMap<&'static str, u64>,
    BTreeMap<String, u64>,
);

/// Copies runs without their texts.
#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    reason = "keywords of a function of Python"
)]
pub(crate) fn redact(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    to: PathBuf,
    key: Option<PathBuf>,
    drop: Vec<String>,
    keep: Vec<String>,
    patterns: Vec<String>,
    keep_files: Vec<String>,
    checker: Option<Bound<'_, Checker>>,
) -> PyResult<Copies> {
    let mut redaction = Redaction::new();
    redaction = key
        .into_iter()
        .fold(redaction, Redaction::key);
    redaction = drop
        .into_iter()
        .fold(redaction, Redaction::drop_name);
    redaction = keep
        .into_iter()
        .fold(redaction, Redaction::keep_name);
    redaction = patterns
        .into_iter()
        .fold(redaction, Redaction::pattern);
    redaction = keep_files
        .into_iter()
        .fold(redaction, Redaction::keep_files);
    let gate = checker.map(|checker| checker.get().gate.clone());
    let target = to.clone();
    let redacted = patiently(py, move |_| match gate {
        Some(mut gate) => gate.redact(redaction, &paths, &target),
        None => redaction.copy(&paths, &target),
    })?;
    let redacted = redacted.map_err(|error| match error {
        Error::Setting { .. } | Error::Key { .. } => PyValueError::new_err(error.to_string()),
        _ => PyOSError::new_err(error.to_string()),
    })?;
    let runs = redacted.runs.into_iter();
    let readable = redacted.readable;
    let readable = BTreeMap::from([
        ("keys", readable.keys),
        ("ids", readable.ids),
        ("words", readable.words),
        ("paths", readable.paths),
        ("times", readable.times),
        ("numbers", readable.numbers),
        ("texts", readable.texts),
    ]);
    let runs = runs.map(|run| (run.from, to.join(run.to)));
    Ok((runs.collect(), redacted.refused, readable, redacted.changed))
}
