//! A value of an event in one of the common forms -> the messages in it.

use super::super::text;
use crate::ground::document::{Kind, Node};
use crate::ground::printable::{brief, shortened};
use crate::report::page::{MessagePart, ToolCall, ToolResult};

/// The maximum number of bytes of one part of a message that a page shows.
const MAX_PART_BYTES: usize = 64 << 10;

/// The places in a block of content of a picture.
const PICTURES: [&[&str]; 9] = [
    &["image_url", "url"],
    &["image_url"],
    &["source", "data"],
    &["source", "url"],
    &["inline_data", "data"],
    &["inlineData", "data"],
    &["attachment"],
    &["data"],
    &["url"],
];

/// A message as it was read.
pub(super) struct Read {
    pub(super) role: String,
    pub(super) parts: Vec<MessagePart>,
}

impl Read {
    /// Returns what makes two messages the same one.
    pub(super) fn key(&self) -> String {
        format!("{} {:?}", self.role, self.parts)
    }
}

/// Returns the messages of a value: a list of them, one, or a text.
pub(super) fn listed(value: Node<'_>, role: &str) -> Vec<Read> {
    let one = (value.kind() != Kind::Array).then_some(value);
    value
        .items()
        .chain(one)
        .filter_map(|value| message(value, role))
        .collect()
}

/// Returns a message of one of the common forms.
pub(super) fn message(value: Node<'_>, role: &str) -> Option<Read> {
    if let Some(text) = value.text() {
        let parts = vec![MessagePart::Text(cut(&text))];
        let role = role.to_owned();
        return (!text.trim().is_empty()).then_some(Read { role, parts });
    }

    // A choice of OpenAI, and a message of LangChain as it serializes itself.
    let value = value
        .get("message")
        .or_else(|| value.get("kwargs"))
        .unwrap_or(value);
    let value = value
        .get("data")
        .filter(|data| data.get("content").is_some())
        .unwrap_or(value);
    let named = ["role", "type"]
        .into_iter()
        .find_map(|key| value.get(key)?.text());
    let role = match named.as_deref()? {
        "human" => "user".into(),
        "ai" | "AIMessage" | "model" => "assistant".into(),
        "developer" => "system".into(),
        role => brief(role),
    };

    let mut parts: Vec<MessagePart> = ["thinking", "reasoning_content"]
        .into_iter()
        .filter_map(|key| value.get(key)?.text())
        .map(|it| MessagePart::Thought(cut(&it)))
        .collect();
    let said: Vec<MessagePart> = ["content", "parts", "text"]
        .into_iter()
        .find_map(|key| value.get(key))
        .into_iter()
        .flat_map(contents)
        .collect();
    let is_result = role == "tool"
        && !said
            .iter()
            .any(|it| matches!(it, MessagePart::Result(_)));
    if is_result {
        parts.push(result_of(value, said));
    } else {
        parts.extend(said);
    }

    let calls = value
        .get("tool_calls")
        .into_iter()
        .flat_map(Node::items);
    parts.extend(calls.map(call));

    (!parts.is_empty()).then_some(Read { role, parts })
}

fn contents(content: Node<'_>) -> Vec<MessagePart> {
    match (content.kind(), content.text()) {
        (_, Some(text)) if text.trim().is_empty() => Vec::new(),
        (_, Some(text)) => vec![MessagePart::Text(cut(&text))],
        (Kind::Array, _) => content.items().flat_map(part).collect(),
        (Kind::Null, _) => Vec::new(),
        _ => part(content),
    }
}

/// Returns the parts of a content block.
fn part(block: Node<'_>) -> Vec<MessagePart> {
    if let Some(text) = block.text() {
        return vec![MessagePart::Text(cut(&text))];
    }

    let kind = block
        .get("type")
        .and_then(Node::text)
        .unwrap_or_default();
    match &*kind {
        "tool_use" | "tool_call" | "function_call" => return vec![call(block)],
        "tool_result" | "tool_call_response" | "function_call_output" => {
            let parts = ["content", "response", "result", "output"]
                .into_iter()
                .find_map(|key| block.get(key))
                .into_iter()
                .flat_map(contents)
                .collect();
            return vec![result_of(block, parts)];
        }
        _ => {}
    }

    let text_of = |keys: [&str; 2]| {
        keys.into_iter()
            .find_map(|key| block.get(key)?.text())
    };

    let inner = text_of(["text", "content"]);
    let thought = text_of(["thinking", "reasoning"]);
    let part = cut_value(block)
        .or_else(|| picture(block, &kind))
        .or_else(|| thought.map(|text| MessagePart::Thought(cut(&text))))
        .or_else(|| {
            let text = cut(&inner?);
            Some(match &*kind {
                "thinking" | "reasoning" => MessagePart::Thought(text),
                _ => MessagePart::Text(text),
            })
        });

    vec![part.unwrap_or_else(|| MessagePart::Other(cut(block.raw())))]
}

/// Returns the picture of a content block: its data in base64, or the name of the attached file.
fn picture(block: Node<'_>, kind: &str) -> Option<MessagePart> {
    let is_picture = kind.contains("image") || block.get("inline_data").is_some();
    let mut data = PICTURES
        .iter()
        .filter_map(|place| block.at(place)?.text())
        .filter(|text| {
            let is_known = text.starts_with("data:image/") || text.starts_with("attachments/");
            is_known || (is_picture && !text.contains(':'))
        });

    Some(MessagePart::Picture(data.next()?.into_owned()))
}

/// Returns a value that was cut when it was recorded.
pub(super) fn cut_value(value: Node<'_>) -> Option<MessagePart> {
    value.get("sha256")?;
    Some(MessagePart::Cut {
        excerpt: value
            .get("excerpt")?
            .text()?
            .into_owned(),
        bytes: brief(value.get("bytes")?.raw()),
        attachment: value
            .get("attachment")
            .and_then(Node::text)
            .map(|name| brief_name(&name)),
    })
}

/// Returns the name of an attachment, which is longer than other names.
fn brief_name(name: &str) -> String {
    shortened(name, 200)
}

fn call(call: Node<'_>) -> MessagePart {
    let function = call.get("function").unwrap_or(call);
    let input = ["arguments", "input", "args"]
        .into_iter()
        .find_map(|key| function.get(key))
        .map(|input| match input.text() {
            Some(text) => cut(&text),
            None => cut(input.raw()),
        });

    MessagePart::Call(ToolCall {
        id: id_of(call),
        tool: text(function, "name"),
        input: input.unwrap_or_default(),
        result: None,
    })
}

/// Returns the result of the call that a message or a block names.
fn result_of(value: Node<'_>, parts: Vec<MessagePart>) -> MessagePart {
    let is_error = value
        .get("is_error")
        .and_then(Node::boolean);
    MessagePart::Result(ToolResult {
        id: id_of(value),
        failed: is_error == Some(true) || text(value, "status") == "error",
        parts,
        line: 0,
    })
}

/// Returns the id of a call, or of the call that a result is of.
fn id_of(value: Node<'_>) -> String {
    ["tool_call_id", "tool_use_id", "call_id", "id"]
        .into_iter()
        .find_map(|key| value.get(key)?.text())
        .map(|id| brief(&id))
        .unwrap_or_default()
}

/// Returns the beginning of a text that is long, with the number of characters that are left out.
pub(super) fn cut(text: &str) -> String {
    if text.len() <= MAX_PART_BYTES {
        return text.to_owned();
    }
    shortened(text, MAX_PART_BYTES / 4)
}
