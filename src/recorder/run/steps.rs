//! The steps of a plan -> plan events, and act events for whatever becomes of each.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

#[cfg(doc)]
use super::super::bounded::bounded;
use super::super::bounded::{cut, each_bounded};
use super::super::call::{CALL, in_one_form};
use super::super::error::Error;
use super::super::event::{RunEvent, SYNTHETIC, object};
use super::super::text::json;
use super::Run;
use super::judging::{ActDecision, Allowed, CallDecision};
use super::policies::{PolicyDecision, Veto};
use crate::ground::finding::Finding;
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
        let refused = |why: String| Err(Error::refused("the plan", why));
        let drafts = steps.into_iter().zip(1_u64..);
        let mut steps = Vec::new();

        for (draft, number) in drafts {
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
                return refused(format!(
                    "step {number} has no id, and the one that is called {id} so far is {status} and another step: give each step an id"
                ));
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

        let ids = match different_ids(&steps) {
            Ok(ids) => ids,
            Err(why) => return refused(why),
        };

        if let Some(open) = self
            .fold
            .open
            .iter()
            .find(|id| !ids.contains(id.as_str()))
        {
            return refused(format!("it lacks the step {open:?}, which is open"));
        }

        let mut acted = self
            .fold
            .state
            .outcomes
            .actions
            .iter()
            .flatten()
            .filter_map(|action| action.step_id.as_ref()?.as_str());
        if let Some(step) = acted.find(|id| !ids.contains(id)) {
            return refused(format!("it lacks the step {step:?}, which has an action"));
        }
        if source.is_empty() {
            return refused("its source has no name".into());
        }

        self.hold_plan(&steps, plan_of(&steps, source)?)?;
        self.write_plan(&steps, source)?;
        self.consult(None)
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

    fn must_be(&self, step: &str, status: StepStatus, what: &'static str) -> Result<(), Error> {
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

    /// Records an action of an open step, or of none, and returns its id. The recorder sets `id`,
    /// `step_id` and `timestamp`.
    ///
    /// It is recorded in the one form that all doors write: with an input that is an object, with a
    /// `kind` by the name of the tool unless it has one, and with the command or the paths of the
    /// call as `x-command` or `x-paths`. Relative paths are joined to the tag `cwd` of the run. The
    /// text `x-agent` is the agent that the event is by, in place of `system`.
    ///
    /// Where the state is half full, values above 8 KiB are attached, see [`Run::shortened`]; where
    /// it is full, large values are recorded as [`bounded`] does.
    ///
    /// ```
    /// use runvet::record::Action;
    /// use runvet::recorder::{End, Error, Recorder, Task};
    ///
    /// # let dir = std::env::temp_dir().join(format!("runvet-act-{}", std::process::id()));
    /// // An agent without a plan.
    /// let mut run = Recorder::new(&dir).begin(Task::new("Summarize the open tickets"))?;
    /// run.act(None, Action::new("search").output("three tickets"))?;
    /// assert_eq!(run.finish(End::ok())?.summary.metrics.act_count.0, 1);
    /// # std::fs::remove_dir_all(&dir).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Refused`] where one of these is set already, or an extension does not start with
    /// `x-`; [`Error::Violates`] for an action without any result (`output`, `result_status`,
    /// `result_artifacts`, `duration_ms`) where a schema of the team finds an error in it. One with
    /// a result has happened, and is recorded whatever it violates.
    pub fn act<'s>(
        &mut self,
        step: impl Into<Option<&'s OpenStep>>,
        action: Action,
    ) -> Result<String, Error> {
        self.act_in(step.into().map(OpenStep::id), action)
    }

    /// Records an action in a step that is named by its id.
    pub(in crate::recorder) fn act_in(
        &mut self,
        step: Option<&str>,
        action: Action,
    ) -> Result<String, Error> {
        let acted = self.try_act(step, action);
        self.counted(acted)
    }

    fn try_act(&mut self, step: Option<&str>, action: Action) -> Result<String, Error> {
        self.must_not_have_ended()?;
        let is_to_come = action.output.is_none()
            && action.result_status.is_none()
            && action.result_artifacts.is_none()
            && action.duration_ms.is_none();
        let mut payload = self.act_of(step, action)?;

        if is_to_come {
            // A veto of the run closes its steps.
            if step.is_none() {
                self.must_go_on()?;
            }
            self.hold_act(&payload)?;
        }

        let whole = payload.clone();
        self.shorten_act(&mut payload);
        let mut draft = RunEvent::told("act", payload);
        if matches!(self.must_fit(&draft), Err(Error::TooLarge { .. })) {
            self.fold.refused += cut(&mut draft.payload);
        }

        let whole = Some(whole).filter(|whole| *whole != draft.payload);
        self.write_event(draft, whole)?;
        Ok(format!("act-{}", self.action_count()))
    }

    /// Asks the schemas, orders and rules of the team before an act is made. One in which they find
    /// an error is held back: the run gets the event of a veto, which is counted, and goes on.
    ///
    /// A rule that reads what only the end of an act gives (`output`, `result_status`,
    /// `result_artifacts`, `duration_ms`) holds nothing back. What was allowed and is not recorded
    /// yet counts, too: keep what this returns until [`Run::act`] has recorded the act.
    ///
    /// ```
    /// use std::path::Path;
    /// use runvet::gate::Gate;
    /// use runvet::record::Action;
    /// use runvet::recorder::{Error, Recorder, Task};
    ///
    /// # let dir = std::env::temp_dir().join(format!("runvet-may-act-{}", std::process::id()));
    /// let config = r#"
    ///     [[order]]
    ///     id = "acme/calls"
    ///     each = { tool = "pay" }
    ///     at-most = 1
    ///     message = "paid more than once"
    /// "#;
    /// let gate = Gate::default().with_config(Path::new("runvet.toml"), config, None)?;
    /// let mut run = Recorder::new(&dir).gate(gate).begin(Task::new("Pay"))?;
    /// let allowed = run.may_act(None, Action::new("pay"))?;
    /// // It is being paid, so a second payment has to wait.
    /// assert!(matches!(run.may_act(None, Action::new("pay")), Err(Error::Violates { .. })));
    /// run.act(None, Action::new("pay").output("done"))?;
    /// drop(allowed);
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Run::act`]; [`Error::Violates`] for an act that is held back, unless
    /// [`Recorder::hold_back`](super::super::Recorder::hold_back) turns that off.
    pub fn may_act<'s>(
        &mut self,
        step: impl Into<Option<&'s OpenStep>>,
        action: Action,
    ) -> Result<Allowed, Error> {
        let step = step.into().map(OpenStep::id);
        let draft = self.draft_of_act(step, action)?;
        self.ask_before(step, &draft)
    }

    /// Asks as [`Run::may_act`] does, for a program that asks people itself: where only their
    /// answer is missing, nothing is written, and the act is to be decided again with it.
    ///
    /// The answer is `true` for a yes, with the name of who gave it.
    ///
    /// # Errors
    /// Those of [`Run::may_act`].
    pub fn decide_act<'s>(
        &mut self,
        step: impl Into<Option<&'s OpenStep>>,
        action: Action,
        answer: Option<(bool, &str)>,
    ) -> Result<ActDecision, Error> {
        let step = step.into().map(OpenStep::id);
        let draft = self.draft_of_act(step, action)?;
        match self.decide(step, &draft, answer, (None, true))? {
            CallDecision::Go(allowed) => Ok(ActDecision::Go(allowed)),
            CallDecision::Ask(findings) => Ok(ActDecision::Ask(findings)),
            CallDecision::Veto(what, findings) => Err(Error::Violates { what, findings }),
        }
    }

    /// Decides on a call that is about to be made, and notes that it has begun; with the answer of
    /// a person, if there is one. If it `may_wait`, the caller asks people.
    pub(crate) fn hold_call(
        &mut self,
        step: Option<&str>,
        action: Action,
        call: &str,
        answer: Option<(bool, &str)>,
        may_wait: bool,
    ) -> Result<CallDecision, Error> {
        let mut draft = self.draft_of_act(step, action)?;
        draft
            .payload
            .insert(CALL.into(), call.into());

        let decision = self.decide(step, &draft, answer, (None, may_wait))?;
        if matches!((&decision, answer), (CallDecision::Go(_), Some((false, _)))) {
            // No rule asks any more, and the answer was no.
            return Ok(CallDecision::Veto("the action", Vec::new()));
        }

        if let CallDecision::Go(_) = decision {
            let mut payload = draft.payload;
            payload.retain(|key, _| matches!(&**key, "kind" | "tool" | "input" | CALL));
            if let Some(Value::Object(input)) = payload.get_mut("input") {
                *input = each_bounded(std::mem::take(input));
            }
            let begun = object([("kind", "begun".into()), ("act", payload.into())]);
            self.write(RunEvent::new("observe", begun))?;
        }

        Ok(decision)
    }

    /// Decides on a call that is about to be made, where what has begun is noted by the caller, who
    /// says also whether it changes the caller's `own` files.
    pub(crate) fn decide_call(
        &mut self,
        action: Action,
        own: Option<&str>,
        may_wait: bool,
    ) -> Result<CallDecision, Error> {
        let draft = self.draft_of_act(None, action)?;
        self.decide(None, &draft, None, (own, may_wait))
    }

    /// Returns the event of an act that is about to be made, if the run goes on.
    fn draft_of_act(&self, step: Option<&str>, action: Action) -> Result<RunEvent, Error> {
        self.must_not_have_ended()?;
        if step.is_none() {
            self.must_go_on()?;
        }
        Ok(RunEvent::told("act", self.act_of(step, action)?))
    }

    /// Returns the findings for which such a call would be held back.
    pub(crate) fn would_hold(
        &self,
        action: Action,
        own: Option<&str>,
    ) -> Result<Vec<Finding>, Error> {
        let draft = RunEvent::told("act", self.act_of(None, action)?);
        self.held_for(&draft, own)
    }

    /// Counts a call as under way that another process let pass.
    pub(crate) fn under_way_again(&mut self, action: Action) -> Result<Allowed, Error> {
        let draft = RunEvent::told("act", self.act_of(None, action)?);
        self.goes_on(draft)
    }

    /// Returns an id for a call that has none.
    pub(crate) fn next_call(&self) -> String {
        format!("call-{:06}", self.fold.events + 1)
    }

    pub(super) fn action_count(&self) -> usize {
        let actions = &self.fold.state.outcomes.actions;
        actions.as_ref().map_or(0, Vec::len)
    }

    pub(super) fn next_action_id(&self) -> String {
        format!("act-{}", self.action_count() + 1)
    }

    /// Returns the working directory of the run, if it has the tag.
    pub(in crate::recorder) fn directory(&self) -> Option<&str> {
        let tags = self
            .plain_fold()
            .state
            .episode
            .tags
            .as_ref();

        tags?.get("cwd")?.as_str()
    }

    /// Returns the payload of the event of an action.
    fn act_of(&self, step: Option<&str>, action: Action) -> Result<Map<String, Value>, Error> {
        let step = step.map(|step| self.step_id(step));
        if let Some(step) = &step {
            self.must_be(step, StepStatus::Running, "acting")?;
        }

        let action = in_one_form(action, self.directory());
        let refused = |why: String| Err(Error::refused("the action", why));
        let is_set = [
            ("id", action.id.is_some()),
            ("step_id", action.step_id.is_some()),
            ("timestamp", action.timestamp.is_some()),
        ];
        if let Some((name, _)) = is_set
            .into_iter()
            .find(|(_, is_set)| *is_set)
        {
            return refused(format!("the recorder sets `{name}`"));
        }

        let mut extensions = action.extensions.keys();
        if let Some(name) = extensions.find(|name| !name.starts_with("x-")) {
            let why = "is not a field of an action, and does not start with `x-`";
            return refused(format!("{name:?} {why}"));
        }

        let Ok(Value::Object(mut payload)) = serde_json::to_value(action) else {
            return refused("it can't be written as JSON".into());
        };
        payload.insert("id".into(), self.next_action_id().into());
        if let Some(step) = step {
            payload.insert("step_id".into(), step.into());
            payload.insert("step_status".into(), StepStatus::Running.word().into());
        }

        Ok(payload)
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
