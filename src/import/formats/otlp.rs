//! Spans in the JSON of OTLP, as `OpenTelemetry`'s SDKs print them, or with the attributes of
//! `OpenInference`, Vercel's AI SDK, `OpenLLMetry` and Langfuse -> a conversation for each trace.

mod attributes;

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::{BASE64, HEXLOWER};
use serde_json::{Value, json};

use super::super::fields::{first_text, items, text, time};
use super::super::log::{Log, LogFile};
use super::super::spans::{Role, Span, Traces};
use super::{Format, Take, Ties};
use attributes::{Attributes, Side};

pub(super) const FORMAT: Format = Format {
    name: "otlp",
    form: "its spans have a name, an id and that of a trace",
    is_form,
    ties: Ties::Every(ties),
    read,
};

/// The names of lists of spans, in JSON and in protobuf.
const LISTS: [&str; 6] = [
    "resourceSpans",
    "resource_spans",
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "spans",
];
const TRACE: [&str; 5] = [
    "/traceId",
    "/trace_id",
    "/context/trace_id",
    "/context/traceId",
    "/spanContext/traceId",
];
const ID: [&str; 6] = [
    "/spanId",
    "/span_id",
    "/context/span_id",
    "/context/spanId",
    "/spanContext/spanId",
    "/id",
];
const PARENT: [&str; 5] = [
    "/parentSpanId",
    "/parent_span_id",
    "/parent_id",
    "/parentId",
    "/parentSpanContext/spanId",
];
const START: [&str; 4] = [
    "startTimeUnixNano",
    "start_time_unix_nano",
    "start_time",
    "startTime",
];
const END: [&str; 4] = [
    "endTimeUnixNano",
    "end_time_unix_nano",
    "end_time",
    "endTime",
];
fn is_form(head: &[Value]) -> bool {
    let mut is_span = false;
    for value in head {
        each_span(value, &Value::Null, &mut |span, _| {
            let has = |places: &[&str]| {
                places
                    .iter()
                    .any(|at| span.pointer(at).is_some())
            };
            is_span |= has(&TRACE) && has(&ID) && span.get("name").is_some();
        });
    }

    is_span
}

/// Returns what an import takes from a span, for those who record it as it begins and ends.
pub(in crate::import) fn words(span: &Value) -> Value {
    let span = of_json(span, &Value::Null);
    let role = match span.role {
        Role::Agent => "agent",
        Role::Model => "model",
        Role::Tool => "tool",
        Role::Other => "other",
    };

    json!({
        "role": role,
        "name": span.name,
        "input": span.input,
        "output": span.output,
        "call_id": span.call_id,
        "attributes": span.attributes,
        "error": span.error,
        "status": span.status,
        "task": span.task,
        "text": span.answer.text,
        "model": span.answer.model,
        "message_id": span.answer.message_id,
        "usage": span.answer.usage.map(|usage| {
            [usage.input, usage.output, usage.cache_read, usage.cache_write]
        }),
    })
}

fn ties(_: &LogFile, value: &Value, ties: &mut BTreeSet<String>) {
    each_span(value, &Value::Null, &mut |span, _| {
        ties.extend(first_text(span, &TRACE));
    });
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut traces = Traces::default();
    while let Some(entry) = log.next()? {
        each_span(&entry.value, &Value::Null, &mut |span, resource| {
            traces.add(of_json(span, resource));
        });
    }

    for conversation in traces.conversations() {
        take(log, conversation);
    }

    Ok(())
}

/// Calls a function with each span of a request, and with the resource that it is of.
fn each_span(value: &Value, resource: &Value, each: &mut dyn FnMut(&Value, &Value)) {
    if let Value::Array(values) = value {
        return values
            .iter()
            .for_each(|value| each_span(value, resource, each));
    }

    let resource = value
        .get("resource")
        .unwrap_or(resource);
    let mut is_list = false;

    for list in LISTS
        .into_iter()
        .filter_map(|name| value.get(name))
    {
        is_list = true;
        each_span(list, resource, each);
    }

    if !is_list && value.is_object() {
        each(value, resource);
    }
}

/// Returns an id in hexadecimal digits, which protobuf writes in base64; empty where it is zero.
fn id(span: &Value, places: &[&str]) -> String {
    let id = first_text(span, places).unwrap_or_default();
    let id = id.trim_start_matches("0x");
    let is_hex = id
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit());
    let of_base64 = || {
        BASE64
            .decode(id.as_bytes())
            .ok()
            .map(|id| HEXLOWER.encode(&id))
    };

    let id = (id.ends_with('=') || !is_hex)
        .then(of_base64)
        .flatten()
        .unwrap_or_else(|| id.to_ascii_lowercase());

    if id.bytes().all(|byte| byte == b'0') {
        String::new()
    } else {
        id
    }
}

/// Returns the time of a span: nanoseconds since 1970, seconds and nanoseconds, or RFC 3339.
fn moment(span: &Value, names: &[&str]) -> Option<SystemTime> {
    let (name, value) = names
        .iter()
        .find_map(|name| Some((name, span.get(name)?)))?;
    let nanoseconds = match value {
        Value::Array(parts) => {
            let part = |at: usize| parts.get(at).and_then(Value::as_u64);
            return UNIX_EPOCH.checked_add(Duration::new(part(0)?, u32::try_from(part(1)?).ok()?));
        }
        Value::String(text) => text.parse().ok(),
        number => number.as_u64(),
    };

    match nanoseconds.filter(|it| *it > 0) {
        Some(nanoseconds) => UNIX_EPOCH.checked_add(Duration::from_nanos(nanoseconds)),
        None => time(span, &format!("/{name}")).filter(|_| value.is_string()),
    }
}

fn of_json(value: &Value, resource: &Value) -> Span {
    let attributes = Attributes::of(value);
    let resource = Attributes::of(resource);
    let role = attributes.role();
    let own_name = text(value, "/name");
    let output = attributes.output();
    // So says the result of a tool of MCP.
    let is_failure = output.get("isError") == Some(&Value::Bool(true));
    let asked = attributes.messages(Side::Input);
    let last_of = |role: &str| {
        asked
            .iter()
            .rev()
            .find(|message| message.role == role && !message.text.is_empty())
            .map(|message| message.text.clone())
    };

    let mut span = Span {
        trace: id(value, &TRACE),
        id: id(value, &ID),
        parent: id(value, &PARENT),
        name: attributes
            .name(role)
            .unwrap_or_else(|| own_name.to_owned()),
        start: moment(value, &START),
        end: moment(value, &END),
        error: error(value, &attributes),
        role,
        input: attributes.input(),
        output,
        status: is_failure.then_some("error"),
        call_id: attributes.text(&["gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"]),
        answer: attributes.answer(),
        task: last_of("user").or_else(|| attributes.question(role)),
        kind: own_name
            .starts_with("handoff to ")
            .then_some("delegate"),
        system: last_of("system"),
        attributes: attributes
            .others(role)
            .filter(|_| role == Role::Tool),
        tags: tags(&attributes, &resource),
        sha256: Span::digest(value),
        ..Span::default()
    };

    span.used(attributes.usage());
    span
}

fn tags(attributes: &Attributes, resource: &Attributes) -> Vec<(&'static str, String)> {
    [
        (
            "agent",
            attributes.text(&["gen_ai.agent.name", "agent.name"]),
        ),
        (
            "conversation",
            attributes.text(&["gen_ai.conversation.id", "session.id"]),
        ),
        ("model", attributes.model()),
        ("service", resource.text(&["service.name"])),
        ("version", resource.text(&["service.version"])),
    ]
    .into_iter()
    .filter_map(|(tag, text)| Some((tag, text?)))
    .collect()
}

/// Returns why a span failed, if it did: by its status, by `error.type`, or by an exception that
/// has left it.
fn error(value: &Value, attributes: &Attributes) -> Option<String> {
    let code = value
        .pointer("/status/code")
        .or(value.pointer("/status/status_code"));
    let is_code = |code: &Value| {
        *code == 2
            || code
                .as_str()
                .is_some_and(|word| word.ends_with("ERROR"))
    };

    let exceptions: Vec<Attributes> = items(value, "/events")
        .iter()
        .map(Attributes::of)
        .collect();
    let has_left = |exception: &Attributes| {
        let escaped = exception.text(&["exception.escaped"]);
        escaped.is_some_and(|escaped| escaped.eq_ignore_ascii_case("true"))
    };

    let kind = attributes.text(&["error.type"]);
    if !code.is_some_and(is_code) && kind.is_none() && !exceptions.iter().any(has_left) {
        return None;
    }

    let message = first_text(value, &["/status/message", "/status/description"]);
    let of_exception = |exception: &Attributes| exception.text(&["exception.message"]);
    message
        .or_else(|| exceptions.iter().find_map(of_exception))
        .or(kind)
        .or_else(|| Some("the trace does not say why".into()))
}
