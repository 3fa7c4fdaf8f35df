//! A policy in Python -> one that the recorder asks.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use runvet::read::policy::{Advice, Change, Policy, Scope};
use runvet::record::{State, Step};

use crate::exiting::calling;
use crate::json::{object, value};

/// A policy that was written in Python.
pub(crate) struct PythonPolicy {
    policy: Py<PyAny>,
    name: String,
    version: String,
    raised: Raised,
}

/// The last exception that a policy of a recorder raised, until it is passed on.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn set(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// An exception such as Ctrl-C, which ends more than a call: nobody should go on after it.
    pub(crate) fn take_exit(&self, py: Python<'_>) -> Option<PyErr> {
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_exit = |error: &mut PyErr| !error.is_instance_of::<PyException>(py);
        raised.take_if(is_exit)
    }
}

/// Advice as Python tells it: its kind, what it says, and how sure the policy is or what it blocks.
type Parts<'py> = (String, Bound<'py, PyAny>, Bound<'py, PyAny>);

impl PythonPolicy {
    pub(crate) fn new(policy: &Bound<'_, PyAny>, raised: Raised) -> PyResult<Self> {
        Ok(Self {
            name: policy.getattr("name")?.extract()?,
            version: policy.getattr("version")?.extract()?,
            policy: policy.clone().unbind(),
            raised,
        })
    }

    fn ask(&self, py: Python<'_>, state: &State, step: Option<&Step>) -> PyResult<Advice> {
        static ASK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let ask = ASK.get_or_try_init(py, || {
            let ask = py.import("runvet._policy")?.getattr("advice_of")?;
            PyResult::Ok(ask.unbind())
        })?;
        let step = step.map(|step| object(py, step)).transpose()?;
        let advice = ask.call1(py, (&self.policy, object(py, state)?, step))?;
        if advice.is_none(py) {
            return Ok(Advice::Nothing);
        }
        let (kind, what, how): Parts<'_> = advice.extract(py)?;
        Ok(match &*kind {
            "hint" => Advice::Hint {
                text: what.extract()?,
                confidence: how.extract()?,
            },
            "intervention" => Advice::Intervention {
                change: change(&what)?,
                confidence: how.extract()?,
            },
            _ => Advice::Veto {
                reason: what.extract()?,
                scope: if how.extract::<String>()? == "run" {
                    Scope::Run
                } else {
                    Scope::Step
                },
            },
        })
    }
}

impl PythonPolicy {
    fn advice(&self, state: &State, step: Option<&Step>) -> Advice {
        let asked = Python::attach(|py| calling(py, || self.ask(py, state, step)));
        asked.unwrap_or_else(|error| {
            self.raised.set(error);
            // A policy that failed vetoes, as one does that panics; but nothing is printed.
            std::panic::resume_unwind(Box::new("a policy raised an exception"))
        })
    }
}

/// A change of the plan; the recorder says so where it does not understand it.
fn change(change: &Bound<'_, PyAny>) -> PyResult<Change> {
    serde_json::from_value(value(change)?).map_err(crate::json::unwritable)
}

impl Policy for PythonPolicy {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn advise(&self, state: &State) -> Advice {
        self.advice(state, None)
    }

    fn advise_on_step(&self, state: &State, step: &Step) -> Advice {
        self.advice(state, Some(step))
    }
}
