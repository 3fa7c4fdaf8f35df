//! Findings and skips -> the dataclasses of `runvet/_report.py`.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use runvet::finding::{Finding, Skip};

use crate::exiting::calling;

/// A dataclass of `runvet._report`.
macro_rules! class {
    ($py:expr, $name:literal) => {{
        static CLASS: pyo3::sync::PyOnceLock<pyo3::Py<pyo3::types::PyType>> =
            pyo3::sync::PyOnceLock::new();
        $crate::exiting::calling($py, || CLASS.import($py, "runvet._report", $name))
    }};
}
pub(crate) use class;

/// An instance of a class. Its code is Python's, and may be where another thread goes on.
pub(crate) fn made<'py>(
    py: Python<'py>,
    class: &Bound<'py, PyType>,
    arguments: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    calling(py, || class.call1(arguments))
}

/// A tuple of what each item becomes.
pub(crate) fn tuple<'py, T>(
    py: Python<'py>,
    items: &[T],
    of: impl Fn(Python<'py>, &T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let items: Vec<Bound<'py, PyAny>> = items
        .iter()
        .map(|it| of(py, it))
        .collect::<PyResult<_>>()?;
    PyTuple::new(py, items)
}

/// A `Skip`.
pub(crate) fn skip<'py>(py: Python<'py>, skip: &Skip) -> PyResult<Bound<'py, PyAny>> {
    made(
        py,
        class!(py, "Skip")?,
        (&skip.rule, &skip.reason, skip.kind()),
    )
}

/// A `Finding`.
pub(crate) fn finding<'py>(py: Python<'py>, found: &Finding) -> PyResult<Bound<'py, PyAny>> {
    let related = tuple(py, &found.related, |py, it| {
        let at = &it.location;
        made(
            py,
            class!(py, "Related")?,
            (
                &it.message,
                &at.file,
                &at.pointer,
                at.line,
                at.column,
                at.end_line,
                at.end_column,
                at.offset,
                at.length,
            ),
        )
    })?;
    let at = &found.location;
    let place = (at.line, at.column, at.end_line, at.end_column);
    class!(py, "Finding")?.call_method1(
        "_of",
        (
            (&found.rule, found.severity.to_string(), &found.message),
            (&found.help, &found.fingerprint, &at.file, &at.pointer),
            place,
            (at.offset, at.length),
            related,
        ),
    )
}
