//! Events, one after the other -> the state of the run, and what its summary counts.
//!
//! The state is a fold of the timeline: `state.json` can be computed again from `events.jsonl`.

mod start;

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::attachment::{ATTACHED, Attachment};
use super::clock::Micros;
use super::event::{PREFIX, REFUSED, RunEvent, SYNTHETIC, UNKNOWN_TIME};
use super::size::{ROOM_TO_END, Size};

use super::text::text;
use crate::ground::digest::FileDigest;
use crate::ground::printable::escape;
use crate::ground::record::{
    Action, Belief, Fact, Plan, RunStatus, RuntimeMode, State, Step, StepStatus, Verification,
};

use start::links;

/// The result of the events of a run so far.
#[derive(Clone, Debug)]
pub(super) struct RunFold {
    pub(super) state: State,
    pub(super) started: Micros,
    /// The latest time of an event.
    pub(super) last: Micros,
    /// The number of events.
    pub(super) events: u64,
    pub(super) plans: u64,
    pub(super) reflections: u64,
    pub(super) directions: u64,
    pub(super) directions_applied: u64,
    pub(super) vetoes: u64,
    /// The policy whose advice had an effect last.
    pub(super) last_policy: Option<String>,
    /// The keys that an advice changed last.
    pub(super) last_diff: Option<Vec<String>>,
    pub(super) proposals: u64,
    pub(super) proposals_applied: u64,
    pub(super) first_action: Option<Micros>,
    /// The steps that are open, and since when at least one is.
    pub(super) open: BTreeSet<String>,
    open_since: Option<Micros>,
    /// The time during which at least one step was open, in microseconds.
    busy: i64,
    /// The mode of the runtime: policies are asked in mode `meta`.
    pub(super) mode: RuntimeMode,
    pub(super) verification: Option<Verification>,
    pub(super) terminated: Option<Micros>,
    /// `true` if projection events have the digest of the timeline before them.
    pub(super) is_anchored: bool,
    /// The digest of the state in the last event, if that is evidence.
    pub(super) sealed_last: Option<String>,
    /// The workspace and the assertions that the `start` event declares.
    pub(super) verify: Option<Value>,
    /// The confidence from which interventions are applied.
    pub(super) threshold: f64,
    /// The size of the plan in the state, and that of all else, at most.
    planned: Size,
    held: Size,
    /// The place of each step in the plan.
    places: BTreeMap<String, usize>,
    /// The reason why a policy stopped the run.
    pub(super) stopped: Option<String>,
    /// `true` if the times of the events are the caller's, and may go back.
    pub(super) has_given_times: bool,
    /// `true` if the caller does not know when some events happened.
    pub(super) has_unknown_times: bool,
    /// The number of acts, notes and values that were to be recorded and are not in the run.
    pub(super) refused: u64,
    /// The attachments, by their names.
    pub(super) attached: BTreeMap<String, Attachment>,
}

/// The size of the fields that an entry of the state has and its event's payload lacks, such as a
/// timestamp.
const BESIDES: Size = Size {
    bytes: 80,
    values: 2,
    objects: 0,
    depth: 0,
    is_reserved: false,
};

/// The containers that a value is in, in the state more than in its event, at most: a field of an
/// action is in `outcomes.actions[]`.
const DEEPER: usize = 3;

/// The result of adding an event, or the reason why this recorder did not write it.
type Folded<T = ()> = Result<T, String>;

impl RunFold {
    /// Adds an event.
    pub(super) fn add(&mut self, event: &RunEvent) -> Folded {
        let at = event.at().ok_or_else(|| wrong(event))?;
        self.add_at(event, at)
    }

    /// Adds an event whose time is known.
    pub(super) fn add_at(&mut self, event: &RunEvent, at: Micros) -> Folded {
        if at < self.last && !self.has_given_times {
            return Err("is earlier than the event before it".into());
        }

        self.has_unknown_times |= event.payload.contains_key(UNKNOWN_TIME);
        if event.is("runtime", "run.resume") {
            // Between two processes no step is executed.
            self.clock(false, self.last);
        }

        self.last = self.last.max(at);
        self.events += 1;
        self.sealed_last = None;
        match &*event.phase {
            "plan" => self.plan(event)?,
            "act" => self.act(event, at)?,
            "memory" => self.remember(event)?,
            "reflect" => self.reflections += 1,
            "learn" => self.learn(event),
            "direction" => self.direct(event),
            "runtime" => self.runtime(event)?,
            "terminate" => self.terminate(event)?,
            _ => {}
        }

        Ok(())
    }

    fn plan(&mut self, event: &RunEvent) -> Folded {
        let steps: Vec<Step> = typed(event, "step_records")?.ok_or_else(|| wrong(event))?;
        let ids = steps.iter().map(|step| step.id.clone());
        self.places = ids.zip(0..).collect();
        self.plans += 1;
        self.planned = Size::of(&event.payload) + BESIDES;
        self.state.plan = Plan {
            steps,
            source: Some(event.agent_id.clone()),
            updated_at: Some(event.timestamp.clone()),
            rationale: typed(event, "rationale")?,
        };

        let running = self.with_status(StepStatus::Running);
        self.open = running
            .map(|step| step.id.clone())
            .collect();
        self.clock(!self.open.is_empty(), self.last);

        Ok(())
    }

    fn act(&mut self, event: &RunEvent, at: Micros) -> Folded {
        let (id, status): (Option<String>, Option<StepStatus>) =
            (typed(event, "step_id")?, typed(event, "step_status")?);
        match (id, status) {
            (Some(id), Some(status)) => self.set_step(event, id, status)?,
            // An action of no step.
            (None, None) if !event.payload.contains_key(SYNTHETIC) => {}
            _ => return Err(wrong(event)),
        }

        let Some(record) = event.action() else {
            return Ok(());
        };
        self.first_action
            .get_or_insert(at.max(self.started));
        self.held = self.held + Size::of(&event.payload) + BESIDES;

        let action: Action = read(record, event)?;
        self.state
            .outcomes
            .actions
            .get_or_insert_default()
            .push(action);

        Ok(())
    }

    /// Sets the status of a step.
    fn set_step(&mut self, event: &RunEvent, id: String, status: StepStatus) -> Folded {
        let outputs: Option<Map<String, Value>> = typed(event, "outputs")?;
        let place = self.places.get(&id).copied();
        let step = place
            .and_then(|place| self.state.plan.steps.get_mut(place))
            .ok_or_else(|| wrong(event))?;
        step.status = status;
        if let Some(outputs) = outputs {
            self.planned = self.planned + Size::of(&outputs) + BESIDES;
            step.outputs = Some(outputs);
        }

        if status == StepStatus::Running {
            self.open.insert(id);
        } else {
            self.open.remove(&id);
        }

        self.clock(!self.open.is_empty(), self.last);
        Ok(())
    }

    /// Notes from when to when at least one step is open.
    fn clock(&mut self, is_open: bool, at: Micros) {
        match (is_open, self.open_since) {
            (true, None) => self.open_since = Some(at),
            (false, Some(since)) => {
                self.busy += at.since(since);
                self.open_since = None;
            }
            _ => {}
        }
    }

    fn remember(&mut self, event: &RunEvent) -> Folded {
        self.held = self.held + Size::of(&event.payload) + BESIDES;
        if let Some(belief) = typed::<Belief>(event, "belief")? {
            self.state
                .beliefs
                .get_or_insert_default()
                .push(belief);
        }

        if let Some(fact) = typed::<Fact>(event, "fact")? {
            self.state
                .memory
                .get_or_insert_default()
                .facts
                .get_or_insert_default()
                .push(fact);
        }

        if let Some(note) = typed::<String>(event, "scratchpad")? {
            let scratchpad = self
                .state
                .memory
                .get_or_insert_default()
                .scratchpad
                .get_or_insert_default();
            if !scratchpad.is_empty() {
                scratchpad.push('\n');
            }

            scratchpad.push_str(&note);
        }

        Ok(())
    }

    fn learn(&mut self, event: &RunEvent) {
        if event.is_proposal() {
            let applied = event.payload.get("applied") == Some(&Value::Bool(true));
            self.proposals_applied += u64::from(applied);
            self.proposals += 1;
        }
    }

    fn direct(&mut self, event: &RunEvent) {
        self.directions += 1;
        // A rule that holds an act back directs a run without policies.
        self.mode = RuntimeMode::Meta;
        let payload = &event.payload;

        if event.event_type.as_deref() == Some("direction.veto") {
            self.vetoes += 1;
            self.last_policy = Some(event.agent_id.clone());
            if payload
                .get("scope")
                .and_then(Value::as_str)
                == Some("run")
            {
                let reason = payload
                    .get("reason")
                    .and_then(Value::as_str);
                self.stopped = reason.map(str::to_owned);
            }
        }

        if payload.get("applied") == Some(&Value::Bool(true)) {
            self.directions_applied += 1;
            let diff = payload
                .get("diff")
                .and_then(Value::as_array);
            let key = |change: &Value| Some(change.get("key")?.as_str()?.to_owned());
            self.last_policy = Some(event.agent_id.clone());
            self.last_diff = Some(
                diff.into_iter()
                    .flatten()
                    .filter_map(key)
                    .collect(),
            );
        }
    }

    fn runtime(&mut self, event: &RunEvent) -> Folded {
        if event.is("runtime", "run.verification") {
            self.verification = Some(read(event.payload.clone(), event)?);
        }

        if event.is("runtime", ATTACHED) {
            self.held = self.held + Size::of(&event.payload) + BESIDES;
            let attachment: Attachment = read(event.payload.clone(), event)?;
            if !attachment.is_named_by_digest() {
                return Err(wrong(event));
            }

            self.state
                .outcomes
                .artifacts
                .get_or_insert_default()
                .push(attachment.name.clone());
            self.attached
                .insert(attachment.name.clone(), attachment);
        }

        if event.is("runtime", "run.interrupt") {
            self.refused = typed(event, REFUSED)?.unwrap_or_default();
        }

        if event.is_evidence() {
            self.sealed_last = typed(event, "state_sha256")?;
            self.is_anchored |= event.payload.contains_key(PREFIX);
        }

        Ok(())
    }

    fn terminate(&mut self, event: &RunEvent) -> Folded {
        let status: RunStatus = typed(event, "status")?.ok_or_else(|| wrong(event))?;
        self.refused = typed(event, REFUSED)?.unwrap_or_default();
        self.terminated = Some(self.last);

        let done = self
            .with_status(StepStatus::Done)
            .count();
        let mut metrics = typed::<Map<String, Value>>(event, "metrics")?.unwrap_or_default();
        metrics.insert("steps_completed".into(), done.into());
        metrics.insert("steps_total".into(), self.state.plan.steps.len().into());

        let outcomes = &mut self.state.outcomes;
        outcomes.status = status;
        outcomes.metrics = Some(metrics);
        if let Some(mut named) = typed::<Vec<String>>(event, "artifacts")? {
            named.retain(|name| !self.attached.contains_key(name));
            outcomes
                .artifacts
                .get_or_insert_default()
                .extend(named);
        }

        outcomes.error = event
            .payload
            .get("error")
            .cloned()
            .unwrap_or_default();
        self.state.links = Some(links(true));
        self.held = self.held + Size::of(&event.payload) + BESIDES;

        Ok(())
    }

    /// Returns how much the state takes at most, after one more event of a size, with what must be
    /// left for others; `None` where it does not grow.
    pub(super) fn held_with(&self, event: &RunEvent, size: Size) -> Option<Size> {
        let payload = size.within(DEEPER) + BESIDES;
        match &*event.phase {
            // Those who resume a run plan what is planned already.
            "plan" if size.is_no_more_than(self.planned) => None,
            "plan" => Some(self.held + size.within(1) + ROOM_TO_END),
            "act" if !event.adds_to_state() => None,
            "terminate" => Some(self.held() + payload),
            "runtime" if event.event_type.as_deref() != Some(ATTACHED) => None,
            "act" | "memory" | "runtime" => Some(self.held() + payload + ROOM_TO_END),
            _ => None,
        }
    }

    /// Returns how much the state takes, at most.
    pub(super) fn held(&self) -> Size {
        self.held + self.planned
    }

    /// Returns `true` if the last event is the evidence of the state.
    pub(super) fn is_sealed(&self) -> bool {
        text(&self.state, "the state").is_ok_and(|state| {
            self.sealed_last.as_deref() == Some(&*FileDigest::of(&state).to_string())
        })
    }

    /// Returns how long at least one step was open.
    pub(super) fn busy_millis(&self) -> f64 {
        let open = self
            .open_since
            .map_or(0, |since| self.last.since(since));
        Micros(self.busy + open).micros_since(Micros(0)) / 1e3
    }

    pub(super) fn step(&self, id: &str) -> Option<&Step> {
        self.state
            .plan
            .steps
            .get(*self.places.get(id)?)
    }

    pub(super) fn with_status(&self, status: StepStatus) -> impl Iterator<Item = &Step> {
        self.state
            .plan
            .steps
            .iter()
            .filter(move |step| step.status == status)
    }
}

/// Returns a field of an event's payload, if it is there.
fn typed<T: DeserializeOwned>(event: &RunEvent, name: &str) -> Folded<Option<T>> {
    match event.payload.get(name) {
        None => Ok(None),
        Some(value) => T::deserialize(value)
            .map(Some)
            .map_err(|_| wrong(event)),
    }
}

/// Returns the value that members of an event are.
fn read<T: DeserializeOwned>(members: Map<String, Value>, event: &RunEvent) -> Folded<T> {
    serde_json::from_value(Value::Object(members)).map_err(|_| wrong(event))
}

fn wrong(event: &RunEvent) -> String {
    let phase = escape(&event.phase);
    format!("is a `{phase}` event with a payload that the recorder does not write")
}
