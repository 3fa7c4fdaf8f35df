//! An event of a coding agent's session -> what is recorded of it, and whether a call may be made.
//!
//! A session has a run. For each event a process of its own goes on with it, under its lock: what
//! is under way stands in the timeline, as notes of the kind `begun`.

mod event;
mod session;

use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value};

use event::Moment;
pub(crate) use event::{Agent, HookEvent};
use session::Session;

use crate::ground::record::Action;
use crate::import::{History, plain_id};
use crate::recorder::{Error, Recorder, Run, Task};
use crate::store::remove_run;

/// How long an event waits for another one of the same session.
const PATIENCE: Duration = Duration::from_secs(4);

/// How long it waits before it looks again.
const PAUSE: Duration = Duration::from_millis(5);

/// The hook of an agent, with the rules that its recorder judges by.
pub(crate) struct Hook {
    pub(crate) agent: Agent,
    pub(crate) recorder: Recorder,
    /// The run-data directory.
    pub(crate) runs: PathBuf,
    /// `true` if a run is removed when it has ended.
    pub(crate) is_kept_no_longer: bool,
    /// `true` if every call passes, and what would be held back is noted.
    pub(crate) observes: bool,
}

/// The decision on a call.
enum Decision {
    Pass,
    Ask(String),
    Deny(String),
}

impl Hook {
    /// Records an event; returns what is printed, where something is.
    ///
    /// # Errors
    /// The reason why it could not be judged or recorded, in a sentence.
    pub(crate) fn answer(&self, event: &HookEvent) -> Result<Option<Value>, String> {
        let decision = match &event.moment {
            Moment::Other => Decision::Pass,
            Moment::Before => {
                let call = event.call()?;
                self.session(event)?.before(self, event, call)?
            }
            Moment::After(outcome) => {
                let call = event.call()?;
                let after = self.session(event)?.after(event, call, outcome);
                after.map(|()| Decision::Pass).map_err(in_words)?
            }
            Moment::Prompt => {
                let prompted = self.session(event)?.prompt(event);
                prompted.map(|()| Decision::Pass).map_err(in_words)?
            }
            Moment::Stop => {
                if let Some(session) = self.begun_session(event)? {
                    session.stop().map_err(in_words)?;
                }
                Decision::Pass
            }
            Moment::End => {
                if let Some(session) = self.begun_session(event)? {
                    let path = session.end().map_err(in_words)?;
                    if self.is_kept_no_longer {
                        let removed = remove_run(&path);
                        removed.map_err(|why| format!("the run can't be removed: {why}"))?;
                    }
                }
                Decision::Pass
            }
        };
        Ok(self.agent.printed(decision))
    }

    /// Opens the run of the session of an event, which begins with it where there is none.
    fn session(&self, event: &HookEvent) -> Result<Session, String> {
        let opened = self.open(event, true)?;
        opened.ok_or_else(|| "the session has no run".into())
    }

    /// Opens the run of a session if it has begun.
    fn begun_session(&self, event: &HookEvent) -> Result<Option<Session>, String> {
        self.open(event, false)
    }

    fn open(&self, event: &HookEvent, begin: bool) -> Result<Option<Session>, String> {
        let first = plain_id(&event.session);
        if first.is_empty() {
            return Err("`session_id` is no name of a session".into());
        }
        let patience = Instant::now();
        let (mut id, mut number, mut ended) = (first.clone(), 1, None);
        loop {
            let opened = match self.recorder.reopen(&id) {
                Err(Error::Absent { .. }) if !begin => return Ok(None),
                Err(Error::Absent { .. }) => self.begin(event, &id, ended.as_deref()),
                Err(Error::Ended { .. }) => {
                    number += 1;
                    ended = Some(std::mem::replace(&mut id, format!("{first}.{number}")));
                    continue;
                }
                opened => opened.map_err(Failed::from),
            };
            match opened {
                Ok(run) => return Session::of(run).map(Some).map_err(in_words),
                Err(Failed::Busy(why)) if patience.elapsed() > PATIENCE => return Err(why),
                Err(Failed::Busy(_)) => sleep(PAUSE),
                Err(Failed::Other(why)) => return Err(why),
            }
        }
    }

    /// Begins the run of a session with what was done before; the run of the same session that
    /// ended is its parent.
    fn begin(&self, event: &HookEvent, id: &str, ended: Option<&str>) -> Result<Run, Failed> {
        let asked = event.call_id.as_deref();
        let history = match &event.transcript {
            None => History::default(),
            Some(path) => History::read(self.agent.format(), path, &event.session, asked)
                .map_err(|why| format!("the transcript {} can't be used: {why}", path.display()))
                .map_err(Failed::Other)?,
        };
        let repeated = match ended {
            Some(ended) if !history.has_calls() => {
                let acts = session::acts_of(&self.runs, ended);
                acts.map_err(|why| Failed::Other(format!("the run {ended} can't be read: {why}")))?
            }
            _ => Vec::new(),
        };
        let task = history.task().or(event.prompt.as_deref());
        let mut tags: Map<String, Value> = (history.tags().iter())
            .map(|(name, text)| (name.clone(), text.as_str().into()))
            .collect();
        tags.extend(event.cwd.clone().map(|cwd| ("cwd".to_owned(), cwd.into())));
        tags.extend(ended.map(|ended| ("parent".to_owned(), ended.into())));
        let known = history.started_at().unwrap_or_else(SystemTime::now);
        let fallback = || format!("unknown: a session of {}", self.agent.name());
        let task = Task {
            id: Some(id.to_owned()),
            started_at: history.has_calls().then_some(known),
            tags,
            using: Some(format!("hook:{}", self.agent.name())),
            ..Task::new(
                task.filter(|task| !task.trim().is_empty())
                    .map_or_else(fallback, str::to_owned),
            )
        };
        let mut run = self.recorder.begin(task)?;
        let path = run.path().to_owned();
        let begun = with_past(&mut run, history, repeated, ended.is_some());
        if let Err(why) = begun {
            // Rules would miss what is not in it.
            drop(run);
            let _ = remove_run(&path);
            return Err(why.into());
        }
        Ok(run)
    }
}

/// Adds what was done before to a run that begins.
fn with_past(
    run: &mut Run,
    history: History,
    acts: Vec<Action>,
    is_repeated: bool,
) -> Result<(), Error> {
    if history.has_calls() {
        history.record(run, is_repeated)?;
        run.by_clock();
    }
    for action in acts {
        run.act(None, action)?;
    }
    run.persist()
}

/// The reason why a run can't be opened now.
enum Failed {
    /// Another process has it.
    Busy(String),
    Other(String),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        let why = error.to_string();
        match error {
            Error::Busy { .. } | Error::Exists { .. } => Self::Busy(why),
            _ => Self::Other(why),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn in_words(error: Error) -> String {
    error.to_string()
}
