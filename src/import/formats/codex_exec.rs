//! What `codex exec --json` prints -> a conversation.

use serde_json::{Value, json};

use super::super::conversation::{Call, Conversation, Ending, Outcome, Usage};
use super::super::fields::{count, first_text, items, number, picture, some_text, text, texts};
use super::super::log::Log;
use super::{Format, Take, Ties};
use crate::recorder::call::command_line;

pub(super) const FORMAT: Format = Format {
    name: "codex-exec",
    form: "a line is `thread.started` with a `thread_id`",
    is_form,
    ties: Ties::Nothing,
    read,
};

fn is_form(head: &[Value]) -> bool {
    head.iter().any(is_start)
}

fn is_start(line: &Value) -> bool {
    text(line, "/type") == "thread.started" && !text(line, "/thread_id").is_empty()
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut threads: Vec<Conversation> = Vec::new();
    while let Some(entry) = log.next()? {
        let line = &entry.value;
        let id = text(line, "/thread_id");
        let is_other = |thread: &Conversation| is_start(line) && thread.id != id;
        if threads.last().is_none_or(is_other) {
            threads.push(Conversation {
                id: id.to_owned(),
                end: Some(Ending::within_a_turn()),
                ..Conversation::default()
            });
        }
        if let Some(thread) = threads.last_mut() {
            add(thread, line);
        }
    }

    for thread in threads {
        if !thread.id.is_empty() {
            take(log, thread);
        }
    }

    Ok(())
}

fn add(thread: &mut Conversation, line: &Value) {
    match text(line, "/type") {
        "thread.started" => {}
        "turn.started" => {
            thread.end = Some(Ending::within_a_turn());
            thread.is_over = false;
        }
        "item.started" => started(thread, line),
        "item.completed" => completed(thread, line),
        "turn.completed" => {
            // They are those of the thread so far.
            thread.totals = line.get("usage").map(usage);
            thread.end = Some(Ending::Ok);
            thread.is_over = true;
        }
        "turn.failed" => {
            thread.error(text(line, "/error/message"));
            thread.end = None;
            thread.is_over = true;
        }
        "error" => thread.error(text(line, "/message")),
        kind => thread.skip(kind),
    }
}

fn usage(usage: &Value) -> Usage {
    Usage {
        input: count(usage, "/input_tokens"),
        output: count(usage, "/output_tokens"),
        cache_read: count(usage, "/cached_input_tokens"),
        cache_write: count(usage, "/cache_write_input_tokens"),
    }
}

fn started(conversation: &mut Conversation, line: &Value) {
    if let Some(call) = line.get("item").and_then(call) {
        conversation.call(call);
    }
}

fn completed(conversation: &mut Conversation, line: &Value) {
    let item = line.get("item").unwrap_or(&Value::Null);
    if let Some(call) = call(item) {
        let id = call.id.clone();
        // What it is called with is complete now.
        conversation.call(call);
        conversation.result(&id, outcome(item));
        return;
    }

    match &*kind(item) {
        "agent_message" | "assistant_message" => {
            conversation
                .answer("")
                .say(text(item, "/text"));
        }
        "reasoning" => {
            let thinking = text(item, "/text");
            conversation.note("reason", json!({"thinking": thinking}));
        }
        // The run goes on after it.
        "error" => conversation.retry(&Value::Null, &text(item, "/message").into()),
        kind => conversation.skip(kind),
    }
}

/// Returns the kind of an item, which older versions name otherwise.
fn kind(item: &Value) -> String {
    first_text(item, &["/type", "/item_type"]).unwrap_or_default()
}

/// Returns the call of an item; `None` if it is none.
fn call(item: &Value) -> Option<Call> {
    let of = |name: &str| {
        item.get(name)
            .cloned()
            .unwrap_or_default()
    };
    let (tool, input) = match &*kind(item) {
        "command_execution" => {
            let command = match item.get("command") {
                Some(Value::String(command)) => without_shell(command).into(),
                other => other.cloned().unwrap_or_default(),
            };
            ("shell".into(), json!({"command": command}))
        }
        "file_change" => ("apply_patch".into(), json!({"changes": of("changes")})),
        "mcp_tool_call" => {
            let (server, tool) = (text(item, "/server"), text(item, "/tool"));
            (format!("mcp__{server}__{tool}"), of("arguments"))
        }
        "web_search" => ("web_search".into(), json!({"query": of("query")})),
        _ => return None,
    };

    let mut call = Call::new(text(item, "/id"), &tool, input);
    let paths: Vec<String> = items(item, "/changes")
        .iter()
        .filter_map(|change| some_text(change, "/path"))
        .collect();
    if !paths.is_empty() {
        call.extensions
            .insert("x-paths".into(), paths.into());
    }

    Some(call)
}

/// Returns what a shell is given to execute, where the command is one of a shell.
fn without_shell(command: &str) -> String {
    let words = shlex::split(command).unwrap_or_default();
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .collect();

    match &*words {
        [_, "-c" | "-lc" | "-Command", _] => command_line(&words),
        _ => command.to_owned(),
    }
}

fn outcome(item: &Value) -> Outcome {
    let is_error = number(item, "/exit_code").is_some_and(|code| code != 0.0)
        || item
            .get("error")
            .is_some_and(|error| !error.is_null());
    let status = match text(item, "/status") {
        "declined" => Some("denied"),
        "failed" => Some("error"),
        _ => is_error.then_some("error"),
    };

    let printed = first_text(item, &["/aggregated_output", "/error/message"]);
    let content = item
        .pointer("/result/content")
        .map(texts);
    let mut outcome = Outcome::new(status, printed.or(content).unwrap_or_default());
    for part in items(item, "/result/content") {
        outcome
            .pictures
            .extend(picture(text(part, "/mimeType"), text(part, "/data")));
    }

    outcome
}
