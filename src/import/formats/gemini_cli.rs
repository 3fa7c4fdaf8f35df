//! `~/.gemini/tmp/<hash>/chats/session-*.json`, or its lines in newer versions -> a conversation.

use serde_json::Value;

use super::super::conversation::{Call, Conversation, Outcome, Usage};
use super::super::fields::{count, items, some_text, text, texts, time};
use super::super::log::Log;
use super::{Format, Take, Ties};

pub(super) const FORMAT: Format = Format {
    name: "gemini-cli",
    form: "it begins with `sessionId`, `projectHash` and `startTime`",
    is_form,
    ties: Ties::Nothing,
    read,
};

fn is_form(head: &[Value]) -> bool {
    head.first().is_some_and(|first| {
        ["sessionId", "projectHash", "startTime"]
            .iter()
            .all(|name| first.get(name).is_some_and(Value::is_string))
    })
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut conversation = Conversation::default();
    let mut messages: Vec<Value> = Vec::new();
    while let Some(entry) = log.next()? {
        let value = entry.value;
        if let Some(id) = some_text(&value, "/$rewindTo") {
            let place = messages
                .iter()
                .position(|message| text(message, "/id") == id);
            messages.truncate(place.unwrap_or(messages.len()));
        } else if value.get("startTime").is_some() {
            text(&value, "/sessionId").clone_into(&mut conversation.id);
            conversation.started_at = time(&value, "/startTime");
            messages.extend_from_slice(items(&value, "/messages"));
        } else if value.get("type").is_some() {
            // A message is written again when more of it is known.
            let id = text(&value, "/id");
            let is_last = |message: &&mut Value| !id.is_empty() && text(message, "/id") == id;
            match messages.iter_mut().rev().take(RECENT).find(is_last) {
                Some(known) => *known = value,
                None => messages.push(value),
            }
        } else {
            conversation.skip("other line");
        }
    }
    conversation.is_by_time = true;
    for message in &messages {
        add(&mut conversation, message);
    }
    take(log, conversation);
    Ok(())
}

/// The number of messages among which one is looked for that is written again.
const RECENT: usize = 64;

fn add(conversation: &mut Conversation, message: &Value) {
    conversation.moment(time(message, "/timestamp"));
    let content = message.get("content").unwrap_or(&Value::Null);
    match text(message, "/type") {
        "user" => {
            for part in items(message, "/content") {
                if part.get("text").is_none() && !part.is_string() {
                    conversation.skip("part of a message of the user");
                }
            }
            conversation.message("user", &texts(content));
        }
        "gemini" => answer(conversation, message, content),
        "error" => conversation.error(&texts(content)),
        kind => conversation.skip(kind),
    }
}

fn answer(conversation: &mut Conversation, message: &Value, content: &Value) {
    conversation.tag("model", text(message, "/model"));
    let answer = conversation.answer("");
    answer.say(&texts(content));
    for thought in items(message, "/thoughts") {
        let (subject, rest) = (text(thought, "/subject"), text(thought, "/description"));
        answer.think(format!("{subject}: {rest}").trim_start_matches(": "));
    }
    answer.model = some_text(message, "/model");
    answer.message_id = some_text(message, "/id");
    answer.usage = message
        .get("tokens")
        .filter(|it| it.is_object())
        .map(|tokens| Usage {
            input: count(tokens, "/input"),
            output: count(tokens, "/output").saturating_add(count(tokens, "/thoughts")),
            cache_read: count(tokens, "/cached"),
            cache_write: 0,
        });
    for call in items(message, "/toolCalls") {
        let input = call.get("args").cloned().unwrap_or_default();
        let id = text(call, "/id");
        conversation.moment(time(call, "/timestamp"));
        conversation.call(Call::new(id, text(call, "/name"), input));
        let responses = items(call, "/result").iter();
        let mut outputs = responses.filter_map(|it| it.pointer("/functionResponse/response"));
        let response = outputs.next().cloned().unwrap_or_default();
        let output = ["output", "error"]
            .iter()
            .find_map(|name| response.get(name))
            .cloned();
        let output = output.unwrap_or(response);
        let is_denied = output.to_string().contains("did not allow tool call");
        let status = match text(call, "/status") {
            "success" => None,
            "error" => Some("error"),
            "cancelled" if is_denied => Some("denied"),
            "cancelled" => Some("cancelled"),
            // It is still running, or waits for a person.
            _ => continue,
        };
        conversation.result(id, Outcome::new(status, output));
    }
}
