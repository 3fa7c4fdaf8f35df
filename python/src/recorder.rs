//! The recorder, for Python: calls that let go of the interpreter while they write.

mod begun;
mod run;
mod turns;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use runvet::finding::{Finding, Holds, Level, RuleInfo};
use runvet::gate::Gate;
use runvet::recorder::{self, Assertion, Clock, Durability, Error, Recovered, Task};
use serde_json::Value;

use crate::check::{config_text, configured};
use crate::errors;
use crate::exiting::calling;
use crate::finding::{finding, tuple};
use crate::json::{Encoder, Text, object};
use crate::policy::{PythonPolicy, Raised, Shown};
pub(crate) use begun::Allowed;
pub(crate) use run::{OpenStep, Run};

/// Where and how runs are recorded.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Recorder {
    inner: recorder::Recorder,
    raised: Raised,
    shown: Shown,
    encoder: Arc<Encoder>,
    /// The rules of the configuration that hold calls back.
    #[pyo3(get)]
    holding: Vec<String>,
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
    #[expect(
        clippy::too_many_arguments,
        reason = "all that a recorder is set up with"
    )]
    fn new(
        py: Python<'_>,
        run_data: PathBuf,
        policies: Vec<Bound<'_, PyAny>>,
        threshold: Option<f64>,
        durability: &str,
        clock: Option<(u64, u64)>,
        plain: Py<PyAny>,
        config: Option<PathBuf>,
        hold_back: bool,
        anchor: bool,
        ask: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let (raised, shown) = (Raised::default(), Shown::default());
        let mut recorder = recorder::Recorder::new(run_data)
            .durability(durability_of(durability)?)
            .hold_back(hold_back)
            .anchor(anchor);
        for policy in &policies {
            recorder = recorder.policy(PythonPolicy::new(policy, raised.clone(), shown.clone())?);
        }
        if let Some(threshold) = threshold {
            if !(0.0..=1.0).contains(&threshold) {
                let message = format!("the threshold is {threshold}, not between 0 and 1");
                return Err(PyValueError::new_err(message));
            }
            recorder = recorder.threshold(threshold);
        }
        let mut holding = Vec::new();
        if let Some(path) = &config {
            let text = config_text(py, path, &BTreeMap::new())?;
            let gate = configured(py, Gate::default(), path, &text)?;
            let holds = |rule: &&RuleInfo| {
                let is_strict = matches!(rule.level, Level::Error | Level::Ask);
                hold_back && is_strict && rule.holds == Some(Holds::Before)
            };
            holding.extend(
                gate.rules()
                    .filter(holds)
                    .map(|rule| rule.id.to_string()),
            );
            recorder = recorder.gate(gate);
        }
        if let Some(ask) = ask {
            let raised = raised.clone();
            recorder = recorder
                .ask(move |tool, input, findings| answer_of(&ask, &raised, tool, input, findings));
        }
        if let Some((micros, step)) = clock {
            recorder = recorder.clock(Ticking { micros, step });
        }
        Ok(Self {
            inner: recorder,
            raised,
            shown,
            encoder: Arc::new(Encoder::new(Some(plain))),
            holding,
        })
    }

    #[expect(clippy::too_many_arguments, reason = "all that a task may say")]
    fn begin(
        &self,
        py: Python<'_>,
        text: Text,
        kind: Option<Text>,
        seed: Option<Bound<'_, PyAny>>,
        tags: Option<Bound<'_, PyAny>>,
        using: Option<Text>,
        workspace: Option<PathBuf>,
        verify: Vec<(String, String, Option<String>)>,
        id: Option<Text>,
        started_at: Option<i64>,
    ) -> PyResult<Run> {
        let mut task = Task::new(text.0);
        if let Some(id) = id {
            task = task.id(id.0);
        }
        if let Some(micros) = started_at {
            task = task.started_at(time(micros));
        }
        if let Some(kind) = kind {
            task = task.kind(kind.0);
        }
        if let Some(seed) = seed {
            let Value::Number(number) = self.encoder.value(&seed)? else {
                return Err(PyValueError::new_err(format!(
                    "the seed is {}, not an integer of 64 bits or a finite float",
                    seed.repr()?
                )));
            };
            task = task.seed(number);
        }
        let tags = tags
            .as_ref()
            .map(|tags| self.encoder.map(tags));
        for (name, value) in tags.transpose()?.unwrap_or_default() {
            task = task.tag(name, value);
        }
        if let Some(label) = using {
            task = task.using(label.0);
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
        let begun = py.detach(|| self.inner.begin(task));
        self.run(py, begun)
    }

    fn resume(&self, py: Python<'_>, id: &str, workspace: Option<PathBuf>) -> PyResult<Run> {
        let recorder = self.working_in(workspace);
        let resumed = py.detach(|| recorder.resume(id));
        self.run(py, resumed)
    }

    /// Recovers a run; returns what was done, and the number of bytes that were cut off.
    fn recover(&self, py: Python<'_>, id: &str) -> PyResult<(&'static str, u64)> {
        let recovered = py.detach(|| self.inner.recover(id));
        let recovered = recovered.map_err(|error| errors::of_recorder(py, &error))?;
        Ok(match recovered {
            Recovered::Cut { bytes } => ("cut", bytes),
            Recovered::Learning => ("learning", 0),
            Recovered::Completed(_) => ("completed", 0),
            _ => ("intact", 0),
        })
    }

    fn abandon(
        &self,
        py: Python<'_>,
        id: &str,
        reason: Text,
        workspace: Option<PathBuf>,
    ) -> PyResult<(OsString, String)> {
        let recorder = self.working_in(workspace);
        let abandoned = py.detach(|| recorder.abandon(id, &reason.0));
        let run = abandoned.map_err(|error| errors::of_recorder(py, &error))?;
        Ok((run.path.into(), run.manifest_sha256))
    }
}

impl Recorder {
    fn working_in(&self, workspace: Option<PathBuf>) -> recorder::Recorder {
        let recorder = self.inner.clone();
        match workspace {
            Some(dir) => recorder.workspace(dir),
            None => recorder,
        }
    }

    fn run(&self, py: Python<'_>, begun: Result<recorder::Run, Error>) -> PyResult<Run> {
        let run = begun.map_err(|error| errors::of_recorder(py, &error))?;
        let (raised, shown) = (self.raised.clone(), self.shown.clone());
        let run = Run::new(py, run, raised, shown, Arc::clone(&self.encoder));
        run.heed_beginning(py)?;
        Ok(run)
    }
}

/// The answer of a person about an act, and who gave it. A function that fails, or gives no answer,
/// says no.
fn answer_of(
    ask: &Py<PyAny>,
    raised: &Raised,
    tool: &str,
    input: &Value,
    findings: &[Finding],
) -> (bool, String) {
    Python::attach(|py| {
        let asked = calling(py, || {
            let shown = tuple(py, findings, finding)?;
            let answer = ask
                .bind(py)
                .call1((tool, object(py, input)?, shown))?;
            match answer.cast::<PyBool>() {
                Ok(is_yes) => Ok((is_yes.is_true(), String::new())),
                Err(_) => answer.extract(),
            }
        });
        asked.unwrap_or_else(|error: PyErr| {
            if !error.is_instance_of::<PyException>(py) {
                raised.set(error);
            }
            (false, String::new())
        })
    })
}

/// The time some microseconds after 1970.
fn time(micros: i64) -> SystemTime {
    let distance = Duration::from_micros(micros.unsigned_abs());
    if micros < 0 {
        UNIX_EPOCH - distance
    } else {
        UNIX_EPOCH + distance
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
