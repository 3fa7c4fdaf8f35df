//! One run, for Python: its calls, and those of its open steps.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use runvet::finding::Finding;
use runvet::read::policy::Scope;
use runvet::record::{Action, Step as PlanStep, StepStatus};
use runvet::recorder::{
    self, ActDecision, End, Error, PolicyDecision, StepDecision, StepDraft, StepEnd, Veto,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::begun::{Allowed, Begun};
use super::turns::{Failed, Turn, Turns};
use crate::errors;
use crate::exiting::{calling, ends_elsewhere};
use crate::json::{Encoder, Text, object, unwritable};
use crate::policy::{Raised, Shown};
use crate::{finding, locked};

/// A run that is being recorded. Threads take turns.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Run {
    id: String,
    path: PathBuf,
    turns: Turns,
    raised: Raised,
    shown: Shown,
    encoder: Arc<Encoder>,
    /// The findings, as Python has them.
    findings: Py<PyList>,
    known: Mutex<BTreeSet<About>>,
    /// The status with which the run has ended.
    ended: OnceLock<String>,
    begun: Begun,
}

/// The subject of a finding: its rule, its file, its pointer, and its line in a timeline.
type About = (String, String, Option<String>, Option<u64>);

impl Drop for Run {
    fn drop(&mut self) {
        self.shown.forget(&self.id);
    }
}

impl Run {
    pub(super) fn new(
        py: Python<'_>,
        run: recorder::Run,
        raised: Raised,
        shown: Shown,
        encoder: Arc<Encoder>,
    ) -> Self {
        Self {
            id: run.id().to_owned(),
            path: run.path().to_owned(),
            turns: Turns::new(run),
            raised,
            shown,
            encoder,
            findings: PyList::empty(py).unbind(),
            known: Mutex::default(),
            ended: OnceLock::new(),
            begun: Begun::default(),
        }
    }

    /// Notes what was found in a run that has just been begun.
    pub(super) fn heed_beginning(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, None, |_| Ok(()))
    }

    /// Calls the run without the lock of the interpreter, when no other thread does. A step gets
    /// what is found in its calls too.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        step: Option<&OpenStep>,
        call: impl FnOnce(&mut recorder::Run) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        self.taking(py, step, |turn| Ok(call(turn.run()?)?))
    }

    fn taking<T: Send>(
        &self,
        py: Python<'_>,
        step: Option<&OpenStep>,
        call: impl FnOnce(&mut Turn<'_>) -> Result<T, Failed> + Send,
    ) -> PyResult<T> {
        let held = self.turns.hold_here();
        held.map_err(|forked| errors::of_recorder(py, &forked))?;
        let (done, found) = py.detach(|| match self.turns.take() {
            Ok(mut turn) => (call(&mut turn), turn.take_findings()),
            Err(failed) => (Err(failed), Vec::new()),
        });
        self.heed(py, &found, step)?;
        if let Some(exit) = self.raised.take_exit(py) {
            return Err(exit);
        }
        done.map_err(|failed| match failed {
            Failed::Recorder(error) => errors::of_recorder(py, &error),
            Failed::Over => errors::over(py, &self.id, self.ended.get()),
            Failed::Held => PyRuntimeError::new_err(
                "the interpreter ends, and another thread has the run, whose call has not returned",
            ),
            Failed::Within => PyRuntimeError::new_err(
                "a policy or `ask` can't call the run that asks it; return a Hint, Intervention or \
                 Veto, or an answer",
            ),
        })
    }

    /// Keeps findings, and warns of each that is new: what happened is recorded all the same.
    fn heed(&self, py: Python<'_>, found: &[Finding], step: Option<&OpenStep>) -> PyResult<()> {
        let findings = self.findings.bind(py);
        for finding in found {
            let heeded = calling(py, || {
                let shown = finding::finding(py, finding)?;
                if let Some(step) = step {
                    step.findings.bind(py).append(&shown)?;
                }
                if !self.is_new(finding) {
                    return Ok(());
                }
                findings.append(&shown)?;
                let category = py
                    .import("runvet._errors")?
                    .getattr("FindingWarning")?;
                let message = CString::new(finding.to_string()).unwrap_or_default();
                PyErr::warn(py, &category, &message, 3)
            });
            heeded?;
        }
        Ok(())
    }

    /// Returns `true` if no finding about the same was found before. Its place in a record changes
    /// as that grows.
    fn is_new(&self, finding: &Finding) -> bool {
        let at = &finding.location;
        let has_lines = Path::new(&at.file)
            .extension()
            .is_some_and(|it| it == "jsonl");
        let line = at.line.filter(|_| has_lines);
        let about = (
            finding.rule.clone(),
            at.file.clone(),
            at.pointer.clone(),
            line,
        );
        locked(&self.known).insert(about)
    }

    /// An argument that has the form of the same one in a command of `runvet record`.
    fn typed<T: DeserializeOwned>(&self, argument: &Bound<'_, PyAny>) -> PyResult<T> {
        serde_json::from_value(self.encoder.value(argument)?).map_err(unwritable)
    }

    /// A veto as an exception; one of a policy that failed has its exception as the cause.
    fn vetoed(&self, py: Python<'_>, veto: &Veto, step: Option<&str>) -> PyErr {
        let error = errors::vetoed(
            py,
            (&veto.policy, &veto.reason, &veto.scope.to_string()),
            step.filter(|_| veto.scope == Scope::Step),
        );
        error.set_cause(py, self.raised.take());
        error
    }
}

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
        let state = self.with(py, None, |run| Ok(run.state().clone()))?;
        object(py, &state)
    }

    /// The state as policies see it: it can't be changed, and shares what has not changed with
    /// what was shown before.
    fn shown(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.with(py, None, |run| {
            Ok(Python::attach(|py| {
                calling(py, || Ok(self.shown.of(py, run.state())?.unbind()))
            }))
        })?
    }

    /// The ids of the steps with some status.
    fn steps_that_are(&self, py: Python<'_>, statuses: Vec<String>) -> PyResult<Vec<String>> {
        self.with(py, None, |run| Ok(with_status(run, &statuses)))
    }

    /// Returns the findings so far.
    #[getter]
    fn findings(&self, py: Python<'_>) -> Py<PyList> {
        self.findings.clone_ref(py)
    }

    /// Returns the findings that there would be if an event were recorded now.
    fn would<'py>(
        &self,
        py: Python<'py>,
        phase: Text,
        payload: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let payload = self.encoder.map(&payload)?;
        let found = self.with(py, None, |run| run.would(&phase.0, payload))?;
        let shown = found
            .iter()
            .map(|it| finding::finding(py, it));
        PyList::new(py, shown.collect::<PyResult<Vec<_>>>()?)
    }

    /// Begins an act. With `asks`, it is refused where its step is not open, or the rules of the
    /// team hold it back.
    fn begin(
        &self,
        py: Python<'_>,
        step: Option<&OpenStep>,
        action: Bound<'_, PyAny>,
        asks: bool,
    ) -> PyResult<Allowed> {
        let action: Action = self.typed(&action)?;
        self.taking(py, step, |turn| {
            let run = turn.run()?;
            must_not_end()?;
            let open = step
                .map(OpenStep::must_be_open)
                .transpose();
            if !asks {
                return Ok(self
                    .begun
                    .add(open.ok().flatten(), action, None));
            }
            let open = open?;
            let allowed = run.may_act(open.as_ref(), action.clone())?;
            Ok(self
                .begun
                .add(open, action, Some(allowed)))
        })
    }

    /// Does as `begin`, with the answer of a person; or returns what a person has to be asked.
    fn decide(
        &self,
        py: Python<'_>,
        step: Option<&OpenStep>,
        action: Bound<'_, PyAny>,
        answer: Option<(bool, Text)>,
    ) -> PyResult<(Option<Allowed>, Vec<Py<PyAny>>)> {
        let action: Action = self.typed(&action)?;
        let decided = self.with(py, step, |run| {
            must_not_end()?;
            let open = step
                .map(OpenStep::must_be_open)
                .transpose()?;
            let answer = answer
                .as_ref()
                .map(|(is_yes, by)| (*is_yes, &*by.0));
            Ok(
                match run.decide_act(open.as_ref(), action.clone(), answer)? {
                    ActDecision::Go(allowed) => Ok(self
                        .begun
                        .add(open, action, Some(allowed))),
                    ActDecision::Ask(findings) => Err(findings),
                },
            )
        });
        match decided? {
            Ok(allowed) => Ok((Some(allowed), Vec::new())),
            Err(findings) => {
                let shown = findings
                    .iter()
                    .map(|it| finding::finding(py, it));
                let shown = shown
                    .map(|it| Ok(it?.unbind()))
                    .collect::<PyResult<_>>()?;
                Ok((None, shown))
            }
        }
    }

    /// Records the acts that have begun and have no result, in a run that goes on.
    fn give_up(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, None, |run| {
            self.begun.give_up(run);
            Ok(())
        })
    }

    fn at(&self, py: Python<'_>, micros: Option<i64>) -> PyResult<()> {
        self.with(py, None, |run| run.at(micros.map(super::time)))
    }

    /// Refuses a note of something that is about to be done where the rules of the team hold it
    /// back.
    fn may_note(
        &self,
        py: Python<'_>,
        phase: Text,
        payload: Bound<'_, PyAny>,
    ) -> PyResult<Allowed> {
        let payload = self.encoder.map(&payload)?;
        let allowed = self.with(py, None, |run| run.may_note(&phase.0, payload))?;
        Ok(Allowed::of_note(allowed))
    }

    #[pyo3(signature = (phase, payload, allowed=None))]
    fn note(
        &self,
        py: Python<'_>,
        phase: Text,
        payload: Bound<'_, PyAny>,
        allowed: Option<&Allowed>,
    ) -> PyResult<String> {
        let payload = self.encoder.map(&payload)?;
        self.with(py, None, |run| {
            // It is no longer under way.
            let _over = allowed.map(Allowed::take);
            run.note(&phase.0, payload)
        })
    }

    /// Sets the plan, or adds steps to it.
    fn plan(
        &self,
        py: Python<'_>,
        steps: Bound<'_, PyAny>,
        source: &str,
        adds: bool,
    ) -> PyResult<Vec<String>> {
        let drafts: Vec<StepDraft> = self.typed(&steps)?;
        let planned = self.with(py, None, |run| {
            let known = run
                .state()
                .plan
                .steps
                .iter()
                .filter(|_| adds);
            let known: Vec<StepDraft> = known.map(draft_of).collect();
            run.plan(known.into_iter().chain(drafts), source)
        });
        match planned? {
            PolicyDecision::Go { hints } => Ok(hints),
            PolicyDecision::Vetoed(veto) => Err(self.vetoed(py, &veto, None)),
        }
    }

    fn open(&self, py: Python<'_>, step: &str) -> PyResult<OpenStep> {
        match self.with(py, None, |run| run.open(step))? {
            StepDecision::Go(step) => Ok(OpenStep {
                id: step.id().to_owned(),
                hints: step.hints().to_vec(),
                step: Mutex::new(Some(step)),
                findings: PyList::empty(py).unbind(),
            }),
            StepDecision::Vetoed(veto) => Err(self.vetoed(py, &veto, Some(step))),
            StepDecision::Skipped => Err(errors::step_skipped(py, step)),
        }
    }

    fn act(
        &self,
        py: Python<'_>,
        step: Option<&OpenStep>,
        action: Bound<'_, PyAny>,
        allowed: Option<&Allowed>,
    ) -> PyResult<String> {
        let action: Action = self.typed(&action)?;
        // Only the thread whose turn it is looks at the step: others act in it as well.
        self.with(py, step, |run| {
            if allowed.is_some_and(Allowed::is_given_up) {
                return Ok(String::new());
            }
            // It is no longer under way.
            let _over = allowed.map(Allowed::take);
            let step = match step
                .map(OpenStep::must_be_open)
                .transpose()
            {
                // What was made is evidence, also where its step is over.
                Err(_) if allowed.is_some() => None,
                step => step.inspect_err(|_| run.lose())?,
            };
            run.act(step.as_ref(), action)
        })
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
            "done" => StepEnd::DoneWith(self.encoder.map(&with)?),
            "failed" => StepEnd::Failed(match self.encoder.value(&with)? {
                Value::Null => "unknown".into(),
                error => error,
            }),
            _ => StepEnd::Skipped(with.extract::<Text>()?.0),
        };
        self.with(py, Some(step), |run| {
            let mut open = locked(&step.step);
            let closing = open.clone();
            let closing = closing.ok_or_else(|| step.is_closed_already("closing a step"))?;
            run.close(closing, end)?;
            *open = None;
            Ok(())
        })
    }

    fn believe(
        &self,
        py: Python<'_>,
        statement: Text,
        confidence: f64,
        provenance: Text,
    ) -> PyResult<String> {
        self.with(py, None, |run| {
            run.believe(&statement.0, confidence, &provenance.0)
        })
    }

    fn remember(
        &self,
        py: Python<'_>,
        key: Text,
        fact: Bound<'_, PyAny>,
        provenance: Option<Text>,
    ) -> PyResult<String> {
        let fact = self.encoder.value(&fact)?;
        self.with(py, None, |run| {
            let provenance = provenance.as_ref().map(|it| &*it.0);
            run.remember(&key.0, fact, provenance)
        })
    }

    fn jot(&self, py: Python<'_>, text: Text) -> PyResult<String> {
        self.with(py, None, |run| run.jot(&text.0))
    }

    fn reflect(&self, py: Python<'_>, payload: Bound<'_, PyAny>) -> PyResult<String> {
        let payload = self.encoder.map(&payload)?;
        self.with(py, None, |run| run.reflect(payload))
    }

    fn propose(
        &self,
        py: Python<'_>,
        proposal: Bound<'_, PyAny>,
        applied: bool,
    ) -> PyResult<String> {
        let proposal = self.encoder.map(&proposal)?;
        self.with(py, None, |run| run.propose(proposal, applied))
    }

    /// Attaches bytes with an extension, or without one the file at a path.
    fn attach<'py>(
        &self,
        py: Python<'py>,
        content: Cow<'_, [u8]>,
        extension: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let attachment = self.with(py, None, |run| match &extension {
            Some(extension) => run.attach(&content, extension),
            None => run.attach_file(OsStr::from_bytes(&content)),
        })?;
        object(py, &attachment)
    }

    /// Returns a value as JSON; one that has more bytes than a limit is attached, and what stands
    /// for it is returned.
    fn shortened<'py>(
        &self,
        py: Python<'py>,
        value: Bound<'py, PyAny>,
        most: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value = self.encoder.value(&value)?;
        let short = self.with(py, None, |run| Ok(run.shortened(value, most)))?;
        object(py, &short)
    }

    fn persist(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, None, recorder::Run::persist)
    }

    fn pause(&self, py: Python<'_>, reason: Text) -> PyResult<()> {
        self.taking(py, None, |turn| {
            let mut run = turn.run.take().ok_or(Failed::Over)?;
            // A refused pause would end this process's part in the run all the same.
            if with_status(&run, &["running".into()]).is_empty() {
                self.begun.give_up(&mut run);
                turn.found = run.pause(&reason.0)?.findings;
                return Ok(());
            }
            let refused = Error::Refused {
                what: "pausing",
                why: "a step is open".into(),
            };
            *turn.run = Some(run);
            Err(refused.into())
        })
    }

    /// Ends the run. Where that is refused, it goes on. One that would be `ok` is `partial` where
    /// an act has begun and has no result, but for those in which this is called.
    fn finish(
        &self,
        py: Python<'_>,
        end: Bound<'_, PyAny>,
        score: Option<f64>,
        around: Vec<PyRef<'_, Allowed>>,
    ) -> PyResult<(Vec<Py<PyAny>>, String)> {
        let given: End = self.typed(&end)?;
        let mut partial = self.encoder.map(&end)?;
        let is_ok = partial
            .get("status")
            .is_some_and(|status| status == "ok");
        let around: BTreeSet<u64> = around.iter().map(|it| it.id).collect();
        let (found, digest) = self.taking(py, None, |turn| {
            let run = turn.run()?;
            let unfinished = ["pending", "running", "failed"].map(str::to_owned);
            let mut end = given;
            if !is_ok || with_status(run, &unfinished).is_empty() {
                let mut tools = self.begun.give_up(run);
                tools.retain(|id, _| !around.contains(id));
                if is_ok && !tools.is_empty() {
                    let tools: BTreeSet<String> = tools.into_values().collect();
                    let tools: Vec<String> = tools.into_iter().collect();
                    let reason = format!("no result: {}", tools.join(", "));
                    partial.extend([
                        ("status".to_owned(), "partial".into()),
                        ("reason".to_owned(), reason.into()),
                    ]);
                    end = serde_json::from_value(partial.into()).unwrap_or(end);
                }
            }
            run.end(match score {
                Some(score) => end.score(score),
                None => end,
            })?;
            let digest = run
                .manifest_sha256()
                .unwrap_or_default()
                .to_owned();
            let _ = self
                .ended
                .set(run.state().outcomes.status.to_string());
            turn.found = run.take_findings();
            *turn.run = None;
            Ok((turn.found.clone(), digest))
        })?;
        let shown = found
            .iter()
            .map(|it| finding::finding(py, it));
        let shown: PyResult<_> = shown
            .map(|it| Ok(it?.unbind()))
            .collect();
        Ok((shown?, digest))
    }
}

/// Refuses an act in a thread that the end of the interpreter ends: it could not be recorded.
fn must_not_end() -> Result<(), Error> {
    if ends_elsewhere() {
        return Err(Error::Refused {
            what: "the action",
            why: "the interpreter ends, and this thread with it".into(),
        });
    }
    Ok(())
}

/// A step that the plan has already.
fn draft_of(step: &PlanStep) -> StepDraft {
    let mut draft = StepDraft::new(step.id.clone(), step.kind, step.description.clone());
    if let Some(rationale) = &step.rationale {
        draft = draft.rationale(rationale.clone());
    }
    match &step.inputs {
        Some(inputs) => draft.inputs(inputs.clone()),
        None => draft,
    }
}

fn with_status(run: &recorder::Run, statuses: &[String]) -> Vec<String> {
    let is_one = |status: StepStatus| {
        statuses
            .iter()
            .any(|word| *word == status.to_string())
    };
    let steps = run.state().plan.steps.iter();
    let found = steps.filter(|step| is_one(step.status));
    found
        .map(|step| step.id.clone())
        .collect()
}

/// A step that is open, and closes once.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct OpenStep {
    #[pyo3(get)]
    id: String,
    #[pyo3(get)]
    hints: Vec<String>,
    step: Mutex<Option<recorder::OpenStep>>,
    /// The findings in its calls.
    #[pyo3(get)]
    findings: Py<PyList>,
}

#[pymethods]
impl OpenStep {
    fn is_closed(&self) -> bool {
        locked(&self.step).is_none()
    }
}

impl OpenStep {
    fn must_be_open(&self) -> Result<recorder::OpenStep, Error> {
        let open = locked(&self.step).clone();
        open.ok_or_else(|| self.is_closed_already("acting"))
    }

    fn is_closed_already(&self, what: &'static str) -> Error {
        Error::Refused {
            what,
            why: format!("the step {:?} is closed already", self.id),
        }
    }
}
