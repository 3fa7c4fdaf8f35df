//! A conversation -> a run, made beside the runs that are there and put into its place by a rename.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::SystemTime;

use serde_json::{Map, Value, json};

use super::conversation::{Act, Answer, Conversation, Ending, Event, Usage, What};
use crate::ground::parallel::locked;
use crate::ground::record::Action;
use crate::ground::source::EPISODES;
use crate::recorder::call::{AGENT, arguments, in_one_form};
use crate::recorder::{
    ANCHORED, Durability, End, Error, Evaluated, MAX_OUTPUT, Recorder, Run, Task,
};
use crate::redact::Redactor;
use crate::store::{OpenDir, Scratch, put_dir};

/// The number of bytes of the first two events of a run, at most.
const MAX_FIRST_EVENTS: usize = 16 << 20;

/// The task of a run in whose log the user says nothing.
const NO_TASK: &str = "unknown: the log has no message of the user";

/// The run-data directory to which conversations are written.
pub(super) struct Target<'t> {
    pub(super) into: &'t Path,
    /// `true` if runs are anchored that are not yet.
    anchors: bool,
    /// What runs are redacted by, if they are.
    redactor: Option<Redactor>,
    /// The directory in which runs are made, once one is made.
    scratch: OnceLock<Scratch>,
    made: Mutex<u64>,
}

/// A conversation, ready to be written.
pub(super) struct Draft {
    pub(super) conversation: Conversation,
    /// The note that says what is imported.
    pub(super) note: Value,
    /// The label of the run.
    pub(super) using: Value,
    pub(super) is_over: bool,
    /// The time of the file, for a log without times.
    pub(super) modified: Option<SystemTime>,
}

/// What becomes of the run of a conversation.
pub(super) enum Made {
    /// It is in a directory, to be put into its place.
    Run {
        dir: PathBuf,
        is_new: bool,
    },
    /// It is there already.
    Unchanged,
    Refused(String),
}

impl<'t> Target<'t> {
    pub(super) fn new(into: &'t Path, anchors: bool, redactor: Option<Redactor>) -> Self {
        Self {
            into,
            anchors,
            redactor,
            scratch: OnceLock::new(),
            made: Mutex::default(),
        }
    }

    /// Returns the id that the run of a conversation has.
    pub(super) fn id_of(&self, id: &str) -> String {
        self.redactor
            .as_ref()
            .map_or_else(|| id.to_owned(), |redactor| redactor.id(id))
    }

    /// Returns the payload that an event has in the run.
    fn payload_of(&self, phase: &str, payload: Value) -> Value {
        let Some(redactor) = &self.redactor else {
            return payload;
        };
        redactor
            .event(&json!({"phase": phase, "payload": payload}))
            .unwrap_or_default()
            .get_mut("payload")
            .map(Value::take)
            .unwrap_or_default()
    }

    pub(super) fn path_of(&self, id: &str) -> PathBuf {
        self.into.join(EPISODES).join(id)
    }

    /// Puts a run that was made into its place.
    pub(super) fn put(&self, dir: &Path, id: &str) -> std::io::Result<()> {
        let episodes = dir.join(EPISODES);
        put_dir(&episodes, &self.into.join(EPISODES), id)
    }

    /// Makes the run of a conversation, unless it is there.
    pub(super) fn make(&self, draft: Draft) -> Result<Made, Error> {
        let path = self.path_of(&self.id_of(&draft.conversation.id));
        let mut anchors = self.anchors;
        let is_new = match Found::at(&path) {
            Found::Nothing => true,
            Found::Other(why) => return Ok(Made::Refused(why)),
            Found::Run { start, note } => {
                let new_note = self.payload_of("observe", draft.note.clone());
                let tags = &draft.conversation.tags;
                let new_start = json!({"using": draft.using, "tags": tags});
                let new_start = self.payload_of("start", new_start);
                let is_same = |at: &str| {
                    let [old, new] = [&note, &new_note].map(|note| note.pointer(at));
                    old.is_some() && old == new
                };

                if start.get("using") != new_start.get("using") || !is_same("/files/0") {
                    let why = "a run of this id is there, and it is no import of this log";
                    return Ok(Made::Refused(why.into()));
                }

                let tags = start
                    .get("tags")
                    .cloned()
                    .unwrap_or_else(|| json!({}));
                let has_tags = Some(&tags) == new_start.get("tags");
                let is_anchored = start.get(ANCHORED).is_some();
                anchors |= is_anchored;

                let is_as_asked = has_tags && anchors == is_anchored;
                if is_as_asked && is_same("/sha256") && is_same("/ended") {
                    return Ok(Made::Unchanged);
                }

                false
            }
        };

        let dir = self.fresh_dir()?;
        let recorder = Recorder::new(&dir).anchor(anchors);
        draft.record(recorder.redacted(self.redactor.clone()))?;

        Ok(Made::Run { dir, is_new })
    }

    /// Returns a directory that no other run is made in.
    fn fresh_dir(&self) -> Result<PathBuf, Error> {
        // Two threads may come here at once: the lock makes one directory for both.
        let mut made = locked(&self.made);
        if self.scratch.get().is_none() {
            let scratch = Scratch::below(self.into).map_err(|source| Error::Io {
                operation: "making a directory in",
                path: self.into.to_owned(),
                source,
            })?;
            self.scratch.get_or_init(|| scratch);
        }

        *made += 1;
        let scratch = self.scratch.get().map(Scratch::path);
        Ok(scratch
            .unwrap_or(self.into)
            .join(made.to_string()))
    }
}

/// What is at the place of a run.
enum Found {
    Nothing,
    /// A run: the payload of its `start` event, and that of the note that follows.
    Run {
        start: Value,
        note: Value,
    },
    Other(String),
}

impl Found {
    fn at(path: &Path) -> Self {
        if path.symlink_metadata().is_err() {
            return Self::Nothing;
        }

        let events = match OpenDir::open(path)
            .and_then(|run| run.read("events.jsonl", MAX_FIRST_EVENTS))
        {
            Ok(events) => events,
            Err(why) => return Self::Other(format!("what is at its place can't be read: {why}")),
        };

        let payload = |line: Option<&[u8]>| {
            let mut event: Value = serde_json::from_slice(line?).ok()?;
            Some(event.get_mut("payload")?.take())
        };

        let mut lines = events.split(|byte| *byte == b'\n');
        let start = payload(lines.next());
        let note = payload(lines.next());
        let is_import = |note: &Value| {
            note.get("kind")
                .is_some_and(|kind| kind == "import")
        };

        match (start, note.filter(is_import)) {
            (Some(start), Some(note)) => Self::Run { start, note },
            _ => Self::Other("a run of this id is there, and it is no import".into()),
        }
    }
}

impl Draft {
    /// Records the run in a run-data directory of its own.
    fn record(mut self, recorder: Recorder) -> Result<(), Error> {
        let ending = self.conversation.finish(self.is_over);
        let conversation = self.conversation;
        let started_at = conversation.began().or(self.modified);
        let task = (conversation.task.as_deref())
            .or_else(|| conversation.first_message())
            .filter(|task| !task.trim().is_empty());
        let task = Task {
            id: Some(conversation.id.clone()),
            started_at: Some(started_at.unwrap_or(SystemTime::UNIX_EPOCH)),
            tags: (conversation.tags.iter())
                .map(|(name, text)| (name.clone(), text.as_str().into()))
                .collect(),
            using: self.using.as_str().map(str::to_owned),
            ..Task::new(task.unwrap_or(NO_TASK))
        };

        let mut run = recorder
            .durability(Durability::Process)
            .begin(task)?;
        run.note("observe", arguments(self.note))?;

        let usage = conversation.usage();
        let events = conversation.events;
        let (answers, parents) = (&conversation.answers, &conversation.parents);
        write_events(&mut run, events, answers, parents, &Map::new())?;

        let metrics = metrics(usage, conversation.cost, conversation.metrics);
        let with_results = |mut end: End| {
            for (name, value) in metrics {
                end = end.metric(name, value);
            }
            for (name, passed) in conversation.assertions {
                end = end.evaluated(Evaluated::new(name, passed));
            }
            end
        };

        let end = match ending {
            Ending::Pending(reason) => return run.pause(&reason).map(drop),
            Ending::Ok => End::ok(),
            Ending::Partial(reason) => End::partial(reason),
            Ending::Aborted(reason) => End::aborted(reason),
            Ending::Error(error) => End::error(error),
        };

        run.finish(with_results(end)).map(drop)
    }
}

fn metrics(usage: Usage, cost: Option<f64>, more: Map<String, Value>) -> Map<String, Value> {
    let mut metrics = more;
    if !usage.is_empty() {
        metrics.extend(usage.members());
    }

    metrics.extend(cost.map(|cost| ("cost_usd".to_owned(), cost.into())));
    metrics
}

/// Writes the events of a conversation, each with these marks.
pub(super) fn write_events(
    run: &mut Run,
    events: Vec<Event>,
    answers: &BTreeMap<usize, Answer>,
    parents: &BTreeMap<String, String>,
    marks: &Map<String, Value>,
) -> Result<(), Error> {
    for mut event in events {
        if let What::Answer(number) = event.what {
            let answer = answers
                .get(&number)
                .map(Answer::payload);
            event.what = What::Note("reason", answer.unwrap_or_default());
        }

        let parent = event
            .agent
            .as_ref()
            .and_then(|it| parents.get(it));
        event.parent = event.parent.or_else(|| parent.cloned());
        write(run, event, marks)?;
    }

    Ok(())
}

/// Writes an event.
fn write(run: &mut Run, event: Event, marks: &Map<String, Value>) -> Result<(), Error> {
    run.at(event.at)?;
    let of_agent = [(AGENT, event.agent), ("x-parent", event.parent)]
        .into_iter()
        .filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?))))
        .chain(marks.clone());

    match event.what {
        What::Note(phase, mut payload) => {
            payload.extend(of_agent);
            run.note(phase, payload).map(drop)
        }
        What::Act(act) => {
            let duration_ms = act.duration_ms(event.at);
            let mut action = act.action(run)?;
            action.duration_ms = duration_ms.map(Value::from);
            action.extensions.extend(of_agent);
            run.act(None, action).map(drop)
        }
        What::Answer(_) | What::TurnEnd | What::Nothing => Ok(()),
    }
}

impl Act {
    /// Returns the action, after what it refers to is attached.
    fn action(self, run: &mut Run) -> Result<Action, Error> {
        let Self { call, outcome } = self;
        let mut action = Action::new(call.tool).status(outcome.status.unwrap_or("ok"));
        action.input = Some(call.input);
        action
            .extensions
            .extend(call.extensions);
        action
            .extensions
            .entry("x-call-id".into())
            .or_insert(call.id.into());
        action.kind = action.extensions.remove("kind");
        action = in_one_form(action, call.cwd.as_deref());

        let input = action
            .input
            .map(arguments)
            .unwrap_or_default()
            .into_iter()
            .map(|(name, value)| (name, run.shortened(value, MAX_OUTPUT)));
        action.input = Some(input.collect());
        for value in action.extensions.values_mut() {
            *value = run.shortened(value.take(), MAX_OUTPUT);
        }

        if !outcome.output.is_null() {
            let mark = run.attach_large(&outcome.output, MAX_OUTPUT)?;
            action.output = Some(mark.unwrap_or(outcome.output));
        }

        let mut artifacts = Vec::new();
        for picture in outcome.pictures {
            artifacts.push(
                run.attach(&picture.content, &picture.extension)?
                    .name,
            );
        }

        action.result_artifacts = (!artifacts.is_empty()).then(|| artifacts.into());
        Ok(action)
    }
}
