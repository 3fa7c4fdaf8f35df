//! The steps of a plan -> plan events, and act events for what becomes of each.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

use super::super::error::Error;
use super::super::event::{RunEvent, SYNTHETIC, object};
use super::super::text::json;
use super::Run;
use super::policies::{PolicyDecision, Veto};
use crate::ground::record::{Action, State, Step, StepKind, StepStatus};

/// One step of a plan.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PlannedStep")]
pub struct StepDraft {
    /// The step's identifier, unique within the plan. Absent means `step-1` for the first step of
    /// the plan, `step-2` for the second, and so on.
    #[schemars(length(min = 1))]
    id: Option<String>,
    /// The kind of work that the step does. Absent means `act`.
    kind: Option<StepKind>,
    /// A description of the step, in words for people.
    description: String,
    /// The reason why the plan has this step.
    rationale: Option<String>,
    /// The inputs of the step: any keys with any values.
    inputs: Option<Map<String, Value>>,
}

/// A step that is named by its place in the plan.
impl From<String> for StepDraft {
    fn from(description: String) -> Self {
        Self {
            id: None,
            kind: None,
            description,
            rationale: None,
            inputs: None,
        }
    }
}

impl StepDraft {
    /// Returns a step without rationale and inputs.
    #[must_use]
    pub fn new(id: impl Into<String>, kind: StepKind, description: impl Into<String>) -> Self {
        Self {
            id: Some(id.into()),
            kind: Some(kind),
            ..description.into().into()
        }
    }

    /// Sets the reason why the plan has the step.
    #[must_use]
    pub fn rationale(mut self, rationale: impl Into<String>) -> Self {
        self.rationale = Some(rationale.into());
        self
    }

    /// Sets the inputs of the step.
    #[must_use]
    pub fn inputs(mut self, inputs: Map<String, Value>) -> Self {
        self.inputs = Some(inputs);
        self
    }
}

/// A step that is open: proof that policies let it pass. It closes once, by [`Run::close`].
#[derive(Clone, Debug)]
#[must_use = "an open step has to be closed"]
pub struct OpenStep {
    id: String,
    hints: Vec<String>,
}

impl OpenStep {
    /// Returns the id of the step.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns what policies suggest for it.
    #[must_use]
    pub fn hints(&self) -> &[String] {
        &self.hints
    }
}

/// The decision whether a step may be executed.
#[derive(Debug)]
#[must_use]
pub enum StepDecision {
    /// It is open.
    Go(OpenStep),
    /// A policy blocked it, or the run.
    Vetoed(Veto),
    /// A policy changed the plan so that it is skipped.
    Skipped,
}

/// The end of a step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StepEnd {
    /// It did what it should.
    Done,
    /// It did what it should, and produced something.
    DoneWith(Map<String, Value>),
    /// It failed, with an error in any form but null.
    Failed(Value),
    /// It was not needed, with the reason.
    Skipped(String),
}

/// An executor of steps.
///
/// ```
/// use runvet::record::{Action, State, Step, StepKind};
/// use runvet::recorder::{Adapter, End, Error, Recorder, StepDraft, Task};
///
/// struct Shouting;
///
/// impl Adapter for Shouting {
///     fn label(&self) -> &str {
///         "adapter:shouting"
///     }
///
///     fn run(&mut self, step: &Step, _: &State) -> Result<Action, serde_json::Value> {
///         Ok(Action::new("shout").output(step.description.to_uppercase()))
///     }
/// }
///
/// # let dir = std::env::temp_dir().join(format!("runvet-adapter-{}", std::process::id()));
/// let mut run = Recorder::new(&dir).begin(Task::new("Greet the world"))?;
/// let _ = run.plan([StepDraft::new("greet", StepKind::Act, "hello")], "planner.demo")?;
/// let _ = run.execute(&mut Shouting)?;
/// let recorded = run.finish(End::ok())?;
/// assert_eq!(recorded.summary.metrics.act_count.0, 1);
/// # std::fs::remove_dir_all(&dir).unwrap();
/// # Ok::<(), Error>(())
/// ```
pub trait Adapter {
    /// Returns the adapter's label, recorded as the tool of actions that name none.
    fn label(&self) -> &str;

    /// Executes a step; an error may have any form but null.
    ///
    /// # Errors
    /// The error of the step.
    fn run(&mut self, step: &Step, state: &State) -> Result<Action, Value>;
}

/// Returns the ids of steps, or why they can't be a plan.
fn different_ids(steps: &[Step]) -> Result<BTreeSet<&str>, String> {
    let mut ids = BTreeSet::new();
    for step in steps {
        if step.id.is_empty() {
            return Err("a step has no id".to_owned());
        }
        if !ids.insert(step.id.as_str()) {
            return Err(format!("two steps have the id {:?}", step.id));
        }
    }

    Ok(ids)
}

impl Run {
    /// Sets the plan, and asks the policies about the run. A step whose id the plan had before
    /// keeps its status; all others are pending.
    ///
    /// # Errors
    /// [`Error::Refused`] for steps with an empty id or with the same one, where a step is missing
    /// that is open or has an action, and where a step without id would take the place of another
    /// one that is no longer pending; [`Error::Violates`] where a schema of the team finds an error
    /// in the event, but for steps that are no longer pending.
    pub fn plan(
        &mut self,
        steps: impl IntoIterator<Item = StepDraft>,
        source: &str,
    ) -> Result<PolicyDecision, Error> {
        self.must_go_on()?;
        let steps = self.planned(steps)?;
        self.must_keep_steps(&steps)
            .map_err(|why| Error::refused("the plan", why))?;
        if source.is_empty() {
            return Err(Error::refused("the plan", "its source has no name"));
        }

        self.hold_plan(&steps, plan_of(&steps, source)?)?;
        self.write_plan(&steps, source)?;
        self.consult(None)
    }

    /// Returns the steps that drafts are, with what is known of each by its id.
    fn planned(&self, drafts: impl IntoIterator<Item = StepDraft>) -> Result<Vec<Step>, Error> {
        let mut steps = Vec::new();
        for (draft, number) in drafts.into_iter().zip(1_u64..) {
            let has_id = draft.id.is_some();
            let id = draft
                .id
                .unwrap_or_else(|| format!("step-{number}"));
            let id = self.step_id(&id);
            let known = self.fold.step(&id);

            if let Some(Step {
                status,
                description,
                ..
            }) = known
                && !(has_id
                    || *status == StepStatus::Pending
                    || self.is_written_as(&draft.description, description))
            {
                let why = format!(
                    "step {number} has no id, and the one that is called {id} so far is {status} and another step: give each step an id"
                );
                return Err(Error::refused("the plan", why));
            }

            steps.push(Step {
                kind: draft.kind.unwrap_or(StepKind::Act),
                description: draft.description,
                status: known.map_or(StepStatus::Pending, |step| step.status),
                rationale: draft.rationale,
                inputs: draft.inputs,
                outputs: known.and_then(|step| step.outputs.clone()),
                id,
            });
        }

        Ok(steps)
    }

    /// Returns why steps can't be the plan: the ids differ, and no step is lost that is open or has
    /// an action.
    fn must_keep_steps(&self, steps: &[Step]) -> Result<(), String> {
        let ids = different_ids(steps)?;
        if let Some(open) = self
            .fold
            .open
            .iter()
            .find(|id| !ids.contains(id.as_str()))
        {
            return Err(format!("it lacks the step {open:?}, which is open"));
        }

        let actions = &self.fold.state.outcomes.actions;
        match actions
            .iter()
            .flatten()
            .filter_map(|action| action.step_id.as_ref()?.as_str())
            .find(|id| !ids.contains(id))
        {
            Some(step) => Err(format!("it lacks the step {step:?}, which has an action")),
            None => Ok(()),
        }
    }

    pub(super) fn write_plan(&mut self, steps: &[Step], source: &str) -> Result<(), Error> {
        self.write(plan_of(steps, source)?)?;
        Ok(())
    }

    /// Opens a pending step, if no policy blocks it.
    ///
    /// # Errors
    /// [`Error::Refused`] where the plan has no such step, or it is not pending.
    pub fn open(&mut self, step: &str) -> Result<StepDecision, Error> {
        self.must_go_on()?;
        let step = &*self.step_id(step);
        self.must_be(step, StepStatus::Pending, "opening a step")?;

        let hints = match self.consult(Some(step))? {
            PolicyDecision::Vetoed(veto) => return Ok(StepDecision::Vetoed(veto)),
            PolicyDecision::Go { hints } => hints,
        };

        let found = self.fold.step(step);
        if found.is_some_and(|step| step.status == StepStatus::Skipped) {
            return Ok(StepDecision::Skipped);
        }

        self.set_step(step, StepStatus::Running, Map::new())?;
        Ok(StepDecision::Go(OpenStep {
            id: step.into(),
            hints,
        }))
    }

    pub(super) fn must_be(
        &self,
        step: &str,
        status: StepStatus,
        what: &'static str,
    ) -> Result<(), Error> {
        let why = match self
            .fold
            .step(step)
            .map(|step| step.status)
        {
            Some(is) if is == status => return Ok(()),
            Some(is) => format!("the step {step:?} is {is}, not {status}"),
            None => format!("the plan has no step {step:?}"),
        };

        Err(Error::refused(what, why))
    }

    /// Sets the status of a step, by an act event that no action mirrors.
    pub(super) fn set_step(
        &mut self,
        step: &str,
        status: StepStatus,
        mut payload: Map<String, Value>,
    ) -> Result<(), Error> {
        payload.insert("step_id".into(), step.into());
        payload.insert("step_status".into(), status.word().into());
        payload.insert(SYNTHETIC.into(), true.into());
        self.write(RunEvent::new("act", payload))?;
        Ok(())
    }

    /// Ends an open step.
    ///
    /// # Errors
    /// [`Error::Refused`] for an error that is null, and where the plan has changed so that the
    /// step is no longer open.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a step that was closed can't be used again"
    )]
    pub fn close(&mut self, step: OpenStep, end: StepEnd) -> Result<(), Error> {
        self.close_step(&step.id, end)
    }

    /// Closes a step that is named by its id.
    pub(in crate::recorder) fn close_step(
        &mut self,
        step: &str,
        end: StepEnd,
    ) -> Result<(), Error> {
        self.must_not_have_ended()?;
        let has_value = !matches!(end, StepEnd::Done);
        let closed = self.try_close(step, end);
        if has_value {
            self.counted(closed)
        } else {
            closed
        }
    }

    fn try_close(&mut self, step: &str, end: StepEnd) -> Result<(), Error> {
        let step = &*self.step_id(step);
        self.must_be(step, StepStatus::Running, "closing a step")?;
        let (status, payload) = match end {
            StepEnd::Done => (StepStatus::Done, Map::new()),
            StepEnd::DoneWith(outputs) => (StepStatus::Done, object([("outputs", outputs.into())])),
            StepEnd::Failed(Value::Null) => {
                return Err(Error::refused("closing a step", "its error is null"));
            }
            StepEnd::Failed(error) => (StepStatus::Failed, object([("error", error)])),
            StepEnd::Skipped(why) => (StepStatus::Skipped, object([("reason", why.into())])),
        };

        self.set_step(step, status, payload)
    }

    /// Executes all pending steps with an adapter: opens, runs, acts and closes each, in the order
    /// of the plan, until one fails or a policy stops the run.
    ///
    /// # Errors
    /// The errors of the calls that it makes.
    pub fn execute(&mut self, adapter: &mut dyn Adapter) -> Result<PolicyDecision, Error> {
        let mut hints = Vec::new();
        // Policies may change the steps after this place and append some, but move none.
        let mut place = 0;
        while let Some(step) = self.fold.state.plan.steps.get(place) {
            place += 1;
            if step.status != StepStatus::Pending {
                continue;
            }

            let id = step.id.clone();
            let open = match self.open(&id)? {
                StepDecision::Vetoed(veto) if self.fold.stopped.is_some() => {
                    return Ok(PolicyDecision::Vetoed(veto));
                }
                StepDecision::Vetoed(_) | StepDecision::Skipped => continue,
                StepDecision::Go(open) => open,
            };

            hints.extend_from_slice(open.hints());
            let Some(step) = self.fold.step(&id).cloned() else {
                continue;
            };
            let allowed = match self.may_act(&open, Action::new(adapter.label())) {
                Ok(allowed) => allowed,
                Err(refused) => {
                    self.close(open, StepEnd::Failed(refused.to_string().into()))?;
                    return Err(refused);
                }
            };

            match adapter.run(&step, &self.fold.state) {
                Ok(mut action) => {
                    action
                        .tool
                        .get_or_insert_with(|| adapter.label().into());
                    self.act(&open, action)?;
                    drop(allowed);
                    self.close(open, StepEnd::Done)?;
                }
                Err(error) => {
                    let error = Some(error)
                        .filter(|error| !error.is_null())
                        .unwrap_or_else(|| "unknown".into());
                    self.close(open, StepEnd::Failed(error))?;
                    break;
                }
            }
        }

        Ok(PolicyDecision::Go { hints })
    }
}

/// Returns the event that sets a plan.
fn plan_of(steps: &[Step], source: &str) -> Result<RunEvent, Error> {
    let records = json(steps, "the plan")?;
    let payload = object([("source", source.into()), ("step_records", records)]);
    Ok(RunEvent::new("plan", payload).by(source))
}
