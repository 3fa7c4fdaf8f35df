//! An episode that was left -> a run that goes on, or one that is complete.

use std::io::ErrorKind;
use std::path::{Component, Path};

use super::super::attachment::ATTACHMENTS;
use super::super::clock::Micros;
use super::super::error::Error;
use super::super::event::{RunEvent, object};
use super::super::text::text;
use super::super::timeline::TimelineFile;
use super::super::{Recorder, beside};
use super::Run;
use super::ending::{End, Recorded};
use super::memory::NEW;
use super::redacted::PlainRun;
use super::reread::{Reread, reread};
use super::verification::{BeforeRun, POST, PRE, SNAPSHOTS};
use crate::gate::Gate;
use crate::ground::digest::FileDigest;
use crate::ground::finding::Severity;
use crate::ground::record::{RuntimeMode, StepStatus};
use crate::ground::source::{Artifact, EPISODES, Entries, EpisodeKey};
use crate::store::{Artifacts, OpenDir, OpenEpisode, Opened, Unreadable};

/// The result of [`Recorder::recover`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Recovered {
    /// Nothing: every event was whole, and so were the records of an end.
    Intact,
    /// It cut off an event that was not written whole, or what followed a part that was lost when
    /// power failed.
    Cut {
        /// The length of what was cut off.
        bytes: u64,
    },
    /// `learn.jsonl` did not repeat the proposals of the timeline, and does now.
    Learning,
    /// The run had ended, and what was missing of its records is written.
    Completed(Box<Recorded>),
}

/// An episode that is locked, and read.
struct Left {
    run: Run,
    files: Reread,
    /// `true` if `state.json` is the terminal one.
    has_ended: bool,
}

/// An episode without what follows its last whole event.
struct WithoutTail {
    directory: OpenEpisode,
    /// The length of its events.
    events: u64,
    has_state: bool,
}

impl Artifacts for WithoutTail {
    fn entries(&self) -> Entries {
        let all = self.directory.entries();
        if self.has_state {
            all
        } else {
            all.without(Artifact::State)
        }
    }

    fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable> {
        match artifact {
            Artifact::Events => Ok(self
                .directory
                .open(artifact)?
                .first(self.events)),
            Artifact::State if !self.has_state => Err(Unreadable::Vanished),
            _ => self.directory.open(artifact),
        }
    }
}

impl Recorder {
    /// Goes on with a run that was paused, or whose process died. Its id and its `started_at` stay,
    /// and so does every event; steps that were running are pending again.
    ///
    /// ```
    /// use runvet::recorder::{End, Error, Recorder, Task};
    ///
    /// # let dir = std::env::temp_dir().join(format!("runvet-resume-{}", std::process::id()));
    /// let recorder = Recorder::new(&dir);
    /// let paused = recorder.begin(Task::new("Publish the summary"))?.pause("ask a person")?;
    ///
    /// // In another process, days later.
    /// let recorded = recorder.resume(&paused.id)?.finish(End::ok())?;
    /// assert_eq!(recorded.state.episode.id, paused.id);
    /// # std::fs::remove_dir_all(&dir).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Absent`], [`Error::Busy`] while another process records it, [`Error::Ended`],
    /// [`Error::Untrusted`] where its records contradict each other or were not written by a
    /// recorder, and [`Error::Refused`] for policies where the run was begun without any, and where
    /// it works in a directory that this process did not name with [`Recorder::workspace`]. A run
    /// whose end was cut short is completed first, and is then an ended one.
    pub fn resume(&self, id: &str) -> Result<Run, Error> {
        let left = self.left(id)?;
        if left.run.fold.mode == RuntimeMode::Minimal && !self.policies.is_empty() {
            let why = "the run began without policies, so it can't be resumed with policies";
            return Err(Error::refused("resuming", why));
        }

        let before = left.run.before.as_ref();
        if let Some(workspace) = before.and_then(BeforeRun::unnamed) {
            let why = format!(
                "the run works in {workspace}, but only its records name that directory: pass it as the workspace"
            );
            return Err(Error::refused("resuming", why));
        }

        let mut run = left.go_on()?;
        run.plan_running_steps_again()?;
        Ok(run)
    }

    /// Goes on with a run that another process left between two events of a session, by the clock.
    /// Only one that was paused, or whose last event is not whole, gets an event of that.
    pub(crate) fn reopen(&self, id: &str) -> Result<Run, Error> {
        let mut left = self.left(id)?;
        left.run.at = None;
        if left.run.fold.sealed_last.is_some() || left.files.tail.length > 0 {
            return left.go_on();
        }

        left.repair()?;
        if left.run.fold.terminated.is_some() {
            return Err(left.run.ended());
        }

        left.run.judged(false)
    }

    /// Makes the records of an episode whole after its process died: cuts off an event that was
    /// not written whole, and completes an end that was cut short. A run that has not ended stays
    /// pending.
    ///
    /// # Errors
    /// As for [`Recorder::resume`], but a run that has ended is not an error.
    pub fn recover(&self, id: &str) -> Result<Recovered, Error> {
        let mut left = self.left(id)?;
        let has_learned = left.files.learn.is_whole;
        let is_complete = left.has_ended && has_learned;
        left.repair()?;
        if left.run.fold.terminated.is_some() && !is_complete {
            return Ok(Recovered::Completed(Box::new(left.run.recorded())));
        }

        Ok(match left.files.tail.length {
            0 if has_learned => Recovered::Intact,
            0 => Recovered::Learning,
            bytes => Recovered::Cut { bytes },
        })
    }

    /// Ends a run whose process died, as `aborted`; steps that were running have failed. Its last
    /// events have the time of the event before them, which was its last sign of life;
    /// `abandoned_at` in the payload of its `terminate` event is the present time. No policy is
    /// asked.
    ///
    /// ```
    /// use runvet::recorder::{Error, Recorder, Recovered, Task};
    ///
    /// # let dir = std::env::temp_dir().join(format!("runvet-abandon-{}", std::process::id()));
    /// let recorder = Recorder::new(&dir);
    /// let run = recorder.begin(Task::new("Publish the summary"))?;
    /// let id = run.id().to_owned();
    /// drop(run); // As if its process had died.
    ///
    /// assert!(matches!(recorder.recover(&id)?, Recovered::Intact));
    /// let recorded = recorder.abandon(&id, "its process died")?;
    /// assert_eq!(recorded.state.outcomes.status.to_string(), "aborted");
    /// # std::fs::remove_dir_all(&dir).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Recorder::resume`].
    pub fn abandon(&self, id: &str, reason: &str) -> Result<Recorded, Error> {
        let mut left = self.left(id)?;
        left.run.at = Some(left.run.fold.last);
        let now = Micros::of(self.with_clock(|clock| clock.now()));
        left.go_on()?
            .finish(End::abandoned(reason, now))
    }

    /// Locks and reads an episode.
    fn left(&self, id: &str) -> Result<Left, Error> {
        let mut parts = Path::new(id).components();
        let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else {
            return Err(Error::Absent { id: id.into() });
        };
        let open = |dir| {
            Ok((
                TimelineFile::open(&self.disk, &dir, "events.jsonl", false)?,
                dir,
            ))
        };

        let path = self.run_data.join(EPISODES).join(id);
        let dir = OpenDir::open(&self.run_data).and_then(|dir| dir.dir(EPISODES)?.dir(id));
        let (mut events, dir) = match dir
            .map_err(Error::io("opening", &path))
            .and_then(open)
        {
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                return Err(Error::Absent { id: id.into() });
            }
            opened => opened?,
        };

        if !events.lock()? {
            return Err(Error::Busy { id: id.into() });
        }

        let (fold, mut files) = reread(&dir, &events, id)?;
        events.held = std::mem::take(&mut files.events);
        let state = || Ok(FileDigest::of(&text(&fold.state, "the state")?).to_string());
        let has_ended = fold.terminated.is_some() && files.persisted == Some(state()?);
        let before = self.noted_before(fold.verify.as_ref(), &dir);
        self.must_name_workspace_of(before.as_ref())?;

        let is_new = !dir.has("learn.jsonl");
        let learn = TimelineFile::open(&self.disk, &dir, "learn.jsonl", is_new)?;
        let plain = self
            .redactor
            .as_ref()
            .map(|_| PlainRun {
                fold: fold.clone(),
                lines: Vec::new(),
            });
        let mut run = Run::new(self.clone(), dir, fold, events, learn, before);
        run.plain = plain;
        run.has_state = run.dir.has("state.json");

        Ok(Left {
            run,
            files,
            has_ended,
        })
    }

    /// Refuses a run with another workspace than the one that is named for it, if one is.
    fn must_name_workspace_of(&self, before: Option<&BeforeRun>) -> Result<(), Error> {
        if !self.has_workspace {
            return Ok(());
        }

        let why = match before.map(|it| (it.unnamed(), it.has_workspace())) {
            Some((Some(own), _)) => format!("the run works in {own}"),
            Some((None, true)) => return Ok(()),
            _ => "the run began without one".into(),
        };

        Err(Error::refused("the workspace", why))
    }
}

impl Left {
    /// Makes the records whole. Those that can't be trusted are refused, and stay as they are.
    fn repair(&mut self) -> Result<(), Error> {
        let directory = self
            .run
            .dir
            .episode()
            .map_err(Error::io("reading", self.run.path()))?;
        if self.has_ended {
            self.run.must_be_trusted(&directory)?;
            return if self.files.learn.is_whole {
                Ok(())
            } else {
                self.relearn()
            };
        }

        // Without the tail, nothing would vouch for a state whose evidence is in the tail.
        self.run.must_be_trusted(&WithoutTail {
            directory,
            events: self.run.events.held.length,
            has_state: !self.files.is_ahead(),
        })?;
        if self.files.is_ahead() {
            self.run
                .remove(&self.run.dir, ["state.json".to_owned()])?;
            self.run.has_state = false;
        }

        if self.files.tail.length > 0 {
            self.run.events.cut()?;
        }

        self.relearn()?;
        if self.run.fold.terminated.is_some() {
            return self.run.complete();
        }

        self.run.clear_away()?;
        if self.files.is_ahead() {
            self.run.persist()?;
        }

        Ok(())
    }

    fn relearn(&mut self) -> Result<(), Error> {
        let lines = std::mem::take(&mut self.files.learn);
        self.run
            .learn
            .becomes(lines.held, lines.kept, &lines.missing)
    }

    fn go_on(mut self) -> Result<Run, Error> {
        self.repair()?;
        let run = self.run;
        if run.fold.terminated.is_some() {
            return Err(run.ended());
        }

        let mut run = run.judged(false)?;
        let cut = Some(self.files.tail).filter(|tail| tail.length > 0);
        let payload = object([
            (
                "cut_bytes",
                cut.as_ref()
                    .map(|tail| tail.length)
                    .into(),
            ),
            ("cut_sha256", cut.map(|tail| tail.sha256()).into()),
        ]);
        run.write(RunEvent::runtime("run.resume", payload))?;

        Ok(run)
    }
}

impl Run {
    /// Refuses to go on where the check finds an error in what a recovery leaves of the records.
    /// Nobody else writes: this run has the lock.
    fn must_be_trusted(&self, left: &dyn Artifacts) -> Result<(), Error> {
        let id = self.id();
        let key = EpisodeKey::Dir(self.path().to_owned());
        let report = Gate::default().artifacts(&key, Some(id), left);
        let mut findings = report.findings.iter();
        match findings.find(|finding| finding.severity == Severity::Error) {
            None => Ok(()),
            Some(error) => Err(Error::Untrusted {
                id: id.into(),
                reason: error.message.clone(),
                report: Some(Box::new(report)),
            }),
        }
    }

    /// Plans the steps that were running as pending ones.
    fn plan_running_steps_again(&mut self) -> Result<(), Error> {
        if self.fold.open.is_empty() {
            return Ok(());
        }

        let mut steps = self.fold.state.plan.steps.clone();
        for step in &mut steps {
            if step.status == StepStatus::Running {
                step.status = StepStatus::Pending;
            }
        }

        self.write_plan(&steps, "planner.resume")
    }

    /// Removes what an end that was cut short, or a replacement, left.
    fn clear_away(&self) -> Result<(), Error> {
        let replaced = ["manifest.json", "state.json", "summary.json"].map(beside);
        let early = ["manifest.json", "summary.json"].map(str::to_owned);
        self.remove(&self.dir, replaced.into_iter().chain(early))?;
        for name in [ATTACHMENTS, SNAPSHOTS] {
            // The recorder made nothing here but directories.
            if let Ok(dir) = self.dir.dir(name) {
                self.remove(&dir, [NEW, POST, PRE].map(beside))?;
            }
        }

        Ok(())
    }

    /// Removes files, as far as they are there: mostly they are not, and nothing is written then.
    fn remove(&self, dir: &OpenDir, names: impl IntoIterator<Item = String>) -> Result<(), Error> {
        for name in names
            .into_iter()
            .filter(|name| dir.has(name))
        {
            self.recorder
                .disk
                .remove(dir, &name)
                .map_err(Error::io("removing", &dir.path().join(name)))?;
        }

        Ok(())
    }
}
