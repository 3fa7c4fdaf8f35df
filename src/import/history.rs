//! The log of a session that goes on -> what was done in it before, as the beginning of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use serde_json::{Map, Value, json};

use super::call::plain_id;
use super::conversation::{Conversation, Event, What};
use super::formats::{FORMATS, Format, Tie, Ties};
use super::log::{Log, LogFile};
use super::write::write_events;
use crate::recorder::call::arguments;
use crate::recorder::{Error, Run};
use crate::store::{FileBelow, FilesBelow};

/// The directory of the logs of sub-agents.
const PARTS: &str = "subagents";

/// How the names of logs of sub-agents begin that lie beside that of their session.
const SIBLINGS: [&str; 2] = ["agent-", "rollout-"];

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
        let Some(file) = file_at(path)? else {
            return Ok(Self::default());
        };
        let known = FORMATS
            .iter()
            .find(|it| it.name == format)
            .ok_or_else(|| format!("there is no format {format}"))?;
        let failed = |why| format!("the logs of its sub-agents can't be read: {why}");
        let mut files = with_parts(file, path, session).map_err(failed)?;
        let mut log = Log::new(&files);
        let mut found = conversations(known, &mut log)?;
        if found
            .iter()
            .any(Conversation::has_delegated)
        {
            // What older versions, and Codex, write beside it.
            let others = beside(known, &files, path).map_err(failed)?;
            if !others.is_empty() {
                files.extend(others);
                log = Log::new(&files);
                found = conversations(known, &mut log)?;
            }
        }

        let is_own = is_named_by(&files, session);
        let place = found
            .iter()
            .position(|it| it.id == session)
            .or_else(|| (is_own && !found.is_empty()).then_some(0));
        let Some(place) = place else {
            return if is_own || log.lines == 0 {
                Ok(Self::default())
            } else {
                Err(format!("it is the log of another session than {session}"))
            };
        };
        let mut conversation = found.swap_remove(place);
        leave_out_open(&mut conversation, asked);

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
        self.conversation
            .events
            .iter()
            .any(|event| matches!(event.what, What::Act(_)))
    }

    pub(crate) fn started_at(&self) -> Option<SystemTime> {
        self.conversation.began()
    }

    /// Returns the first message of the user.
    pub(crate) fn task(&self) -> Option<&str> {
        self.conversation
            .task
            .as_deref()
            .or_else(|| self.conversation.first_message())
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

/// Returns the file of a path, if it is there.
fn file_at(path: &Path) -> Result<Option<FileBelow>, String> {
    match FilesBelow::of(path, Path::new("")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
        Ok(below) => match <[_; 1]>::try_from(below.files) {
            Ok([file]) => Ok(Some(file)),
            Err(_) => Err("it is no file".into()),
        },
    }
}

/// Returns `true` if the name of the first file is the id of a session, or ends with it.
fn is_named_by(files: &[LogFile], session: &str) -> bool {
    files
        .first()
        .map(LogFile::stem)
        .unwrap_or_default()
        .strip_suffix(session)
        .is_some_and(|start| start.is_empty() || start.ends_with('-'))
}

/// Leaves out the call that is asked about, and those that have no result.
fn leave_out_open(conversation: &mut Conversation, asked: Option<&str>) {
    let is_asked = |event: &Event| match &event.what {
        What::Act(act) => asked.is_some_and(|id| act.call.id == id),
        _ => false,
    };

    conversation.open.clear();
    conversation
        .events
        .retain(|event| !is_asked(event));
    conversation.finish(false);
}

fn conversations(format: &Format, log: &mut Log<'_>) -> Result<Vec<Conversation>, String> {
    let mut found = Vec::new();
    (format.read)(log, &mut |_, conversation| found.push(conversation))?;
    match log.unreadable.first() {
        Some(broken) => Err(format!("line {}: {}", broken.line, broken.why)),
        None => Ok(found),
    }
}

/// Returns the log of a session with those of its sub-agents, which lie in a directory of its name
/// or of its id.
fn with_parts(file: FileBelow, path: &Path, session: &str) -> io::Result<Vec<LogFile>> {
    let stem = path.with_extension("");
    let name = stem
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let own = Some(session.to_owned()).filter(|id| plain_id(id) == *id);
    let mut parts = Vec::new();

    for dir in [format!("{name}/{PARTS}")]
        .into_iter()
        .chain(own)
    {
        for part in files_of(&path.with_file_name(&dir))? {
            parts.extend(file.beside(&format!("{dir}/{part}")));
        }
    }

    let files = [file]
        .into_iter()
        .chain(parts)
        .map(LogFile::new);

    Ok(files
        .filter(LogFile::may_be_log)
        .collect())
}

/// Returns the names of the files of a directory that may not be there.
fn files_of(dir: &Path) -> io::Result<Vec<String>> {
    let below = match FilesBelow::of(dir, Path::new("")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => FilesBelow::default(),
        below => below?,
    };

    if let Some(fault) = below.faults.into_iter().next() {
        return Err(fault);
    }

    let names = below.files.iter();
    Ok(names
        .filter_map(|file| file.name.to_str().map(str::to_owned))
        .collect())
}

/// Returns the logs in the directory of a session that are tied to it by their first values.
fn beside(format: &Format, files: &[LogFile], path: &Path) -> io::Result<Vec<LogFile>> {
    let (Ties::First(tie), Some(own)) = (&format.ties, files.first()) else {
        return Ok(Vec::new());
    };
    let mut ties = BTreeSet::new();
    tie_first(*tie, own, &mut ties);

    let dir = path
        .parent()
        .filter(|dir| *dir != Path::new(""));
    let mut others = Vec::new();

    for name in files_of(dir.unwrap_or(Path::new(".")))? {
        let is_beside = !name.contains('/')
            && SIBLINGS
                .iter()
                .any(|it| name.starts_with(it));
        let other = own
            .file
            .beside(&name)
            .filter(|_| is_beside)
            .map(LogFile::new)
            .filter(LogFile::may_be_log);
        others.extend(other.filter(|it| it.base() != own.base()));
    }

    let mut found = Vec::new();
    // A sub-agent may have begun others.
    loop {
        let before = found.len();
        for other in std::mem::take(&mut others) {
            let mut of_other = BTreeSet::new();
            tie_first(*tie, &other, &mut of_other);
            if of_other.is_disjoint(&ties) {
                others.push(other);
            } else {
                ties.extend(of_other);
                found.push(other);
            }
        }

        if found.len() == before {
            return Ok(found);
        }
    }
}

/// Adds what ties a file to others, by its first value.
fn tie_first(tie: Tie, file: &LogFile, ties: &mut BTreeSet<String>) {
    let first = Log::new(std::slice::from_ref(file)).next();
    if let Ok(Some(entry)) = first {
        tie(file, &entry.value, ties);
    }
}
