//! An event of a coding agent's session -> what is recorded of it, and whether a call may be made.
//!
//! A session has a run. For each event a process of its own goes on with it, under its lock: what
//! is under way stands in the timeline, as notes of the kind `begun`.

mod event;
mod own_files;
mod session;
mod tests;

use std::io;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value, json};

use event::Moment;
pub(crate) use event::{Agent, HookEvent};
use session::Session;

use crate::ground::digest::FileDigest;
use crate::ground::finding::PARENT;
use crate::ground::record::Action;
use crate::ground::source::EPISODES;
use crate::import::{History, plain_id};
use crate::recorder::{Error, Recorder, Run, Task};
use crate::store::{Workshop, display, is_before_run};

/// How long an event waits for another one of the same session.
const PATIENCE: Duration = Duration::from_secs(4);

/// How long it waits before it looks again.
const PAUSE: Duration = Duration::from_millis(5);

/// The hook of an agent, with the rules that its recorder judges by.
pub(crate) struct Hook {
    pub(crate) agent: Agent,
    pub(crate) recorder: Recorder,
    /// The configuration, and the files that it names.
    pub(crate) config: Vec<PathBuf>,
    /// The home directory of the user.
    pub(crate) home: Option<PathBuf>,
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
                self.session(event)?
                    .before(self, event, call)?
            }
            Moment::After(outcome) => {
                let call = event.call()?;
                self.session(event)?
                    .after(event, call, outcome)
                    .map(|()| Decision::Pass)
                    .map_err(in_words)?
            }
            Moment::Prompt => self
                .session(event)?
                .prompt(event)
                .map(|()| Decision::Pass)
                .map_err(in_words)?,
            Moment::Stop => {
                if let Some(session) = self.begun_session(event)? {
                    session.stop().map_err(in_words)?;
                }
                Decision::Pass
            }
            Moment::End => {
                return match self.begun_session(event)? {
                    Some(session) => self.end(session),
                    None => Ok(self.agent.printed(Decision::Pass)),
                };
            }
        };

        Ok(self.agent.printed(decision))
    }

    /// Ends the run of a session, and returns the digest of its manifest, which can be kept
    /// elsewhere.
    fn end(&self, session: Session) -> Result<Option<Value>, String> {
        let recorded = session.end().map_err(in_words)?;
        if !self.is_kept_no_longer {
            return Ok(Some(json!({"manifest_sha256": recorded.manifest_sha256})));
        }

        let id = &recorded.state.episode.id;
        let removed = match Workshop::take(&self.runs, id) {
            Ok(Some(shop)) => shop.remove(id),
            Ok(None) => Err(io::ErrorKind::WouldBlock.into()),
            Err(why) => Err(why),
        };

        removed.map_err(|why| format!("the run {id} can't be removed: {why}"))?;
        Ok(self.agent.printed(Decision::Pass))
    }

    /// Opens the run of the session of an event, which begins with it where there is none.
    fn session(&self, event: &HookEvent) -> Result<Session, String> {
        self.open(event, true)?
            .ok_or_else(|| "the session has no run".into())
    }

    /// Opens the run of a session if it has begun.
    fn begun_session(&self, event: &HookEvent) -> Result<Option<Session>, String> {
        self.open(event, false)
    }

    /// Opens the run of a session, or begins it if that is wanted.
    fn open(&self, event: &HookEvent, begin: bool) -> Result<Option<Session>, String> {
        let first = run_id(&event.session)?;
        let patience = Instant::now();
        let (mut id, mut number, mut ended) = (first.clone(), 1, None);

        loop {
            let why = match self.recorder.reopen(&id) {
                Ok(run) => {
                    return Session::of(run)
                        .map(Some)
                        .map_err(in_words);
                }
                Err(Error::Ended { .. }) => {
                    number += 1;
                    ended = Some(std::mem::replace(&mut id, format!("{first}.{number}")));
                    continue;
                }
                Err(error @ Error::Busy { .. }) => error.to_string(),
                Err(error) => {
                    let path = self.runs.join(EPISODES).join(&id);
                    if !(matches!(error, Error::Absent { .. }) || is_before_run(&path)) {
                        return Err(error.to_string());
                    }
                    if !begin {
                        return Ok(None);
                    }
                    if self.begin(event, &id, ended.as_deref())? {
                        continue;
                    }

                    format!("{} is in the way of a run", display(&path))
                }
            };

            if patience.elapsed() > PATIENCE {
                return Err(why);
            }

            sleep(PAUSE);
        }
    }

    /// Begins the run of a session with what was done before; the run of the same session that
    /// ended is its parent. It is made aside, so that it is there as a whole or not at all, and
    /// nothing of it if this process is killed; `false` if it is not, as another process makes it.
    fn begin(&self, event: &HookEvent, id: &str, ended: Option<&str>) -> Result<bool, String> {
        let failed = |why| format!("the run {id} can't begin: {why}");
        let Some(shop) = Workshop::take(&self.runs, id).map_err(failed)? else {
            return Ok(false);
        };

        if !is_before_run(&self.runs.join(EPISODES).join(id)) {
            return Ok(false);
        }

        let (task, history, repeated) = self.past(event, id, ended)?;
        self.recorder
            .clone()
            .into_dir(shop.path())
            .begin(task)
            .and_then(|mut run| with_past(&mut run, history, repeated, ended.is_some()))
            .map_err(in_words)?;
        shop.put(id).map_err(failed)?;

        Ok(true)
    }

    /// Returns the task of a session, and what was done in it before: the history, or else the acts
    /// of the run that ended.
    fn past(
        &self,
        event: &HookEvent,
        id: &str,
        ended: Option<&str>,
    ) -> Result<(Task, History, Vec<Action>), String> {
        let asked = event.call_id.as_deref();
        let history = match &event.transcript {
            None => History::default(),
            Some(path) => History::read(self.agent.format(), path, &event.session, asked)
                .map_err(|why| format!("the transcript {} can't be used: {why}", display(path)))?,
        };

        let repeated = match ended {
            Some(ended) if !history.has_calls() => session::acts_of(&self.runs, ended)
                .map_err(|why| format!("the run {ended} can't be read: {why}"))?,
            _ => Vec::new(),
        };

        let task = history
            .task()
            .or(event.prompt.as_deref());
        let mut tags: Map<String, Value> = (history.tags().iter())
            .map(|(name, text)| (name.clone(), text.as_str().into()))
            .collect();
        tags.extend(
            event
                .cwd
                .clone()
                .map(|cwd| ("cwd".to_owned(), cwd.into())),
        );
        tags.extend(ended.map(|ended| (PARENT.to_owned(), ended.into())));

        let known = history
            .started_at()
            .unwrap_or_else(SystemTime::now);
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

        Ok((task, history, repeated))
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

/// Returns the id of the first run of a session: that of the session, unless that can't be the name
/// of a directory everywhere, or may be the name of a run of another session.
fn run_id(session: &str) -> Result<String, String> {
    if session.is_empty() {
        return Err("`session_id` is empty".into());
    }

    let is_later = |id: &str| {
        id.rsplit_once('.')
            .is_some_and(|(_, number)| {
                number
                    .bytes()
                    .all(|it| it.is_ascii_digit())
            })
    };

    let is_made = |id: &str| {
        id.rsplit_once('-')
            .map(|(_, digest)| digest)
            .is_some_and(|it| {
                it.len() == DIGITS
                    && it
                        .bytes()
                        .all(|it| it.is_ascii_hexdigit())
            })
    };

    let plain = plain_id(session);
    if plain == session && !is_later(session) && !is_made(session) {
        return Ok(plain);
    }

    let digest = FileDigest::of(session.as_bytes()).to_string();
    let digest = digest.get(..DIGITS).unwrap_or_default();
    let stem: String = plain.chars().take(STEM).collect();
    let stem = if stem.is_empty() { "session" } else { &stem };

    Ok(format!("{stem}-{digest}"))
}

/// The number of characters of the id of a session that stay in that of its run, and of the digits
/// after them.
const STEM: usize = 64;
const DIGITS: usize = 16;

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn in_words(error: Error) -> String {
    error.to_string()
}
