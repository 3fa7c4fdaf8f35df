//! The blocks of messages of Anthropic -> calls and their results.

use serde_json::Value;

use crate::import::call::is_denial;
use crate::import::conversation::{Call, Conversation, Outcome};
use crate::import::fields::{is_true, items, picture, some_text, text, texts, value_at};

/// Adds what a block of an answer asks for, or what came of it.
pub(super) fn of_answer(conversation: &mut Conversation, block: &Value) {
    match text(block, "/type") {
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            let input = value_at(block, "/input").clone();
            conversation.call(Call::new(text(block, "/id"), text(block, "/name"), input));
        }
        kind if kind.ends_with("_tool_result") => result(conversation, block),
        "text" | "output_text" | "refusal" | "thinking" | "" => {}
        kind => conversation.skip(kind),
    }
}

/// Adds the act of a call, from its result.
pub(super) fn result(conversation: &mut Conversation, block: &Value) {
    let content = value_at(block, "/content");
    let said = texts(content);
    let is_error = is_true(block, "/is_error") || text(content, "/type").ends_with("_error");
    let status = if is_error && is_denial(&said) {
        Some("denied")
    } else {
        is_error.then_some("error")
    };

    let is_of_texts = items(content, "").iter().all(|part| {
        let kind = text(part, "/type");
        part.is_string() || matches!(kind, "text" | "image" | "document")
    });
    let output = if content.is_object() || !is_of_texts {
        content.clone()
    } else {
        said.into()
    };

    let mut outcome = Outcome::new(status, output);
    for part in items(content, "") {
        match text(part, "/type") {
            "image" => {
                let data = text(part, "/source/data");
                let media_type = text(part, "/source/media_type");
                outcome
                    .pictures
                    .extend(picture(media_type, data));
            }
            "document" => conversation.skip("document"),
            _ => {}
        }
    }

    let id = some_text(block, "/tool_use_id").unwrap_or_default();
    conversation.result(&id, outcome);
}
