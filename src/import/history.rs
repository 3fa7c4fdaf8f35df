//! The log of a session that goes on -> what was done in it before, as the beginning of a run.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use serde_json::{Map, Value, json};

use super::conversation::{Conversation, Event, What};
use super::formats::FORMATS;
use super::log::{Log, LogFile};
use super::write::write_events;
use crate::recorder::call::arguments;
use crate::recorder::{Error, Run};
use crate::store::{FileBelow, FilesBelow};

/// The directory of the logs of sub-agents.
const PARTS: &str = "subagents";

/// The key of each event that an earlier run of the session has, too.
pub(crate) const REPEATED: &str = "x-repeated";

/// What the log of a session has.
#[derive(Default)]
pub(crate) struct History {
    conversation: Conversation,
    note: Map<String, Value>,
}

impl History {
    /// Reads the log of a session; one that is not there yet is empty. The call that is asked about
    /// is left out, and so are those that have no result.
    ///
    /// # Errors
    /// The reason why it can't be read, or is the log of another session.
    pub(crate) fn read(
        format: &str,
        path: &Path,
        session: &str,
        asked: Option<&str>,
    ) -> Result<Self, String> {
        let below = match FilesBelow::of(path, Path::new("")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            below => below.map_err(|why| why.to_string())?,
        };
        let [file]: [_; 1] = <[_; 1]>::try_from(below.files).map_err(|_| "it is no file")?;
        let files = with_parts(file, path)
            .map_err(|why| format!("the logs of its sub-agents can't be read: {why}"))?;
        let mut log = Log::new(&files);
        let known = FORMATS.iter().find(|it| it.name == format);
        let known = known.ok_or_else(|| format!("there is no format {format}"))?;
        let mut found = Vec::new();
        (known.read)(&mut log, &mut |_, conversation| found.push(conversation))?;
        if let Some(broken) = log.unreadable.first() {
            return Err(format!("line {}: {}", broken.line, broken.why));
        }
        let stem = files.first().map(LogFile::stem).unwrap_or_default();
        let start = stem.strip_suffix(session);
        let is_own = start.is_some_and(|start| start.is_empty() || start.ends_with('-'));
        let has_id = |it: &Conversation| it.id == session;
        let place = found.iter().position(has_id);
        let place = place.or_else(|| (is_own && !found.is_empty()).then_some(0));
        let Some(place) = place else {
            return if is_own || log.lines == 0 {
                Ok(Self::default())
            } else {
                Err(format!("it is the log of another session than {session}"))
            };
        };
        let mut conversation = found.swap_remove(place);
        conversation.open.clear();
        let is_asked = |event: &Event| match &event.what {
            What::Act(act) => asked.is_some_and(|id| act.call.id == id),
            _ => false,
        };
        conversation.events.retain(|event| !is_asked(event));
        conversation.finish(false);
        let note = json!({
            "kind": "history",
            "format": format,
            "files": files.iter().map(LogFile::base).collect::<Vec<_>>(),
            "sha256": log.sha256(),
            "lines": log.lines,
            "skipped": conversation.skipped,
        });
        Ok(Self {
            conversation,
            note: arguments(note),
        })
    }

    /// Returns `true` if calls were made.
    pub(crate) fn has_calls(&self) -> bool {
        let mut events = self.conversation.events.iter();
        events.any(|event| matches!(event.what, What::Act(_)))
    }

    pub(crate) fn started_at(&self) -> Option<SystemTime> {
        let known = self.conversation.started_at;
        known.or_else(|| self.conversation.first_time())
    }

    /// Returns the first message of the user.
    pub(crate) fn task(&self) -> Option<&str> {
        let task = self.conversation.task.as_deref();
        task.or_else(|| self.conversation.first_message())
    }

    pub(crate) fn tags(&self) -> &BTreeMap<String, String> {
        &self.conversation.tags
    }

    /// Adds the events to a run that began with the time of the caller.
    pub(crate) fn record(self, run: &mut Run, is_repeated: bool) -> Result<(), Error> {
        let mut marks = Map::new();
        if is_repeated {
            marks.insert(REPEATED.into(), true.into());
        }
        let mut note = self.note;
        note.extend(marks.clone());
        run.note("observe", note)?;
        let Conversation {
            events,
            answers,
            parents,
            ..
        } = self.conversation;
        write_events(run, events, &answers, &parents, &marks)
    }
}

/// Returns the log of a session with those of its sub-agents, which lie in a directory of its name.
fn with_parts(file: FileBelow, path: &Path) -> io::Result<Vec<LogFile>> {
    let stem = path.with_extension("");
    let name = stem.file_name().unwrap_or_default().to_string_lossy();
    let below = match FilesBelow::of(&stem.join(PARTS), Path::new("")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => FilesBelow::default(),
        below => below?,
    };
    if let Some(fault) = below.faults.into_iter().next() {
        return Err(fault);
    }
    let parts = below.files.iter().filter_map(|part| {
        let part = part.name.to_str()?;
        file.beside(&format!("{name}/{PARTS}/{part}"))
    });
    let parts: Vec<FileBelow> = parts.collect();
    let files = [file].into_iter().chain(parts).map(LogFile::new);
    Ok(files.filter(LogFile::may_be_log).collect())
}
