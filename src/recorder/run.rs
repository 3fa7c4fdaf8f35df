//! The calls of an agent -> events, and the snapshots that sum them up.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::clock::Micros;
use super::ending::Recorded;
use super::error::Error;
use super::event::{Draft, Event, object};
use super::fold::{Fold, stamped};
use super::policies::{Verdict, Veto};
use super::size::Size;
use super::timeline::Timeline;
use super::verification::Before;
use super::{Durability, Recorder};
use crate::digest::FileDigest;
use crate::record::{Action, Belief, Fact, State, Step, StepKind, StepStatus, UnitInterval};
use crate::store::append_all;

/// The id of an event, such as `evt-000012`.
pub type EventId = String;

/// A run that is being recorded. It owns the files and the lock of its episode.
///
/// Dropping it writes nothing: the run stays pending, [`Recorder::resume`] goes on with it, and
/// [`Recorder::abandon`] ends it.
#[must_use = "a run that is dropped stays pending: finish it, or pause it"]
pub struct Run {
    pub(super) recorder: Recorder,
    pub(super) dir: PathBuf,
    pub(super) fold: Fold,
    pub(super) events: Timeline,
    pub(super) learn: Timeline,
    pub(super) before: Option<Before>,
    /// Whether there is a `state.json`.
    pub(super) has_state: bool,
    /// Whether a write failed so that it is unknown what the disk holds.
    is_poisoned: bool,
    owner: u32,
}

/// A step of a plan, before it is recorded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepDraft {
    /// The unique id of the step.
    pub id: String,
    /// What sort of step it is.
    pub kind: StepKind,
    /// What the step does.
    pub description: String,
    /// Why it is in the plan.
    pub rationale: Option<String>,
    /// What it is given.
    pub inputs: Option<Map<String, Value>>,
}

impl StepDraft {
    /// A step without rationale and inputs.
    #[must_use]
    pub fn new(id: impl Into<String>, kind: StepKind, description: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            kind,
            description: description.into(),
            rationale: None,
            inputs: None,
        }
    }

    /// Why the step is in the plan.
    #[must_use]
    pub fn rationale(mut self, rationale: impl Into<String>) -> Self {
        self.rationale = Some(rationale.into());
        self
    }

    /// What the step is given.
    #[must_use]
    pub fn inputs(mut self, inputs: Map<String, Value>) -> Self {
        self.inputs = Some(inputs);
        self
    }

    fn step(self, status: StepStatus) -> Step {
        Step {
            id: self.id,
            kind: self.kind,
            description: self.description,
            status,
            rationale: self.rationale,
            inputs: self.inputs,
            outputs: None,
        }
    }
}

/// A step that is open: proof that policies let it pass. It closes once, by [`Run::close`].
#[derive(Debug)]
#[must_use = "an open step has to be closed"]
pub struct OpenStep {
    id: String,
    hints: Vec<String>,
}

impl OpenStep {
    /// The id of the step.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What policies suggest for it.
    #[must_use]
    pub fn hints(&self) -> &[String] {
        &self.hints
    }
}

/// Whether a step may be executed.
#[derive(Debug)]
#[must_use]
pub enum Gate {
    /// It is open.
    Go(OpenStep),
    /// A policy blocked it, or the run.
    Vetoed(Veto),
}

/// How a step ends.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StepEnd {
    /// It did what it should.
    Done,
    /// The same, and it produced something.
    DoneWith(Map<String, Value>),
    /// It failed, with an error in any form but null.
    Failed(Value),
    /// It was not needed, with the reason.
    Skipped(String),
}

/// A run that was paused.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Paused {
    /// The id of the episode, for [`Recorder::resume`].
    pub id: String,
    /// The directory of the episode.
    pub path: PathBuf,
}

/// What executes steps.
pub trait Adapter {
    /// The adapter's label, recorded as the tool of actions that name none.
    fn label(&self) -> &str;

    /// Executes a step; an error may have any form but null.
    ///
    /// # Errors
    /// What made the step fail.
    fn run(&mut self, step: &Step, state: &State) -> Result<Action, Value>;
}

impl Run {
    pub(super) fn new(
        recorder: Recorder,
        dir: PathBuf,
        fold: Fold,
        events: Timeline,
        learn: Timeline,
    ) -> Self {
        Self {
            recorder,
            dir,
            fold,
            events,
            learn,
            before: None,
            has_state: false,
            is_poisoned: false,
            owner: std::process::id(),
        }
    }

    /// The id of the episode.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.fold.state.episode.id
    }

    /// The directory of the episode.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// The state, as the events so far make it.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.fold.state
    }

    /// The ids of the steps that are pending, in the order of the plan.
    #[must_use]
    pub fn pending(&self) -> Vec<String> {
        let pending = self.fold.with_status(StepStatus::Pending);
        pending.map(|step| step.id.clone()).collect()
    }

    /// The ids of the steps that are open, sorted.
    pub(super) fn open_steps(&self) -> Vec<String> {
        self.fold.open.iter().cloned().collect()
    }

    /// Adds an event of a phase that the recorder gives no meaning to, such as `observe`, `reason`
    /// or one of the runtime's own.
    ///
    /// # Errors
    /// [`Error::Refused`] for phases that the recorder writes itself, and for names that are easily
    /// mistaken for them.
    pub fn note(&mut self, phase: &str, payload: Map<String, Value>) -> Result<EventId, Error> {
        if let Some(why) = reserved(phase) {
            return Err(Error::refused("the phase", why));
        }
        self.write(Draft::new(phase, payload))
    }

    /// Sets the plan, and asks the policies about the run. A step whose id the plan had before
    /// keeps its status; all others are pending.
    ///
    /// # Errors
    /// [`Error::Refused`] for steps without id or with the same one, and where a step is missing
    /// that is open or has an action.
    pub fn plan(
        &mut self,
        steps: impl IntoIterator<Item = StepDraft>,
        source: &str,
    ) -> Result<Verdict, Error> {
        self.must_go_on()?;
        let steps: Vec<Step> = steps
            .into_iter()
            .map(|draft| {
                let known = self.fold.step(&draft.id);
                let status = known.map_or(StepStatus::Pending, |step| step.status);
                let outputs = known.and_then(|step| step.outputs.clone());
                Step {
                    outputs,
                    ..draft.step(status)
                }
            })
            .collect();
        let mut ids = std::collections::BTreeSet::new();
        for step in &steps {
            if step.id.is_empty() {
                return Err(Error::refused("the plan", "a step has no id"));
            }
            if !ids.insert(step.id.as_str()) {
                return Err(Error::refused(
                    "the plan",
                    format!("two steps have the id {:?}", step.id),
                ));
            }
        }
        if let Some(open) = self.fold.open.iter().find(|id| !ids.contains(id.as_str())) {
            return Err(Error::refused(
                "the plan",
                format!("it lacks the step {open:?}, which is open"),
            ));
        }
        let actions = self.fold.state.outcomes.actions.iter().flatten();
        let mut acted = actions.filter_map(|action| action.step_id.as_ref()?.as_str());
        if let Some(step) = acted.find(|id| !ids.contains(id)) {
            return Err(Error::refused(
                "the plan",
                format!("it lacks the step {step:?}, which has an action"),
            ));
        }
        if source.is_empty() {
            return Err(Error::refused("the plan", "its source has no name"));
        }
        self.write_plan(&steps, source)?;
        self.consult(None)
    }

    pub(super) fn write_plan(&mut self, steps: &[Step], source: &str) -> Result<(), Error> {
        let records = serde_json::to_value(steps)
            .map_err(|error| Error::refused("the plan", error.to_string()))?;
        let payload = object([("source", source.into()), ("step_records", records)]);
        self.write(Draft::new("plan", payload).by(source))?;
        Ok(())
    }

    /// Opens a pending step, if no policy blocks it.
    ///
    /// # Errors
    /// [`Error::Refused`] where the plan has no such step, or it is not pending.
    pub fn open(&mut self, step: &str) -> Result<Gate, Error> {
        self.must_go_on()?;
        self.must_be(step, StepStatus::Pending, "opening a step")?;
        let hints = match self.consult(Some(step))? {
            Verdict::Vetoed(veto) => return Ok(Gate::Vetoed(veto)),
            Verdict::Go { hints } => hints,
        };
        // A policy may have skipped it.
        self.must_be(step, StepStatus::Pending, "opening a step")?;
        self.set_step(step, StepStatus::Running, Map::new())?;
        Ok(Gate::Go(OpenStep {
            id: step.into(),
            hints,
        }))
    }

    fn must_be(&self, step: &str, status: StepStatus, what: &'static str) -> Result<(), Error> {
        match self.fold.step(step) {
            None => Err(Error::refused(
                what,
                format!("the plan has no step {step:?}"),
            )),
            Some(found) if found.status != status => Err(Error::refused(
                what,
                format!("the step {step:?} is {}, not {status}", found.status),
            )),
            Some(_) => Ok(()),
        }
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
        payload.insert("synthetic".into(), true.into());
        self.write(Draft::new("act", payload))?;
        Ok(())
    }

    /// Records an action of an open step, and returns its id. The recorder sets `id`, `step_id` and
    /// `timestamp`.
    ///
    /// # Errors
    /// [`Error::Refused`] where one of these is set already, or an extension does not start with
    /// `x-`.
    pub fn act(&mut self, step: &OpenStep, action: Action) -> Result<String, Error> {
        self.act_in(&step.id, action)
    }

    /// The same for a step that is named by its id.
    pub(super) fn act_in(&mut self, step: &str, action: Action) -> Result<String, Error> {
        self.must_be(step, StepStatus::Running, "acting")?;
        let is_set = [
            ("id", action.id.is_some()),
            ("step_id", action.step_id.is_some()),
            ("timestamp", action.timestamp.is_some()),
        ];
        if let Some((name, _)) = is_set.into_iter().find(|(_, is_set)| *is_set) {
            return Err(Error::refused(
                "the action",
                format!("the recorder sets `{name}`"),
            ));
        }
        if let Some(name) = action
            .extensions
            .keys()
            .find(|name| !name.starts_with("x-"))
        {
            return Err(Error::refused(
                "the action",
                format!("{name:?} is no field of an action, and does not start with `x-`"),
            ));
        }
        let number = self
            .fold
            .state
            .outcomes
            .actions
            .as_ref()
            .map_or(0, Vec::len)
            + 1;
        let id = format!("act-{number}");
        let Ok(Value::Object(mut payload)) = serde_json::to_value(action) else {
            return Err(Error::refused("the action", "it can't be written as JSON"));
        };
        payload.insert("id".into(), id.clone().into());
        payload.insert("step_id".into(), step.into());
        payload.insert("step_status".into(), StepStatus::Running.word().into());
        self.write(Draft::new("act", payload))?;
        Ok(id)
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

    /// The same for a step that is named by its id.
    pub(super) fn close_step(&mut self, step: &str, end: StepEnd) -> Result<(), Error> {
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

    /// Adds a belief, with its confidence from 0 to 1.
    ///
    /// # Errors
    /// [`Error::Refused`] for another confidence.
    pub fn believe(
        &mut self,
        statement: &str,
        confidence: f64,
        provenance: &str,
    ) -> Result<EventId, Error> {
        if !(0.0..=1.0).contains(&confidence) {
            return Err(Error::refused(
                "the belief",
                format!("its confidence is {confidence}, not between 0 and 1"),
            ));
        }
        let belief = Belief {
            statement: statement.into(),
            confidence: UnitInterval(confidence),
            provenance: provenance.into(),
            timestamp: Some(stamped(self.now())),
        };
        self.remember_value("belief", &belief)
    }

    /// Adds a fact. A key may be remembered again; its last value counts.
    ///
    /// # Errors
    /// As for [`Run::note`].
    pub fn remember(
        &mut self,
        key: &str,
        value: impl Into<Value>,
        provenance: Option<&str>,
    ) -> Result<EventId, Error> {
        let fact = Fact {
            key: key.into(),
            value: value.into(),
            timestamp: Some(stamped(self.now())),
            provenance: provenance.map(Into::into),
        };
        self.remember_value("fact", &fact)
    }

    /// Adds a line to the scratchpad.
    ///
    /// # Errors
    /// As for [`Run::note`].
    pub fn jot(&mut self, text: &str) -> Result<EventId, Error> {
        self.remember_value("scratchpad", text)
    }

    fn remember_value(
        &mut self,
        name: &str,
        value: &(impl serde::Serialize + ?Sized),
    ) -> Result<EventId, Error> {
        let value = serde_json::to_value(value)
            .map_err(|error| Error::refused("the memory", error.to_string()))?;
        let payload = [(name.to_owned(), value)].into_iter().collect();
        self.write(Draft::new("memory", payload))
    }

    /// Adds a reflection.
    ///
    /// # Errors
    /// As for [`Run::note`].
    pub fn reflect(&mut self, payload: Map<String, Value>) -> Result<EventId, Error> {
        self.write(Draft::new("reflect", payload))
    }

    /// Adds a proposal of what to learn, to the timeline and to `learn.jsonl`.
    ///
    /// # Errors
    /// As for [`Run::note`].
    pub fn propose(
        &mut self,
        proposal: Map<String, Value>,
        applied: bool,
    ) -> Result<EventId, Error> {
        let payload = object([("applied", applied.into()), ("proposal", proposal.into())]);
        let event = self.write_event(Draft::new("learn", payload))?;
        let line = super::ending::learn_line(&event)?;
        let appended = self.learn.append(&line);
        self.appended(appended)?;
        Ok(event.id)
    }

    /// Executes all pending steps with an adapter: opens, runs, acts and closes each, in the order
    /// of the plan, until one fails or a policy stops the run.
    ///
    /// # Errors
    /// Those of the calls that it makes.
    pub fn execute(&mut self, adapter: &mut dyn Adapter) -> Result<Verdict, Error> {
        let mut hints = Vec::new();
        while let Some(id) = self.pending().into_iter().next() {
            let open = match self.open(&id)? {
                Gate::Vetoed(veto) if self.fold.stopped.is_some() => {
                    return Ok(Verdict::Vetoed(veto));
                }
                Gate::Vetoed(_) => continue,
                Gate::Go(open) => open,
            };
            hints.extend_from_slice(open.hints());
            let Some(step) = self.fold.step(&id).cloned() else {
                continue;
            };
            match adapter.run(&step, &self.fold.state) {
                Ok(mut action) => {
                    action.tool.get_or_insert_with(|| adapter.label().into());
                    self.act(&open, action)?;
                    self.close(open, StepEnd::Done)?;
                }
                Err(error) => {
                    let error = if error.is_null() {
                        "unknown".into()
                    } else {
                        error
                    };
                    self.close(open, StepEnd::Failed(error))?;
                    break;
                }
            }
        }
        Ok(Verdict::Go { hints })
    }

    /// Replaces `state.json` by the present state, after its evidence.
    ///
    /// # Errors
    /// [`Error::Io`]; and [`Error::NotDurable`] where the state was replaced but may not survive a
    /// power failure.
    pub fn persist(&mut self) -> Result<(), Error> {
        let state = self.write_evidence()?;
        self.replace("state.json", &state)?;
        self.has_state = true;
        Ok(())
    }

    /// Adds the evidence of the present state to the timeline, and returns the text of the state.
    pub(super) fn write_evidence(&mut self) -> Result<Vec<u8>, Error> {
        let state = text(&self.fold.state, "the state")?;
        let part = |value: Result<Value, serde_json::Error>| {
            value.map_err(|error| Error::refused("the state", error.to_string()))
        };
        let payload = object([
            ("links", part(serde_json::to_value(&self.fold.state.links))?),
            (
                "outcomes",
                part(serde_json::to_value(&self.fold.state.outcomes))?,
            ),
            ("state_sha256", FileDigest::of(&state).to_string().into()),
        ]);
        self.write(Draft::runtime("run.state_projection", payload))?;
        if self.recorder.durability == Durability::Snapshot {
            let synced = self.events.sync();
            self.poison_unless(synced)?;
        }
        Ok(state)
    }

    /// Ends this process's part in the run, which stays pending; [`Recorder::resume`] goes on.
    ///
    /// # Errors
    /// [`Error::Refused`] while a step is open, and those of [`Run::persist`].
    pub fn pause(mut self, reason: &str) -> Result<Paused, Error> {
        self.interrupt(reason)?;
        Ok(Paused {
            id: self.id().into(),
            path: self.dir,
        })
    }

    /// Like [`Run::pause`], for those who go on with the run where it is refused.
    pub(crate) fn interrupt(&mut self, reason: &str) -> Result<(), Error> {
        if let Some(open) = self.fold.open.iter().next() {
            return Err(Error::refused(
                "pausing",
                format!("the step {open:?} is open"),
            ));
        }
        let payload = object([("reason", reason.into())]);
        self.write(Draft::runtime("run.interrupt", payload))?;
        self.persist()
    }

    /// The run as it stands in its records.
    pub(super) fn recorded(self) -> Recorded {
        let summary = self.summary();
        Recorded {
            path: self.dir,
            state: self.fold.state,
            summary,
        }
    }

    /// The time that the next event gets.
    pub(super) fn now(&self) -> Micros {
        let now = self.recorder.with_clock(|clock| clock.now());
        Micros::of(now).max(self.fold.last)
    }

    /// Adds an event.
    pub(super) fn write(&mut self, draft: Draft) -> Result<EventId, Error> {
        self.write_event(draft).map(|event| event.id)
    }

    fn write_event(&mut self, draft: Draft) -> Result<Event, Error> {
        self.must_be_sound()?;
        let size = Size::of(&draft.payload);
        size.check("the event")?;
        let mut held = self.fold.held;
        held += size;
        // What the state holds is written again as one record.
        if !matches!(&*draft.phase, "runtime" | "learn" | "direction") {
            held.check("the state")?;
        }
        let event = draft.at(self.id(), self.fold.events + 1, self.now());
        let line = event.line()?;
        let appended = self.events.append(&line);
        self.appended(appended)?;
        if let Err(wrong) = self.fold.add(&event) {
            self.is_poisoned = true;
            return Err(Error::refused("the event", wrong.0));
        }
        if self.recorder.durability == Durability::Event {
            let synced = self.events.sync();
            self.poison_unless(synced)?;
        }
        Ok(event)
    }

    fn appended(&mut self, appended: Result<(), super::timeline::Failed>) -> Result<(), Error> {
        appended.map_err(|failed| {
            self.is_poisoned |= !failed.is_as_before;
            failed.error
        })
    }

    /// After a failed sync it is unknown what the disk holds: a second one would tell nothing.
    pub(super) fn poison_unless(&mut self, done: Result<(), Error>) -> Result<(), Error> {
        self.is_poisoned |= done.is_err();
        done
    }

    /// Replaces a file of the episode by rename.
    pub(super) fn replace(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        self.must_be_sound()?;
        let path = self.dir.join(name);
        let replaced = self.recorder.replace(&self.dir, name, content);
        let replaced = replaced.and_then(|()| {
            if self.recorder.durability == Durability::Process {
                return Ok(());
            }
            let synced = self.recorder.disk.sync_dir(&self.dir);
            synced.map_err(|source| Error::NotDurable { path, source })
        });
        self.poison_unless(replaced)
    }

    fn must_be_sound(&self) -> Result<(), Error> {
        if self.owner != std::process::id() {
            return Err(Error::Forked { owner: self.owner });
        }
        if self.is_poisoned {
            return Err(Error::Poisoned {
                id: self.id().into(),
            });
        }
        Ok(())
    }

    /// Refuses to go on with a run that a policy stopped.
    fn must_go_on(&self) -> Result<(), Error> {
        match &self.fold.stopped {
            None => Ok(()),
            Some(reason) => Err(Error::refused(
                "going on",
                format!("a policy stopped the run: {reason}"),
            )),
        }
    }

    /// Makes the new episode durable, as far as that is asked for.
    pub(super) fn sync_begin(&mut self) -> Result<(), Error> {
        if self.recorder.durability == Durability::Process {
            return Ok(());
        }
        let synced = self.events.sync();
        self.poison_unless(synced)?;
        let episodes = self.recorder.run_data.join("episodes");
        for dir in [&self.dir, &episodes] {
            self.recorder
                .disk
                .sync_dir(dir)
                .map_err(|source| Error::Io {
                    operation: "syncing",
                    path: dir.clone(),
                    source,
                })?;
        }
        Ok(())
    }
}

impl Recorder {
    /// Replaces a file by rename. A temporary file that an earlier process left is removed: this one
    /// has the lock.
    fn replace(&self, dir: &Path, name: &str, content: &[u8]) -> Result<(), Error> {
        let path = dir.join(name);
        let beside = match name.rsplit_once('/') {
            Some((below, name)) => dir.join(below).join(format!(".{name}.tmp")),
            None => dir.join(format!(".{name}.tmp")),
        };
        let io = |operation, path: &Path| {
            let path = path.to_owned();
            move |source| Error::Io {
                operation,
                path,
                source,
            }
        };
        let file = match self.disk.create(&beside) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                self.disk.remove(&beside).map_err(io("removing", &beside))?;
                self.disk.create(&beside)
            }
            created => created,
        };
        let mut file = file.map_err(io("creating", &beside))?;
        append_all(file.as_mut(), content).map_err(io("writing", &path))?;
        if self.durability != Durability::Process {
            file.sync().map_err(io("syncing", &path))?;
        }
        self.disk
            .rename(&beside, &path)
            .map_err(io("replacing", &path))
    }
}

/// The text of a record: sorted keys, compact, one newline at the end.
pub(super) fn text(record: &impl serde::Serialize, what: &'static str) -> Result<Vec<u8>, Error> {
    let value =
        serde_json::to_value(record).map_err(|error| Error::refused(what, error.to_string()))?;
    let mut text =
        serde_json::to_vec(&value).map_err(|error| Error::refused(what, error.to_string()))?;
    text.push(b'\n');
    if text.len() > super::event::MAX_LINE_BYTES {
        return Err(Error::TooLarge {
            what,
            limit: "64 MiB",
        });
    }
    Ok(text)
}

/// Why an agent can't add events of a phase itself.
fn reserved(phase: &str) -> Option<String> {
    /// The phases that the recorder writes, and those that a reader gives a meaning to.
    const OWN: [&str; 8] = [
        "start",
        "plan",
        "act",
        "direction",
        "runtime",
        "terminate",
        "memory",
        "learn",
    ];
    const TAKEN_FOR: [&str; 7] = [
        "start",
        "plan",
        "direction",
        "reflect",
        "runtime",
        "terminate",
        "act",
    ];
    const COMMON: [&str; 7] = [
        "observe",
        "interpret",
        "reason",
        "insight",
        "intuition",
        "governance",
        "reflect",
    ];
    if phase.is_empty() {
        return Some("it has no name".into());
    }
    if OWN.contains(&phase) {
        return Some(format!("the recorder itself writes `{phase}` events"));
    }
    if COMMON.contains(&phase) {
        return None;
    }
    let plain = |text: &str| text.replace(['-', '_'], "").to_lowercase();
    let near = TAKEN_FOR.into_iter().find(|known| {
        plain(known) == plain(phase) || (*known != "act" && strsim::osa_distance(known, phase) <= 1)
    });
    near.map(|known| format!("{phase:?} is easily mistaken for `{known}`"))
}
