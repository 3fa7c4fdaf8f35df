//! The spans of a trace -> a conversation: what all formats of traces have in common.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::conversation::{Answer, Call, Conversation, Ending, Outcome, Took, Usage};
use super::fields::{first_text, items, text, texts};
use crate::ground::digest::FileDigest;

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

        if let Some(trace) = self.traces.get_mut(number) {
            trace.push(span);
        }
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
#[expect(clippy::too_many_lines, reason = "a case for each role of a span")]
pub(super) fn conversation(spans: Vec<Span>) -> Conversation {
    // A span that is written again is one span, that of the last.
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut once: Vec<Span> = Vec::new();
    for span in spans {
        if let Some(known) = places
            .get(&span.id)
            .and_then(|place| once.get_mut(*place))
        {
            *known = span;
        } else {
            places.insert(span.id.clone(), once.len());
            once.push(span);
        }
    }

    let delegates = delegates(&once, &places);
    let above = above(&once, &places, |number, span| {
        span.role == Role::Agent || delegates.get(number) == Some(&true)
    });
    let root = (0..once.len())
        .filter_map(|number| {
            once.get(number)
                .map(|span| (number, span))
        })
        .filter(|(_, span)| span.parent.is_empty())
        .min_by_key(|(number, span)| (span.start, *number))
        .map(|(_, span)| span);
    let first_agent = once
        .iter()
        .enumerate()
        .filter(|(_, span)| span.role == Role::Agent)
        .filter(|(number, _)| above.get(*number) == Some(&None))
        .min_by_key(|(number, span)| (span.start, *number))
        .map(|(number, _)| number);

    // Where the root does not say what was asked, the first request of a model does.
    let first = once
        .iter()
        .filter(|span| span.role == Role::Model)
        .min_by_key(|span| span.start);
    let asked = root.and_then(|root| {
        root.task
            .clone()
            .or_else(|| first.and_then(|model| model.task.clone()))
    });

    let mut conversation = Conversation {
        id: once
            .first()
            .map(|span| id_of(&span.trace))
            .unwrap_or_default(),
        sha256: Some(digest(&once)),
        started_at: root
            .and_then(|root| root.start)
            .or_else(|| {
                once.iter()
                    .filter_map(|span| span.start)
                    .min()
            }),
        task: root.map(|root| {
            asked
                .clone()
                .unwrap_or_else(|| root.name.clone())
        }),
        totals: root.and_then(|root| root.answer.usage),
        is_by_time: true,
        ..Conversation::default()
    };

    let agent = first_agent.and_then(|number| once.get(number));
    for span in root
        .into_iter()
        .chain(agent)
        .chain(&once)
    {
        let is_main = span.role == Role::Agent && span.name != agent.map_or("", |it| &it.name);
        for (name, text) in span.tags.iter().filter(|_| !is_main) {
            conversation.tag(name, text);
        }
    }

    let of_agent = |number: usize| {
        let agent = above.get(number).copied().flatten()?;
        once.get(agent)
            .filter(|_| Some(agent) != first_agent)
    };

    conversation.at = conversation.started_at;
    if let Some(system) = root.and_then(|root| root.system.as_deref()) {
        conversation.message("system", system);
    }
    if let Some(task) = &asked {
        conversation.message("user", task);
    }

    let ending = ending(root, &once);
    conversation.end = Some(ending);
    for (number, span) in once.iter().enumerate() {
        let agent = of_agent(number);
        conversation.agent = agent.map(|agent| agent.name.clone());
        conversation.parent = agent.map(|agent| {
            agent
                .begun_by
                .as_ref()
                .or(agent.call_id.as_ref())
                .unwrap_or(&agent.id)
                .clone()
        });

        let is_nested = above
            .get(number)
            .is_some_and(Option::is_some);
        let is_delegate = delegates.get(number) == Some(&true);

        match span.role {
            Role::Model => span.add_answer(&mut conversation),
            Role::Tool if is_delegate => span.add_call(&mut conversation, Some("delegate")),
            Role::Tool => span.add_call(&mut conversation, span.kind),
            Role::Agent if span.is_act.unwrap_or(is_nested) => {
                span.add_call(&mut conversation, Some("delegate"));
            }
            Role::Agent => {}
            Role::Other => match &span.note {
                Some(note) => {
                    conversation.moment(span.end.or(span.start));
                    conversation.note("observe", note.clone());
                }
                None => conversation.skip(
                    span.counted_as
                        .as_deref()
                        .unwrap_or("span"),
                ),
            },
        }
    }

    conversation
}

/// Returns the id of a run of a trace.
pub(super) fn id_of(trace: &str) -> String {
    format!("ep_{}", trace.replace('-', ""))
}

fn digest(spans: &[Span]) -> String {
    let mut digests: Vec<&str> = spans
        .iter()
        .map(|span| &*span.sha256)
        .collect();
    digests.sort_unstable();

    FileDigest::of(digests.join("\n").as_bytes()).to_string()
}

/// Returns for each span whether it is a tool with a model or an agent below it, and so an agent.
fn delegates(spans: &[Span], places: &BTreeMap<String, usize>) -> Vec<bool> {
    let mut found = vec![false; spans.len()];
    let around = above(spans, places, |_, span| {
        span.role == Role::Agent || span.may_delegate
    });

    for (number, span) in spans.iter().enumerate() {
        let mut inner = matches!(span.role, Role::Model | Role::Agent).then_some(number);
        while let Some(outer) = inner.and_then(|inner| around.get(inner).copied().flatten()) {
            let is_tool = spans
                .get(outer)
                .is_some_and(|outer| outer.may_delegate);
            match found.get_mut(outer) {
                Some(is_delegate) if is_tool && !*is_delegate => *is_delegate = true,
                _ => break,
            }
            inner = Some(outer);
        }
    }

    found
}

/// Returns for each span the nearest agent above it, from the roots down.
fn above(
    spans: &[Span],
    places: &BTreeMap<String, usize>,
    is_agent: impl Fn(usize, &Span) -> bool,
) -> Vec<Option<usize>> {
    let mut below: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut found = vec![None; spans.len()];
    let mut next: Vec<usize> = Vec::new();

    for (number, span) in spans.iter().enumerate() {
        match places
            .get(&span.parent)
            .filter(|_| !span.parent.is_empty())
        {
            Some(parent) => below
                .entry(*parent)
                .or_default()
                .push(number),
            None => next.push(number),
        }
    }

    while let Some(number) = next.pop() {
        let is_agent = spans
            .get(number)
            .is_some_and(|span| is_agent(number, span));
        let of_this = found.get(number).copied().flatten();
        let agent = if is_agent { Some(number) } else { of_this };

        for inner in below
            .remove(&number)
            .into_iter()
            .flatten()
        {
            if let Some(above) = found.get_mut(inner) {
                *above = agent;
            }
            next.push(inner);
        }
    }

    found
}

/// Returns how a trace ends: as its root does, once that is there.
fn ending(root: Option<&Span>, spans: &[Span]) -> Ending {
    let Some(root) = root else {
        return Ending::Pending("the root of the trace is not there yet".into());
    };
    let is_open = |span: &&Span| span.end.is_none() && span.role != Role::Other;

    if root.end.is_none() {
        return Ending::Pending("the root of the trace has no end".into());
    }
    if let Some(error) = &root.error {
        return Ending::Error(error.clone());
    }

    match spans.iter().find(is_open) {
        Some(span) => Ending::Pending(format!("{} has no end", span.name)),
        None => Ending::Ok,
    }
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
}

impl Span {
    /// Returns the digest of what a span is read from.
    pub(super) fn digest(of: &Value) -> String {
        FileDigest::of(of.to_string().as_bytes()).to_string()
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
