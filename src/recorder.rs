//! The actions of a run -> an episode that is right at every moment, whatever crashes.
//!
//! A [`Recorder`] begins runs in a run-data directory. A [`Run`] takes what happens, in order, and
//! writes each event as one whole line before the call returns. `state.json` is replaced by rename
//! with every [`Run::persist`], [`Run::pause`] and [`Run::finish`], always after the projection
//! event that is its evidence. One rename ends a run: the rename of its terminal state, after all
//! its other records are written.
//!
//! ```
//! use runvet::recorder::{End, StepDecision, Recorder, StepDraft, Task};
//! use runvet::record::{Action, StepKind};
//!
//! # let dir = std::env::temp_dir().join(format!("runvet-recorder-{}", std::process::id()));
//! let recorder = Recorder::new(&dir);
//! let mut run = recorder.begin(Task::new("Summarize the open tickets"))?;
//! run.plan([StepDraft::new("collect", StepKind::Detect, "Collect the tickets")], "planner.demo")?;
//! if let StepDecision::Go(step) = run.open("collect")? {
//!     run.act(&step, Action::new("tickets"))?;
//!     run.close(step, runvet::recorder::StepEnd::Done)?;
//! }
//! let recorded = run.finish(End::ok())?;
//!
//! let report = runvet::gate::Gate::default().run([&recorded.path]).unwrap();
//! assert_eq!(report.totals.valid, 1);
//! # std::fs::remove_dir_all(&dir).unwrap();
//! # Ok::<(), runvet::recorder::Error>(())
//! ```

mod assertion;
mod attachment;
mod bounded;
pub(crate) mod call;
mod clock;
mod crashes;
mod error;
mod event;
mod fold;
pub(crate) mod protocol;
mod run;
mod size;
mod summary;
mod task;
mod text;
mod timeline;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

pub use assertion::{Assertion, Evaluated};
pub use attachment::Attachment;
pub(crate) use bounded::each_bounded;
pub use bounded::{MAX_OUTPUT, bounded};
pub use call::arguments;
pub use clock::Clock;
use serde_json::Value;

use clock::{Micros, SystemClock, episode_id};
pub use error::Error;
pub(crate) use event::ANCHORED;
use event::{RunEvent, object};
use fold::RunFold;
pub use protocol::Session;
pub(crate) use run::CallDecision;
pub use run::{
    ActDecision, Adapter, Allowed, End, OpenStep, Paused, PolicyDecision, Recorded, Recovered, Run,
    StepDecision, StepDraft, StepEnd, Veto,
};
use run::{PRE, PlainRun, Redactor, SNAPSHOTS, redacted};
use size::Size;
pub use task::Task;
use task::text_of_path;
use timeline::{TimelineFile, WriteFailed};

use crate::gate::Gate;
use crate::ground::finding::Finding;
use crate::ground::parallel::locked;
use crate::ground::record::{IntuitionMode, RuntimeMode};
use crate::ground::source::EPISODES;
use crate::look::read::policy::Policy;
use crate::store::{
    Disk, FileSystem, OpenDir, append_all, display, episode_around, make_unless_there, open_or_make,
};

/// A level of durability: the failures that the records of a run survive, and the cost of each
/// call.
///
/// With each choice, a crash of the process loses nothing that was recorded by a call that has
/// returned: the event is handed to the system before the call returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// Survives the death of the process. A power failure may lose or tear what is recent. Nothing
    /// is synced: an event takes microseconds.
    Process,
    /// A power failure loses at most what came after the last persist, pause or finish. Those are
    /// synced, which takes milliseconds each.
    #[default]
    Snapshot,
    /// A power failure loses nothing that was recorded by a call that has returned. Every event is
    /// synced.
    Event,
}

/// A recorder of runs, with its directory and its settings. Clones share the policies and the
/// clock.
#[derive(Clone)]
pub struct Recorder {
    run_data: PathBuf,
    policies: Vec<Arc<dyn Policy + Send + Sync>>,
    threshold: f64,
    durability: Durability,
    /// `true` if runs are anchored.
    anchors: bool,
    clock: Arc<Mutex<dyn Clock>>,
    disk: Arc<dyn Disk>,
    /// The directories that runs may be compared with: what a record names does not count.
    workspaces: Arc<Mutex<BTreeSet<String>>>,
    /// `true` if a run that this process did not begin must have a workspace.
    has_workspace: bool,
    /// `true` if the reading of a workspace is to stop.
    stop: Arc<AtomicBool>,
    /// The gate that judges runs while they are written.
    gate: Option<Arc<Gate>>,
    /// `true` if acts and steps are refused for what it finds.
    holds_back: bool,
    /// A function that asks a person.
    ask: Option<Arc<AskPerson>>,
    /// What runs are redacted by, if they are.
    redactor: Option<Redactor>,
}

/// A function that asks a person about an act: its tool, its input, and what was found. It gives
/// whether the act may be made, and who says so.
type AskPerson = dyn Fn(&str, &Value, &[Finding]) -> (bool, String) + Send + Sync;

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Recorder");
        shown.field("run_data", &self.run_data);
        shown.finish_non_exhaustive()
    }
}

impl Recorder {
    /// Returns a recorder that writes below a run-data directory, which it creates where it is
    /// missing.
    #[must_use]
    pub fn new(run_data: impl Into<PathBuf>) -> Self {
        Self {
            run_data: run_data.into(),
            policies: Vec::new(),
            threshold: 0.5,
            durability: Durability::default(),
            anchors: false,
            clock: Arc::new(Mutex::new(SystemClock)),
            disk: Arc::new(FileSystem),
            workspaces: Arc::default(),
            has_workspace: false,
            stop: Arc::default(),
            gate: None,
            holds_back: true,
            ask: None,
            redactor: None,
        }
    }

    /// Names the workspace of a run that another process began, for
    /// [`Recorder::resume`] and [`Recorder::abandon`]. A directory that only the records of the run
    /// name is not opened.
    #[must_use]
    pub fn workspace(self, path: impl Into<PathBuf>) -> Self {
        // A path that is not UTF-8 is in no record.
        if let Ok(path) = text_of_path(path.into()) {
            locked(&self.workspaces).insert(path);
        }
        self
    }

    /// Adds a policy, which is asked after those before it. With any policy, runs are recorded in
    /// mode `meta`, without one in mode `minimal`.
    #[must_use]
    pub fn policy(mut self, policy: impl Policy + Send + Sync + 'static) -> Self {
        self.policies.push(Arc::new(policy));
        self
    }

    /// Has a gate judge the runs while they are written: the schemas, the vocabulary, the orders
    /// and the rules of its configuration.
    ///
    /// What has not happened yet (the steps of a plan, and an act without a result) is refused if a
    /// schema finds an error in it ([`Error::Violates`]); [`Run::may_act`] holds an act back for
    /// orders and rules too. What has happened is always recorded:
    /// [`Run::take_findings`] and [`Recorded::findings`] have the findings.
    /// [`Run::would`] asks beforehand. A baseline has no effect.
    #[must_use]
    pub fn gate(mut self, gate: Gate) -> Self {
        self.gate = Some(Arc::new(gate));
        self
    }

    /// Sets whether what has not happened yet is refused where the rules of the team find an error
    /// in it, see [`Run::may_act`] and [`Recorder::gate`]; `true` unless set. With `false` they
    /// judge the record alone.
    #[must_use]
    pub fn hold_back(mut self, holds_back: bool) -> Self {
        self.holds_back = holds_back;
        self
    }

    /// Names the function that asks a person about an act which a rule of the level `ask` finds: by
    /// its tool, its input and the findings. It gives whether the act may be made, and who says so;
    /// the answer is an event of the run, and a *yes* covers one act. Without it, and where it
    /// panics, such an act is held back.
    ///
    /// ```
    /// use std::path::Path;
    /// use runvet::gate::Gate;
    /// use runvet::record::Action;
    /// use runvet::recorder::{Error, Recorder, Task};
    ///
    /// # let dir = std::env::temp_dir().join(format!("runvet-ask-{}", std::process::id()));
    /// let config = r#"
    ///     [[order]]
    ///     id = "acme/payments"
    ///     level = "ask"
    ///     each = { phase = "act", tool = "pay" }
    ///     never = true
    ///     message = "a payment"
    /// "#;
    /// let gate = Gate::default().with_config(Path::new("runvet.toml"), config, None)?;
    /// let recorder = Recorder::new(&dir).gate(gate);
    /// let recorder = recorder.ask(|tool, _input, _findings| (tool == "pay", "kim".into()));
    /// let mut run = recorder.begin(Task::new("Pay"))?;
    /// let allowed = run.may_act(None, Action::new("pay"))?;
    /// run.act(None, Action::new("pay").output("done"))?;
    /// drop(allowed);
    /// assert_eq!(run.take_findings(), []);
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ask(
        mut self,
        ask: impl Fn(&str, &Value, &[Finding]) -> (bool, String) + Send + Sync + 'static,
    ) -> Self {
        self.ask = Some(Arc::new(ask));
        self
    }

    /// Sets the confidence from which interventions are applied, 0 to 1; 0.5 unless set. Another
    /// number is refused when a run begins.
    #[must_use]
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold;
        self
    }

    /// Sets the durability of the records.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Sets whether each projection event has, as `prefix_sha256`, the digest of the bytes of the
    /// timeline before it; `false` unless set. The rule `strict/prefix` then finds a line that was
    /// changed, removed or added later. A run that began with it goes on with it.
    ///
    /// ```
    /// use runvet::gate::Gate;
    /// use runvet::recorder::{End, Recorder, Task};
    /// use runvet::finding::Level;
    ///
    /// let runs = tempfile::tempdir().unwrap();
    /// let run = Recorder::new(runs.path()).anchor(true).begin(Task::new("Pay the invoice"))?;
    /// let timeline = run.finish(End::ok())?.path.join("events.jsonl");
    /// let edited = std::fs::read_to_string(&timeline)?.replace("Pay", "Pray");
    /// std::fs::write(&timeline, edited)?;
    ///
    /// let mut gate = Gate::default().level("strict/prefix", Level::Error)?;
    /// let report = gate.run([runs.path()])?;
    /// assert_eq!(report.episodes[0].findings[0].rule, "strict/prefix");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn anchor(mut self, anchors: bool) -> Self {
        self.anchors = anchors;
        self
    }

    /// Takes the time and the random part of ids from elsewhere than the system: with the same
    /// clock, the same calls write the same bytes.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime, UNIX_EPOCH};
    /// use runvet::recorder::{Clock, Recorder, Task};
    ///
    /// struct Stopped;
    ///
    /// impl Clock for Stopped {
    ///     fn now(&mut self) -> SystemTime {
    ///         UNIX_EPOCH + Duration::from_secs(1_772_366_400)
    ///     }
    ///     fn random(&mut self) -> [u8; 10] {
    ///         [7; 10]
    ///     }
    /// }
    ///
    /// let runs = tempfile::tempdir().unwrap();
    /// let run = Recorder::new(runs.path()).clock(Stopped).begin(Task::new("Wait"))?;
    /// assert_eq!(run.id(), "ep_01KJMMA2G00W3GE1R70W3GE1R7");
    /// # Ok::<(), runvet::recorder::Error>(())
    /// ```
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(Mutex::new(clock));
        self
    }

    /// Redacts texts before they reach the disk. Rules judge what was recorded, with its texts.
    pub(crate) fn redacted(mut self, redactor: Option<Redactor>) -> Self {
        self.redactor = redactor;
        self
    }

    /// Writes below another run-data directory.
    pub(crate) fn into_dir(mut self, run_data: &Path) -> Self {
        run_data.clone_into(&mut self.run_data);
        self
    }

    /// Names the workspace of the one run that this is for, see [`Recorder::workspace`].
    pub(crate) fn with_workspace(mut self, path: &Path) -> Self {
        self.has_workspace = true;
        self.workspace(path)
    }

    /// Gives up on looking at a workspace once a flag is set.
    pub(crate) fn stopped_by(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// Writes elsewhere than to the file system.
    #[cfg(test)]
    fn disk(mut self, disk: Arc<dyn Disk>) -> Self {
        self.disk = disk;
        self
    }

    /// Begins a run: makes its directory, `events.jsonl`, an empty `learn.jsonl`, and the `start`
    /// event. With a workspace, its files are noted before.
    ///
    /// # Errors
    /// [`Error::Refused`] for a task without text, an id that no directory can have everywhere and
    /// a threshold that is not between 0 and 1,
    /// [`Error::TooLarge`] for tags beyond the limits, [`Error::Exists`] where there is a run of
    /// this id, and [`Error::Io`], which may leave a directory without a run.
    pub fn begin(&self, task: Task) -> Result<Run, Error> {
        let (now, random) = self.with_clock(|clock| (clock.now(), clock.random()));
        let now = Micros::of(task.started_at.unwrap_or(now));
        let id = match task.own_id()? {
            Some(id) => self
                .redactor
                .iter()
                .fold(id, |id, it| it.id(&id)),
            None => episode_id(now, random),
        };

        locked(&self.workspaces).extend(task.named_workspace());
        let mut start = self.start(task)?;
        let (before, snapshot) = self.look_before(&mut start)?;

        if self.stop.load(Ordering::Relaxed) {
            // The workspace was perhaps not read, so this run could never end well.
            let path = self.run_data.join(EPISODES).join(&id);
            return Err(Error::io("making", &path)(ErrorKind::Interrupted.into()));
        }

        let mut start = start.numbered(&id, 1, now);
        let fold = |start: &RunEvent| {
            RunFold::start(start).map_err(|wrong| Error::refused("the task", wrong))
        };
        let mut plain = None;
        if let Some(redactor) = &self.redactor {
            plain = Some(PlainRun {
                fold: fold(&start)?,
                lines: vec![start.line()?],
            });
            start = redacted(redactor, &start)?;
        }

        let (line, fold) = (start.line()?, fold(&start)?);
        let dir = self.make_episode_dir(&id)?;
        if let Some(content) = snapshot {
            let snapshots = self.dir_in(&dir, SNAPSHOTS)?;
            self.replace(&snapshots, &beside(PRE), PRE, &content)
                .map_err(|failed| failed.error)?;
            if self.durability != Durability::Process {
                self.sync_dir(&snapshots)?;
            }
        }

        // A timeline of learning alone belongs to no run.
        let mut events = TimelineFile::open(&self.disk, &dir, "events.jsonl", true)?;
        let learn = TimelineFile::open(&self.disk, &dir, "learn.jsonl", true)?;
        if !events.lock()? {
            return Err(Error::Busy { id });
        }

        events
            .append(&line)
            .map_err(|failed| failed.error)?;
        if self.durability != Durability::Process {
            events.sync()?;
            self.sync_dir(&dir)?;
        }

        let mut run = Run::new(self.clone(), dir, fold, events, learn, before);
        run.plain = plain;
        run.judged(true)
    }

    /// Returns the start event of a run with a task.
    fn start(&self, task: Task) -> Result<RunEvent, Error> {
        if !(0.0..=1.0).contains(&self.threshold) {
            let why = format!("it is {}, not between 0 and 1", self.threshold);
            return Err(Error::refused("the threshold", why));
        }

        let is_meta = !self.policies.is_empty();
        let (mode, intuition) = if is_meta {
            (RuntimeMode::Meta, IntuitionMode::Hybrid)
        } else {
            (RuntimeMode::Minimal, IntuitionMode::Advisory)
        };

        let mut payload = object([
            ("intuition_mode", intuition.word().into()),
            ("mode", mode.word().into()),
            ("threshold", is_meta.then_some(self.threshold).into()),
            (ANCHORED, self.anchors.then_some(true).into()),
        ]);
        payload.extend(task.declared()?);
        Size::of(&payload).check("the task")?;

        Ok(RunEvent::new("start", payload))
    }

    fn with_clock<T>(&self, ask: impl FnOnce(&mut dyn Clock) -> T) -> T {
        // A clock that panicked once may be asked again.
        ask(&mut *locked(&self.clock))
    }

    /// Makes the directory of an episode, and those above it that are missing.
    fn make_episode_dir(&self, id: &str) -> Result<OpenDir, Error> {
        let path = self.run_data.join(EPISODES);
        if let Some(episode) = episode_around(&self.run_data) {
            let why = format!(
                "it is in the run {}, where no run is found",
                display(&episode)
            );
            return Err(Error::refused("the run-data directory", why));
        }

        let open_episodes = || {
            let (run_data, mut changed) = open_or_make(self.disk.as_ref(), &self.run_data)?;
            let name = OsStr::new(EPISODES);
            if !run_data.has(EPISODES) {
                make_unless_there(self.disk.as_ref(), &run_data, name)?;
                changed.push(run_data.clone());
            }
            Ok((run_data.dir(name)?, changed))
        };

        let (episodes, mut changed) = open_episodes().map_err(Error::io("making", &path))?;
        match self
            .disk
            .make_dir(&episodes, id.as_ref())
        {
            Err(source) if source.kind() == ErrorKind::AlreadyExists => {
                return Err(Error::Exists { id: id.into() });
            }
            made => made.map_err(Error::io("making", &path.join(id)))?,
        }

        let dir = episodes
            .dir(id)
            .map_err(Error::io("opening", &path.join(id)))?;
        changed.push(episodes);
        if self.durability != Durability::Process {
            changed
                .iter()
                .try_for_each(|dir| self.sync_dir(dir))?;
        }

        Ok(dir)
    }

    fn sync_dir(&self, dir: &OpenDir) -> Result<(), Error> {
        self.disk
            .sync_dir(dir)
            .map_err(Error::io("syncing", dir.path()))
    }

    /// Opens a directory in that of an episode, and makes it where it is missing.
    fn dir_in(&self, dir: &OpenDir, name: &str) -> Result<OpenDir, Error> {
        make_unless_there(self.disk.as_ref(), dir, name.as_ref())
            .and_then(|()| dir.dir(name))
            .map_err(Error::io("making", &dir.path().join(name)))
    }

    /// Replaces a file by another one, which is written beside it and renamed.
    fn replace(
        &self,
        dir: &OpenDir,
        beside: &str,
        name: &str,
        content: &[u8],
    ) -> Result<(), WriteFailed> {
        let written = self
            .write_beside(dir, beside, content)
            .and_then(|()| {
                let renamed = self.disk.rename(dir, beside, name);
                let path = dir.path().join(name);
                renamed.map_err(|source| WriteFailed {
                    error: Error::io("replacing", &path)(source),
                    is_as_before: true,
                })
            });
        if written.is_err() {
            // Where this fails too, the file does no harm: the next process removes it.
            let _ = self.disk.remove(dir, beside);
        }

        written
    }

    fn write_beside(&self, dir: &OpenDir, beside: &str, content: &[u8]) -> Result<(), WriteFailed> {
        let path = dir.path().join(beside);
        let failed = |operation| {
            let path = &path;
            move |source| WriteFailed {
                error: Error::io(operation, path)(source),
                is_as_before: true,
            }
        };

        let file = match self.disk.create(dir, beside) {
            // An earlier process left the file: this one has the lock.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                self.disk
                    .remove(dir, beside)
                    .map_err(failed("removing"))?;
                self.disk.create(dir, beside)
            }
            created => created,
        };

        let (file, disk) = (file.map_err(failed("creating"))?, self.disk.as_ref());
        append_all(disk, &path, &file, content).map_err(failed("writing"))?;
        if self.durability == Durability::Process {
            return Ok(());
        }

        disk.sync(&path, &file)
            .map_err(|source| WriteFailed {
                error: Error::io("syncing", &path)(source),
                is_as_before: false,
            })
    }
}

/// Returns the name of the file that takes the place of another one.
fn beside(name: &str) -> String {
    format!(".{name}.tmp")
}
