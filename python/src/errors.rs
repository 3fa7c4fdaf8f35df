//! What stands in the way -> exceptions, whose classes are in `runvet/_errors.py`.

use std::path::Path;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use runvet::proof::SealError;
use runvet::store::Fault;
use runvet::{UnknownWord, gate, read, recorder};

use crate::exiting::calling;
use crate::finding::{finding, tuple};
use crate::json::object;

/// An exception of a class in `runvet._errors`, with a message and attributes.
fn exception<'py>(
    py: Python<'py>,
    class: &str,
    message: &str,
    attributes: impl FnOnce(&Bound<'py, PyDict>) -> PyResult<()>,
) -> PyErr {
    let made = || {
        let given = PyDict::new(py);
        attributes(&given)?;
        let class = py
            .import("runvet._errors")?
            .getattr(class)?;
        class.call((message,), Some(&given))
    };
    match calling(py, made) {
        Ok(made) => PyErr::from_value(made),
        Err(error) => error,
    }
}

/// A word that is not one of those that an argument may be.
pub(crate) fn unknown_word(argument: &str) -> impl Fn(UnknownWord) -> PyErr {
    move |error| PyValueError::new_err(format!("the {argument} {error}"))
}

pub(crate) fn fault(py: Python<'_>, fault: &Fault) -> PyErr {
    fault_at(py, fault.path(), &fault.to_string())
}

pub(crate) fn fault_at(py: Python<'_>, path: &Path, message: &str) -> PyErr {
    exception(py, "Fault", message, |it| it.set_item("path", path))
}

pub(crate) fn of_seal(py: Python<'_>, path: &Path, error: &SealError) -> PyErr {
    exception(py, "SealError", &error.to_string(), |it| {
        it.set_item("path", path)
    })
}

pub(crate) fn of_check(py: Python<'_>, error: &gate::Error) -> PyErr {
    match error {
        gate::Error::UnknownRule { name, nearest } => {
            exception(py, "UnknownRule", &error.to_string(), |it| {
                it.set_item("name", name)?;
                it.set_item("nearest", nearest)
            })
        }
        gate::Error::Fault(found) => fault(py, found),
        other => fault_at(py, Path::new(""), &other.to_string()),
    }
}

/// A mistake in a configuration, or in what it names, with the others.
pub(crate) fn of_config(py: Python<'_>, path: &Path, error: &gate::ConfigError) -> PyErr {
    let at = &error.location;
    let is_in_it = path.to_string_lossy() == at.file;
    let file = if is_in_it { path } else { Path::new(&at.file) };
    let others = error.others.iter();
    let others = others.map(|it| of_config(py, path, it).into_value(py));
    exception(py, "ConfigError", &error.to_string(), |it| {
        it.set_item("file", file)?;
        it.set_item("line", at.line)?;
        it.set_item("column", at.column)?;
        it.set_item("others", PyTuple::new(py, others.collect::<Vec<_>>())?)
    })
}

pub(crate) fn wrong_file(py: Python<'_>, path: &Path, why: &str) -> PyErr {
    exception(py, "ConfigError", why, |it| it.set_item("file", path))
}

pub(crate) fn of_baseline(py: Python<'_>, path: &Path, error: &gate::BaselineError) -> PyErr {
    if error.is_unreadable() {
        return fault_at(py, path, &error.to_string());
    }
    wrong_file(py, path, &error.to_string())
}

pub(crate) fn of_read(py: Python<'_>, error: &read::Error) -> PyErr {
    match error {
        read::Error::NoRunData { path } => exception(py, "NoRunData", &error.to_string(), |it| {
            it.set_item("path", path)
        }),
        read::Error::UnknownRun { id, nearest } => {
            exception(py, "UnknownRun", &error.to_string(), |it| {
                it.set_item("id", id)?;
                it.set_item("nearest", nearest)
            })
        }
        read::Error::Ambiguous(found) => exception(py, "AmbiguousRun", &error.to_string(), |it| {
            it.set_item("prefix", found.name())?;
            it.set_item("matches", found.matches())
        }),
        read::Error::Artifact {
            path,
            place,
            reason,
        } => exception(py, "ArtifactError", &error.to_string(), |it| {
            it.set_item("path", path)?;
            it.set_item("line", place.map(|(line, _)| line))?;
            it.set_item("column", place.map(|(_, column)| column))?;
            it.set_item("reason", reason)
        }),
        other => fault_at(py, Path::new(""), &other.to_string()),
    }
}

/// A path that is there, and leads to no run.
pub(crate) fn no_artifact(py: Python<'_>, path: &str) -> PyErr {
    let shown = runvet::printable::escape(path);
    let message = format!("{shown} has no artifact of a run, such as state.json");
    exception(py, "UnknownRun", &message, |it| it.set_item("id", path))
}

pub(crate) fn of_recorder(py: Python<'_>, error: &recorder::Error) -> PyErr {
    use recorder::Error;
    let class = match error {
        Error::Exists { .. } => "RunExists",
        Error::Absent { .. } => "UnknownRun",
        Error::Busy { .. } => "RunBusy",
        Error::Ended { .. } => "RunEnded",
        Error::Untrusted { .. } => "RunUntrusted",
        Error::Refused { .. } | Error::Violates { .. } | Error::TooLarge { .. } => "Refused",
        Error::Io { .. } | Error::NotDurable { .. } => "Fault",
        _ => "RecorderError",
    };
    exception(py, class, &error.to_string(), |it| {
        match error {
            Error::Absent { id } => it.set_item("id", id)?,
            Error::Exists { id } | Error::Busy { id } | Error::Poisoned { id } => {
                it.set_item("episode_id", id)?;
            }
            Error::Ended { id, status } => {
                it.set_item("episode_id", id)?;
                it.set_item("status", status)?;
            }
            Error::Untrusted { id, reason, report } => {
                it.set_item("episode_id", id)?;
                it.set_item("reason", reason)?;
                let report = report.as_deref();
                it.set_item(
                    "report",
                    report
                        .map(|it| object(py, it))
                        .transpose()?,
                )?;
            }
            Error::Io { path, .. } | Error::NotDurable { path, .. } => {
                it.set_item("path", path)?;
            }
            Error::Violates { findings, .. } => {
                it.set_item("findings", tuple(py, findings, finding)?)?;
            }
            _ => {}
        }
        if class != "UnknownRun" && class != "Fault" {
            it.set_item("kind", error.kind())?;
        }
        Ok(())
    })
}

/// A call of a run that has ended with a status, or else that was given to `pause`, which may have
/// failed.
pub(crate) fn over(py: Python<'_>, id: &str, ended: Option<&String>) -> PyErr {
    let shown = runvet::printable::escape(id);
    let (what, status) = match ended {
        Some(status) => (format!("has ended with the status `{status}`"), &**status),
        None => (
            "is no longer recorded by this process; `Recorder.resume` goes on with it".to_owned(),
            "pending",
        ),
    };
    let message = format!("the run {shown} {what}");
    exception(py, "RunEnded", &message, |it| {
        it.set_item("kind", "ended")?;
        it.set_item("episode_id", id)?;
        it.set_item("status", status)
    })
}

pub(crate) fn vetoed(
    py: Python<'_>,
    (policy, reason, scope): (&str, &str, &str),
    step: Option<&str>,
) -> PyErr {
    let what = step.map_or_else(|| "the run".to_owned(), |step| format!("the step {step:?}"));
    let message = format!("{policy} vetoed {what}: {reason}");
    exception(py, "Vetoed", &message, |it| {
        it.set_item("policy", policy)?;
        it.set_item("reason", reason)?;
        it.set_item("scope", scope)?;
        it.set_item("step", step)
    })
}

/// A policy has skipped the step that was to be opened.
pub(crate) fn step_skipped(py: Python<'_>, step: &str) -> PyErr {
    let message = format!("a policy skipped the step {step:?}");
    exception(py, "StepSkipped", &message, |it| it.set_item("step", step))
}
