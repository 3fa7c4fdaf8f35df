//! Traces of Langfuse, of its API or a download of its page -> a conversation for each.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::conversation::{Answer, Conversation, Usage};
use super::super::fields::{
    count, first_text, items, number, parsed, some_text, text, texts, time, value_at,
};
use super::super::log::Log;
use super::super::spans::{Role, Span, asked, conversation, id_of};
use super::{Format, Take, Ties};

pub(super) const FORMAT: Format = Format {
    name: "langfuse",
    form: "it has an id, and `observations` with a `type` and a `startTime`",
    is_form,
    ties: Ties::Nothing,
    read,
};

/// The levels of observations in which a request is looked for.
const MAX_DEPTH: usize = 64;

fn is_form(head: &[Value]) -> bool {
    head.first()
        .is_some_and(|first| !traces(first).is_empty())
}

/// Returns the traces in a value, each with its observations.
fn traces(value: &Value) -> Vec<(&Value, &[Value])> {
    let values = match value {
        Value::Array(values) => values.as_slice(),
        one => std::slice::from_ref(one),
    };

    let trace = |value| {
        let trace: &Value = Value::get(value, "trace").unwrap_or(value);
        let observations = items(value, "/observations");
        let is_observation = |it: &Value| it.get("type").is_some() && it.get("startTime").is_some();
        let is_trace = !text(trace, "/id").is_empty()
            && !observations.is_empty()
            && observations.iter().all(is_observation);
        is_trace.then_some((trace, observations))
    };

    values
        .iter()
        .filter_map(trace)
        .collect()
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    while let Some(entry) = log.next()? {
        for (trace, observations) in traces(&entry.value) {
            // They stand in the trace, or beside it.
            let scores = entry
                .value
                .get("trace")
                .map(|_| &entry.value)
                .map_or(&[][..], |value| items(value, "/scores"))
                .iter()
                .chain(items(trace, "/scores"));
            take(log, of_trace(trace, observations, scores));
        }
    }

    Ok(())
}

fn of_trace<'v>(
    trace: &Value,
    observations: &[Value],
    scores: impl Iterator<Item = &'v Value>,
) -> Conversation {
    let by_id: BTreeMap<&str, &Value> = observations
        .iter()
        .map(|it| (text(it, "/id"), it))
        .collect();
    let mut sorted: Vec<&Value> = observations.iter().collect();
    sorted.sort_by_key(|it| time(it, "/startTime"));

    let mut spans: Vec<Span> = sorted
        .iter()
        .map(|it| span(trace, it, &by_id))
        .collect();
    let root = spans
        .iter_mut()
        .find(|span| span.parent.is_empty());
    let of_root = root
        .as_ref()
        .and_then(|root| root.task.clone());
    let of_trace = trace
        .get("input")
        .map(parsed)
        .and_then(|it| asked(&it));
    let name = some_text(trace, "/name");
    let task = of_trace
        .or(of_root)
        .or_else(|| name.clone());
    if let Some(root) = root {
        root.task.clone_from(&task);
    }

    let mut conversation = conversation(spans);
    conversation.id = id_of(text(trace, "/id"));
    conversation.totals = None;
    conversation.task = task;
    conversation.started_at = conversation
        .started_at
        .or(time(trace, "/timestamp"));
    for (tag, at) in [
        ("agent", "/name"),
        ("conversation", "/sessionId"),
        ("version", "/version"),
        ("environment", "/environment"),
    ] {
        if let Some(text) = some_text(trace, at) {
            conversation
                .tags
                .insert(tag.into(), text);
        }
    }

    conversation.cost = number(trace, "/totalCost");
    for score in scores {
        judge(&mut conversation, score);
    }

    conversation
}

/// Adds a score: one that is true or false is an assertion, a number is a metric.
fn judge(conversation: &mut Conversation, score: &Value) {
    let name = text(score, "/name").to_owned();
    let value = value_at(score, "/value").clone();

    match text(score, "/dataType") {
        "BOOLEAN" => {
            let passed = value
                .as_bool()
                .unwrap_or(value.as_f64() == Some(1.0));
            conversation
                .assertions
                .push((name, passed));
        }
        "NUMERIC" if value.is_number() => drop(conversation.metrics.insert(name, value)),
        kind => conversation.skip(format!("score {kind}")),
    }
}

fn span(trace: &Value, of: &Value, by_id: &BTreeMap<&str, &Value>) -> Span {
    let value = |name: &str| {
        of.get(name)
            .map(parsed)
            .unwrap_or_default()
    };

    let kind = text(of, "/type");
    let metadata = value("metadata");
    let is_failed = text(of, "/level") == "ERROR";
    let why = some_text(of, "/statusMessage");
    let mut span = Span {
        trace: text(trace, "/id").to_owned(),
        id: text(of, "/id").to_owned(),
        parent: text(of, "/parentObservationId").to_owned(),
        name: some_text(of, "/name").unwrap_or_else(|| kind.to_ascii_lowercase()),
        start: time(of, "/startTime"),
        end: time(of, "/endTime"),
        task: asked(&value("input")),
        input: value("input"),
        output: value("output"),
        call_id: some_text(&metadata, "/tool_call_id"),
        counted_as: Some(kind.to_owned()),
        sha256: Span::digest(of),
        ..Span::default()
    };

    span.error = is_failed.then(|| why.unwrap_or_else(|| "the trace does not say why".into()));
    match kind {
        "GENERATION" | "EMBEDDING" if is_repeated(of, by_id) => {
            span.counted_as = Some("GENERATION in a GENERATION".into());
        }
        "GENERATION" | "EMBEDDING" => add_answer(&mut span, of),
        "AGENT" => {
            span.role = Role::Agent;
            span.is_act = Some(!span.parent.is_empty());
        }
        "TOOL" => add_call(&mut span, None),
        "RETRIEVER" => add_call(&mut span, Some("search")),
        _ => {}
    }

    span
}

/// Makes a span the answer of a model.
fn add_answer(span: &mut Span, of: &Value) {
    span.answered(Answer {
        text: said(&span.output),
        model: some_text(of, "/model"),
        ..Answer::default()
    });
    span.used(usage(of));
}

/// Makes a span the call of a tool, of this kind where its name does not tell it.
fn add_call(span: &mut Span, kind: Option<&'static str>) {
    span.role = Role::Tool;
    span.kind = kind;
    span.may_delegate = kind.is_none();
    let why = span
        .error
        .as_deref()
        .unwrap_or_default();
    let is_denied = ["denied", "rejected by", "not approved"]
        .iter()
        .any(|it| why.contains(it));
    span.status = is_denied.then_some("denied");
}

/// Returns `true` if a request lies in another: it is the same, seen twice.
fn is_repeated(of: &Value, by_id: &BTreeMap<&str, &Value>) -> bool {
    let mut above = of;
    for _ in 0..MAX_DEPTH {
        above = match by_id.get(text(above, "/parentObservationId")) {
            Some(above) => above,
            None => return false,
        };
        if text(above, "/type") == "GENERATION" {
            return true;
        }
    }

    false
}

fn said(output: &Value) -> String {
    let message = output
        .pointer("/choices/0/message")
        .unwrap_or(output);
    let message = items(message, "")
        .first()
        .unwrap_or(message);

    first_text(message, &["/content", "/text"]).unwrap_or_else(|| {
        texts(
            message
                .get("content")
                .unwrap_or(message),
        )
    })
}

/// Returns the usage of a request, whose details are parts of its input and output, or lie beside
/// them.
fn usage(of: &Value) -> Usage {
    let none = Map::new();
    let details = of
        .get("usageDetails")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let sum = |is_meant: &dyn Fn(&str) -> bool| {
        details
            .iter()
            .filter(|(name, _)| is_meant(name))
            .filter_map(|(_, tokens)| tokens.as_u64())
            .fold(0, u64::saturating_add)
    };

    let exact = |name: &str| sum(&|it| it == name);
    let has = |name: &str, words: &[&str]| {
        words
            .iter()
            .any(|word| name.contains(word))
    };

    let is_cache = |name: &str| has(name, &["cach"]);
    let is_write = |name: &str| is_cache(name) && has(name, &["creat", "write"]);
    let is_output = |name: &str| has(name, &["output", "completion", "reason"]);
    let is_input = |name: &str| has(name, &["input", "prompt", "cach"]) && !is_output(name);
    let (input, output) = (exact("input"), exact("output"));
    let has_parts = details.contains_key("total") && exact("total") == input.saturating_add(output);
    let cache_write = sum(&is_write);
    let cache_read = sum(&is_cache).saturating_sub(cache_write);

    if details
        .keys()
        .any(|name| is_input(name) || is_output(name))
    {
        return Usage {
            input: if has_parts { input } else { sum(&is_input) },
            output: if has_parts { output } else { sum(&is_output) },
            cache_read,
            cache_write,
        };
    }

    let first = |places: [&str; 3]| {
        places
            .iter()
            .map(|at| count(of, at))
            .find(|it| *it > 0)
    };

    Usage {
        input: first(["/usage/input", "/usage/promptTokens", "/promptTokens"]).unwrap_or(0),
        output: first([
            "/usage/output",
            "/usage/completionTokens",
            "/completionTokens",
        ])
        .unwrap_or(0),
        ..Usage::default()
    }
}
