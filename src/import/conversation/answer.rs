//! An answer of a model: what it says, and the tokens of its request.

use serde_json::{Map, Value, json};

use super::super::fields::count;
use crate::recorder::call::arguments;

/// An answer of a model.
#[derive(Default)]
pub(in crate::import) struct Answer {
    pub(in crate::import) text: String,
    pub(in crate::import) thinking: String,
    pub(in crate::import) model: Option<String>,
    pub(in crate::import) usage: Option<Usage>,
    pub(in crate::import) stop_reason: Option<String>,
    pub(in crate::import) message_id: Option<String>,
    /// `true` if the model refused.
    pub(in crate::import) is_refusal: bool,
    /// Whether a turn ends with it, if the log says so; else it does if it has a text.
    pub(in crate::import) ends_turn: Option<bool>,
}

/// The tokens of one request: the input with what was read from or written to a cache, the output
/// with reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::import) struct Usage {
    pub(in crate::import) input: u64,
    pub(in crate::import) output: u64,
    pub(in crate::import) cache_read: u64,
    pub(in crate::import) cache_write: u64,
}

impl Usage {
    pub(in crate::import) fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Returns the usage of a request in one of the forms of `OpenAI`, whose input has what was
    /// read from a cache.
    pub(in crate::import) fn of_openai(usage: &Value) -> Self {
        let first = |places: [&str; 2]| {
            places
                .iter()
                .find(|at| usage.pointer(at).is_some())
                .map_or(0, |at| count(usage, at))
        };

        Self {
            input: first(["/prompt_tokens", "/input_tokens"]),
            output: first(["/completion_tokens", "/output_tokens"]),
            cache_read: first([
                "/prompt_tokens_details/cached_tokens",
                "/input_tokens_details/cached_tokens",
            ]),
            cache_write: 0,
        }
    }

    /// Returns the usage of both.
    pub(in crate::import) fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self
                .cache_read
                .saturating_add(other.cache_read),
            cache_write: self
                .cache_write
                .saturating_add(other.cache_write),
        }
    }

    pub(in crate::import) fn members(self) -> Map<String, Value> {
        [
            ("input_tokens", self.input),
            ("output_tokens", self.output),
            ("cache_read_tokens", self.cache_read),
            ("cache_write_tokens", self.cache_write),
            ("tokens", self.input.saturating_add(self.output)),
        ]
        .map(|(name, tokens)| (name.to_owned(), tokens.into()))
        .into_iter()
        .collect()
    }
}

impl Usage {
    /// Returns the usage that is written in a note.
    pub(super) fn of_note(note: &Value) -> Self {
        let of = |name: &str| {
            note.get(name)
                .and_then(Value::as_u64)
                .unwrap_or_default()
        };

        Self {
            input: of("input_tokens"),
            output: of("output_tokens"),
            cache_read: of("cache_read_tokens"),
            cache_write: of("cache_write_tokens"),
        }
    }
}

impl Answer {
    pub(super) fn is_last(&self) -> bool {
        self.ends_turn
            .unwrap_or(!self.text.trim().is_empty())
    }

    /// Adds lines to its text.
    pub(in crate::import) fn say(&mut self, text: &str) {
        add_line(&mut self.text, text);
    }

    pub(in crate::import) fn think(&mut self, text: &str) {
        add_line(&mut self.thinking, text);
    }

    /// Returns the payload of its note.
    pub(in crate::import) fn payload(&self) -> Map<String, Value> {
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let payload = json!({
            "kind": "message",
            "role": "assistant",
            "text": some(&self.text),
            "thinking": some(&self.thinking),
            "model": self.model,
            "usage": self.usage.map(Usage::members),
            "stop_reason": self.stop_reason,
            "x-message-id": self.message_id,
        });
        let mut members = arguments(payload);
        members.retain(|_, value| !value.is_null());

        members
    }
}

fn add_line(to: &mut String, text: &str) {
    if !(to.is_empty() || text.is_empty()) {
        to.push('\n');
    }
    to.push_str(text);
}
