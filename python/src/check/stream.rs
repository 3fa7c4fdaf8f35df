//! Paths -> judged episodes: all of them, or one after the other from a thread that ends with its
//! iterator.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use runvet::finding::EpisodeReport;
use runvet::gate::{Gate, Outcome};
use runvet::store::Fault;

use super::Checker;
use crate::report::{self, Judged, Terms};
use crate::stream::Stream;
use crate::{errors, locked};

/// The reason why a check has no outcome.
pub(super) enum NoOutcome {
    /// A given path does not exist, or is nothing that can be checked.
    Path(Fault),
    /// Globs of this configuration match no directory.
    Globs(PathBuf, String),
}

impl NoOutcome {
    pub(super) fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Self::Path(fault) => errors::fault(py, fault),
            Self::Globs(file, globs) => errors::wrong_file(py, file, globs),
        }
    }
}

/// Judges all episodes below paths, each of which is passed on; stops where no more are wanted.
/// With a configuration, each of its globs has to match a directory.
pub(super) fn judge_all(
    (mut gate, strict): (Gate, Option<PathBuf>),
    paths: &[PathBuf],
    mut pass: impl FnMut(EpisodeReport) -> bool,
) -> Result<Outcome, NoOutcome> {
    let mut selection = gate.discover(paths);
    if let Some(wrong) = selection
        .faults
        .iter()
        .position(Fault::is_of_given_path)
    {
        return Err(NoOutcome::Path(selection.faults.swap_remove(wrong)));
    }
    let given: BTreeSet<&PathBuf> = paths
        .iter()
        .filter(|_| strict.is_some())
        .collect();
    let found = selection
        .episodes
        .iter()
        .map(|episode| &episode.path);
    let episodes: BTreeSet<PathBuf> = found
        .filter(|path| given.contains(path))
        .cloned()
        .collect();
    let outcome = gate.each(selection, |judged| {
        // An error is among the faults of the outcome.
        let wants_more = judged.map_or(true, &mut pass);
        if wants_more {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    let Some(file) = strict.filter(|_| outcome.is_complete) else {
        return Ok(outcome);
    };
    let mut globs = gate.unmet_globs(paths, |path| episodes.contains(path));
    let selectors = gate.unmet_selectors(paths, |path| episodes.contains(path));
    let mistakes = selectors
        .into_iter()
        .filter(|(_, is_mistake)| *is_mistake);
    globs.extend(mistakes.map(|(said, _)| said));
    if globs.is_empty() {
        return Ok(outcome);
    }
    Err(NoOutcome::Globs(file, globs.join("\n")))
}

/// A message of the thread of a check.
enum News {
    Judged(Box<EpisodeReport>),
    Over(Result<Box<Outcome>, NoOutcome>),
}

/// Reports of episodes, each as soon as it is judged.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Checking {
    stream: Stream<News>,
    outcome: Mutex<Option<Box<Outcome>>>,
    terms: Terms,
}

impl Checking {
    pub(super) fn new(checker: &Checker, paths: Vec<PathBuf>) -> PyResult<Self> {
        let check = (checker.gate.clone(), checker.strict.clone());
        let stream = Stream::start(move |sender| {
            let pass = |episode| {
                sender
                    .send(News::Judged(Box::new(episode)))
                    .is_ok()
            };
            let end = judge_all(check, &paths, pass);
            let _ = sender.send(News::Over(end.map(Box::new)));
        })?;
        Ok(Self {
            stream,
            outcome: Mutex::new(None),
            terms: checker.terms.clone(),
        })
    }
}

#[pymethods]
impl Checking {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.stream.next(py)? {
            Some(News::Judged(episode)) => {
                report::episode(py, Arc::from(episode), self.terms.clone()).map(Some)
            }
            Some(News::Over(end)) => {
                let outcome = end.map_err(|error| error.raised(py))?;
                *locked(&self.outcome) = Some(outcome);
                Ok(None)
            }
            None => Ok(None),
        }
    }

    /// A report without episodes: the totals and the faults; `None` while the check goes on.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // Python runs while the report is made, and must not wait for this lock then.
        let outcome = locked(&self.outcome);
        let judged = outcome.as_ref().map(|outcome| Judged {
            origin: None,
            episodes: Vec::new(),
            totals: outcome.totals,
            faults: outcome.faults.clone(),
            terms: self.terms.clone(),
        });
        drop(outcome);
        judged
            .map(|judged| report::report(py, judged))
            .transpose()
    }
}
