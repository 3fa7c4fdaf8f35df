//! The calls of an agent -> events, and the snapshots that sum them up.

mod acts;
mod decision;
mod ending;
mod judging;
mod memory;
mod policies;
mod recovery;
mod redacted;
mod reread;
mod soundness;
mod steps;
mod verification;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Map, Value};

pub(crate) use decision::CallDecision;
use decision::UnderWay;
pub use decision::{ActDecision, Allowed};
pub(super) use ending::Ending;
pub use ending::{End, Recorded};
pub use policies::{PolicyDecision, Veto};
pub use recovery::Recovered;
pub(super) use redacted::{PlainRun, Redactor, redacted};
pub use steps::{Adapter, OpenStep, StepDecision, StepDraft, StepEnd};
use verification::BeforeRun;
pub(super) use verification::{PRE, SNAPSHOTS};

use super::clock::Micros;
use super::error::Error;
use super::event::{PREFIX, REFUSED, RunEvent, UNKNOWN_TIME, object};
use super::fold::RunFold;
use super::size::Size;
use super::text::{json, text};
use super::timeline::TimelineFile;
use super::{Durability, Recorder, beside};
use crate::ground::digest::FileDigest;
use crate::ground::finding::Finding;
use crate::ground::record::phases::PROJECTION;
use crate::ground::record::{State, StepStatus};
use crate::ground::source::Artifact;
use crate::judge::check::LiveChecker;
use crate::reading::facts::phase_meant;
use crate::store::{OpenDir, whole_lines};

/// A run that is being recorded. It owns the files and the lock of its episode.
///
/// Dropping it writes nothing: the run stays pending, [`Recorder::resume`] goes on with it, and
/// [`Recorder::abandon`] ends it.
#[must_use = "a run that is dropped stays pending: finish it, or pause it"]
pub struct Run {
    recorder: Recorder,
    dir: OpenDir,
    fold: RunFold,
    events: TimelineFile,
    learn: TimelineFile,
    before: Option<BeforeRun>,
    /// The time of the next event, unless the clock tells it.
    at: Option<Micros>,
    /// `true` if the caller does not know it.
    is_time_unknown: bool,
    /// `true` if there is a `state.json`.
    has_state: bool,
    /// `true` if a write failed so that it is unknown what the disk holds.
    is_poisoned: bool,
    /// The rules of the team that judge the run.
    live: Option<LiveChecker>,
    /// The findings of these rules that [`Run::take_findings`] has not returned yet.
    findings: Vec<Finding>,
    /// The acts that are under way.
    under_way: Vec<UnderWay>,
    /// The digest of the manifest, once the run has ended.
    manifest_sha256: Option<String>,
    /// The run without redaction, where it is redacted.
    pub(super) plain: Option<PlainRun>,
}

/// A run that was paused.
#[derive(Debug)]
#[non_exhaustive]
pub struct Paused {
    /// The id of the episode, for [`Recorder::resume`].
    pub id: String,
    /// The directory of the episode.
    pub path: PathBuf,
    /// The findings that [`Run::take_findings`] would have returned.
    pub findings: Vec<Finding>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}

impl Run {
    pub(super) fn new(
        mut recorder: Recorder,
        dir: OpenDir,
        fold: RunFold,
        events: TimelineFile,
        learn: TimelineFile,
        before: Option<BeforeRun>,
    ) -> Self {
        if let Some(redactor) = &mut recorder.redactor {
            fold.attached
                .values()
                .for_each(|it| redactor.has_file(&it.name, &it.sha256, it.bytes));
        }

        Self {
            at: fold
                .has_given_times
                .then_some(fold.last),
            recorder,
            dir,
            fold,
            events,
            learn,
            before,
            is_time_unknown: false,
            has_state: false,
            is_poisoned: false,
            live: None,
            findings: Vec::new(),
            under_way: Vec::new(),
            manifest_sha256: None,
            plain: None,
        }
    }

    /// Returns the id of the episode.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.fold.state.episode.id
    }

    /// Returns the directory of the episode.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Returns the SHA-256 of `manifest.json`, as 64 hexadecimal digits, once the run has ended:
    /// see [`Recorded::manifest_sha256`].
    #[must_use]
    pub fn manifest_sha256(&self) -> Option<&str> {
        self.manifest_sha256.as_deref()
    }

    /// Returns the state, as the events so far make it.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.fold.state
    }

    /// Hands out the lines of the timeline.
    pub(crate) fn each_line(&self, take: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        whole_lines(self.events.content()?, &mut |line| {
            take(line);
            true
        })
        .map(drop)
        .map_err(Error::io("reading", &self.events.path()))
    }

    /// Has the clock tell the times of the events that follow.
    pub(crate) fn by_clock(&mut self) {
        (self.at, self.is_time_unknown) = (None, false);
    }

    /// Returns the ids of the steps that are pending, in the order of the plan.
    #[must_use]
    pub fn pending(&self) -> Vec<String> {
        self.fold
            .with_status(StepStatus::Pending)
            .map(|step| step.id.clone())
            .collect()
    }

    /// Returns the ids of the steps that are open, sorted.
    pub(super) fn open_steps(&self) -> Vec<String> {
        self.fold.open.iter().cloned().collect()
    }

    /// Sets the time of the events that follow, in a run that is recorded afterwards. It may go
    /// back, as in a log. With `None` it is unknown: the events have the time that was set before,
    /// and `x-time-unknown` in their payload, and the summary has no latencies.
    ///
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use runvet::recorder::{End, Recorder, Task};
    ///
    /// # let dir = std::env::temp_dir().join(format!("runvet-at-{}", std::process::id()));
    /// let began = UNIX_EPOCH + Duration::from_secs(1_772_366_400);
    /// let task = Task::new("Summarize the open tickets").id("trace-4711").started_at(began);
    /// let mut run = Recorder::new(&dir).begin(task)?;
    /// run.at(began + Duration::from_secs(90))?;
    /// assert_eq!(run.finish(End::ok())?.summary.duration_sec, 90.0);
    /// # std::fs::remove_dir_all(&dir).unwrap();
    /// # Ok::<(), runvet::recorder::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Refused`] for a time outside of the years 0 to 9999, and in a run that did not
    /// begin with [`Task::started_at`](super::Task::started_at).
    pub fn at(&mut self, time: impl Into<Option<SystemTime>>) -> Result<(), Error> {
        self.must_not_have_ended()?;
        if !self.fold.has_given_times {
            let why = "the recorder's clock sets the times of this run: the caller can set them \
                       only in a run that began with a time of the caller, `started_at`";
            return Err(Error::refused("the time", why));
        }

        let time = time
            .into()
            .map(Micros::given)
            .transpose()?;
        self.is_time_unknown = time.is_none();
        self.at = time.or(self.at);

        Ok(())
    }

    /// Adds an event of a phase that the recorder gives no meaning to, such as `observe`, `reason`
    /// or one of the runtime's own.
    ///
    /// ```
    /// # use runvet::recorder::{Error, Recorder, Task};
    /// # let dir = std::env::temp_dir().join(format!("runvet-note-{}", std::process::id()));
    /// let mut run = Recorder::new(&dir).begin(Task::new("Summarize the open tickets"))?;
    /// let seen = [("tickets".to_owned(), 3.into())].into_iter().collect();
    /// let id = run.note("observe", seen)?;
    /// assert_eq!(id, "evt-000002");
    ///
    /// // The recorder writes plans itself.
    /// let refused = run.note("plan", serde_json::Map::new());
    /// assert!(matches!(refused, Err(Error::Refused { .. })));
    /// # std::fs::remove_dir_all(&dir).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// The text `x-agent` in the payload is the agent that the event is by, in place of `system`.
    ///
    /// # Errors
    /// [`Error::Refused`] for phases that the recorder writes itself, and for names that are easily
    /// mistaken for them.
    pub fn note(&mut self, phase: &str, payload: Map<String, Value>) -> Result<String, Error> {
        let noted = self.try_note(phase, payload);
        self.counted(noted)
    }

    fn try_note(&mut self, phase: &str, payload: Map<String, Value>) -> Result<String, Error> {
        self.must_not_have_ended()?;
        must_be_free(phase)?;
        self.write(RunEvent::told(phase, payload))
    }

    /// Asks the rules of the team before something is done that a note will tell, such as a call of
    /// a model: see [`Run::may_act`], which does so for acts.
    ///
    /// A rule that reads what only the end of a call of a model gives (`text`, `thinking`, `usage`,
    /// `stop_reason`) holds nothing back.
    ///
    /// # Errors
    /// The errors of [`Run::note`]; [`Error::Violates`] for a note that is held back.
    pub fn may_note(&mut self, phase: &str, payload: Map<String, Value>) -> Result<Allowed, Error> {
        self.must_go_on()?;
        must_be_free(phase)?;
        self.ask_before(None, &RunEvent::told(phase, payload))
    }

    /// Counts what was to be recorded and is not in the run. What a rule of the team refused was
    /// not done.
    fn counted<T>(&mut self, recorded: Result<T, Error>) -> Result<T, Error> {
        if let Err(error) = &recorded
            && !matches!(error, Error::Violates { .. } | Error::Ended { .. })
        {
            self.lose();
        }

        recorded
    }

    /// Counts something that was to be recorded and is not in the run: the end of the run tells the
    /// number, as `x-refused`. Calls that fail are counted already.
    pub fn lose(&mut self) {
        self.fold.refused += 1;
    }

    /// Returns the number of acts, notes and values that were to be recorded and are not in the
    /// run.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.fold.refused
    }

    /// Returns the key with that number, where there are any.
    fn losses(&self) -> Option<(String, Value)> {
        let lost = self.lost();
        (lost > 0).then(|| (REFUSED.to_owned(), lost.into()))
    }

    /// Replaces `state.json` by the present state, after its evidence.
    ///
    /// The state and its evidence both contain all actions so far, and the evidence stays in the
    /// timeline. If a run is persisted after each action, the amount of data that it writes grows
    /// with the square of the number of actions.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::NotDurable`] where the state was replaced but may not survive a
    /// power failure; and [`Error::Lost`] where the files of the run are no longer at their place.
    pub fn persist(&mut self) -> Result<(), Error> {
        self.must_not_have_ended()?;
        let state = self.write_evidence()?;
        self.put_state(&state)
    }

    /// Replaces `state.json` for the last time in a process that leaves the run pending.
    pub(super) fn leave(&mut self) -> Result<(), Error> {
        self.persist()?;
        self.must_be_as_written()
    }

    /// Replaces `state.json`.
    fn put_state(&mut self, state: &[u8]) -> Result<(), Error> {
        let dir = self.dir.clone();
        self.replace(&dir, "state.json", state)?;
        self.sync_names(&dir, "state.json")?;
        self.has_state = true;

        // A state with all texts may be beyond the limit of a record.
        let plain = self
            .plain
            .as_ref()
            .and_then(|plain| text(&plain.fold.state, "the state").ok());
        self.judge_record(Artifact::State, 0, plain.as_deref().unwrap_or(state));

        self.must_be_in_place()
    }

    /// Adds the evidence of the present state to the timeline, and returns the text of the state.
    fn write_evidence(&mut self) -> Result<Vec<u8>, Error> {
        let is_anchored = self.recorder.anchors || self.fold.is_anchored;
        let prefix = is_anchored.then(|| self.events.held.sha256());
        let (payload, state) = evidence(&self.fold.state, prefix.clone())?;
        let plain = self
            .plain
            .as_ref()
            .and_then(|plain| evidence(&plain.fold.state, prefix).ok())
            .map(|(payload, _)| payload);
        self.write_event(RunEvent::runtime(PROJECTION, payload), plain)?;
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
            path: self.path().to_owned(),
            findings: self.take_findings(),
        })
    }

    /// Like [`Run::pause`], for those who go on with the run where it is refused.
    pub(super) fn interrupt(&mut self, reason: &str) -> Result<(), Error> {
        self.must_not_have_ended()?;
        if let Some(open) = self.fold.open.iter().next() {
            let why = format!("the step {open:?} is open");
            return Err(Error::refused("pausing", why));
        }

        let mut payload = object([("reason", reason.into())]);
        payload.extend(self.losses());
        self.write(RunEvent::runtime("run.interrupt", payload))?;

        self.leave()
    }

    /// Returns the time that the next event gets.
    fn now(&self) -> Micros {
        let now = || {
            Micros::of(
                self.recorder
                    .with_clock(|clock| clock.now()),
            )
        };

        self.at
            .unwrap_or_else(|| now().max(self.fold.last))
    }

    /// Adds an event.
    fn write(&mut self, draft: RunEvent) -> Result<String, Error> {
        self.write_event(draft, None)
            .map(|event| event.id)
    }

    /// Adds an event. Where values in it are shortened or redacted, rules judge the `whole`
    /// payload.
    fn write_event(
        &mut self,
        mut draft: RunEvent,
        whole: Option<Map<String, Value>>,
    ) -> Result<RunEvent, Error> {
        self.must_be_sound()?;
        let mut at = self.now();
        if matches!(&*draft.phase, "runtime" | "terminate") {
            // The recorder's own events are after all others.
            at = at.max(self.fold.last);
        } else if self.is_time_unknown {
            draft
                .payload
                .insert(UNKNOWN_TIME.into(), true.into());
        }

        let plain = self
            .plain
            .as_ref()
            .map(|_| draft.payload.clone());
        let whole = whole.or(plain);
        let draft = self.as_written(draft)?;
        self.must_fit(&draft)?;

        let event = draft.numbered(self.id(), self.fold.events + 1, at);
        let line = event.line()?;
        let whole = match whole {
            Some(payload) => {
                let whole = RunEvent {
                    payload,
                    ..event.clone()
                };
                // The caller may have shortened some of its values.
                let attached = self.with_attachments(&whole, &whole.line()?);
                Some(attached.unwrap_or(whole))
            }
            None => self.with_attachments(&event, &line),
        };

        let judged = whole
            .as_ref()
            .map(RunEvent::line)
            .transpose()?;
        let judged = judged.as_ref().unwrap_or(&line);
        let checker = self.live.as_ref();
        let whole = whole.as_ref().unwrap_or(&event);
        let found = checker.map(|checker| self.judge_next(checker, whole, judged, None));
        let appended = self.events.append(&line);
        self.unless_unknown(appended)?;
        if let Err(wrong) = self.fold.add_at(&event, at) {
            self.is_poisoned = true;
            return Err(Error::refused("the event", wrong));
        }

        if let Some(plain) = &mut self.plain {
            plain.add(whole, at, self.live.as_ref().map(|_| judged))?;
        }

        self.follow(found.unwrap_or_default(), line.len(), judged);
        if self.recorder.durability == Durability::Event {
            let synced = self.events.sync();
            self.poison_unless(synced)?;
        }

        Ok(event)
    }

    /// Refuses an event that a reader would refuse, or that would make the state such a record.
    fn must_fit(&self, draft: &RunEvent) -> Result<(), Error> {
        let size = Size::of(&draft.payload);
        size.check(draft.name())?;
        self.fold
            .held_with(draft, size)
            .map_or(Ok(()), |held| held.check("the state"))
    }

    /// Replaces a file by rename.
    fn replace(&mut self, dir: &OpenDir, name: &str, content: &[u8]) -> Result<(), Error> {
        self.must_be_sound()?;
        let replaced = self
            .recorder
            .replace(dir, &beside(name), name, content);

        self.unless_unknown(replaced)
            .or_else(|error| self.must_be_in_place().and(Err(error)))
    }

    /// Makes the name of a file that was replaced durable, as far as that is asked for.
    fn sync_names(&mut self, dir: &OpenDir, name: &str) -> Result<(), Error> {
        if self.recorder.durability == Durability::Process {
            return Ok(());
        }

        let path = dir.path().join(name);
        let synced = self.recorder.disk.sync_dir(dir);
        self.poison_unless(synced.map_err(|source| Error::NotDurable { path, source }))
    }
}

/// Returns the payload of the evidence of a state, and the text of the state.
fn evidence(state: &State, prefix: Option<String>) -> Result<(Map<String, Value>, Vec<u8>), Error> {
    let text = text(state, "the state")?;
    let payload = object([
        ("links", json(&state.links, "the state")?),
        ("outcomes", json(&state.outcomes, "the state")?),
        (PREFIX, prefix.into()),
        ("state_sha256", FileDigest::of(&text).to_string().into()),
    ]);

    Ok((payload, text))
}

/// Refuses a phase whose events an agent can't add itself.
fn must_be_free(phase: &str) -> Result<(), Error> {
    reserved(phase).map_or(Ok(()), |why| Err(Error::refused("the phase", why)))
}

/// Returns why an agent can't add events of a phase itself.
fn reserved(phase: &str) -> Option<String> {
    /// The phases that the recorder writes.
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

    if phase.is_empty() {
        return Some("it has no name".into());
    }
    if OWN.contains(&phase) {
        return Some(format!("the recorder itself writes `{phase}` events"));
    }

    let near = phase_meant(phase)?;
    Some(format!("{phase:?} is easily mistaken for `{near}`"))
}

#[cfg(test)]
impl Run {
    /// Returns the run in a process that was forked.
    pub(super) fn forked(mut self) -> Self {
        self.events.fork();
        self
    }
}

/// Returns what the events of an episode lead to.
#[cfg(test)]
pub(super) fn fold_of(dir: &Path, id: &str) -> Result<RunFold, Error> {
    let dir = OpenDir::open(dir).unwrap();
    let disk: std::sync::Arc<dyn crate::store::Disk> =
        std::sync::Arc::new(crate::store::FileSystem);
    let events = TimelineFile::open(&disk, &dir, "events.jsonl", false)?;
    reread::reread(&dir, &events, id).map(|(fold, _)| fold)
}
