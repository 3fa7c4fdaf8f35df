//! The threads of Python -> one at a time that calls a run, without the lock of the interpreter.

use std::sync::PoisonError;
use std::thread::{self, ThreadId};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use runvet::recorder::{self, Error};

use super::run::Run;
use crate::errors;

/// Where a run is.
pub(super) enum Slot {
    Idle(Box<recorder::Run>),
    /// A thread has it.
    Busy(ThreadId),
    /// The run is paused or has ended.
    Over,
}

/// Why a call did not come to anything.
pub(super) enum Failed {
    Recorder(Error),
    /// The run is paused or has ended.
    Over,
    /// The caller is itself called by the run: it is a policy.
    Within,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Recorder(error)
    }
}

/// Puts a run back when its turn is over, also where a call panics.
pub(super) struct Turn<'r> {
    of: &'r Run,
    pub(super) run: Option<Box<recorder::Run>>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut slot = self.of.slot.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = self.run.take().map_or(Slot::Over, Slot::Idle);
        self.of.freed.notify_one();
    }
}

impl Run {
    /// Calls the run without the lock of the interpreter, when no other thread does.
    pub(super) fn with<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut recorder::Run) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        self.taking(py, |turn| match &mut turn.run {
            Some(run) => Ok(call(run)?),
            None => Err(Failed::Over),
        })
    }

    pub(super) fn taking<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Turn<'_>) -> Result<T, Failed> + Send,
    ) -> PyResult<T> {
        if self.owner != std::process::id() {
            let owner = self.owner;
            return Err(errors::of_recorder(py, &Error::Forked { owner }));
        }
        let done = py.detach(|| call(&mut self.turn()?));
        if let Some(exit) = self.raised.take_exit(py) {
            return Err(exit);
        }
        done.map_err(|failed| match failed {
            Failed::Recorder(error) => errors::of_recorder(py, &error),
            Failed::Over => errors::over(py, &self.id),
            Failed::Within => PyRuntimeError::new_err(
                "a policy can't call the run that asks it; return a Hint, Intervention or Veto",
            ),
        })
    }

    fn turn(&self) -> Result<Turn<'_>, Failed> {
        let this = thread::current().id();
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*slot {
                Slot::Busy(by) if *by == this => return Err(Failed::Within),
                Slot::Busy(_) => {
                    slot = self
                        .freed
                        .wait(slot)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Slot::Over => {
                    self.freed.notify_one();
                    return Err(Failed::Over);
                }
                Slot::Idle(_) => {
                    return Ok(match std::mem::replace(&mut *slot, Slot::Busy(this)) {
                        Slot::Idle(run) => Turn {
                            of: self,
                            run: Some(run),
                        },
                        _ => return Err(Failed::Over),
                    });
                }
            }
        }
    }
}
