//! `all_messages_json()` of Pydantic AI -> a conversation for each list of messages.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::call::id_of_path;
use super::super::conversation::{Call, Conversation, Outcome, Usage};
use super::super::fields::{
    count, first_text, items, object, some_text, text, texts, time, value_at,
};
use super::super::log::Log;
use super::{Format, Take, Ties};
use crate::ground::digest::FileDigest;

pub(super) const FORMAT: Format = Format {
    name: "pydantic-ai",
    form: "its messages are `request` or `response`, with `parts`",
    is_form,
    ties: Ties::Nothing,
    read,
};

fn is_form(head: &[Value]) -> bool {
    head.iter()
        .any(|value| !lists(value).is_empty())
}

/// Returns the lists of messages in a value: the value, or its items.
fn lists(value: &Value) -> Vec<&[Value]> {
    let list = items(value, "");
    if is_list(list) {
        return vec![list];
    }

    list.iter()
        .map(|it| items(it, ""))
        .filter(|it| is_list(it))
        .collect()
}

fn is_list(messages: &[Value]) -> bool {
    !messages.is_empty()
        && messages.iter().all(|message| {
            let has_kind = |part: &Value| part.get("part_kind").is_some();
            matches!(text(message, "/kind"), "request" | "response")
                && value_at(message, "/parts").is_array()
                && items(message, "/parts")
                    .iter()
                    .all(has_kind)
        })
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let name = log
        .files
        .first()
        .map_or("", |file| &file.name)
        .to_owned();
    let mut found: Vec<Conversation> = Vec::new();
    while let Some(entry) = log.next()? {
        found.extend(
            lists(&entry.value)
                .into_iter()
                .map(conversation),
        );
    }

    let has_several = found.len() > 1;
    for (number, mut conversation) in found.into_iter().enumerate() {
        if conversation.id.is_empty() {
            conversation.id = id_of_path(&name);
            if has_several {
                conversation.id = format!("{}-{}", conversation.id, number + 1);
            }
        }
        conversation.source = Some(name.clone());
        take(log, conversation);
    }

    Ok(())
}

fn conversation(messages: &[Value]) -> Conversation {
    let id = ["/conversation_id", "/run_id"]
        .iter()
        .find_map(|at| {
            messages
                .iter()
                .find_map(|it| some_text(it, at))
        });
    let whole = Value::from(messages.to_vec()).to_string();
    let mut conversation = Conversation {
        id: id.unwrap_or_default(),
        sha256: Some(FileDigest::of(whole.as_bytes()).to_string()),
        ..Conversation::default()
    };

    let mut instructions = BTreeSet::new();
    for message in messages {
        if text(message, "/kind") == "response" {
            response(&mut conversation, message);
        } else {
            request(&mut conversation, message, &mut instructions);
        }
    }

    conversation
}

fn request(conversation: &mut Conversation, message: &Value, said: &mut BTreeSet<String>) {
    let own = time(message, "/timestamp");
    let parts = items(message, "/parts");
    conversation.not_before(
        parts
            .first()
            .and_then(|it| time(it, "/timestamp"))
            .or(own),
    );

    let instructions = some_text(message, "/instructions");
    if let Some(text) = instructions.filter(|text| said.insert(text.clone())) {
        conversation.message("system", &text);
    }

    let (mut is_final, mut is_interrupted) = (false, false);
    for part in parts {
        conversation.not_before(time(part, "/timestamp").or(own));
        let content = value_at(part, "/content");

        match text(part, "/part_kind") {
            "system-prompt" => {
                if said.insert(texts(content)) {
                    conversation.message("system", &texts(content));
                }
            }
            "user-prompt" => {
                for item in items(content, "")
                    .iter()
                    .filter(|it| texts(it).is_empty())
                {
                    conversation.skip(format!("{} of the user", text(item, "/kind")));
                }
                conversation.message("user", &texts(content));
            }
            "tool-return" | "builtin-tool-return" => {
                is_final |= content == "Final result processed.";
                is_interrupted |= text(part, "/outcome") == "interrupted";
                result(conversation, part);
            }
            "retry-prompt" => {
                let id = text(part, "/tool_call_id");
                if conversation.open.contains_key(id) {
                    conversation.result(id, Outcome::new(Some("error"), content.clone()));
                } else {
                    conversation.retry(&Value::Null, content);
                }
            }
            kind => conversation.skip(kind),
        }
    }

    if is_interrupted {
        conversation.interrupt("");
    } else if is_final {
        conversation.end_turn();
    }
}

fn result(conversation: &mut Conversation, part: &Value) {
    let content = value_at(part, "/content").clone();
    let said = content.as_str().unwrap_or_default();
    let is_left = said.starts_with("Tool not executed") || said.starts_with("Output tool not used");
    let status = match text(part, "/outcome") {
        // What version 2 says of a call that the model is to do again.
        "failed" | "retried" => Some("error"),
        "denied" => Some("denied"),
        "interrupted" => Some("cancelled"),
        _ => is_left.then_some("cancelled"),
    };

    conversation.result(text(part, "/tool_call_id"), Outcome::new(status, content));
}

fn response(conversation: &mut Conversation, message: &Value) {
    conversation.not_before(time(message, "/timestamp"));
    conversation.tag("model", text(message, "/model_name"));
    let reason = some_text(message, "/finish_reason");
    let answer = conversation.answer("");

    for part in items(message, "/parts") {
        match text(part, "/part_kind") {
            "text" => answer.say(text(part, "/content")),
            "thinking" => answer.think(text(part, "/content")),
            _ => {}
        }
    }

    answer.model = some_text(message, "/model_name");
    answer.message_id = first_text(message, &["/provider_response_id", "/vendor_id"]);
    answer.usage = object(message, "/usage").map(usage);
    answer.is_refusal = reason.as_deref() == Some("content_filter");
    answer.stop_reason.clone_from(&reason);
    for part in items(message, "/parts") {
        match text(part, "/part_kind") {
            "tool-call" | "builtin-tool-call" => {
                let input = value_at(part, "/args").clone();
                let id = text(part, "/tool_call_id");
                conversation.call(Call::new(id, text(part, "/tool_name"), input));
            }
            "builtin-tool-return" => result(conversation, part),
            "compaction" => {
                conversation.compaction(json!({"summary": some_text(part, "/content")}));
            }
            "text" | "thinking" => {}
            kind => conversation.skip(kind),
        }
    }

    if text(message, "/state") == "interrupted" {
        conversation.interrupt("");
    } else if reason.as_deref() == Some("error") {
        conversation.error("the model ended with an error");
    }
}

/// Returns the usage of a response, whose input has what a cache read and wrote.
fn usage(usage: &Value) -> Usage {
    let either = |new: &str, old: &str| count(usage, new).max(count(usage, old));
    Usage {
        input: either("/input_tokens", "/request_tokens"),
        output: either("/output_tokens", "/response_tokens"),
        cache_read: count(usage, "/cache_read_tokens"),
        cache_write: count(usage, "/cache_write_tokens"),
    }
}
