//! Lists of chat messages in the forms of `OpenAI` and Anthropic, in files of tau-bench, of
//! `AgentDojo` and for fine-tuning -> a conversation for each list.

mod blocks;
mod responses;

use serde_json::{Value, json};

use super::super::call::{id_of_path, of_function};
use super::super::conversation::{Call, Conversation, Outcome, Usage};
use super::super::fields::{first_text, items, object, some_text, text, texts, value_at};
use super::super::log::{Log, LogFile};
use super::{Format, Take, Ties};
use crate::ground::digest::FileDigest;

pub(super) const FORMAT: Format = Format {
    name: "chat",
    form: "it has a list of messages with a `role`, or of items of a response",
    is_form,
    ties: Ties::Nothing,
    read,
};

const ROLES: [&str; 6] = [
    "system",
    "developer",
    "user",
    "assistant",
    "tool",
    "function",
];

/// The results of an evaluator, in the object around a list.
const RESULTS: [&str; 3] = ["reward", "utility", "security"];

fn is_form(head: &[Value]) -> bool {
    head.iter()
        .flat_map(containers)
        .any(|container| messages(container).is_some())
}

fn is_message(value: &Value) -> bool {
    if value.get("role").is_none() {
        return responses::is_item(value);
    }

    let said = ["content", "tool_calls", "function_call", "refusal"];
    ROLES.contains(&text(value, "/role"))
        && said
            .iter()
            .any(|name| value.get(name).is_some())
}

/// Returns what may be a conversation in a value: the value, or the items of a list of them.
fn containers(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) if messages(value).is_none() => values.iter().collect(),
        one => vec![one],
    }
}

/// Returns the messages of a conversation, if it is one.
fn messages(container: &Value) -> Option<&[Value]> {
    let list = match container {
        Value::Array(list) => list,
        other => ["messages", "traj"]
            .iter()
            .find_map(|name| other.get(name)?.as_array())?,
    };

    let has_role = |message: &Value| message.get("role").is_some();
    let is_list = list.iter().any(has_role) && list.iter().all(is_message);
    is_list.then_some(list)
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let name = log
        .files
        .first()
        .map_or("", |file: &LogFile| &file.name)
        .to_owned();
    let mut waiting = None;
    let mut number = 0;

    while let Some(entry) = log.next()? {
        for container in containers(&entry.value) {
            let Some(list) = messages(container) else {
                continue;
            };
            number += 1;
            let conversation = conversation(container, list, &name, number);
            // Only the one list of a file has the name of the file without a number.
            if let Some(waiting) = waiting.replace(conversation) {
                take(log, waiting);
            }
        }
    }

    if let Some(mut last) = waiting {
        if number == 1 && last.id == numbered(&name, 1) {
            last.id = id_of_path(&name);
        }
        take(log, last);
    }

    Ok(())
}

fn numbered(name: &str, number: usize) -> String {
    format!("{}-{number}", id_of_path(name))
}

/// Returns the id of a conversation that names itself.
fn own_id(container: &Value, name: &str) -> Option<String> {
    let word = |field: &str| match container.get(field) {
        Some(Value::String(text)) => Some(text.clone()).filter(|text| !text.is_empty()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };

    let joined = |fields: &[&str]| {
        fields
            .iter()
            .map(|field| word(field).unwrap_or_else(|| "none".into()))
            .collect::<Vec<String>>()
            .join("-")
    };

    if let Some(id) = ["run_id", "session_id", "id"]
        .into_iter()
        .find_map(word)
    {
        return Some(id);
    }

    if container.get("task_id").is_some() && container.get("trial").is_some() {
        return Some(format!(
            "{}-{}",
            id_of_path(name),
            joined(&["task_id", "trial"])
        ));
    }

    let of_dojo = [
        "pipeline_name",
        "suite_name",
        "user_task_id",
        "attack_type",
        "injection_task_id",
    ];

    word("suite_name")
        .and(word("user_task_id"))
        .map(|_| joined(&of_dojo))
}

fn conversation(container: &Value, list: &[Value], name: &str, number: usize) -> Conversation {
    let mut conversation = Conversation {
        id: own_id(container, name).unwrap_or_else(|| numbered(name, number)),
        source: Some(name.to_owned()),
        sha256: Some(FileDigest::of(container.to_string().as_bytes()).to_string()),
        ..Conversation::default()
    };

    conversation.tag("model", text(container, "/model"));
    for name in ["system", "instructions"] {
        if let Some(said) = container
            .get(name)
            .map(texts)
            .filter(|it| !it.is_empty())
        {
            conversation.message("system", &said);
        }
    }

    let mut turn = responses::Turn::default();
    for message in list {
        if !turn.take(&mut conversation, message) {
            add(&mut conversation, message);
        }
    }

    for result in RESULTS {
        let Some(value) = container.get(result) else {
            continue;
        };
        let passed = value.as_bool().or_else(|| {
            value
                .as_f64()
                .map(|it| (it - 1.0).abs() < 1e-6)
        });
        conversation
            .assertions
            .extend(passed.map(|passed| (result.to_owned(), passed)));
        if result == "reward" && passed.is_some() {
            conversation
                .metrics
                .insert(result.to_owned(), value.clone());
        }
    }

    conversation
}

fn add(conversation: &mut Conversation, message: &Value) {
    let content = value_at(message, "/content");
    match text(message, "/role") {
        "system" | "developer" => drop(conversation.message("system", &texts(content))),
        "user" => {
            for part in items(message, "/content") {
                if text(part, "/type") == "tool_result" {
                    blocks::result(conversation, part);
                } else if texts(part).is_empty() {
                    conversation.skip(format!("{} of the user", text(part, "/type")));
                }
            }

            let is_result = |part: &Value| text(part, "/type") == "tool_result";
            if texts(content).is_empty()
                && items(message, "/content")
                    .iter()
                    .any(is_result)
            {
                return;
            }

            conversation.message("user", &texts(content));
        }
        "assistant" => answer(conversation, message, content),
        _ => result(conversation, message, content),
    }
}

fn answer(conversation: &mut Conversation, message: &Value, content: &Value) {
    let refusal = some_text(message, "/refusal");
    let answer = conversation.answer("");
    answer.say(&texts(content));
    answer.think(&first_text(message, &["/reasoning_content", "/reasoning"]).unwrap_or_default());
    answer.model = some_text(message, "/model");
    answer.message_id = some_text(message, "/id");
    answer.stop_reason = some_text(message, "/stop_reason");
    answer.usage = object(message, "/usage").map(usage);
    answer.is_refusal = refusal.is_some() || answer.stop_reason.as_deref() == Some("refusal");
    answer.say(&refusal.unwrap_or_default());
    for block in items(message, "/content") {
        answer.think(text(block, "/thinking"));
    }

    conversation.tag("model", text(message, "/model"));
    for block in items(message, "/content") {
        blocks::of_answer(conversation, block);
    }

    for call in items(message, "/tool_calls") {
        let (tool, input) = of_function(call);
        conversation.call(Call::new(text(call, "/id"), &tool, input));
    }

    // The older form has one call, which its result names by the tool.
    if let Some(call) = object(message, "/function_call") {
        let (tool, input) = of_function(call);
        conversation.call(Call::new(&tool, &tool, input));
    }
}

/// Returns the usage of an answer, in the form of Anthropic or of `OpenAI`.
fn usage(usage: &Value) -> Usage {
    if usage.get("prompt_tokens").is_some()
        || usage
            .get("input_tokens_details")
            .is_some()
    {
        Usage::of_openai(usage)
    } else {
        super::claude_code::usage(usage)
    }
}

fn result(conversation: &mut Conversation, message: &Value, content: &Value) {
    let error = some_text(message, "/error");
    let output = if content.is_array() {
        json!(texts(content))
    } else {
        content.clone()
    };

    let is_error = error.is_some()
        || output
            .as_str()
            .is_some_and(|it| it.starts_with("Error"));
    let is_blank = output
        .as_str()
        .is_none_or(str::is_empty)
        && !output.is_object();
    let output = error
        .filter(|_| is_blank)
        .map_or(output, Value::from);
    let id = first_text(message, &["/tool_call_id", "/tool_call/id", "/name"]);
    conversation.result(
        &id.unwrap_or_default(),
        Outcome::new(is_error.then_some("error"), output),
    );
}
