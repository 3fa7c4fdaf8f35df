//! What `codex exec --json` prints -> a conversation.

use serde_json::{Value, json};

use super::super::conversation::{Call, Conversation, Outcome, Usage};
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
    let mut conversation = Conversation::default();
    while let Some(entry) = log.next()? {
        add(&mut conversation, &entry.value);
    }

    if conversation.id.is_empty() {
        return Ok(());
    }

    conversation.source = log
        .files
        .first()
        .map(|file| file.base().to_owned());
    take(log, conversation);

    Ok(())
}

fn add(conversation: &mut Conversation, line: &Value) {
    match text(line, "/type") {
        "thread.started" if conversation.id.is_empty() => {
            text(line, "/thread_id").clone_into(&mut conversation.id);
        }
        "item.started" => started(conversation, line),
        "item.completed" => completed(conversation, line),
        "turn.completed" => {
            // They are those of the thread so far.
            conversation.totals = line.get("usage").map(usage);
            conversation.end_turn();
            conversation.is_over = true;
        }
        "turn.failed" => {
            conversation.error(text(line, "/error/message"));
            conversation.is_over = true;
        }
        "error" => conversation.error(text(line, "/message")),
        "turn.started" => conversation.is_over = false,
        kind => conversation.skip(kind),
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

    match text(item, "/type") {
        "agent_message" => {
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

/// Returns the call of an item; `None` if it is none.
fn call(item: &Value) -> Option<Call> {
    let of = |name: &str| {
        item.get(name)
            .cloned()
            .unwrap_or_default()
    };
    let (tool, input) = match text(item, "/type") {
        "command_execution" => {
            let command = text(item, "/command");
            ("shell".into(), json!({"command": without_shell(command)}))
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
