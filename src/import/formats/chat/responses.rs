//! The items of a list of `OpenAI`'s Responses -> answers, calls and their results.

use serde_json::{Map, Value, json};

use crate::import::conversation::{Answer, Call, Conversation, Outcome};
use crate::import::fields::{
    Picture, first_text, is_true, items, number, parsed, picture, picture_of_url, some_text, text,
    texts, value_at,
};

/// The types of items that have no role.
const TYPES: [&str; 22] = [
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "compaction",
    "computer_call",
    "computer_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "file_search_call",
    "function_call",
    "function_call_output",
    "image_generation_call",
    "item_reference",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "reasoning",
    "shell_call",
    "shell_call_output",
];

pub(super) fn is_item(value: &Value) -> bool {
    let kind = text(value, "/type");
    TYPES.contains(&kind) || kind == "web_search_call"
}

/// The items that are one answer: those without a result or another role between them.
#[derive(Default)]
pub(super) struct Turn {
    number: usize,
}

impl Turn {
    /// Adds an item, if the message is one.
    pub(super) fn take(&mut self, conversation: &mut Conversation, item: &Value) -> bool {
        let kind = text(item, "/type");
        let is_answer = kind == "message" && text(item, "/role") == "assistant";
        if !is_answer && !is_item(item) {
            self.number += 1;
            return false;
        }

        if kind.ends_with("_output") || kind == "mcp_approval_response" {
            self.number += 1;
            result(conversation, item, kind);
        } else if is_answer {
            let answer = self.answer(conversation);
            answer.say(&texts(value_at(item, "/content")));
            answer.message_id = some_text(item, "/id");

            let is_refusal = |part: &Value| text(part, "/type") == "refusal";
            answer.is_refusal |= items(item, "/content")
                .iter()
                .any(is_refusal);
        } else if kind == "reasoning" {
            let answer = self.answer(conversation);
            for part in items(item, "/summary")
                .iter()
                .chain(items(item, "/content"))
            {
                answer.think(text(part, "/text"));
            }
        } else if kind == "compaction" {
            conversation.compaction(json!({"summary": some_text(item, "/summary")}));
        } else if matches!(kind, "item_reference" | "mcp_list_tools") {
            conversation.skip(kind);
        } else {
            self.answer(conversation);
            call(conversation, item, kind);
        }

        true
    }

    fn answer<'c>(&self, conversation: &'c mut Conversation) -> &'c mut Answer {
        conversation.answer(&format!("turn {}", self.number))
    }
}

/// Adds a call that was asked for, and its act where the item has its result.
fn call(conversation: &mut Conversation, item: &Value, kind: &str) {
    let id = first_text(item, &["/call_id", "/id"]).unwrap_or_default();
    let of = |at: &str| value_at(item, at).clone();

    let (tool, input) = match kind {
        "function_call" | "mcp_call" | "mcp_approval_request" => {
            (text(item, "/name"), of("/arguments"))
        }
        "custom_tool_call" => (text(item, "/name"), of("/input")),
        "local_shell_call" => ("local_shell", json!({"command": of("/action/command")})),
        "shell_call" => ("shell", json!({"commands": of("/action/commands")})),
        "apply_patch_call" => ("apply_patch", of("/operation")),
        "code_interpreter_call" => ("code_interpreter", json!({"code": of("/code")})),
        "file_search_call" => ("file_search", json!({"queries": of("/queries")})),
        "image_generation_call" => ("image_generation", json!({})),
        other => (other.trim_end_matches("_call"), of("/action")),
    };

    let mut call = Call::new(&id, tool, input);
    let known = match tool {
        "code_interpreter" => Some("execute"),
        "file_search" => Some("search"),
        _ => None,
    };

    let paths = some_text(item, "/operation/path").map(|path| json!([path]));
    let fields = [("kind", known.map(Value::from)), ("x-paths", paths)]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    call.extensions
        .extend(fields.collect::<Map<_, _>>());
    conversation.call(call);

    let output = match kind {
        "mcp_call" if is_set(item, "/output") || is_set(item, "/error") => of("/output"),
        "file_search_call" => of("/results"),
        "code_interpreter_call" => of("/outputs"),
        "web_search_call" | "image_generation_call" => Value::Null,
        _ => return,
    };

    let is_error = is_set(item, "/error") || text(item, "/status") == "failed";
    let output = if output.is_null() {
        of("/error")
    } else {
        output
    };

    let mut outcome = Outcome::new(is_error.then_some("error"), output);
    let format = some_text(item, "/output_format").unwrap_or_else(|| "png".into());
    outcome
        .pictures
        .extend(some_text(item, "/result").and_then(|it| picture(&format!("image/{format}"), &it)));
    conversation.result(&id, outcome);
}

fn is_set(item: &Value, at: &str) -> bool {
    item.pointer(at)
        .is_some_and(|value| !value.is_null())
}

/// Adds the act of a call, from its result.
fn result(conversation: &mut Conversation, item: &Value, kind: &str) {
    let id = first_text(item, &["/call_id", "/approval_request_id", "/id"]).unwrap_or_default();
    if kind == "mcp_approval_response" {
        if is_true(item, "/approve") {
            // The call follows.
            conversation.open.remove(&id);
        } else {
            let reason = some_text(item, "/reason");
            conversation.result(&id, Outcome::new(Some("denied"), reason));
        }
        return;
    }

    let output = value_at(item, "/output");
    let is_failure = match kind {
        "local_shell_call_output" => is_exit_of_failure(&parsed(output)),
        "shell_call_output" => items(output, "")
            .iter()
            .any(is_exit_of_failure),
        _ => text(item, "/status") == "failed",
    };

    let printed = |part: &Value| format!("{}{}", text(part, "/stdout"), text(part, "/stderr"));
    let said = match output {
        Value::Array(parts) if kind == "shell_call_output" => parts
            .iter()
            .map(printed)
            .collect::<Vec<String>>()
            .join("\n")
            .into(),
        Value::Array(_) => texts(output).into(),
        Value::Object(_) if kind == "computer_call_output" => Value::Null,
        other => other.clone(),
    };

    let mut outcome = Outcome::new(is_failure.then_some("error"), said);
    outcome.pictures = pictures(output);
    conversation.result(&id, outcome);
}

/// Returns `true` if a command ended with another exit code than 0, or by a time-out.
fn is_exit_of_failure(output: &Value) -> bool {
    let code = ["/outcome/exit_code", "/exit_code", "/metadata/exit_code"]
        .iter()
        .find_map(|at| number(output, at));
    code.is_some_and(|code| code != 0.0)
        || text(output, "/outcome/type") == "timeout"
        || is_true(output, "/timed_out")
}

fn pictures(output: &Value) -> Vec<Picture> {
    let parts = match output {
        Value::Array(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };

    parts
        .iter()
        .map(|part| text(part, "/image_url"))
        .filter_map(picture_of_url)
        .collect()
}
