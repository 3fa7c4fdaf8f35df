//! Actions -> act events, and what the rules of the team say before an act is made.

use serde_json::{Map, Value};

#[cfg(doc)]
use super::super::bounded::bounded;
use super::super::bounded::{cut, each_bounded};
use super::super::call::{CALL, in_one_form};
use super::super::error::Error;
use super::super::event::{RunEvent, object};
use super::Run;
use super::decision::{ActDecision, Allowed, Asking, CallDecision};
use super::steps::OpenStep;
use crate::ground::finding::Finding;
use crate::ground::record::{Action, StepStatus};

impl Run {
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
        let asking = Asking {
            step,
            answer,
            may_wait: true,
            own: None,
        };
        match self.decide(&draft, asking)? {
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

        let asking = Asking {
            step,
            answer,
            may_wait,
            own: None,
        };
        let decision = self.decide(&draft, asking)?;
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
        let asking = Asking {
            own,
            may_wait,
            ..Asking::default()
        };
        self.decide(&draft, asking)
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
        self.fold
            .state
            .outcomes
            .actions
            .as_ref()
            .map_or(0, Vec::len)
    }

    pub(super) fn next_action_id(&self) -> String {
        format!("act-{}", self.action_count() + 1)
    }

    /// Returns the working directory of the run, if it has the tag.
    pub(in crate::recorder) fn directory(&self) -> Option<&str> {
        self.plain_fold()
            .state
            .episode
            .tags
            .as_ref()?
            .get("cwd")?
            .as_str()
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

        if let Some(name) = action
            .extensions
            .keys()
            .find(|name| !name.starts_with("x-"))
        {
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
}
