//! The spans of a trace -> a conversation: what all formats of traces have in common.

mod trace;

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::conversation::{Answer, Call, Conversation, Outcome, Took, Usage};
use super::fields::{first_text, items, text, texts};
use crate::ground::Own;
use crate::ground::digest::FileDigest;
use trace::Trace;

/// A span, in the words that all formats share.
#[derive(Default)]
pub(super) struct Span {
    pub(super) trace: String,
    pub(super) id: String,
    /// The span in which it lies; empty for a root.
    pub(super) parent: String,
    /// The name of its tool or agent, else its own.
    pub(super) name: String,
    pub(super) start: Option<SystemTime>,
    pub(super) end: Option<SystemTime>,
    pub(super) error: Option<String>,
    pub(super) role: Role,
    /// What a tool or an agent was asked.
    pub(super) input: Value,
    /// What it returned.
    pub(super) output: Value,
    pub(super) call_id: Option<String>,
    /// The answer of a model, and the usage of any span.
    pub(super) answer: Answer,
    /// What the user asked, as far as this span says it.
    pub(super) task: Option<String>,
    pub(super) system: Option<String>,
    pub(super) tags: Vec<(&'static str, String)>,
    /// More of it, for its act.
    pub(super) attributes: Option<Value>,
    /// The kind of its act, where its name does not tell it.
    pub(super) kind: Option<&'static str>,
    /// The status of its act, where that is not `error` if it failed and `ok` else.
    pub(super) status: Option<&'static str>,
    /// `true` if a tool with a model or an agent below it is an agent.
    pub(super) may_delegate: bool,
    /// Whether an agent is an act; else it is one if it lies in another agent.
    pub(super) is_act: Option<bool>,
    /// The call that began an agent, where that is not the span itself.
    pub(super) begun_by: Option<String>,
    /// A note in its place.
    pub(super) note: Option<Value>,
    /// As what it is counted where it is left out.
    pub(super) counted_as: Option<String>,
    /// The digest of what it was read from.
    pub(super) sha256: String,
}

/// The part of a span in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    Agent,
    Model,
    Tool,
    /// None: it is left out.
    #[default]
    Other,
}

/// The spans of each trace, in the order of the traces' first spans.
#[derive(Default)]
pub(super) struct Traces {
    numbers: BTreeMap<String, usize>,
    traces: Vec<Vec<Span>>,
}

impl Traces {
    pub(super) fn add(&mut self, span: Span) {
        let new = self.traces.len();
        let number = *self
            .numbers
            .entry(span.trace.clone())
            .or_insert(new);
        if number == new {
            self.traces.push(Vec::new());
        }

        self.traces.own_mut(number).push(span);
    }

    /// Returns the conversation of each trace with a span of an agent, a model or a tool.
    pub(super) fn conversations(self) -> impl Iterator<Item = Conversation> {
        let has_work = |spans: &Vec<Span>| {
            spans
                .iter()
                .any(|span| span.role != Role::Other)
        };

        self.traces
            .into_iter()
            .filter(has_work)
            .map(conversation)
    }
}

/// Returns the conversation of the spans of a trace.
pub(super) fn conversation(spans: Vec<Span>) -> Conversation {
    let trace = Trace::of(spans);
    let root = trace.root();
    let asked = trace.asked();
    let mut conversation = Conversation {
        id: trace
            .spans
            .first()
            .map(|span| id_of(&span.trace))
            .unwrap_or_default(),
        sha256: Some(trace.digest()),
        started_at: trace.started_at(),
        task: root.map(|root| {
            asked
                .clone()
                .unwrap_or_else(|| root.name.clone())
        }),
        totals: root.and_then(|root| root.answer.usage),
        is_by_time: true,
        ..Conversation::default()
    };

    trace.add_tags(&mut conversation);
    conversation.at = conversation.started_at;
    if let Some(system) = root.and_then(|root| root.system.as_deref()) {
        conversation.message("system", system);
    }
    if let Some(task) = &asked {
        conversation.message("user", task);
    }

    conversation.end = Some(trace.ending());
    for (number, span) in trace.spans.iter().enumerate() {
        let agent = trace.inner_agent_of(number);
        conversation.agent = agent.map(|agent| agent.name.clone());
        conversation.parent = agent.map(|agent| {
            agent
                .begun_by
                .as_ref()
                .or(agent.call_id.as_ref())
                .unwrap_or(&agent.id)
                .clone()
        });
        trace.add(&mut conversation, number, span);
    }

    conversation
}

/// Returns the id of a run of a trace.
pub(super) fn id_of(trace: &str) -> String {
    format!("ep_{}", trace.replace('-', ""))
}

impl Span {
    fn add_answer(&self, conversation: &mut Conversation) {
        conversation.at = self.end.or(self.start);
        let agent = conversation.agent.clone();
        *conversation.answer("") = Answer {
            text: self.answer.text.clone(),
            thinking: self.answer.thinking.clone(),
            model: self.answer.model.clone(),
            stop_reason: self.answer.stop_reason.clone(),
            message_id: self.answer.message_id.clone(),
            usage: self.answer.usage,
            ..Answer::default()
        };

        if let Some(error) = &self.error {
            conversation.note(
                "observe",
                json!({"kind": "error", "text": error, "x-agent": agent}),
            );
        }
    }

    fn add_call(&self, conversation: &mut Conversation, kind: Option<&str>) {
        conversation.at = self.start;
        let mut call = Call::new(&self.id, &self.name, self.input.clone());
        let fields = [
            ("kind", kind.map(Value::from)),
            ("x-call-id", self.call_id.clone().map(Value::from)),
            ("x-attributes", self.attributes.clone()),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        call.extensions.extend(fields);
        conversation.call(call);
        if self.end.is_none() {
            return;
        }

        conversation.at = self.end;
        let status = self
            .status
            .or(self.error.as_ref().map(|_| "error"));
        let output = match (&self.output, &self.error) {
            (Value::Null, Some(error)) => error.as_str().into(),
            (output, _) => output.clone(),
        };

        // What was not executed took no time, however long a person thought about it.
        let took = if status == Some("denied") {
            Took::Unknown
        } else {
            Took::Between
        };

        conversation.result(&self.id, Outcome::new(status, output).took(took));
    }
    /// Returns the digest of what a span is read from.
    pub(super) fn digest(of: &Value) -> String {
        FileDigest::of(of.to_string().as_bytes()).to_string()
    }

    /// Makes it the answer of a model.
    pub(super) fn answered(&mut self, answer: Answer) {
        self.role = Role::Model;
        self.tags = answer
            .model
            .iter()
            .map(|model| ("model", model.clone()))
            .collect();
        self.answer = answer;
    }

    /// Sets its usage, unless it has none.
    pub(super) fn used(&mut self, usage: Usage) {
        self.answer.usage = Some(usage).filter(|usage| !usage.is_empty());
    }
}

/// Returns the first text of the user in what a trace was asked: messages with roles, pairs,
/// objects of `LangChain`, or a question.
pub(super) fn asked(input: &Value) -> Option<String> {
    if let Some(text) = input.as_str() {
        return Some(text.to_owned()).filter(|text| !text.trim().is_empty());
    }

    let list = input.get("messages").unwrap_or(input);
    if let Some(said) = messages(list)
        .into_iter()
        .find_map(of_user)
    {
        return Some(said);
    }

    ["input", "question", "query", "user_input", "prompt"]
        .iter()
        .filter_map(|name| input.get(name))
        .find_map(asked)
}

/// Returns the messages of a list, or of a list of one list.
fn messages(list: &Value) -> Vec<&Value> {
    let messages = items(list, "");
    match messages {
        [Value::Array(inner)] if !inner.iter().all(Value::is_string) => inner.iter().collect(),
        all => all.iter().collect(),
    }
}

fn of_user(message: &Value) -> Option<String> {
    if let [role, content] = items(message, "") {
        let is_user = role == "human" || role == "user";
        return Some(texts(content)).filter(|it| is_user && !it.is_empty());
    }

    let fields = message.get("kwargs").unwrap_or(message);
    let role = first_text(fields, &["/role", "/type"]);
    let class = text(message, "/id/3");
    let is_user = matches!(role.as_deref(), Some("user" | "human"))
        || (role.is_none() && class == "HumanMessage");
    let said = fields
        .get("content")
        .or(fields.get("parts"))
        .map(texts);

    said.filter(|said| is_user && !said.is_empty())
}
