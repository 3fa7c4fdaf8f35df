//! The events of a timeline -> the messages between a run and its models, each once.

use std::collections::BTreeMap;

use super::text;
use crate::ground::document::{Kind, Node};
use crate::ground::printable::{brief, shortened};
use crate::report::page::{Message, MessagePart};

/// The maximum number of messages that a page shows.
const MAX_MESSAGES: usize = 1_000;

/// The maximum number of bytes of one part of a message that a page shows.
const MAX_PART_BYTES: usize = 64 << 10;

/// The maximum number of bytes of all messages of a page.
const MAX_BYTES: usize = 4 << 20;

/// The places in a payload of lists of messages: what a model was asked.
const ASKED: [&[&str]; 5] = [
    &["input", "messages"],
    &["messages"],
    &["input", "prompt"],
    &["attributes", "gen_ai.input.messages"],
    &["x-attributes", "gen_ai.input.messages"],
];

/// The places of messages, and of lists of them, that a model answered.
const ANSWERED: [&[&str]; 6] = [
    &["output", "messages"],
    &["output", "choices"],
    &["output"],
    &["message"],
    &["attributes", "gen_ai.output.messages"],
    &["x-attributes", "gen_ai.output.messages"],
];

/// The messages of a timeline, on their way.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// How often each message was met: a history repeats what came before.
    met: BTreeMap<String, usize>,
    pub(super) messages: Vec<Message>,
    /// The number of messages that there is no room for.
    pub(super) unshown: usize,
    bytes: usize,
    /// Whether messages have the calls of tools: acts would repeat them.
    has_calls: bool,
}

impl Conversation {
    /// Takes in the messages of an event.
    pub(super) fn take(&mut self, line: u64, event: Node<'_>) {
        let Some(payload) = event.get("payload") else {
            return;
        };
        let mut in_history: BTreeMap<String, usize> = BTreeMap::new();
        let known = self.messages.len() + self.unshown;
        let is_message = payload.get("role").is_some();
        if is_message && let Some(message) = message(payload, "assistant") {
            let times = self.met.get(&message.key()).copied().unwrap_or_default() + 1;
            self.add(message, line, times);
        }
        let asked = ASKED.iter().filter_map(|place| payload.at(place));
        for message in asked.flat_map(|list| listed(list, "user")) {
            let times = in_history.entry(message.key()).or_default();
            *times += 1;
            let times = *times;
            self.add(message, line, times);
        }
        let answered = ANSWERED
            .iter()
            .filter(|_| !is_message)
            .filter_map(|place| payload.at(place));
        let role = spoken_by(event);
        for message in answered.flat_map(|list| listed(list, role)) {
            let times = in_history.get(&message.key()).copied();
            let met = self.met.get(&message.key()).copied().unwrap_or_default();
            self.add(message, line, times.unwrap_or(met) + 1);
        }
        let is_act = event.get("phase").and_then(Node::text).as_deref() == Some("act");
        let is_silent = known == self.messages.len() + self.unshown && in_history.is_empty();
        if is_act && is_silent && !self.has_calls && payload.get("tool").is_some() {
            self.add(act(payload), line, usize::MAX);
        }
    }

    /// Adds a message that occurs this number of times in a history, unless all of them are known.
    fn add(&mut self, message: Read, line: u64, times: usize) {
        let met = self.met.entry(message.key()).or_default();
        if times <= *met {
            return;
        }
        *met = times;
        let bytes = message.parts.iter().map(MessagePart::bytes).sum::<usize>();
        if self.messages.len() == MAX_MESSAGES || self.bytes + bytes > MAX_BYTES {
            self.unshown += 1;
            return;
        }
        self.bytes += bytes;
        self.has_calls |= have_calls(&message.parts) && times != usize::MAX;
        let Read { role, parts } = message;
        self.messages.push(Message { role, parts, line });
    }
}

/// A message as it was read.
struct Read {
    role: String,
    parts: Vec<MessagePart>,
}

impl Read {
    /// Returns what makes two messages the same one.
    fn key(&self) -> String {
        format!("{} {:?}", self.role, self.parts)
    }
}

fn have_calls(parts: &[MessagePart]) -> bool {
    parts
        .iter()
        .any(|part| matches!(part, MessagePart::Call { .. }))
}

/// Returns the call of a tool with its result.
fn act(payload: Node<'_>) -> Read {
    let written = |value: Node<'_>| {
        value
            .text()
            .map_or_else(|| cut(value.raw()), |text| cut(&text))
    };
    let input = payload
        .get("input")
        .or_else(|| payload.get("input_excerpt"));
    let call = MessagePart::Call {
        tool: text(payload, "tool"),
        input: input.map(written).unwrap_or_default(),
    };
    let result = payload.get("error").or_else(|| payload.get("output"));
    let result = result.filter(|result| !result.is_null());
    let result = result.map(|result| MessagePart::Result(written(result)));
    Read {
        role: "tool".into(),
        parts: [Some(call), result].into_iter().flatten().collect(),
    }
}

/// Returns who speaks in a note that does not say it.
fn spoken_by(event: Node<'_>) -> &'static str {
    match event.get("phase").and_then(Node::text).as_deref() {
        Some("observe") => "user",
        _ => "assistant",
    }
}

/// Returns the messages of a value: a list of them, one, or a text.
fn listed<'n>(value: Node<'n>, role: &'static str) -> impl Iterator<Item = Read> + use<'n> {
    let one = (value.kind() != Kind::Array).then_some(value);
    value
        .items()
        .chain(one)
        .filter_map(move |value| message(value, role))
}

/// Returns a message of one of the common forms.
fn message(value: Node<'_>, role: &str) -> Option<Read> {
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
    let mut parts: Vec<MessagePart> = ["content", "parts", "text"]
        .into_iter()
        .find_map(|key| value.get(key))
        .into_iter()
        .flat_map(contents)
        .collect();
    if role == "tool" {
        parts = parts.into_iter().map(MessagePart::into_result).collect();
    }
    let calls = value.get("tool_calls").into_iter().flat_map(Node::items);
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
    let kind = block.get("type").and_then(Node::text).unwrap_or_default();
    let inner = || {
        ["text", "thinking", "content"]
            .into_iter()
            .find_map(|key| block.get(key)?.text())
    };
    match &*kind {
        "tool_use" | "tool_call" | "function_call" => vec![call(block)],
        "tool_result" | "tool_call_response" | "function_call_output" => {
            ["content", "response", "result", "output"]
                .into_iter()
                .find_map(|key| block.get(key))
                .into_iter()
                .flat_map(contents)
                .map(MessagePart::into_result)
                .collect()
        }
        _ => match (block.get("excerpt"), block.get("bytes"), inner()) {
            (_, _, Some(text)) => vec![MessagePart::Text(cut(&text))],
            (Some(_), Some(bytes), _) => vec![MessagePart::Cut {
                excerpt: text(block, "excerpt"),
                bytes: brief(bytes.raw()),
            }],
            _ => vec![MessagePart::Other(cut(block.raw()))],
        },
    }
}

fn call(call: Node<'_>) -> MessagePart {
    let function = call.get("function").unwrap_or(call);
    let input = ["arguments", "input", "args"]
        .into_iter()
        .find_map(|key| function.get(key));
    let input = input.map(|input| match input.text() {
        Some(text) => cut(&text),
        None => cut(input.raw()),
    });
    MessagePart::Call {
        tool: text(function, "name"),
        input: input.unwrap_or_default(),
    }
}

/// Returns the beginning of a text that is long, with the number of characters that are left out.
fn cut(text: &str) -> String {
    if text.len() <= MAX_PART_BYTES {
        return text.to_owned();
    }
    shortened(text, MAX_PART_BYTES / 4)
}
