//! A call of a tool, as a log has it -> the form that a call has in run data, through every door.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::fields::{first_text, parsed};

/// The names of tools by their kinds; any other tool is of the kind `tool`.
const KINDS: &[(&str, &str)] = &[
    (
        "execute",
        "Bash BashOutput bash bash_command shell local_shell exec_command run_shell_command \
         run_commands execute_bash python execute_ipython_cell terminal powershell",
    ),
    (
        "read",
        "Read NotebookRead read read_file read_many_files view",
    ),
    (
        "edit",
        "Edit Write MultiEdit NotebookEdit edit write patch multiedit write_file replace \
         apply_patch create",
    ),
    (
        "search",
        "Grep Glob LS grep glob list list_directory search_file_content grep_search",
    ),
    (
        "fetch",
        "WebFetch WebSearch web_fetch web_search webfetch websearch google_web_search",
    ),
    ("delegate", "Task Agent task spawn_agent handoff"),
    (
        "plan",
        "TodoWrite ExitPlanMode update_plan write_todos todowrite todoread task_tracker update_todo",
    ),
    (
        "ask",
        "AskUserQuestion ask_user question request_user_input",
    ),
];

/// Tools that edit files, or show them where their command is `view`.
const EDITORS: &[&str] = &[
    "text_editor",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "file_editor",
];

/// Tools whose call, if it is no error, is the answer of an agent.
const END_TOOLS: &[&str] = &[
    "finish",
    "submit",
    "final_result",
    "attempt_completion",
    "task_complete",
    "mark_task_complete",
];

const PATCH: &str = "*** Begin Patch";

/// Returns the kind of a call.
pub(super) fn kind(tool: &str, input: &Map<String, Value>) -> &'static str {
    if EDITORS.contains(&tool) {
        let is_view = input.get("command").and_then(Value::as_str) == Some("view");
        return if is_view { "read" } else { "edit" };
    }
    let known = KINDS
        .iter()
        .find(|(_, tools)| tools.split_whitespace().any(|it| it == tool));
    match known {
        Some(("execute", _)) if patch(input).is_some() => "edit",
        Some((kind, _)) => kind,
        None if tool.starts_with("transfer_to_") => "delegate",
        None => "tool",
    }
}

pub(super) fn is_end_tool(tool: &str) -> bool {
    END_TOOLS.contains(&tool)
}

/// Returns the arguments of a call as an object.
pub(super) fn arguments(input: &Value) -> Map<String, Value> {
    match parsed(input) {
        Value::Object(members) => members,
        Value::Null => Map::new(),
        _ => [("input".to_owned(), input.clone())].into_iter().collect(),
    }
}

/// Returns the command of a call as one text.
pub(super) fn command(tool: &str, input: &Map<String, Value>) -> Option<String> {
    if EDITORS.contains(&tool) {
        return None;
    }
    let names = ["command", "cmd", "commands", "keystrokes", "code", "input"];
    match names.into_iter().find_map(|name| input.get(name))? {
        Value::String(command) => Some(command.strip_suffix('\n').unwrap_or(command).to_owned()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            let shell = words.first().and_then(|word| word.rsplit('/').next());
            Some(match &words[..] {
                [_, "-c" | "-lc" | "-Command", command]
                    if shell.is_some_and(|it| it.ends_with("sh") || it.contains("shell")) =>
                {
                    (*command).to_owned()
                }
                words if input.contains_key("commands") => words.join("\n"),
                words => words.join(" "),
            })
        }
        _ => None,
    }
}

/// Returns the paths of a call that reads or edits, absolute and without `..`; none where one of
/// them is relative to a directory that is not known.
pub(super) fn paths(input: &Map<String, Value>, cwd: Option<&str>) -> Option<Vec<String>> {
    const NAMES: [&str; 10] = [
        "file_path",
        "filePath",
        "absolute_path",
        "notebook_path",
        "path",
        "filename",
        "file",
        "paths",
        "file_paths",
        "files",
    ];
    let found: Vec<String> = match patch(input) {
        Some(patch) => paths_of_patch(patch),
        None => match NAMES.into_iter().find_map(|name| input.get(name))? {
            Value::String(path) => vec![path.clone()],
            Value::Array(paths) => (paths.iter().filter_map(Value::as_str))
                .map(str::to_owned)
                .collect(),
            _ => return None,
        },
    };
    let paths: Option<Vec<String>> = found.iter().map(|path| absolute(path, cwd)).collect();
    paths.filter(|paths| !paths.is_empty())
}

/// Returns the text of a patch in the arguments of a call.
fn patch(input: &Map<String, Value>) -> Option<&str> {
    let texts = input.values().flat_map(|value| match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    });
    texts
        .filter_map(Value::as_str)
        .find(|text| text.contains(PATCH))
}

fn paths_of_patch(patch: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let of_line = |line: &str| {
        let rest = line.trim_start().strip_prefix("*** ")?;
        let marks = ["Add File: ", "Update File: ", "Delete File: ", "Move to: "];
        let path = marks.iter().find_map(|mark| rest.strip_prefix(mark))?;
        Some(path.trim().to_owned())
    };
    let paths = patch.lines().filter_map(of_line);
    paths.filter(|path| seen.insert(path.clone())).collect()
}

fn absolute(path: &str, cwd: Option<&str>) -> Option<String> {
    let path = match cwd {
        Some(cwd) => Path::new(cwd).join(path),
        None => PathBuf::from(path),
    };
    let is_of_windows = path
        .to_str()
        .is_some_and(|path| path.get(1..3) == Some(":\\"));
    if is_of_windows {
        return path.to_str().map(str::to_owned);
    }
    if !path.is_absolute() {
        return None;
    }
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal.to_str().map(str::to_owned)
}

/// Returns `true` if an error of a tool is one that an agent writes where a person, a mode or a hook
/// refused the call.
pub(super) fn is_denial(output: &str) -> bool {
    let starts = |start| output.starts_with(start);
    starts("The user doesn't want to proceed")
        || starts("Permission to use")
        || (starts("PreToolUse:") && output.contains("hook error"))
        || (starts("Hook PreToolUse:") && output.contains("denied this tool"))
}

/// Returns the name of the tool and the arguments of a call of a model in the form of OpenAI, or in
/// that of AgentDojo.
pub(super) fn of_function(call: &Value) -> (String, Value) {
    let tool = first_text(call, &["/function/name", "/function", "/name"]);
    let places = ["/function/arguments", "/args", "/arguments"];
    let input = places.into_iter().find_map(|at| call.pointer(at)).cloned();
    (tool.unwrap_or_default(), input.unwrap_or_default())
}

/// Returns the first line of a text, for a reason.
pub(super) fn first_line(message: &str) -> &str {
    message.trim().lines().next().unwrap_or_default()
}

/// Returns the path of a file that stands for its conversation, as a part of an id.
pub(super) fn id_of_path(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    stem.replace('/', "-")
}

/// Returns a text as an id that a directory can have everywhere: other characters become `-`.
pub(super) fn plain_id(id: &str) -> String {
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
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn command_is_one_text_in_every_form() {
        for (input, wanted) in [
            (json!({"command": "ls -l"}), "ls -l"),
            (json!({"cmd": ["bash", "-lc", "ls | wc"]}), "ls | wc"),
            (json!({"command": ["/bin/zsh", "-c", "ls"]}), "ls"),
            (json!({"command": ["rm", "-rf", "x"]}), "rm -rf x"),
            (json!({"commands": ["a", "b"]}), "a\nb"),
            (json!({"keystrokes": "ls\n"}), "ls"),
        ] {
            let found = command("bash", &object(&input));
            assert_eq!(found.as_deref(), Some(wanted), "{input}");
        }
        let view = json!({"command": "view", "path": "/a"});
        assert_eq!(command("text_editor", &object(&view)), None);
    }

    #[test]
    fn paths_are_absolute_or_not_given() {
        let edit = object(&json!({"file_path": "src/../a.rs"}));
        assert_eq!(paths(&edit, Some("/w")), Some(vec!["/w/a.rs".to_owned()]));
        assert_eq!(paths(&edit, None), None);
        let patch =
            object(&json!({"input": "*** Begin Patch\n*** Add File: a\n*** Delete File: /b\n"}));
        let both = vec!["/w/a".to_owned(), "/b".to_owned()];
        assert_eq!(paths(&patch, Some("/w")), Some(both));
    }

    #[test]
    fn ids_are_names_of_directories() {
        assert_eq!(plain_id("../a b/c"), "a-b-c");
        assert_eq!(plain_id(&"x".repeat(300)).len(), MAX_ID + 17);
    }
}
