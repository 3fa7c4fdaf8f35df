//! One run, for Python: its calls, and those of its open steps.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use runvet::read::policy::Scope;
use runvet::record::{Action, StepKind, StepStatus};
use runvet::recorder::{
    self, End, Error, Evaluated, PolicyDecision, StepDecision, StepDraft, StepEnd, Veto,
};
use serde_json::Value;

use super::turns::{Failed, Turn, Turns};
use crate::errors;
use crate::json::{map, object, unwritable, value};
use crate::policy::Raised;

/// A run that is being recorded. Threads take turns.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Run {
    id: String,
    path: PathBuf,
    turns: Turns,
    raised: Raised,
}

impl Run {
    pub(super) fn new(run: recorder::Run, raised: Raised) -> Self {
        Self {
            id: run.id().to_owned(),
            path: run.path().to_owned(),
            turns: Turns::new(run),
            raised,
        }
    }

    /// Calls the run without the lock of the interpreter, when no other thread does.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut recorder::Run) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        self.taking(py, |turn| match &mut turn.run {
            Some(run) => Ok(call(run)?),
            None => Err(Failed::Over),
        })
    }

    fn taking<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Turn<'_>) -> Result<T, Failed> + Send,
    ) -> PyResult<T> {
        let held = self.turns.hold_here();
        held.map_err(|forked| errors::of_recorder(py, &forked))?;
        let done = py.detach(|| call(&mut self.turns.take()?));
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

    /// A veto as an exception; one of a policy that failed has its exception as the cause.
    fn vetoed(&self, py: Python<'_>, veto: &Veto, step: Option<&str>) -> PyErr {
        let error = errors::vetoed(
            py,
            (&veto.policy, &veto.reason, veto.scope.word()),
            step.filter(|_| veto.scope == Scope::Step),
        );
        error.set_cause(py, self.raised.take());
        error
    }
}

/// A step as Python says it: id, kind, description, rationale, inputs.
type Step<'py> = (
    String,
    String,
    String,
    Option<String>,
    Option<Bound<'py, PyAny>>,
);

#[pymethods]
impl Run {
    #[getter]
    fn id(&self) -> &str {
        &self.id
    }

    #[getter]
    fn path(&self) -> OsString {
        self.path.clone().into()
    }

    fn is_over(&self) -> bool {
        self.turns.are_over()
    }

    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = self.with(py, |run| Ok(run.state().clone()))?;
        object(py, &state)
    }

    /// The ids of the steps with some status.
    fn steps_that_are(&self, py: Python<'_>, statuses: Vec<String>) -> PyResult<Vec<String>> {
        self.with(py, |run| Ok(with_status(run, &statuses)))
    }

    fn at(&self, py: Python<'_>, micros: i64) -> PyResult<()> {
        self.with(py, |run| run.at(super::time(micros)))
    }

    fn note(&self, py: Python<'_>, phase: &str, payload: Bound<'_, PyAny>) -> PyResult<String> {
        let payload = map(&payload)?;
        self.with(py, |run| run.note(phase, payload))
    }

    fn plan(&self, py: Python<'_>, steps: Vec<Step<'_>>, source: &str) -> PyResult<Vec<String>> {
        let mut drafts = Vec::new();
        for (id, kind, description, rationale, inputs) in steps {
            let kind: StepKind = kind.parse().map_err(errors::unknown_word("kind"))?;
            let mut draft = StepDraft::new(id, kind, description);
            if let Some(rationale) = rationale {
                draft = draft.rationale(rationale);
            }
            if let Some(inputs) = inputs {
                draft = draft.inputs(map(&inputs)?);
            }
            drafts.push(draft);
        }
        match self.with(py, |run| run.plan(drafts, source))? {
            PolicyDecision::Go { hints } => Ok(hints),
            PolicyDecision::Vetoed(veto) => Err(self.vetoed(py, &veto, None)),
        }
    }

    fn open(&self, py: Python<'_>, step: &str) -> PyResult<OpenStep> {
        match self.with(py, |run| run.open(step))? {
            StepDecision::Go(step) => Ok(OpenStep {
                id: step.id().to_owned(),
                hints: step.hints().to_vec(),
                step: Mutex::new(Some(step)),
            }),
            StepDecision::Vetoed(veto) => Err(self.vetoed(py, &veto, Some(step))),
            StepDecision::Skipped => Err(errors::step_skipped(py, step)),
        }
    }

    fn act(&self, py: Python<'_>, step: &OpenStep, action: Bound<'_, PyAny>) -> PyResult<String> {
        let action: Action = serde_json::from_value(value(&action)?).map_err(unwritable)?;
        let open = step.take()?;
        let acted = self.with(py, |run| run.act(&open, action));
        step.put(open);
        acted
    }

    /// Ends a step: `done` with outputs, `failed` with an error, `skipped` with a reason.
    fn close(
        &self,
        py: Python<'_>,
        step: &OpenStep,
        end: &str,
        with: Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let end = match end {
            "done" if with.is_none() => StepEnd::Done,
            "done" => StepEnd::DoneWith(map(&with)?),
            "failed" => StepEnd::Failed(match value(&with)? {
                Value::Null => "unknown".into(),
                error => error,
            }),
            _ => StepEnd::Skipped(with.extract()?),
        };
        let open = step.take()?;
        self.with(py, |run| run.close(open, end))
    }

    fn believe(
        &self,
        py: Python<'_>,
        statement: &str,
        confidence: f64,
        provenance: &str,
    ) -> PyResult<String> {
        self.with(py, |run| run.believe(statement, confidence, provenance))
    }

    fn remember(
        &self,
        py: Python<'_>,
        key: &str,
        fact: Bound<'_, PyAny>,
        provenance: Option<&str>,
    ) -> PyResult<String> {
        let fact = value(&fact)?;
        self.with(py, |run| run.remember(key, fact, provenance))
    }

    fn jot(&self, py: Python<'_>, text: &str) -> PyResult<String> {
        self.with(py, |run| run.jot(text))
    }

    fn reflect(&self, py: Python<'_>, payload: Bound<'_, PyAny>) -> PyResult<String> {
        let payload = map(&payload)?;
        self.with(py, |run| run.reflect(payload))
    }

    fn propose(
        &self,
        py: Python<'_>,
        proposal: Bound<'_, PyAny>,
        applied: bool,
    ) -> PyResult<String> {
        let proposal = map(&proposal)?;
        self.with(py, |run| run.propose(proposal, applied))
    }

    fn persist(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, recorder::Run::persist)
    }

    fn pause(&self, py: Python<'_>, reason: &str) -> PyResult<()> {
        self.taking(py, |turn| {
            let run = turn.run.take().ok_or(Failed::Over)?;
            // A refused pause would end this process's part in the run all the same.
            if with_status(&run, &["running".into()]).is_empty() {
                run.pause(reason)?;
                return Ok(());
            }
            let refused = Error::Refused {
                what: "pausing",
                why: "a step is open".into(),
            };
            turn.run = Some(run);
            Err(refused.into())
        })
    }

    /// Ends the run. Where that is refused, it goes on.
    #[expect(clippy::too_many_arguments, reason = "all that an end may say")]
    fn finish(
        &self,
        py: Python<'_>,
        status: &str,
        reason: Bound<'_, PyAny>,
        artifacts: Vec<String>,
        metrics: Option<Bound<'_, PyAny>>,
        evaluated: Vec<(String, bool, Option<String>)>,
        score: Option<f64>,
    ) -> PyResult<()> {
        let why = || -> PyResult<String> {
            let why: Option<String> = reason.extract()?;
            Ok(why.unwrap_or_else(|| status.to_owned()))
        };
        let mut end = match status {
            "ok" => End::ok(),
            "partial" => End::partial(why()?),
            "vetoed" => End::vetoed(why()?),
            "aborted" => End::aborted(why()?),
            "error" => End::error(value(&reason)?),
            _ => {
                return Err(PyValueError::new_err(format!(
                    "status is {status:?}, not 'ok', 'partial', 'vetoed', 'aborted' or 'error'"
                )));
            }
        };
        for artifact in artifacts {
            end = end.artifact(artifact);
        }
        for (name, value) in metrics.as_ref().map(map).transpose()?.unwrap_or_default() {
            end = end.metric(name, value);
        }
        for (name, passed, message) in evaluated {
            let evaluated = Evaluated::new(name, passed);
            end = end.evaluated(match message {
                Some(message) => evaluated.message(message),
                None => evaluated,
            });
        }
        if let Some(score) = score {
            end = end.score(score);
        }
        self.taking(py, |turn| {
            let run = turn.run.as_mut().ok_or(Failed::Over)?;
            run.end(end)?;
            turn.run = None;
            Ok(())
        })
    }
}

fn with_status(run: &recorder::Run, statuses: &[String]) -> Vec<String> {
    let is_one = |status: StepStatus| statuses.iter().any(|word| word == status.word());
    let steps = run.state().plan.steps.iter();
    let found = steps.filter(|step| is_one(step.status));
    found.map(|step| step.id.clone()).collect()
}

/// A step that is open, and closes once.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct OpenStep {
    #[pyo3(get)]
    id: String,
    #[pyo3(get)]
    hints: Vec<String>,
    step: Mutex<Option<recorder::OpenStep>>,
}

#[pymethods]
impl OpenStep {
    fn is_closed(&self) -> bool {
        let step = self.step.lock().unwrap_or_else(PoisonError::into_inner);
        step.is_none()
    }
}

impl OpenStep {
    fn take(&self) -> PyResult<recorder::OpenStep> {
        let taken = self
            .step
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        taken.ok_or_else(|| {
            PyRuntimeError::new_err(format!("the step {:?} is closed already", self.id))
        })
    }

    fn put(&self, step: recorder::OpenStep) {
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = Some(step);
    }
}
