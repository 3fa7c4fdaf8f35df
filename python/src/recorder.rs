//! The recorder, for Python: calls that let go of the interpreter while they write.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use runvet::read::policy::Scope;
use runvet::record::{Action, StepKind, StepStatus};
use runvet::recorder::{
    self, Assertion, Clock, Durability, End, Error, Gate, Recovered, StepDraft, StepEnd, Task,
    Verdict, Veto,
};
use serde_json::Value;

use crate::errors;
use crate::json::{map, object, unwritable, value};
use crate::policy::{PythonPolicy, Raised};

/// Where and how runs are recorded.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Recorder {
    recorder: recorder::Recorder,
    raised: Raised,
}

/// A clock that ticks with each question, so that the same calls write the same bytes.
struct Ticking {
    micros: u64,
    step: u64,
}

impl Clock for Ticking {
    fn now(&mut self) -> SystemTime {
        self.micros += self.step;
        UNIX_EPOCH + Duration::from_micros(self.micros)
    }

    fn random(&mut self) -> [u8; 10] {
        [7; 10]
    }
}

#[pymethods]
impl Recorder {
    #[new]
    fn new(
        run_data: PathBuf,
        policies: Vec<Bound<'_, PyAny>>,
        threshold: Option<f64>,
        durability: &str,
        clock: Option<(u64, u64)>,
    ) -> PyResult<Self> {
        let raised = Raised::default();
        let mut recorder = recorder::Recorder::new(run_data).durability(durability_of(durability)?);
        for policy in &policies {
            recorder = recorder.policy(PythonPolicy::new(policy, raised.clone())?);
        }
        if let Some(threshold) = threshold {
            if !(0.0..=1.0).contains(&threshold) {
                let message = format!("the threshold is {threshold}, not between 0 and 1");
                return Err(PyValueError::new_err(message));
            }
            recorder = recorder.threshold(threshold);
        }
        if let Some((micros, step)) = clock {
            recorder = recorder.clock(Ticking { micros, step });
        }
        Ok(Self { recorder, raised })
    }

    #[expect(clippy::too_many_arguments, reason = "all that a task may say")]
    fn begin(
        &self,
        py: Python<'_>,
        text: String,
        kind: Option<String>,
        seed: Option<Bound<'_, PyAny>>,
        tags: Option<Bound<'_, PyAny>>,
        using: Option<String>,
        workspace: Option<PathBuf>,
        verify: Vec<(String, String, Option<String>)>,
    ) -> PyResult<Run> {
        let mut task = Task::new(text);
        if let Some(kind) = kind {
            task = task.kind(kind);
        }
        if let Some(seed) = seed {
            let Value::Number(seed) = value(&seed)? else {
                return Err(PyValueError::new_err("the seed is not a number"));
            };
            task = task.seed(seed);
        }
        for (name, value) in tags.as_ref().map(map).transpose()?.unwrap_or_default() {
            task = task.tag(name, value);
        }
        if let Some(label) = using {
            task = task.using(label);
        }
        if let Some(workspace) = workspace {
            task = task.workspace(workspace);
        }
        for (name, target, text) in verify {
            task = task.verify(match (&*name, text) {
                ("file_contains", Some(text)) => Assertion::file_contains(target, text),
                _ => Assertion::file_exists(target),
            });
        }
        let begun = py.detach(|| self.recorder.begin(task));
        self.run(py, begun)
    }

    fn resume(&self, py: Python<'_>, id: &str) -> PyResult<Run> {
        let resumed = py.detach(|| self.recorder.resume(id));
        self.run(py, resumed)
    }

    /// What was done, and the number of bytes that were cut off.
    fn recover(&self, py: Python<'_>, id: &str) -> PyResult<(&'static str, u64)> {
        let recovered = py.detach(|| self.recorder.recover(id));
        let recovered = recovered.map_err(|error| errors::of_recorder(py, &error))?;
        Ok(match recovered {
            Recovered::Cut { bytes } => ("cut", bytes),
            Recovered::Completed(_) => ("completed", 0),
            _ => ("intact", 0),
        })
    }

    fn abandon(&self, py: Python<'_>, id: &str, reason: &str) -> PyResult<PathBuf> {
        let abandoned = py.detach(|| self.recorder.abandon(id, reason));
        let recorded = abandoned.map_err(|error| errors::of_recorder(py, &error))?;
        Ok(recorded.path)
    }
}

impl Recorder {
    fn run(&self, py: Python<'_>, begun: Result<recorder::Run, Error>) -> PyResult<Run> {
        let run = begun.map_err(|error| errors::of_recorder(py, &error))?;
        Ok(Run {
            id: run.id().to_owned(),
            path: run.path().to_owned(),
            slot: Mutex::new(Slot::Idle(Box::new(run))),
            freed: Condvar::new(),
            owner: std::process::id(),
            raised: self.raised.clone(),
        })
    }
}

fn durability_of(word: &str) -> PyResult<Durability> {
    match word {
        "process" => Ok(Durability::Process),
        "snapshot" => Ok(Durability::Snapshot),
        "event" => Ok(Durability::Event),
        _ => Err(PyValueError::new_err(format!(
            "durability is {word:?}, not 'process', 'snapshot' or 'event'"
        ))),
    }
}

/// A run that is being recorded. Threads take turns.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Run {
    id: String,
    path: PathBuf,
    slot: Mutex<Slot>,
    freed: Condvar,
    owner: u32,
    raised: Raised,
}

enum Slot {
    Idle(Box<recorder::Run>),
    /// A thread has it.
    Busy(ThreadId),
    /// The run is paused or has ended.
    Over,
}

/// Why a call did not come to anything.
enum Failed {
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
struct Turn<'r> {
    of: &'r Run,
    run: Option<Box<recorder::Run>>,
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
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn is_over(&self) -> bool {
        let slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*slot, Slot::Over)
    }

    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = self.with(py, |run| Ok(run.state().clone()))?;
        object(py, &state)
    }

    /// The ids of the steps with some status.
    fn steps_that_are(&self, py: Python<'_>, statuses: Vec<String>) -> PyResult<Vec<String>> {
        self.with(py, |run| Ok(with_status(run, &statuses)))
    }

    fn note(&self, py: Python<'_>, phase: &str, payload: Bound<'_, PyAny>) -> PyResult<String> {
        let payload = map(&payload)?;
        self.with(py, |run| run.note(phase, payload))
    }

    fn plan(&self, py: Python<'_>, steps: Vec<Step<'_>>, source: &str) -> PyResult<Vec<String>> {
        let mut drafts = Vec::new();
        for (id, kind, description, rationale, inputs) in steps {
            let kind: StepKind = kind
                .parse()
                .map_err(|error: runvet::UnknownWord| PyValueError::new_err(error.to_string()))?;
            let mut draft = StepDraft::new(id, kind, description);
            draft.rationale = rationale;
            draft.inputs = inputs.as_ref().map(map).transpose()?;
            drafts.push(draft);
        }
        match self.with(py, |run| run.plan(drafts, source))? {
            Verdict::Go { hints } => Ok(hints),
            Verdict::Vetoed(veto) => Err(self.vetoed(py, &veto, None)),
        }
    }

    fn open(&self, py: Python<'_>, step: &str) -> PyResult<OpenStep> {
        match self.with(py, |run| run.open(step))? {
            Gate::Go(step) => Ok(OpenStep {
                id: step.id().to_owned(),
                hints: step.hints().to_vec(),
                step: Mutex::new(Some(step)),
            }),
            Gate::Vetoed(veto) => Err(self.vetoed(py, &veto, Some(step))),
            Gate::Skipped => Err(errors::step_skipped(py, step)),
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
    fn finish(
        &self,
        py: Python<'_>,
        status: &str,
        reason: Bound<'_, PyAny>,
        artifacts: Vec<String>,
        metrics: Option<Bound<'_, PyAny>>,
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
