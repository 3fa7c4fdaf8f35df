//! Spans in the JSON of OTLP, as `OpenTelemetry`'s SDKs print them, or with the attributes of
//! `OpenInference`, Vercel's AI SDK, `OpenLLMetry` and Langfuse -> a conversation for each trace.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::{BASE64, HEXLOWER};
use serde_json::{Map, Value, json};

use super::super::conversation::{Answer, Usage};
use super::super::fields::{first_text, items, parsed, text, texts, time, value_at};
use super::super::log::{Log, LogFile};
use super::super::spans::{Role, Span, Traces};
use super::{Format, Take, Ties};
use crate::ground::digest::FileDigest;

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

/// The attributes of a span.
struct Attributes(BTreeMap<String, Value>);

impl Attributes {
    fn first(&self, names: &[&str]) -> Option<&Value> {
        names
            .iter()
            .find_map(|name| self.0.get(*name))
            .filter(|value| !value.is_null())
    }

    fn text(&self, names: &[&str]) -> Option<String> {
        let value = self.first(names)?;
        Some(
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        )
    }

    fn count(&self, names: &[&str]) -> u64 {
        let value = self.first(names).map(parsed);
        value
            .and_then(|value| value.as_u64())
            .unwrap_or_default()
    }

    fn role(&self) -> Role {
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

    fn usage(&self) -> Usage {
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

    /// Returns the messages of a side, each with its role and text.
    fn messages(&self, side: &str) -> Vec<(String, String)> {
        let (name, flat) = match side {
            "input" => ("gen_ai.input.messages", "llm.input_messages"),
            _ => ("gen_ai.output.messages", "llm.output_messages"),
        };

        let list = match side {
            "input" => self.first(&[name, "ai.prompt.messages", "ai.prompt"]),
            _ => self.first(&[name]),
        };

        let list = list.map(parsed).unwrap_or_default();
        if let Some(prompt) = list
            .get("prompt")
            .and_then(Value::as_str)
        {
            return vec![("user".to_owned(), prompt.to_owned())];
        }

        let list = list.get("messages").unwrap_or(&list);
        let of_message = |message: &Value| {
            let content = message
                .get("parts")
                .or(message.get("content"))
                .map(texts)
                .unwrap_or_default();
            (text(message, "/role").to_owned(), content)
        };

        let listed: Vec<(String, String)> = items(list, "")
            .iter()
            .map(of_message)
            .collect();
        let flat = (0..).map_while(|number| {
            let of = |field: &str| self.text(&[&format!("{flat}.{number}.message.{field}")]);
            let role = of("role")?;
            let part = || of("contents.0.message_content.text");
            Some((
                role,
                of("content")
                    .or_else(part)
                    .unwrap_or_default(),
            ))
        });

        if listed.is_empty() {
            flat.collect()
        } else {
            listed
        }
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "a row for each convention of attributes"
)]
fn of_json(value: &Value, resource: &Value) -> Span {
    let attributes = Attributes(attributes(value_at(value, "/attributes")));
    let resource = Attributes(self::attributes(value_at(resource, "/attributes")));
    let role = attributes.role();
    let own_name = text(value, "/name").to_owned();
    let names: &[&str] = match role {
        Role::Tool => &[
            "gen_ai.tool.name",
            "tool.name",
            "ai.toolCall.name",
            "traceloop.entity.name",
        ],
        Role::Agent => &["gen_ai.agent.name", "agent.name", "traceloop.entity.name"],
        _ => &[],
    };

    let asked = attributes.messages("input");
    let last_of = |role: &str| {
        asked
            .iter()
            .rev()
            .find(|(by, text)| by == role && !text.is_empty())
            .map(|(_, text)| text.clone())
    };

    let answers: Vec<String> = attributes
        .messages("output")
        .into_iter()
        .map(|(_, text)| text)
        .filter(|text| !text.is_empty())
        .collect();
    let of_text = || {
        attributes.text(&[
            "ai.response.text",
            "output.value",
            "gen_ai.completion.0.content",
        ])
    };

    let of_input = || match role {
        Role::Model => None,
        _ => attributes.text(&INPUTS[3..]),
    };

    let used = [&INPUTS[..], &OUTPUTS[..], names].concat();
    let mut others = attributes.0.clone();
    others.retain(|name, _| !(used.contains(&name.as_str()) || KINDS.contains(&name.as_str())));

    let others: Map<String, Value> = others.into_iter().collect();
    let failed = error(value, &attributes);
    let output = attributes
        .first(&OUTPUTS)
        .map(parsed)
        .unwrap_or_default();
    // So says the result of a tool of MCP.
    let is_failure = output.get("isError") == Some(&Value::Bool(true));
    let mut span = Span {
        trace: id(value, &TRACE),
        id: id(value, &ID),
        parent: id(value, &PARENT),
        name: attributes
            .text(names)
            .unwrap_or_else(|| own_name.clone()),
        start: moment(value, &START),
        end: moment(value, &END),
        error: failed,
        role,
        input: attributes
            .first(&INPUTS)
            .map(parsed)
            .unwrap_or_default(),
        output,
        status: is_failure.then_some("error"),
        call_id: attributes.text(&["gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"]),
        answer: Answer {
            text: if answers.is_empty() {
                of_text().unwrap_or_default()
            } else {
                answers.join("\n")
            },
            model: attributes.text(&MODELS),
            message_id: attributes.text(&["gen_ai.response.id", "ai.response.id"]),
            ..Answer::default()
        },
        task: last_of("user").or_else(of_input),
        kind: own_name
            .starts_with("handoff to ")
            .then_some("delegate"),
        system: last_of("system"),
        attributes: (role == Role::Tool && !others.is_empty()).then_some(Value::Object(others)),
        sha256: FileDigest::of(value.to_string().as_bytes()).to_string(),
        ..Span::default()
    };

    span.used(attributes.usage());
    let tags = [
        (
            "agent",
            &attributes,
            &["gen_ai.agent.name", "agent.name"][..],
        ),
        (
            "conversation",
            &attributes,
            &["gen_ai.conversation.id", "session.id"],
        ),
        ("model", &attributes, &MODELS),
        ("service", &resource, &["service.name"]),
        ("version", &resource, &["service.version"]),
    ];
    span.tags = (tags.into_iter())
        .filter_map(|(tag, of, names)| Some((tag, of.text(names)?)))
        .collect();

    span
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
        .filter_map(|event| {
            event
                .get("attributes")
                .map(self::attributes)
                .map(Attributes)
        })
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
