//! The attributes of a span, by the names of several conventions -> what an import takes from them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::import::conversation::{Answer, Usage};
use crate::import::fields::{items, parsed, text, texts, value_at};
use crate::import::spans::Role;

const KINDS: [&str; 6] = [
    "gen_ai.operation.name",
    "openinference.span.kind",
    "ai.operationId",
    "traceloop.span.kind",
    "langfuse.observation.type",
    "llm.request.type",
];
const INPUTS: [&str; 6] = [
    "gen_ai.tool.call.arguments",
    "ai.toolCall.args",
    "tool.parameters",
    "input.value",
    "traceloop.entity.input",
    "langfuse.observation.input",
];
/// The inputs that are a question, and not the arguments of a tool.
const QUESTIONS: [&str; 3] = [
    "input.value",
    "traceloop.entity.input",
    "langfuse.observation.input",
];
const OUTPUTS: [&str; 5] = [
    "gen_ai.tool.call.result",
    "ai.toolCall.result",
    "output.value",
    "traceloop.entity.output",
    "langfuse.observation.output",
];
const MODELS: [&str; 4] = [
    "gen_ai.request.model",
    "llm.model_name",
    "ai.model.id",
    "gen_ai.response.model",
];

/// The attributes of a span.
pub(super) struct Attributes(BTreeMap<String, Value>);

/// A side of a request.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Input,
    Output,
}

/// A message of a request.
pub(super) struct Message {
    pub(super) role: String,
    pub(super) text: String,
}

impl Attributes {
    /// Returns the attributes of a span, a resource or an event.
    pub(super) fn of(owner: &Value) -> Self {
        Self(attributes(value_at(owner, "/attributes")))
    }

    fn first(&self, names: &[&str]) -> Option<&Value> {
        names
            .iter()
            .find_map(|name| self.0.get(*name))
            .filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        let value = self.first(names)?;
        Some(
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        )
    }

    /// Returns the value of the first of some attributes; null where there is none.
    fn value(&self, names: &[&str]) -> Value {
        self.first(names)
            .map(parsed)
            .unwrap_or_default()
    }

    fn count(&self, names: &[&str]) -> u64 {
        self.value(names)
            .as_u64()
            .unwrap_or_default()
    }

    pub(super) fn role(&self) -> Role {
        let words: Vec<String> = KINDS
            .iter()
            .filter_map(|name| self.text(&[name]))
            .map(|word| word.to_ascii_lowercase())
            .collect();
        let is = |known: &[&str]| {
            words
                .iter()
                .any(|word| known.contains(&word.as_str()))
        };

        let is_request = |word: &String| word.starts_with("ai.") && word.contains(".do");

        if is(&[
            "agent",
            "create_agent",
            "invoke_agent",
            "invoke_workflow",
            "workflow",
        ]) {
            Role::Agent
        } else if is(&["execute_tool", "tool", "ai.toolcall"]) {
            Role::Tool
        } else if is(&[
            "chat",
            "text_completion",
            "generate_content",
            "completion",
            "llm",
            "generation",
            "response",
        ]) || words.iter().any(is_request)
            || (words.is_empty() && self.first(&MODELS).is_some())
        {
            Role::Model
        } else {
            Role::Other
        }
    }

    pub(super) fn usage(&self) -> Usage {
        Usage {
            input: self.count(&[
                "gen_ai.usage.input_tokens",
                "gen_ai.usage.prompt_tokens",
                "llm.token_count.prompt",
                "ai.usage.promptTokens",
                "ai.usage.inputTokens",
                "llm.usage.prompt_tokens",
            ]),
            output: self.count(&[
                "gen_ai.usage.output_tokens",
                "gen_ai.usage.completion_tokens",
                "llm.token_count.completion",
                "ai.usage.completionTokens",
                "ai.usage.outputTokens",
                "llm.usage.completion_tokens",
            ]),
            cache_read: self.count(&[
                "gen_ai.usage.cache_read.input_tokens",
                "gen_ai.usage.cache_read_input_tokens",
                "llm.token_count.prompt_details.cache_read",
                "ai.usage.cachedInputTokens",
            ]),
            cache_write: self.count(&[
                "gen_ai.usage.cache_creation.input_tokens",
                "gen_ai.usage.cache_creation_input_tokens",
                "llm.token_count.prompt_details.cache_write",
            ]),
        }
    }

    /// Returns the name of the tool or the agent of a span.
    pub(super) fn name(&self, role: Role) -> Option<String> {
        self.text(names_of(role))
    }

    pub(super) fn model(&self) -> Option<String> {
        self.text(&MODELS)
    }

    pub(super) fn input(&self) -> Value {
        self.value(&INPUTS)
    }

    pub(super) fn output(&self) -> Value {
        self.value(&OUTPUTS)
    }

    /// Returns what was asked, as the input of a span that is no request of a model says it.
    pub(super) fn question(&self, role: Role) -> Option<String> {
        match role {
            Role::Model => None,
            _ => self.text(&QUESTIONS),
        }
    }

    /// Returns the attributes that are not taken elsewhere.
    pub(super) fn others(&self, role: Role) -> Option<Value> {
        let used = [&INPUTS[..], &OUTPUTS, &KINDS, names_of(role)].concat();
        let others: Map<String, Value> = self
            .0
            .iter()
            .filter(|(name, _)| !used.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();

        (!others.is_empty()).then_some(Value::Object(others))
    }

    pub(super) fn answer(&self) -> Answer {
        let said: Vec<String> = self
            .messages(Side::Output)
            .into_iter()
            .map(|message| message.text)
            .filter(|text| !text.is_empty())
            .collect();
        let text = if said.is_empty() {
            self.text(&[
                "ai.response.text",
                "output.value",
                "gen_ai.completion.0.content",
            ])
            .unwrap_or_default()
        } else {
            said.join("\n")
        };

        Answer {
            text,
            model: self.model(),
            message_id: self.text(&["gen_ai.response.id", "ai.response.id"]),
            ..Answer::default()
        }
    }

    /// Returns the messages of a side of a request.
    pub(super) fn messages(&self, side: Side) -> Vec<Message> {
        let (lists, flat) = match side {
            Side::Input => (
                &["gen_ai.input.messages", "ai.prompt.messages", "ai.prompt"][..],
                "llm.input_messages",
            ),
            Side::Output => (&["gen_ai.output.messages"][..], "llm.output_messages"),
        };

        let list = self.value(lists);
        if let Some(prompt) = list
            .get("prompt")
            .and_then(Value::as_str)
        {
            return vec![Message {
                role: "user".to_owned(),
                text: prompt.to_owned(),
            }];
        }

        let listed = items(list.get("messages").unwrap_or(&list), "");
        if listed.is_empty() {
            (0..)
                .map_while(|number| self.flat_message(&format!("{flat}.{number}.message")))
                .collect()
        } else {
            listed.iter().map(Message::of).collect()
        }
    }

    /// Returns a message of which each field is an attribute.
    fn flat_message(&self, prefix: &str) -> Option<Message> {
        let of = |field: &str| self.text(&[&format!("{prefix}.{field}")]);
        let role = of("role")?;
        let text = of("content").or_else(|| of("contents.0.message_content.text"));

        Some(Message {
            role,
            text: text.unwrap_or_default(),
        })
    }
}

impl Message {
    fn of(message: &Value) -> Self {
        Self {
            role: text(message, "/role").to_owned(),
            text: message
                .get("parts")
                .or(message.get("content"))
                .map(texts)
                .unwrap_or_default(),
        }
    }
}

/// Returns the attributes that name the tool or the agent of a span.
fn names_of(role: Role) -> &'static [&'static str] {
    match role {
        Role::Tool => &[
            "gen_ai.tool.name",
            "tool.name",
            "ai.toolCall.name",
            "traceloop.entity.name",
        ],
        Role::Agent => &["gen_ai.agent.name", "agent.name", "traceloop.entity.name"],
        _ => &[],
    }
}

/// Returns attributes by their names: a list in OTLP, else an object.
fn attributes(value: &Value) -> BTreeMap<String, Value> {
    match value {
        Value::Object(members) => members.clone().into_iter().collect(),
        list => (items(list, "").iter())
            .map(|it| (text(it, "/key").to_owned(), plain(it.get("value"))))
            .collect(),
    }
}

/// Returns a value of OTLP, such as `{"intValue": "3"}`.
fn plain(value: Option<&Value>) -> Value {
    let Some(Value::Object(members)) = value else {
        return Value::Null;
    };
    let Some((kind, value)) = members.iter().next() else {
        return Value::Null;
    };

    match &*kind
        .replace('_', "")
        .to_ascii_lowercase()
    {
        "intvalue" => parsed(value),
        "arrayvalue" => items(value, "/values")
            .iter()
            .map(|it| plain(Some(it)))
            .collect(),
        "kvlistvalue" => {
            let values = value_at(value, "/values");
            Value::Object(attributes(values).into_iter().collect())
        }
        _ => value.clone(),
    }
}
