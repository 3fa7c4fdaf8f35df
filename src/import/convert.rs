//! A log -> the runs of its conversations, each in a directory of its own.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::call::plain_id;
use super::conversation::Conversation;
use super::found::Group;
use super::log::{Log, LogFile};
use super::write::{Draft, Made, Target};
use super::{Change, Converted, Import, ImportedRun, MAX_NAMED, MadeRun};
use crate::ground::finding::TIME_UNKNOWN;
use crate::recorder::Error;

impl Import {
    /// Makes the runs of a log.
    pub(super) fn convert(&self, group: &Group, target: &Target<'_>) -> Converted {
        let mut converted = Converted::default();
        let mut log = Log::new(&group.files);
        let mut number = 0;
        let read = (group.format.read)(&mut log, &mut |log, conversation| {
            number += 1;
            self.write(group, log, conversation, target, &mut converted);
        });
        converted.errors.extend(log.reasons());
        converted.is_done_alone = log.is_alone() && converted.faults.is_empty();
        let is_nothing = number == 0 && converted.errors.is_empty();

        if let Some(why) = log
            .nothing_yet
            .take()
            .filter(|_| is_nothing)
        {
            converted
                .notes
                .insert(format!("{}: {why}", log.path()));
        } else if let Some(why) = read
            .err()
            .or_else(|| is_nothing.then(|| nothing_in(group)))
        {
            converted
                .errors
                .push(format!("{}: {why}", log.path()));
        }

        converted
    }

    /// Makes the run of a conversation, unless it is not wanted.
    fn write(
        &self,
        group: &Group,
        log: &Log<'_>,
        mut conversation: Conversation,
        target: &Target<'_>,
        converted: &mut Converted,
    ) {
        let format = group.format.name;
        let file = log.files.first();
        let path = file
            .map(|file| file.path.clone())
            .unwrap_or_default();
        conversation.id = plain_id(&conversation.id);
        if !self.is_wanted(&conversation) {
            return;
        }

        if conversation.is_empty() {
            converted
                .errors
                .push(format!("{path}: {}", nothing_in(group)));
            return;
        }

        self.add_tags(&mut conversation);
        converted.count(format, &conversation);
        let draft = Draft {
            note: self.note_of(format, log, &mut conversation),
            using: format!("adapter:{format}").into(),
            is_over: self.is_over,
            modified: file.and_then(|file| file.file.modified()),
            conversation,
        };

        let id = target.id_of(&draft.conversation.id);
        let made = target.make(draft);
        if let Err(why @ Error::Io { .. }) = &made {
            converted
                .faults
                .push(format!("{path}: {why}"));
        }

        let (change, dir) = change_of(made);
        let run = ImportedRun {
            path: target.path_of(&id),
            id,
            format,
            source: path,
            change,
        };

        converted
            .runs
            .push(MadeRun { run, dir });
    }

    /// Returns `true` for a conversation whose id and time are those that are asked for.
    fn is_wanted(&self, conversation: &Conversation) -> bool {
        let is_before = self
            .since
            .zip(conversation.began())
            .is_some_and(|(since, began)| began < since);

        !is_before && (self.only.is_empty() || self.only.contains(&conversation.id))
    }

    /// Adds the tags of the caller, and the one of a log without times.
    fn add_tags(&self, conversation: &mut Conversation) {
        let began = conversation.began();
        let tags = &mut conversation.tags;
        tags.extend(self.tags.clone());
        if began.is_none() {
            let (tag, unknown) = TIME_UNKNOWN;
            tags.insert(tag.into(), unknown.into());
        }
    }

    /// Returns the first note of a run: of which log it is an import.
    fn note_of(&self, format: &str, log: &Log<'_>, conversation: &mut Conversation) -> Value {
        let first = log
            .files
            .first()
            .map_or("", LogFile::base);
        let source = conversation
            .source
            .take()
            .unwrap_or_else(|| first.to_owned());
        let others = log
            .files
            .iter()
            .filter(|file| source != file.base() && source != file.name)
            .map(LogFile::base);
        let files = std::iter::once(&*source).chain(others);

        json!({
            "kind": "import",
            "format": format,
            "files": files.take(MAX_NAMED).collect::<Vec<_>>(),
            "sha256": conversation.sha256.clone().unwrap_or_else(|| log.sha256()),
            "lines": log.lines,
            "skipped": conversation.skipped,
            "unreadable": log.unreadable.len(),
            "ended": self.is_over,
        })
    }
}

impl Converted {
    /// Counts what is left out of a conversation, and notes what it does not say.
    fn count(&mut self, format: &str, conversation: &Conversation) {
        if conversation.needs_directory() {
            self.notes.insert(format!(
                "no working directory is in a log of {format}: `--tag cwd=DIR` names it"
            ));
        }

        for (kind, number) in &conversation.skipped {
            *self
                .skipped
                .entry(kind.clone())
                .or_default() += number;
        }
    }
}

fn nothing_in(group: &Group) -> String {
    format!(
        "it looks like a log of {}, and nothing is said or done in it",
        group.format.name
    )
}

/// Returns what became of a run, and the directory in which it was made.
fn change_of(made: Result<Made, Error>) -> (Change, Option<PathBuf>) {
    match made {
        Ok(Made::Run { dir, is_new }) if is_new => (Change::New, Some(dir)),
        Ok(Made::Run { dir, .. }) => (Change::Again, Some(dir)),
        Ok(Made::Unchanged) => (Change::Unchanged, None),
        Ok(Made::Refused(why)) => (Change::Refused(why), None),
        Err(why) => (Change::Refused(why.to_string()), None),
    }
}
