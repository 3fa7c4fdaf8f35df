//! The events of a timeline -> the messages between a run and its models, each once.

mod message;

use std::collections::BTreeMap;

use super::text;
use crate::ground::Own;
use crate::ground::document::{Node, OwnedDocument};
use crate::ground::printable::brief;
use crate::report::page::{Message, MessagePart, ModelCall, ToolCall, ToolResult};
use message::{Read, cut, cut_value, listed, message};

/// The maximum number of messages that a page shows.
const MAX_MESSAGES: usize = 1_000;

/// The maximum number of bytes of all messages of a page.
const MAX_BYTES: usize = 4 << 20;

/// The maximum number of bytes of a picture in base64, and of all pictures of a page.
const MAX_PICTURE_BYTES: usize = 2 << 20;
const MAX_PICTURES_BYTES: usize = 8 << 20;

/// The maximum number of bytes of all attached messages that are read for a page.
const MAX_ATTACHED_BYTES: usize = 64 << 20;

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

/// The places in an event of what a call of a model took.
const USED: [&[&str]; 10] = [
    &["payload", "usage"],
    &["payload", "output", "usage"],
    &["payload", "output"],
    &["payload", "output", "usage_metadata"],
    &["payload", "output", "response_metadata", "token_usage"],
    &["payload", "metrics"],
    &["payload", "attributes"],
    &["payload", "x-attributes"],
    &["payload"],
    &["metrics"],
];

/// The places in an event of the name of a model.
const MODELS: [&[&str]; 5] = [
    &["payload", "model"],
    &["payload", "input", "model"],
    &["payload", "output", "model"],
    &["payload", "attributes", "gen_ai.request.model"],
    &["payload", "x-attributes", "gen_ai.request.model"],
];

/// An event, and what a timeline knows of it.
pub(super) struct Said<'n> {
    pub(super) line: u64,
    pub(super) event: Node<'n>,
    /// The seconds since the first event.
    pub(super) offset_sec: Option<f64>,
    /// The seconds that it took.
    pub(super) took_sec: Option<f64>,
}

/// The messages of a timeline, on their way.
pub(super) struct Conversation<'r> {
    /// Reads a file that was attached to the run, if it is the one that its name says.
    attachment: &'r dyn Fn(&str) -> Option<Vec<u8>>,
    /// How often each message was met: a history repeats what came before.
    met: BTreeMap<String, usize>,
    messages: Vec<Message>,
    /// The number of messages that there is no room for.
    unshown: usize,
    bytes: usize,
    pictures: usize,
    attached: usize,
    /// Whether messages have the calls of tools: acts would repeat them.
    has_calls: bool,
    /// Whether there is a message that is no act.
    has_words: bool,
    /// By the id of each call that has no result yet, its message and its part.
    open: BTreeMap<String, (usize, usize)>,
}

impl<'r> Conversation<'r> {
    /// Returns the conversation of a timeline of which nothing is known yet.
    pub(super) fn new(attachment: &'r dyn Fn(&str) -> Option<Vec<u8>>) -> Self {
        Self {
            attachment,
            met: BTreeMap::new(),
            messages: Vec::new(),
            unshown: 0,
            bytes: 0,
            pictures: 0,
            attached: 0,
            has_calls: false,
            has_words: false,
            open: BTreeMap::new(),
        }
    }

    /// Returns the messages, and the number of those that there is no room for. Acts alone are no
    /// conversation.
    pub(super) fn end(self) -> (Vec<Message>, usize) {
        if self.has_words {
            (self.messages, self.unshown)
        } else {
            (Vec::new(), 0)
        }
    }

    /// Takes in the messages of an event.
    pub(super) fn take(&mut self, said: &Said<'_>) {
        let Some(payload) = said.event.get("payload") else {
            return;
        };
        let mut in_history: BTreeMap<String, usize> = BTreeMap::new();
        let known = self.messages.len() + self.unshown;
        let is_message = payload.get("role").is_some();
        if is_message && let Some(message) = message(payload, "assistant") {
            let times = self
                .met
                .get(&message.key())
                .copied()
                .unwrap_or_default()
                + 1;
            self.add(message, said, times);
        }

        let asked = self.at_first(payload, &ASKED, "user");
        let saw = asked.len();
        for message in asked {
            let times = in_history
                .entry(message.key())
                .or_default();
            *times += 1;
            let times = *times;
            self.add(message, said, times);
        }

        let before_answer = self.messages.len();
        // What a tool gave is no answer of a model.
        let is_of_tool = saw == 0 && is_act(said.event) && model_call(said, 0).is_none();
        let is_result = payload
            .get("output")
            .filter(|_| is_of_tool)
            .is_some_and(|it| it.text().is_some() || cut_value(it).is_some());
        let answered = if is_message || is_result {
            Vec::new()
        } else {
            self.at_first(payload, &ANSWERED, spoken_by(said.event))
        };

        for message in answered {
            let times = in_history.get(&message.key()).copied();
            let met = self
                .met
                .get(&message.key())
                .copied()
                .unwrap_or_default();
            self.add(message, said, times.unwrap_or(met) + 1);
        }

        let is_answered = self.messages.len() > before_answer || (is_message && saw == 0);
        if is_answered
            && let Some(last) = self
                .messages
                .last_mut()
                .filter(|it| it.line == said.line)
        {
            last.call = model_call(said, saw);
        }

        let is_silent = known == self.messages.len() + self.unshown && in_history.is_empty();
        if is_silent && !self.has_calls && is_act(said.event) {
            self.add(act(payload), said, usize::MAX);
        }
    }

    /// Adds a message that occurs this number of times in a history, unless all of them are known.
    fn add(&mut self, message: Read, said: &Said<'_>, times: usize) {
        let met = self
            .met
            .entry(message.key())
            .or_default();
        if times <= *met {
            return;
        }

        *met = times;
        let Read { role, parts } = message;
        let is_act = times == usize::MAX;
        let number = parts.len();
        let parts: Vec<MessagePart> = (parts.into_iter())
            .filter_map(|part| {
                let part = self.answering(part, said.line)?;
                Some(self.with_room(part))
            })
            .collect();
        if parts.is_empty() && number > 0 {
            return;
        }

        let bytes = parts
            .iter()
            .map(MessagePart::bytes)
            .sum::<usize>();
        if self.messages.len() == MAX_MESSAGES || self.bytes + bytes > MAX_BYTES {
            self.unshown += 1;
            return;
        }

        self.bytes += bytes;
        self.has_words |= !is_act;
        for (at, part) in parts.iter().enumerate() {
            let MessagePart::Call(call) = part else {
                continue;
            };
            self.has_calls |= !is_act;
            if call.result.is_none() && !call.id.is_empty() {
                let place = (self.messages.len(), at);
                self.open.insert(call.id.clone(), place);
            }
        }

        self.messages.push(Message {
            role,
            parts,
            agent: text(said.event, "agent_id"),
            line: said.line,
            offset_sec: said.offset_sec,
            call: None,
        });
    }

    /// Puts the result of a call to its call, or returns the part.
    fn answering(&mut self, part: MessagePart, line: u64) -> Option<MessagePart> {
        let MessagePart::Result(mut result) = part else {
            return Some(part);
        };
        result.line = line;

        let call = self
            .open
            .remove(&result.id)
            .map(|(message, part)| {
                self.messages
                    .own_mut(message)
                    .parts
                    .own_mut(part)
            });
        let Some(MessagePart::Call(call)) = call else {
            return Some(MessagePart::Result(result));
        };

        self.bytes += result
            .parts
            .iter()
            .map(MessagePart::bytes)
            .sum::<usize>();
        call.result = Some(result);

        None
    }

    /// Returns a part, or what stands for a picture that there is no room for.
    fn with_room(&mut self, part: MessagePart) -> MessagePart {
        let MessagePart::Picture(data) = &part else {
            return part;
        };
        if data.len() > MAX_PICTURE_BYTES || self.pictures + data.len() > MAX_PICTURES_BYTES {
            return MessagePart::Text(format!("a picture of {} bytes", data.len()));
        }

        self.pictures += data.len();
        part
    }

    /// Returns the messages at the first of some places that has any: others repeat them.
    fn at_first(&mut self, payload: Node<'_>, places: &[&[&str]], role: &str) -> Vec<Read> {
        places
            .iter()
            .filter_map(|place| payload.at(place))
            .find_map(|value| {
                let messages = self.listed(value, role);
                (!messages.is_empty()).then_some(messages)
            })
            .unwrap_or_default()
    }

    /// Returns the messages of a value: a list of them, one, or a text; or those of the file that
    /// has them where they were too large for the event.
    fn listed(&mut self, value: Node<'_>, role: &str) -> Vec<Read> {
        let Some(cut) = cut_value(value) else {
            return listed(value, role);
        };
        let whole = value
            .get("attachment")
            .and_then(Node::text)
            .filter(|_| self.attached < MAX_ATTACHED_BYTES)
            .and_then(|name| (self.attachment)(&name));
        self.attached += whole.as_ref().map_or(0, Vec::len);

        let whole = whole.and_then(|bytes| OwnedDocument::read(bytes).ok());
        match whole {
            Some(whole) => listed(whole.root(), role),
            None => vec![Read {
                role: role.to_owned(),
                parts: vec![cut],
            }],
        }
    }
}

/// Returns what a call of a model took, where its event says so.
fn model_call(said: &Said<'_>, saw: usize) -> Option<ModelCall> {
    let first = |keys: &str| {
        USED.iter()
            .filter_map(|place| said.event.at(place))
            .find_map(|used| {
                keys.split(' ')
                    .find_map(|key| used.get(key))
            })
            .filter(|value| value.number().is_some())
            .map(|value| brief(value.raw()))
    };

    let named = |place: &[&str]| {
        said.event
            .at(place)
            .and_then(Node::text)
    };

    let model = MODELS
        .iter()
        .find_map(|place| named(place));
    let from = named(&["payload", "input", "messages_from"]);
    let call = ModelCall {
        model: model.map(|model| brief(&model)),
        tokens_in: first("input_tokens prompt_tokens tokens_in gen_ai.usage.input_tokens"),
        tokens_out: first("output_tokens completion_tokens tokens_out gen_ai.usage.output_tokens"),
        cost_usd: first("cost_usd total_cost_usd total_cost cost"),
        took_sec: said.took_sec,
        from: from.map(|from| brief(&from)),
        saw,
    };

    let is_known = call.model.is_some() || call.tokens_in.is_some() || call.cost_usd.is_some();
    (is_known || saw > 0).then_some(call)
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
    let error = payload
        .get("error")
        .filter(|error| !error.is_null());
    let status = text(payload, "result_status");
    let result = error
        .or_else(|| payload.get("output"))
        .filter(|result| !result.is_null())
        .map(|result| ToolResult {
            parts: vec![cut_value(result).unwrap_or_else(|| MessagePart::Text(written(result)))],
            failed: error.is_some() || !matches!(&*status, "" | "ok"),
            ..ToolResult::default()
        });
    let call = ToolCall {
        id: String::new(),
        tool: text(payload, "tool"),
        input: input.map(written).unwrap_or_default(),
        result,
    };

    Read {
        role: "tool".into(),
        parts: vec![MessagePart::Call(call)],
    }
}

/// Returns `true` if an event is the call of a tool.
fn is_act(event: Node<'_>) -> bool {
    let phase = event.get("phase").and_then(Node::text);
    phase.as_deref() == Some("act") && event.at(&["payload", "tool"]).is_some()
}

/// Returns who speaks in a note that does not say it.
fn spoken_by(event: Node<'_>) -> &'static str {
    match event
        .get("phase")
        .and_then(Node::text)
        .as_deref()
    {
        Some("observe") => "user",
        _ => "assistant",
    }
}
