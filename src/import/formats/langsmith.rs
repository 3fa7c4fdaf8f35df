//! Runs of `LangSmith`, as `list_runs` gives them -> a conversation for each trace.

mod literal;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::call::first_line;
use super::super::conversation::{Answer, Conversation, Ending, Usage};
use super::super::fields::{count, first_text, items, some_text, text, texts, time, value_at};
use super::super::log::{Log, LogFile};
use super::super::spans::{Role, Span, asked, conversation, id_of};
use super::{Format, Take, Ties};

use crate::ground::Own;

pub(super) const FORMAT: Format = Format {
    name: "langsmith",
    form: "its runs have a `run_type`, a `start_time` and a trace",
    is_form,
    ties: Ties::Every(ties),
    read,
};

/// The levels of runs in runs that are followed.
const MAX_DEPTH: usize = 64;

fn is_form(head: &[Value]) -> bool {
    head.first().is_some_and(|first| {
        let runs = runs(first);
        !runs.is_empty() && runs.iter().all(is_run)
    })
}

fn is_run(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    ["id", "run_type", "start_time"]
        .iter()
        .all(|name| has(name))
        && ["trace_id", "dotted_order", "child_runs", "parent_run_id"]
            .iter()
            .any(|name| has(name))
}

fn runs(value: &Value) -> &[Value] {
    let list = value.get("runs").unwrap_or(value);
    match list {
        Value::Array(list) => list,
        one => std::slice::from_ref(one),
    }
}

fn ties(_: &LogFile, value: &Value, ties: &mut BTreeSet<String>) {
    for run in runs(value)
        .iter()
        .filter(|run| is_run(run))
    {
        let traces = some_text(run, "/trace_id");
        let ids = ["/id", "/parent_run_id"].iter();
        match traces {
            Some(trace) => ties.extend([trace]),
            None => ties.extend(ids.filter_map(|at| some_text(run, at))),
        }
    }
}

/// A run, without those in it.
struct Found {
    parent: String,
    run: Value,
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut found = Vec::new();
    while let Some(entry) = log.next()? {
        for run in runs(&entry.value)
            .iter()
            .filter(|run| is_run(run))
        {
            flatten(run, "", 0, &mut found);
        }
    }

    let parents: BTreeMap<String, String> = found
        .iter()
        .filter(|found| !found.parent.is_empty())
        .map(|found| (text(&found.run, "/id").to_owned(), found.parent.clone()))
        .collect();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut traces: Vec<(String, Vec<Found>)> = Vec::new();

    for run in found {
        let id = trace_of(&run.run, &parents);
        let number = *numbers
            .entry(id.clone())
            .or_insert(traces.len());
        if number == traces.len() {
            traces.push((id, Vec::new()));
        }
        traces.own_mut(number).1.push(run);
    }

    for (id, found) in traces {
        take(log, of_trace(&id, found));
    }

    Ok(())
}

/// Returns the trace of a run; where the log does not name it, that is the first run above it.
fn trace_of(run: &Value, parents: &BTreeMap<String, String>) -> String {
    let mut first = text(run, "/id");
    for _ in 0..MAX_DEPTH {
        let Some(above) = parents.get(first) else {
            break;
        };
        first = above;
    }

    some_text(run, "/trace_id").unwrap_or_else(|| first.to_owned())
}

fn flatten(run: &Value, above: &str, depth: usize, found: &mut Vec<Found>) {
    let id = text(run, "/id");
    if depth < MAX_DEPTH {
        for inner in items(run, "/child_runs") {
            flatten(inner, id, depth + 1, found);
        }
    }

    let mut run = run.clone();
    if let Some(members) = run.as_object_mut() {
        members.remove("child_runs");
    }

    let parent = some_text(&run, "/parent_run_id").unwrap_or_else(|| above.to_owned());
    found.push(Found { parent, run });
}

fn of_trace(id: &str, mut found: Vec<Found>) -> Conversation {
    found.sort_by_key(|found| time(&found.run, "/start_time"));
    let arguments: BTreeMap<String, Value> = found
        .iter()
        .flat_map(|found| {
            let message = message_of(&found.run);
            items(message, "/tool_calls").to_vec()
        })
        .filter_map(|call| {
            let input = call
                .get("args")
                .or(call.pointer("/function/arguments"))?;
            Some((some_text(&call, "/id")?, input.clone()))
        })
        .collect();
    let spans: Vec<Span> = found
        .iter()
        .map(|it| span(id, it, &arguments))
        .collect();
    let root = found
        .iter()
        .find(|found| found.parent.is_empty());
    let mut conversation = conversation(spans);
    conversation.id = id_of(id);
    conversation.totals = None;
    conversation.end = Some(ending(root, &found));
    if let Some(root) = root.map(|root| &root.run) {
        let place = ["thread_id", "session_id", "conversation_id"]
            .map(|name| format!("/extra/metadata/{name}"))
            .iter()
            .find_map(|at| some_text(root, at));
        conversation.tag("conversation", place.unwrap_or_default());
        conversation.tag("agent", text(root, "/name"));
        if conversation.usage().is_empty() {
            conversation.totals = Some(own_usage(root));
        }
    }

    conversation
}

/// Returns the message that a model answered with.
fn message_of(run: &Value) -> &Value {
    [
        "/outputs/generations/0/0/message/kwargs",
        "/outputs/generations/0/message/kwargs",
        "/outputs/generations/0/0/message",
        "/outputs/choices/0/message",
        "/outputs/generations/0/0",
    ]
    .iter()
    .find_map(|at| run.pointer(at))
    .filter(|_| text(run, "/run_type") == "llm")
    .unwrap_or(&Value::Null)
}

fn span(trace: &str, found: &Found, arguments: &BTreeMap<String, Value>) -> Span {
    let run = &found.run;
    let of = |at: &str| value_at(run, at).clone();

    let kind = text(run, "/run_type");
    let error = some_text(run, "/error");
    let waits = error
        .as_ref()
        .is_some_and(|error| error.contains("GraphInterrupt("));
    let mut span = Span {
        trace: trace.to_owned(),
        id: text(run, "/id").to_owned(),
        parent: found.parent.clone(),
        name: text(run, "/name").to_owned(),
        start: time(run, "/start_time"),
        end: time(run, "/end_time"),
        task: asked(&of("/inputs")),
        error: error.clone().filter(|_| !waits),
        counted_as: Some(kind.to_owned()),
        sha256: Span::digest(run),
        ..Span::default()
    };

    match kind {
        "llm" => add_answer(&mut span, run),
        "tool" if !waits => add_call(&mut span, run, arguments),
        "retriever" => {
            span.role = Role::Tool;
            span.kind = Some("search");
            span.input = of("/inputs");
            span.output = of("/outputs");
        }
        _ if waits => span.counted_as = Some("interrupt of a graph".into()),
        _ => {}
    }

    span
}

/// Makes a span the call of a tool.
fn add_call(span: &mut Span, run: &Value, arguments: &BTreeMap<String, Value>) {
    span.role = Role::Tool;
    span.may_delegate = true;
    span.call_id = first_text(run, &["/outputs/output/tool_call_id", "/inputs/id"]);
    span.input = span
        .call_id
        .as_ref()
        .and_then(|id| arguments.get(id))
        .cloned()
        .unwrap_or_else(|| own_input(run));

    let output = value_at(run, "/outputs/output");
    span.status = match &span.error {
        Some(error) if error.contains("CancelledError") => Some("cancelled"),
        None if text(output, "/status") != "error" => None,
        _ => Some("error"),
    };
    span.output = match output.get("content") {
        Some(content) if content.is_array() => texts(content).into(),
        Some(content) => content.clone(),
        None if output.is_null() && span.error.is_none() => value_at(run, "/outputs").clone(),
        None => output.clone(),
    };
}

/// Makes a span the answer of a model.
fn add_answer(span: &mut Span, run: &Value) {
    let message = message_of(run);
    let content = message
        .get("content")
        .or(message.get("text"));
    let models = ["/response_metadata/model_name", "/response_metadata/model"];
    let of_run = [
        "/extra/metadata/ls_model_name",
        "/extra/invocation_params/model",
    ];
    let model = first_text(message, &models).or_else(|| first_text(run, &of_run));
    span.answered(Answer {
        text: content.map(texts).unwrap_or_default(),
        message_id: some_text(message, "/id"),
        model,
        ..Answer::default()
    });

    let of_run = [
        "/outputs/usage_metadata",
        "/extra/metadata/usage_metadata",
        "/usage_metadata",
    ]
    .iter()
    .filter_map(|at| run.pointer(at));
    let usage = message
        .get("usage_metadata")
        .into_iter()
        .chain(of_run)
        .find(|it| it.is_object());
    span.used(usage.map_or_else(|| own_usage(run), usage_of));
}

/// Returns the input of a tool: JSON, or the text that Python writes of a dictionary.
fn own_input(run: &Value) -> Value {
    match run.pointer("/inputs/input") {
        Some(Value::String(text)) => serde_json::from_str(text)
            .ok()
            .or_else(|| literal::read(text))
            .unwrap_or_else(|| text.as_str().into()),
        Some(Value::Object(input)) => Value::Object(input.clone()),
        _ => value_at(run, "/inputs").clone(),
    }
}

/// Returns the usage of a message of `LangChain`, whose input has what a cache read and wrote.
fn usage_of(usage: &Value) -> Usage {
    Usage {
        input: count(usage, "/input_tokens"),
        output: count(usage, "/output_tokens"),
        cache_read: count(usage, "/input_token_details/cache_read"),
        cache_write: count(usage, "/input_token_details/cache_creation"),
    }
}

fn own_usage(run: &Value) -> Usage {
    Usage {
        input: count(run, "/prompt_tokens"),
        output: count(run, "/completion_tokens"),
        ..Usage::default()
    }
}

fn ending(root: Option<&Found>, found: &[Found]) -> Ending {
    let Some(root) = root.map(|root| &root.run) else {
        return Ending::Pending("the root of the trace is not there yet".into());
    };
    let waits = |found: &Found| text(&found.run, "/error").contains("GraphInterrupt(");
    let error = text(root, "/error");

    if found.iter().any(waits) {
        Ending::Pending("it waits for a person".into())
    } else if text(root, "/end_time").is_empty() {
        Ending::Pending("the root of the trace has no end".into())
    } else if error.contains("CancelledError") {
        Ending::Aborted("cancelled".into())
    } else if error.is_empty() {
        Ending::Ok
    } else {
        Ending::Error(first_line(error).to_owned())
    }
}
