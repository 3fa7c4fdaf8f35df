//! The words of logs -> what they mean, where several formats have the same.

use serde_json::Value;

use super::fields::first_text;

/// Tools whose call, if it is no error, is the answer of an agent.
const END_TOOLS: &[&str] = &[
    "finish",
    "submit",
    "final_result",
    "attempt_completion",
    "task_complete",
    "complete_task",
    "mark_task_complete",
];

pub(super) fn is_end_tool(tool: &str) -> bool {
    END_TOOLS.contains(&tool)
}

/// Returns `true` if an error of a tool is one that an agent writes where a person, a mode or a
/// hook refused the call.
pub(super) fn is_denial(output: &str) -> bool {
    let starts = |start| output.starts_with(start);
    starts("The user doesn't want to proceed")
        || starts("Permission to use")
        || starts("Claude requested permissions to")
        || (starts("PreToolUse:") && output.contains("hook error"))
        || (starts("Hook PreToolUse:") && output.contains("denied this tool"))
}

/// Returns the tool and the arguments of a call of a model, in the form of `OpenAI` or in that of
/// `AgentDojo`.
pub(super) fn of_function(call: &Value) -> (String, Value) {
    let tool = first_text(call, &["/function/name", "/function", "/name"]);
    let input = ["/function/arguments", "/args", "/arguments"]
        .into_iter()
        .find_map(|at| call.pointer(at))
        .cloned();

    (tool.unwrap_or_default(), input.unwrap_or_default())
}

/// Returns the first line of a text, for a reason.
pub(super) fn first_line(message: &str) -> &str {
    message
        .trim()
        .lines()
        .next()
        .unwrap_or_default()
}

/// Returns the path of a file that stands for its conversation, as a part of an id.
pub(super) fn id_of_path(path: &str) -> String {
    path.rsplit_once('.')
        .map_or(path, |(stem, _)| stem)
        .replace('/', "-")
}

/// Returns a text as an id that a directory can have everywhere: other characters become `-`.
pub(crate) fn plain_id(id: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-:".contains(c);
    let id: String = id
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .skip_while(|c| !(c.is_ascii_alphanumeric() || *c == '_'))
        .collect();

    match id.char_indices().nth(MAX_ID) {
        None => id,
        Some((end, _)) => {
            let digest = crate::ground::digest::FileDigest::of(id.as_bytes()).to_string();
            let digest = digest.get(..16).unwrap_or_default();
            format!("{}-{digest}", id.get(..end).unwrap_or_default())
        }
    }
}

/// The number of characters of an id that stay as they are.
const MAX_ID: usize = 110;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_names_of_directories() {
        assert_eq!(plain_id("../a b/c"), "a-b-c");
        assert_eq!(plain_id(&"x".repeat(300)).len(), MAX_ID + 17);
    }
}
