//! The formats of logs, each in a file of its own.

mod atif;
mod chat;
mod claude_code;
mod claude_stream;
mod codex;
mod codex_exec;
mod copilot_cli;
mod gemini_cli;
mod inspect;
mod langfuse;
mod langsmith;
mod mini_swe_agent;
mod openai_agents;
mod opencode;
mod openhands;
mod otlp;
mod pydantic_ai;

use std::collections::BTreeSet;

use serde_json::Value;

use super::conversation::Conversation;
use super::log::{Log, LogFile};
use crate::ground::printable::count;

pub(super) use otlp::words as words_of_span;

/// A format of logs.
pub(super) struct Format {
    /// Its name, which stands after `adapter:` in `episode.using`.
    pub(super) name: &'static str,
    /// What tells it from others, for people.
    pub(super) form: &'static str,
    /// Returns `true` if the first values of a file have its form.
    pub(super) is_form: fn(&[Value]) -> bool,
    pub(super) ties: Ties,
    /// Reads a log, and hands out each conversation.
    pub(super) read: Read,
}

/// What ties the files of a log together.
pub(super) enum Ties {
    /// Nothing: each file is a log of its own.
    Nothing,
    /// What the first values of a file have in common with other files.
    First(Tie),
    /// What any value of a file has in common with other files.
    Every(Tie),
}

/// A function that adds what a value of a file has in common with other files of the same log.
pub(super) type Tie = fn(&LogFile, &Value, &mut BTreeSet<String>);

/// A function that reads a log.
type Read = fn(&mut Log<'_>, &mut Take<'_>) -> Result<(), String>;

/// A function that takes a conversation, with the log as far as it is read.
pub(super) type Take<'t> = dyn FnMut(&Log<'_>, Conversation) + 't;

/// The formats, in the order in which they are tried.
pub(super) const FORMATS: &[Format] = &[
    claude_code::FORMAT,
    claude_stream::FORMAT,
    codex::FORMAT,
    codex_exec::FORMAT,
    gemini_cli::FORMAT,
    opencode::FORMAT,
    copilot_cli::FORMAT,
    atif::FORMAT,
    inspect::FORMAT,
    mini_swe_agent::FORMAT,
    openhands::FORMAT,
    pydantic_ai::FORMAT,
    openai_agents::FORMAT,
    langfuse::FORMAT,
    langsmith::FORMAT,
    otlp::FORMAT,
    chat::FORMAT,
];

/// Returns what a file that is no JSON looks like, by its first bytes.
pub(super) fn looks_like(start: &[u8]) -> String {
    if start.starts_with(b"SQLite format 3") {
        return looks_like_database(start);
    }

    let known: [(&[u8], &str); 3] = [
        (b"\x1f\x8b", "it is compressed by gzip: unpack it first"),
        (
            b"\x28\xb5\x2f\xfd",
            "it is compressed by zstd: unpack it first",
        ),
        (
            b"",
            "it is no log of a known format: it begins with neither an object nor a list of JSON",
        ),
    ];
    let (_, words) = known
        .iter()
        .find(|(magic, _)| start.starts_with(magic))
        .unwrap_or(&(b"", ""));
    let words = if start.is_empty() {
        "it is empty"
    } else {
        words
    };

    (*words).to_owned()
}

/// Returns what a database looks like, by the tables that its first page declares.
fn looks_like_database(start: &[u8]) -> String {
    let known: [(&[&str], &str); 3] = [
        (
            &["cursorDiskKV"],
            "of Cursor, which has no command that exports a chat with its calls; `runvet hook \
             claude-code` may record those to come",
        ),
        (
            &["recipe_json", "extension_data"],
            "of Goose: `goose session export` writes a session as a file",
        ),
        (
            &["session", "message", "part"],
            "of opencode: `opencode export ID` writes a session as a file",
        ),
    ];
    let text = String::from_utf8_lossy(start);
    // A table may be declared with quotes.
    let words = || text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let declares = |name: &&str| words().any(|word| word == *name);
    let found = known
        .iter()
        .find(|(names, _)| names.iter().all(&declares));

    match found {
        Some((_, whose)) => format!("it is a database {whose}"),
        None => "it is a database of SQLite, which is not read: export the sessions in it as files"
            .to_owned(),
    }
}

/// Returns what a file looks like, by its first value.
pub(super) fn looks_like_json(first: Option<&Value>) -> String {
    const KEYS: usize = 5;
    let form = match first {
        Some(Value::Object(members)) if members.is_empty() => "an empty object".to_owned(),
        Some(Value::Object(members)) => {
            let names: Vec<&str> = members
                .keys()
                .map(String::as_str)
                .take(KEYS)
                .collect();
            format!("an object with the keys {}", names.join(", "))
        }
        Some(Value::Array(items)) => format!("a list of {}", count(items.len() as u64, "item")),
        _ => "nothing".to_owned(),
    };

    format!("it is no log of a known format: its first value is {form}")
}
