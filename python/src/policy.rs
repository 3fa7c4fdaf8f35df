//! A policy in Python -> one that the recorder asks, and the state of a run -> what it is shown.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;
use runvet::read::policy::{Advice, Change, Policy, Scope};
use runvet::record::{Action, Belief, Fact, State, Step};
use serde::Serialize;
use serde_json::json;

use crate::exiting::calling;
use crate::json::{object, value};
use crate::locked;

/// A policy that was written in Python.
pub(crate) struct PythonPolicy {
    policy: Py<PyAny>,
    name: String,
    version: String,
    raised: Raised,
    shown: Shown,
}

/// The last exception that a policy of a recorder raised, until it is passed on.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    pub(crate) fn set(&self, error: PyErr) {
        *locked(&self.0) = Some(error);
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        locked(&self.0).take()
    }

    /// An exception such as Ctrl-C, which ends more than a call: nobody should go on after it.
    pub(crate) fn take_exit(&self, py: Python<'_>) -> Option<PyErr> {
        let mut raised = locked(&self.0);
        let is_exit = |error: &mut PyErr| !error.is_instance_of::<PyException>(py);
        raised.take_if(is_exit)
    }
}

/// The items of a run that policies were shown: those that have not changed since are shown again
/// as they are, so that a question costs what is new.
#[derive(Clone, Default)]
pub(crate) struct Shown(Arc<Mutex<BTreeMap<String, Items>>>);

/// The items of a state that become more and more.
#[derive(Default)]
struct Items {
    beliefs: List<Belief>,
    steps: List<Step>,
    facts: List<Fact>,
    actions: List<Action>,
}

/// Items, each with the object that is shown for it.
struct List<T>(Vec<(T, Py<PyAny>)>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone + PartialEq + Serialize + Sync> List<T> {
    fn of<'py>(&mut self, py: Python<'py>, items: &[T]) -> PyResult<Bound<'py, PyList>> {
        let frozen = function(py, "frozen")?;
        self.0.truncate(items.len());
        for (at, item) in items.iter().enumerate() {
            let known = self.0.get_mut(at);
            if known
                .as_ref()
                .is_some_and(|(known, _)| known == item)
            {
                continue;
            }
            let made = (
                item.clone(),
                frozen
                    .call1((object(py, item)?,))?
                    .unbind(),
            );
            match known {
                Some(known) => *known = made,
                None => self.0.push(made),
            }
        }
        PyList::new(py, self.0.iter().map(|(_, shown)| shown))
    }
}

impl Shown {
    /// The state as a dictionary that can't be changed.
    pub(crate) fn of<'py>(&self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyAny>> {
        let runs = || locked(&self.0);
        // Python runs in between, and must not wait for the lock.
        let mut items = runs()
            .remove(&state.episode.id)
            .unwrap_or_default();
        let (memory, outcomes) = (state.memory.as_ref(), &state.outcomes);
        let lists = (
            items.beliefs.of(
                py,
                state
                    .beliefs
                    .as_deref()
                    .unwrap_or_default(),
            )?,
            items.steps.of(py, &state.plan.steps)?,
            items.facts.of(
                py,
                memory
                    .and_then(|it| it.facts.as_deref())
                    .unwrap_or_default(),
            )?,
            items.actions.of(
                py,
                outcomes
                    .actions
                    .as_deref()
                    .unwrap_or_default(),
            )?,
        );
        runs().insert(state.episode.id.clone(), items);
        // Each list is put where an empty one stands for it.
        let rest = json!({
            "version": state.version,
            "state_schema_version": state.state_schema_version,
            "episode": state.episode,
            "goal": state.goal,
            "beliefs": state.beliefs.as_ref().map(|_| [(); 0]),
            "plan": {
                "steps": [],
                "source": state.plan.source,
                "updated_at": state.plan.updated_at,
                "rationale": state.plan.rationale,
            },
            "memory": memory.map(|it| json!({
                "facts": it.facts.as_ref().map(|_| [(); 0]),
                "scratchpad": it.scratchpad,
            })),
            "outcomes": {
                "status": outcomes.status,
                "actions": outcomes.actions.as_ref().map(|_| [(); 0]),
                "metrics": outcomes.metrics,
                "artifacts": outcomes.artifacts,
                "error": outcomes.error,
            },
            "links": state.links,
        });
        function(py, "shown")?.call1((object(py, &rest)?, lists))
    }

    pub(crate) fn forget(&self, id: &str) {
        locked(&self.0).remove(id);
    }
}

/// A function of `runvet._policy`.
fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || {
        PyResult::Ok(
            py.import("runvet._policy")?
                .into_any()
                .unbind(),
        )
    })?;
    module.bind(py).getattr(name)
}

/// Advice as Python tells it: its kind, what it says, and how sure the policy is or what it blocks.
type Parts<'py> = (String, Bound<'py, PyAny>, Bound<'py, PyAny>);

impl PythonPolicy {
    pub(crate) fn new(policy: &Bound<'_, PyAny>, raised: Raised, shown: Shown) -> PyResult<Self> {
        Ok(Self {
            name: policy.getattr("name")?.extract()?,
            version: policy.getattr("version")?.extract()?,
            policy: policy.clone().unbind(),
            raised,
            shown,
        })
    }

    fn ask(&self, py: Python<'_>, state: &State, step: Option<&Step>) -> PyResult<Advice> {
        let step = step
            .map(|step| object(py, step))
            .transpose()?;
        let advice =
            function(py, "advice_of")?.call1((&self.policy, self.shown.of(py, state)?, step))?;
        if advice.is_none() {
            return Ok(Advice::Nothing);
        }
        let (kind, what, how): Parts<'_> = advice.extract()?;
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
