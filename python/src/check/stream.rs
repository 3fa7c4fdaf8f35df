//! Paths -> judged episodes, one after the other, from a thread that ends with its iterator.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use runvet::finding::EpisodeReport;
use runvet::gate::{Gate, Outcome};
use runvet::store::Fault;

use super::Checker;
use crate::errors;
use crate::report::{self, Judged, Terms};
use crate::stream::Stream;

/// What the thread of a check says.
pub(super) enum News {
    Judged(Box<EpisodeReport>),
    /// A given path does not exist, or is nothing that can be checked.
    Wrong(Fault),
    /// Globs of this configuration match no directory.
    Unmet(PathBuf, String),
    Over(Box<Outcome>),
}

/// Begins to judge all episodes below paths.
pub(super) fn start(checker: &Checker, paths: Vec<PathBuf>) -> Stream<News> {
    let mut gate = checker.gate.clone();
    let strict = checker.strict.clone();
    Stream::start(move |sender| judge(&mut gate, &paths, strict, sender))
}

/// What the thread does. Where nobody receives any more, it stops.
fn judge(gate: &mut Gate, paths: &[PathBuf], strict: Option<PathBuf>, sender: &SyncSender<News>) {
    let mut selection = gate.discover(paths);
    if let Some(wrong) = selection.faults.iter().position(Fault::is_of_given_path) {
        let _ = sender.send(News::Wrong(selection.faults.swap_remove(wrong)));
        return;
    }
    let given: BTreeSet<&PathBuf> = paths.iter().filter(|_| strict.is_some()).collect();
    let found = selection.episodes.iter().map(|episode| &episode.path);
    let episodes: BTreeSet<PathBuf> = found.filter(|path| given.contains(path)).cloned().collect();
    let outcome = gate.each(selection, |judged| match judged {
        Ok(episode) => match sender.send(News::Judged(Box::new(episode))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        },
        // It is among the faults of the outcome.
        Err(_) => ControlFlow::Continue(()),
    });
    let unmet = match strict {
        Some(file) if outcome.is_complete => {
            let globs = gate.unmet_globs(paths, |path| episodes.contains(path));
            (!globs.is_empty()).then(|| News::Unmet(file, globs.join("\n")))
        }
        _ => None,
    };
    let _ = sender.send(unmet.unwrap_or_else(|| News::Over(Box::new(outcome))));
}

/// Reports of episodes, each as soon as it is judged.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Checking {
    stream: Stream<News>,
    outcome: Mutex<Option<Box<Outcome>>>,
    terms: Terms,
}

impl Checking {
    pub(super) fn new(stream: Stream<News>, terms: Terms) -> Self {
        Self {
            stream,
            outcome: Mutex::new(None),
            terms,
        }
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
            Some(News::Wrong(fault)) => Err(errors::fault(py, &fault)),
            Some(News::Unmet(file, why)) => Err(errors::wrong_file(py, &file, &why)),
            Some(News::Over(outcome)) => {
                *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
                Ok(None)
            }
            None => Ok(None),
        }
    }

    /// A report without episodes: the totals and the faults; `None` while the check goes on.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // Python runs while the report is made, and must not wait for this lock then.
        let outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let judged = outcome.as_ref().map(|outcome| Judged {
            episodes: Vec::new(),
            totals: outcome.totals,
            faults: outcome.faults.clone(),
            terms: self.terms.clone(),
        });
        drop(outcome);
        judged.map(|judged| report::report(py, judged)).transpose()
    }
}
