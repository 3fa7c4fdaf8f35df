//! Logs -> what an import would take from them and what it would leave out, without a run.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde_json::Value;

use super::conversation::{Conversation, What};
use super::found::{Found, Group};
use super::log::Log;
use super::{Import, Imported, Memory, explained};

/// What an import would make of the files of one log.
pub(crate) struct Explained {
    /// The files, as a user would write them.
    pub(crate) files: Vec<String>,
    pub(crate) format: &'static str,
    /// By what the format was recognized.
    pub(crate) form: &'static str,
    /// The number of runs.
    pub(crate) runs: u64,
    /// The numbers of values of each `type`, or kind of value where they have none.
    pub(crate) values: BTreeMap<String, u64>,
    /// What becomes of the parts, and how many there are.
    pub(crate) taken: BTreeMap<Taken, u64>,
    /// The number of parts of each type that are left out.
    pub(crate) left_out: BTreeMap<String, u64>,
    /// What can't be read, and why, for people: one line each.
    pub(crate) unreadable: Vec<String>,
}

/// A kind of parts of a log that are taken.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Taken {
    /// What it becomes.
    pub(crate) becomes: &'static str,
    /// What it is.
    pub(crate) name: String,
}

impl Import {
    /// Explains how the logs at or below some paths are read, and says which files are no logs.
    ///
    /// # Errors
    /// A path does not exist, or can't be opened.
    pub(crate) fn explain<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> io::Result<(Vec<Explained>, Imported)> {
        let mut found = Found::default();
        for path in paths {
            let path = path.as_ref();
            self.find(path, &mut Memory::default(), &mut found)
                .map_err(|why| explained(path, &why))?;
        }

        let explained = found
            .groups
            .iter()
            .map(Explained::of)
            .collect();

        Ok((explained, self.report(&found.others, found.report)))
    }
}

impl Explained {
    fn of(group: &Group) -> Self {
        let mut explained = Self {
            files: group
                .files
                .iter()
                .map(|file| file.path.clone())
                .collect(),
            format: group.format.name,
            form: group.format.form,
            runs: 0,
            values: BTreeMap::new(),
            taken: BTreeMap::new(),
            left_out: BTreeMap::new(),
            unreadable: Vec::new(),
        };

        let mut log = Log::new(&group.files);
        while let Ok(Some(entry)) = log.next() {
            count(&mut explained.values, type_of(&entry.value), 1);
        }

        let mut log = Log::new(&group.files);
        let read = (group.format.read)(&mut log, &mut |_, conversation| {
            explained.add(conversation);
        });

        explained
            .unreadable
            .extend(log.reasons());

        let broken = read
            .err()
            .map(|why| format!("{}: {why}", log.path()));
        explained.unreadable.extend(broken);

        explained
    }

    fn add(&mut self, conversation: Conversation) {
        self.runs += 1;
        for event in conversation.events {
            let (becomes, name) = match event.what {
                What::Note(phase, payload) => {
                    let words = ["kind", "role"]
                        .map(|name| payload.get(name))
                        .into_iter()
                        .flatten()
                        .filter_map(Value::as_str);
                    (note_of(phase), words.collect::<Vec<_>>().join(" of "))
                }
                What::Answer(_) => (note_of("reason"), "answer of a model".to_owned()),
                What::Act(act) => ("act", act.call.tool),
                What::TurnEnd | What::Nothing => continue,
            };

            count(&mut self.taken, Taken { becomes, name }, 1);
        }

        for (name, _) in conversation.assertions {
            let becomes = "assertion";
            count(&mut self.taken, Taken { becomes, name }, 1);
        }

        for (name, _) in conversation.metrics {
            let becomes = "metric";
            count(&mut self.taken, Taken { becomes, name }, 1);
        }

        for (kind, number) in conversation.skipped {
            count(&mut self.left_out, kind, number);
        }
    }
}

fn count<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K, number: u64) {
    *counts.entry(key).or_default() += number;
}

fn note_of(phase: &str) -> &'static str {
    match phase {
        "reason" => "note (reason)",
        "observe" => "note (observe)",
        _ => "note",
    }
}

/// Returns the type that a value of a log gives itself and its payload, or its kind.
fn type_of(value: &Value) -> String {
    let types: Vec<&str> = ["/type", "/payload/type"]
        .map(|place| value.pointer(place))
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();

    match (&*types, value) {
        ([], Value::Array(_)) => "a list".to_owned(),
        ([], _) => "an object without `type`".to_owned(),
        (types, _) => types.join(": "),
    }
}
