//! What a run does -> an episode that is right at every moment, whatever crashes.
//!
//! A [`Recorder`] begins runs in a run-data directory. A [`Run`] takes what happens, in order, and
//! writes each event as one whole line before the call returns. `state.json` is replaced by rename
//! with every [`Run::persist`], [`Run::pause`] and [`Run::finish`], always after the projection
//! event that is its evidence. One rename ends a run: that of its terminal state, when everything
//! else of it is written.
//!
//! ```
//! use runvet::recorder::{End, Gate, Recorder, StepDraft, Task};
//! use runvet::record::{Action, StepKind};
//!
//! # let dir = std::env::temp_dir().join(format!("runvet-recorder-{}", std::process::id()));
//! let recorder = Recorder::new(&dir);
//! let mut run = recorder.begin(Task::new("Summarize the open tickets"))?;
//! run.plan([StepDraft::new("collect", StepKind::Detect, "Collect the tickets")], "planner.demo")?;
//! if let Gate::Go(step) = run.open("collect")? {
//!     let action = Action { tool: Some("tickets".into()), ..Action::default() };
//!     run.act(&step, action)?;
//!     run.close(step, runvet::recorder::StepEnd::Done)?;
//! }
//! let recorded = run.finish(End::ok())?;
//!
//! let report = runvet::check::Check::new().run([&recorded.path]).unwrap();
//! assert_eq!(report.totals.valid, 1);
//! # std::fs::remove_dir_all(&dir).unwrap();
//! # Ok::<(), runvet::recorder::Error>(())
//! ```

mod clock;
#[cfg(test)]
mod crashes;
mod ending;
mod error;
mod event;
mod fold;
mod policies;
pub mod protocol;
mod recovery;
mod run;
mod size;
mod timeline;
mod verification;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Number, Value};

pub use clock::{Clock, SystemClock};
use clock::{Micros, episode_id};
pub use ending::{End, Recorded};
pub use error::Error;
use event::{Draft, object};
use fold::Fold;
pub use policies::{Verdict, Veto};
pub use recovery::Recovered;
pub use run::{Adapter, EventId, Gate, OpenStep, Paused, Run, StepDraft, StepEnd};
use size::Size;
use timeline::{Held, Timeline};
pub use verification::Assertion;

use crate::read::policy::Policy;
use crate::store::{Disk, FileSystem};

/// What of a run survives a failure, and what each call costs for it.
///
/// Whatever is chosen, the death of the process loses nothing that a call returned for: each event
/// is handed to the system before.
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
    /// A power failure loses nothing that a call returned for. Every event is synced.
    Event,
}

/// A run toward a goal, before it begins.
#[derive(Clone, Debug, Default)]
pub struct Task {
    text: String,
    kind: Option<String>,
    seed: Option<Number>,
    tags: Map<String, Value>,
    using: Option<String>,
    workspace: Option<PathBuf>,
    assertions: Vec<Assertion>,
}

impl Task {
    /// A task, in words.
    #[must_use]
    pub fn new(task: impl Into<String>) -> Self {
        Self {
            text: task.into(),
            ..Self::default()
        }
    }

    /// The type of the goal (`goal.type`).
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// The seed of the run, for those who repeat it.
    #[must_use]
    pub fn seed(mut self, seed: impl Into<Number>) -> Self {
        self.seed = Some(seed.into());
        self
    }

    /// Adds a tag, which state and summary then have.
    #[must_use]
    pub fn tag(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.tags.insert(name.into(), value.into());
        self
    }

    /// The label of the adapter that executes the run (`episode.using`).
    #[must_use]
    pub fn using(mut self, label: impl Into<String>) -> Self {
        self.using = Some(label.into());
        self
    }

    /// The directory in which the run works: its files before and after the run are compared.
    #[must_use]
    pub fn workspace(mut self, path: impl Into<PathBuf>) -> Self {
        self.workspace = Some(path.into());
        self
    }

    /// Adds an assertion, which is checked in the workspace when the run ends `ok`.
    #[must_use]
    pub fn verify(mut self, assertion: Assertion) -> Self {
        self.assertions.push(assertion);
        self
    }
}

/// Where and how runs are recorded. Clones share the policies and the clock.
#[derive(Clone)]
pub struct Recorder {
    run_data: PathBuf,
    policies: Vec<Arc<dyn Policy + Send + Sync>>,
    threshold: f64,
    durability: Durability,
    clock: Arc<Mutex<dyn Clock>>,
    disk: Arc<dyn Disk>,
}

impl Recorder {
    /// A recorder that writes below a run-data directory, which it creates where it is missing.
    #[must_use]
    pub fn new(run_data: impl Into<PathBuf>) -> Self {
        Self {
            run_data: run_data.into(),
            policies: Vec::new(),
            threshold: 0.5,
            durability: Durability::default(),
            clock: Arc::new(Mutex::new(SystemClock)),
            disk: Arc::new(FileSystem),
        }
    }

    /// Adds a policy, which is asked after those before it. With any policy, runs are recorded in
    /// mode `meta`, without one in mode `minimal`.
    #[must_use]
    pub fn policy(mut self, policy: impl Policy + Send + Sync + 'static) -> Self {
        self.policies.push(Arc::new(policy));
        self
    }

    /// The confidence from which interventions are applied, 0 to 1; 0.5 unless set.
    #[must_use]
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold.clamp(0.0, 1.0);
        self
    }

    /// How durable the records are.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Takes the time and the random part of ids from elsewhere than the system.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(Mutex::new(clock));
        self
    }

    #[cfg(test)]
    fn disk(mut self, disk: Arc<dyn Disk>) -> Self {
        self.disk = disk;
        self
    }

    /// Begins a run: makes its directory, an empty `learn.jsonl`, and `events.jsonl` with the
    /// `start` event.
    ///
    /// # Errors
    /// [`Error::Refused`] for a task without text, [`Error::TooLarge`] for tags beyond the limits,
    /// and [`Error::Io`].
    pub fn begin(&self, task: Task) -> Result<Run, Error> {
        if task.text.trim().is_empty() {
            return Err(Error::refused("the task", "it has no text"));
        }
        let (now, random) = self.with_clock(|clock| (Micros::of(clock.now()), clock.random()));
        let id = episode_id(now, random);
        let payload = object([
            (
                "mode",
                if self.policies.is_empty() {
                    "minimal"
                } else {
                    "meta"
                }
                .into(),
            ),
            ("seed", task.seed.map(Value::Number).unwrap_or_default()),
            (
                "tags",
                if task.tags.is_empty() {
                    Value::Null
                } else {
                    task.tags.into()
                },
            ),
            ("task", task.text.into()),
            (
                "threshold",
                if self.policies.is_empty() {
                    Value::Null
                } else {
                    self.threshold.into()
                },
            ),
            ("type", task.kind.map(Value::String).unwrap_or_default()),
            ("using", task.using.map(Value::String).unwrap_or_default()),
            (
                "verify",
                verification::declared(task.workspace.as_deref(), &task.assertions),
            ),
        ]);
        Size::of(&payload).check("the task")?;
        let start = Draft::new("start", payload).at(&id, 1, now);
        let line = start.line()?;
        let fold = Fold::start(&start).map_err(|wrong| Error::refused("the task", wrong.0))?;
        let dir = self.make_dir(&id)?;
        let learn = self.create(&dir.join("learn.jsonl"))?;
        let mut events = self.create(&dir.join("events.jsonl"))?;
        let io = |operation, path: &Path| {
            let path = path.to_owned();
            move |source| Error::Io {
                operation,
                path,
                source,
            }
        };
        let path = dir.join("events.jsonl");
        if !events.lock().map_err(io("locking", &path))? {
            return Err(Error::Busy { id });
        }
        let mut events = Timeline::new(events, path, &Held::default());
        events.append(&line).map_err(|failed| failed.error)?;
        let learn = Timeline::new(learn, dir.join("learn.jsonl"), &Held::default());
        let mut run = Run::new(self.clone(), dir, fold, events, learn);
        run.sync_begin()?;
        run.snapshot_before()?;
        Ok(run)
    }

    fn with_clock<T>(&self, ask: impl FnOnce(&mut dyn Clock) -> T) -> T {
        // A clock that panicked once may be asked again.
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        ask(&mut *clock)
    }

    fn episode_dir(&self, id: &str) -> PathBuf {
        self.run_data.join("episodes").join(id)
    }

    /// Makes the directory of an episode, and those above it.
    fn make_dir(&self, id: &str) -> Result<PathBuf, Error> {
        let dir = self.episode_dir(id);
        let episodes = self.run_data.join("episodes");
        for above in [&self.run_data, &episodes] {
            match self.disk.make_dir(above) {
                Err(source) if source.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(Error::Io {
                        operation: "making",
                        path: above.clone(),
                        source,
                    });
                }
                _ => {}
            }
        }
        match self.disk.make_dir(&dir) {
            Ok(()) => Ok(dir),
            Err(source) if source.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(Error::Exists { id: id.into() })
            }
            Err(source) => Err(Error::Io {
                operation: "making",
                path: dir,
                source,
            }),
        }
    }

    fn create(&self, path: &Path) -> Result<Box<dyn crate::store::Appending>, Error> {
        self.disk.create(path).map_err(|source| Error::Io {
            operation: "creating",
            path: path.to_owned(),
            source,
        })
    }
}
