//! What `Trace.export()` and `Span.export()` of the `OpenAI` Agents SDK write -> a conversation for
//! each trace.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::super::conversation::{Answer, Conversation, Ending, Usage};
use super::super::fields::{first_text, items, some_text, text, texts, time, value_at};
use super::super::log::{Log, LogFile};
use super::super::spans::{Role, Span, asked, conversation};
use super::{Format, Take, Ties};

pub(super) const FORMAT: Format = Format {
    name: "openai-agents",
    form: "its objects are `trace` or `trace.span`",
    is_form,
    ties: Ties::Every(ties),
    read,
};

/// The levels of spans in which the call is looked for that began an agent.
const MAX_DEPTH: usize = 64;

fn is_form(head: &[Value]) -> bool {
    head.first()
        .is_some_and(|first| !objects(first).is_empty())
}

/// Returns the traces and spans in a value: the value, or the items of a list of them.
fn objects(value: &Value) -> Vec<&Value> {
    let list = value.get("data").unwrap_or(value);
    let list = match list {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };

    let is_known = |it: &&Value| match text(it, "/object") {
        "trace" => !text(it, "/id").is_empty(),
        "trace.span" => !text(it, "/trace_id").is_empty(),
        _ => false,
    };

    list.iter().filter(is_known).collect()
}

fn trace_of(object: &Value) -> &str {
    match text(object, "/object") {
        "trace" => text(object, "/id"),
        _ => text(object, "/trace_id"),
    }
}

fn ties(_: &LogFile, value: &Value, ties: &mut BTreeSet<String>) {
    ties.extend(
        objects(value)
            .into_iter()
            .map(|it| trace_of(it).to_owned()),
    );
}

/// A handoff to an agent.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Handoff {
    ended_at: Option<SystemTime>,
    id: String,
}

/// The handoffs to each agent, by their times.
type Handoffs = BTreeMap<String, Vec<Handoff>>;

#[derive(Default)]
struct Trace {
    /// What is said of the trace as a whole.
    about: Value,
    spans: BTreeMap<String, Value>,
    /// The ids of the spans, in the order of the log.
    order: Vec<String>,
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut traces: BTreeMap<String, Trace> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    while let Some(entry) = log.next()? {
        for object in objects(&entry.value) {
            let id = trace_of(object).to_owned();
            if !traces.contains_key(&id) {
                order.push(id.clone());
            }

            let trace = traces.entry(id).or_default();
            if text(object, "/object") == "trace" {
                trace.about = object.clone();
                continue;
            }

            let span = text(object, "/id").to_owned();
            if trace
                .spans
                .insert(span.clone(), object.clone())
                .is_none()
            {
                trace.order.push(span);
            }
        }
    }

    for id in order {
        if let Some(trace) = traces
            .remove(&id)
            .filter(|trace| !trace.spans.is_empty())
        {
            take(log, trace.conversation(id));
        }
    }

    Ok(())
}

impl Trace {
    fn conversation(self, id: String) -> Conversation {
        let mut sorted: Vec<&Value> = self
            .order
            .iter()
            .filter_map(|id| self.spans.get(id))
            .collect();
        sorted.sort_by_key(|span| time(span, "/started_at"));

        let task = sorted
            .iter()
            .filter(|span| text(span, "/span_data/type") == "generation")
            .find_map(|span| asked(span.pointer("/span_data/input")?))
            .or_else(|| some_text(&self.about, "/workflow_name"));
        let handoffs = self.handoffs();
        let mut spans: Vec<Span> = sorted
            .iter()
            .map(|span| self.span(span, &handoffs))
            .collect();
        if let Some(root) = spans
            .iter_mut()
            .find(|span| span.parent.is_empty())
        {
            root.task.clone_from(&task);
        }

        let mut conversation = conversation(spans);
        conversation.end = Some(self.ending(&sorted));
        conversation.id = id;
        conversation.totals = None;
        conversation.task = task;
        conversation.tag("conversation", text(&self.about, "/group_id"));

        conversation
    }

    fn span(&self, span: &Value, handoffs: &Handoffs) -> Span {
        let data = value_at(span, "/span_data");
        let of = |name: &str| {
            data.get(name)
                .cloned()
                .unwrap_or_default()
        };

        let kind = text(data, "/type");
        let name = some_text(data, "/name").unwrap_or_else(|| kind.to_owned());
        let mut made = Span {
            trace: text(span, "/trace_id").to_owned(),
            id: text(span, "/id").to_owned(),
            parent: text(span, "/parent_id").to_owned(),
            start: time(span, "/started_at"),
            end: time(span, "/ended_at"),
            error: span.get("error").and_then(error),
            counted_as: Some(some_text(data, "/data/sdk_span_type").unwrap_or_else(|| kind.into())),
            sha256: Span::digest(span),
            name,
            ..Span::default()
        };

        match kind {
            "agent" => {
                made.role = Role::Agent;
                made.is_act = Some(false);
                made.begun_by = self.call_that_began(span, &made.name, handoffs);
                made.tags = vec![("agent", made.name.clone())];
            }
            "generation" | "response" => add_answer(&mut made, data),
            "function" => {
                made.role = Role::Tool;
                made.input = of("input");
                made.output = of("output");
                made.may_delegate = true;
                made.status = span.get("error").and_then(status);
            }
            "handoff" => {
                made.role = Role::Tool;
                made.name = "handoff".into();
                made.input = json!({"from_agent": of("from_agent"), "to_agent": of("to_agent")});
            }
            "guardrail" => {
                let triggered = of("triggered");
                made.note = Some(json!({"kind": kind, "name": made.name, "triggered": triggered}));
            }
            _ => {}
        }

        made
    }

    /// Returns the call that began an agent: the function in which it lies, or the handoff to it.
    fn call_that_began(&self, agent: &Value, name: &str, handoffs: &Handoffs) -> Option<String> {
        let mut above = agent;
        for _ in 0..MAX_DEPTH {
            above = match self
                .spans
                .get(text(above, "/parent_id"))
            {
                Some(above) => above,
                None => break,
            };
            match text(above, "/span_data/type") {
                "function" => return some_text(above, "/id"),
                "agent" => break,
                _ => {}
            }
        }

        let handoffs = handoffs.get(name)?;
        let began = time(agent, "/started_at");
        let before = handoffs.partition_point(|handoff| handoff.ended_at <= began);
        let last = handoffs.get(before.checked_sub(1)?)?;

        Some(last.id.clone())
    }

    /// Returns the handoffs to each agent, by their times.
    fn handoffs(&self) -> Handoffs {
        let mut found = Handoffs::new();
        for (id, span) in &self.spans {
            if text(span, "/span_data/type") == "handoff" {
                found
                    .entry(text(span, "/span_data/to_agent").to_owned())
                    .or_default()
                    .push(Handoff {
                        ended_at: time(span, "/ended_at"),
                        id: id.clone(),
                    });
            }
        }

        for of_agent in found.values_mut() {
            of_agent.sort();
        }

        found
    }

    fn ending(&self, spans: &[&Value]) -> Ending {
        let parent = |span: &Value| some_text(span, "/parent_id");
        let is_torn = |span: &&&Value| parent(span).is_some_and(|it| !self.spans.contains_key(&it));
        if spans.iter().any(|span| is_torn(&span)) {
            return Ending::Pending("a span is not there yet in which others lie".into());
        }

        if spans
            .iter()
            .all(|span| parent(span).is_some())
        {
            return Ending::Pending("the root of the trace is not there yet".into());
        }

        let is_worker = |span: &&&Value| {
            let kind = text(span, "/span_data/type");
            matches!(kind, "agent" | "generation" | "response")
        };

        spans
            .iter()
            .filter(is_worker)
            .find_map(|span| error(span.get("error")?))
            .map_or(Ending::Ok, Ending::Error)
    }
}

/// Makes a span the answer of a model.
fn add_answer(span: &mut Span, data: &Value) {
    let said: Vec<String> = items(data, "/output")
        .iter()
        .filter_map(|it| it.get("content"))
        .map(texts)
        .filter(|it| !it.is_empty())
        .collect();
    span.answered(Answer {
        text: said.join("\n"),
        model: some_text(data, "/model"),
        message_id: some_text(data, "/response_id"),
        ..Answer::default()
    });
    span.used(
        data.get("usage")
            .map(Usage::of_openai)
            .unwrap_or_default(),
    );
}

fn error(error: &Value) -> Option<String> {
    first_text(error, &["/message", "/data/error"]).filter(|_| error.is_object())
}

fn status(error: &Value) -> Option<&'static str> {
    let said = text(error, "/message");
    let why = text(error, "/data/error");
    if why.contains("manually rejected") || said == "Tool execution was not approved." {
        Some("denied")
    } else if said.starts_with("Tool execution cancelled") {
        Some("cancelled")
    } else {
        None
    }
}
