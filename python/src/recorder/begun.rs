//! Acts that begin -> acts with a result, or without one where a run ends before them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use runvet::record::{Action, StepStatus};
use runvet::recorder::{self, OpenStep, Run};
use serde_json::Value;

use crate::locked;

/// The acts of a run that have begun, and are neither recorded nor forgotten.
#[derive(Default)]
pub(super) struct Begun {
    acts: Arc<Mutex<Acts>>,
}

#[derive(Default)]
struct Acts {
    /// The number of acts that have ever begun.
    count: u64,
    open: BTreeMap<u64, Act>,
}

struct Act {
    step: Option<OpenStep>,
    action: Action,
}

/// An act or a note that may be made, until it is recorded.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Allowed {
    pub(super) id: u64,
    acts: Option<Arc<Mutex<Acts>>>,
    /// What keeps it under way.
    rules: Mutex<Option<recorder::Allowed>>,
}

impl Begun {
    pub(super) fn add(
        &self,
        step: Option<OpenStep>,
        action: Action,
        allowed: Option<recorder::Allowed>,
    ) -> Allowed {
        let mut acts = locked(&self.acts);
        acts.count += 1;
        let id = acts.count;
        acts.open
            .insert(id, Act { step, action });
        Allowed {
            id,
            acts: Some(Arc::clone(&self.acts)),
            rules: Mutex::new(allowed),
        }
    }

    /// Records all acts as ones without a result; returns their tools by their numbers. In a step
    /// that is over, they are acts of none.
    pub(super) fn give_up(&self, run: &mut Run) -> BTreeMap<u64, String> {
        let open = std::mem::take(&mut locked(&self.acts).open);
        let mut tools = BTreeMap::new();
        for (id, act) in open {
            let Act { step, mut action } = act;
            let tool = action
                .tool
                .as_ref()
                .and_then(Value::as_str);
            tools.insert(id, tool.unwrap_or_default().to_owned());
            action.result_status = Some("missing".into());
            let step = step.filter(|step| is_open(run, step));
            // One that can't be recorded is counted.
            let _ = run.act(step.as_ref(), action);
        }
        tools
    }
}

#[pymethods]
impl Allowed {
    /// Returns `true` if the act is recorded, perhaps without a result.
    pub(super) fn is_given_up(&self) -> bool {
        let acts = self.acts.as_deref();
        acts.is_some_and(|acts| !locked(acts).open.contains_key(&self.id))
    }
}

impl Allowed {
    pub(super) fn of_note(allowed: recorder::Allowed) -> Self {
        Self {
            id: 0,
            acts: None,
            rules: Mutex::new(Some(allowed)),
        }
    }

    /// Takes what keeps the act under way.
    pub(super) fn take(&self) -> Option<recorder::Allowed> {
        self.forget();
        locked(&self.rules).take()
    }

    fn forget(&self) {
        if let Some(acts) = &self.acts {
            locked(acts).open.remove(&self.id);
        }
    }
}

impl Drop for Allowed {
    /// An act that nobody goes on with is not under way.
    fn drop(&mut self) {
        self.forget();
    }
}

fn is_open(run: &Run, step: &OpenStep) -> bool {
    let mut steps = run.state().plan.steps.iter();
    steps.any(|it| it.id == step.id() && it.status == StepStatus::Running)
}
