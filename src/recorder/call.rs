//! A call of a tool, as its caller has it -> the one form in which every door records it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::bounded::{bounded, is_mark};
use super::size::{self, Size};
use crate::ground::document::Tape;
use crate::ground::finding::Finding;
use crate::ground::printable::in_shell;
use crate::ground::record::Action;
use crate::policy::team::Answer;

/// The key of an act or a note that has the name of its agent.
pub(crate) const AGENT: &str = "x-agent";

/// The key of the id of a call.
pub(crate) const CALL: &str = "x-call-id";

/// The key of the command of a call that executes one.
const COMMAND: &str = "x-command";

/// The key of the paths of a call that reads or edits files.
const PATHS: &str = "x-paths";

/// The key of the text of arguments that can't be recorded as an object.
const TEXT: &str = "x-input";

/// The kind of a tool that is in no table.
const TOOL: &str = "tool";

/// The names of tools, by the kind of their calls.
const KINDS: [(&str, &[&str]); 8] = [
    (
        "execute",
        &[
            "Bash",
            "BashOutput",
            "bash",
            "bash_command",
            "exec",
            "exec_command",
            "execute_bash",
            "execute_ipython_cell",
            "local_shell",
            "powershell",
            "python",
            "run_commands",
            "run_shell_command",
            "shell",
            "terminal",
        ],
    ),
    (
        "read",
        &[
            "NotebookRead",
            "Read",
            "read",
            "read_file",
            "read_many_files",
            "view",
        ],
    ),
    (
        "edit",
        &[
            "Edit",
            "MultiEdit",
            "NotebookEdit",
            "Write",
            "apply_patch",
            "create",
            "edit",
            "multiedit",
            "patch",
            "replace",
            "write",
            "write_file",
        ],
    ),
    (
        "search",
        &[
            "Glob",
            "Grep",
            "LS",
            "glob",
            "grep",
            "grep_search",
            "list",
            "list_directory",
            "search_file_content",
        ],
    ),
    (
        "fetch",
        &[
            "WebFetch",
            "WebSearch",
            "google_web_search",
            "web_fetch",
            "web_search",
            "webfetch",
            "websearch",
        ],
    ),
    (
        "delegate",
        &["Agent", "Task", "handoff", "spawn_agent", "task"],
    ),
    (
        "plan",
        &[
            "ExitPlanMode",
            "TodoWrite",
            "task_tracker",
            "todoread",
            "todowrite",
            "update_plan",
            "update_todo",
            "write_todos",
        ],
    ),
    (
        "ask",
        &[
            "AskUserQuestion",
            "ask_user",
            "question",
            "request_user_input",
        ],
    ),
];

/// The beginning of the names of tools that hand over to another agent.
const HANDOVER: &str = "transfer_to_";

/// The tools that edit a file, or show it if their command is `view`.
const EDITORS: [&str; 4] = [
    "file_editor",
    "str_replace_based_edit_tool",
    "str_replace_editor",
    "text_editor",
];

/// The arguments that hold a command.
const COMMANDS: [&str; 6] = ["command", "cmd", "commands", "keystrokes", "code", "input"];

/// The arguments that hold paths.
const FILES: [&str; 10] = [
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

/// The beginning of a patch in the form of Codex.
const PATCH: &str = "*** Begin Patch";

/// The marks of the lines of such a patch that name a file.
const PATCHED: [&str; 4] = ["Add File: ", "Update File: ", "Delete File: ", "Move to: "];

/// The containers that the input of an act is in, in the payload and in the state.
const AROUND_INPUT: usize = 4;

/// Returns an action in the form that every door records: an input that is an object, a kind by the
/// name of the tool unless the caller has one, the command or the paths of the call, and the name
/// of the agent, which may be given as `agent`.
///
/// Relative paths are joined to a directory, that of the call. Where it is not known, a call with
/// relative paths has none.
pub(crate) fn in_one_form(mut action: Action, directory: Option<&str>) -> Action {
    let agent = action.extensions.get("agent");
    if agent.is_some_and(Value::is_string)
        && !action.extensions.contains_key(AGENT)
        && let Some(agent) = action.extensions.remove("agent")
    {
        action
            .extensions
            .insert(AGENT.into(), agent);
    }

    let text = action
        .input
        .as_ref()
        .and_then(Value::as_str)
        .filter(|it| it.contains('{'))
        .map(str::to_owned);
    let input = action.input.map(arguments);
    let unread = input
        .as_ref()
        .filter(|input| is_mark(input))
        .cloned()
        .map(Value::Object);
    if let Some(text) = text.filter(|_| unread.is_some()) {
        action
            .extensions
            .insert(TEXT.into(), text.into());
    }

    if let Some(Value::String(tool)) = &action.tool {
        let none = Map::new();
        let input = input.as_ref().unwrap_or(&none);
        if action
            .kind
            .as_ref()
            .is_none_or(|kind| kind == TOOL)
        {
            action.kind = Some(kind(tool, input).into());
        }

        let (key, found) = match action
            .kind
            .as_ref()
            .and_then(Value::as_str)
        {
            Some("execute") => (COMMAND, unread.or_else(|| command(input))),
            Some("read" | "edit" | "delete" | "move") => {
                let paths = || paths(input, directory).map(Value::from);
                (PATHS, unread.or_else(paths))
            }
            _ => (TOOL, None),
        };

        if let Some(found) = found {
            action
                .extensions
                .entry(key.into())
                .or_insert(found);
        }
    }

    action.input = input.map(Value::Object);
    action
}

/// Returns the kind of a call, by the name of its tool.
pub(crate) fn kind(tool: &str, input: &Map<String, Value>) -> &'static str {
    if EDITORS.contains(&tool) {
        let shows = input
            .get("command")
            .is_some_and(|it| it == "view");
        return if shows { "read" } else { "edit" };
    }

    let known = KINDS
        .iter()
        .find(|(_, tools)| tools.contains(&tool));

    match known {
        Some(("execute", _)) if patch(input).is_some() => "edit",
        Some((kind, _)) => kind,
        None if tool.starts_with(HANDOVER) => "delegate",
        None => TOOL,
    }
}

/// Returns the arguments of a call as the object that a recorder writes as its `input`. A text that
/// is an object in JSON is read; any other value stands as `input` in it. Of an object that can't
/// be recorded as it is, since it repeats a key, nests too deep or has too many values, the digest
/// and an excerpt are left, as of a value that is too large: no rule passes what it asks for.
///
/// ```
/// use runvet::recorder::arguments;
/// use serde_json::json;
///
/// assert_eq!(arguments(json!(r#"{"path": "a.rs"}"#))["path"], "a.rs");
/// assert_eq!(arguments(json!("ls -l"))["input"], "ls -l");
/// assert!(arguments(json!(null)).is_empty());
/// let repeated = arguments(json!(r#"{"path": "a.rs", "path": "b.rs"}"#));
/// assert_eq!(repeated["bytes"], 32);
/// ```
#[must_use]
pub fn arguments(input: Value) -> Map<String, Value> {
    match input {
        Value::Object(members) => members,
        Value::Null => Map::new(),
        Value::String(text) => match read(&text) {
            Ok(members) => members,
            Err(NoObject::Other) => Map::from_iter([("input".into(), text.into())]),
            Err(NoObject::Unrecordable) => match bounded(text.into(), 0) {
                Value::Object(mark) => mark,
                _ => Map::new(),
            },
        },
        other => Map::from_iter([("input".into(), other)]),
    }
}

/// Why a text is not read as the arguments of a call.
enum NoObject {
    /// It is no object in JSON.
    Other,
    /// It is one, and can't be recorded as it is.
    Unrecordable,
}

/// Returns the object that a text is in JSON, if it can be recorded as it is.
fn read(text: &str) -> Result<Map<String, Value>, NoObject> {
    if !text.trim_start().starts_with('{') {
        return Err(NoObject::Other);
    }

    let mut tape = Tape::default();
    let document = tape
        .read_record(text.as_bytes())
        .map_err(|why| {
            if why.is_too_much() {
                NoObject::Unrecordable
            } else {
                NoObject::Other
            }
        })?;
    if document.repeats_keys() {
        return Err(NoObject::Unrecordable);
    }

    let Ok(Value::Object(members)) = size::value(document, "the input") else {
        return Err(NoObject::Unrecordable);
    };
    let size = Size::of(&members).within(AROUND_INPUT);

    match size.check("the input") {
        Ok(()) => Ok(members),
        Err(_) => Err(NoObject::Unrecordable),
    }
}

/// Returns the sentences of findings, each with its rule and what helps.
pub(crate) fn sentences(findings: &[Finding]) -> String {
    let mut rules = BTreeSet::new();
    findings
        .iter()
        .filter(|it| rules.insert(&it.rule))
        .map(|it| match &*it.help {
            "" => format!("{} ({})", it.message, it.rule),
            help => format!("{} ({}): {help}", it.message, it.rule),
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the sentences of findings for a person who is asked about a call.
pub(crate) fn question(findings: &[Finding]) -> String {
    sentences(findings).replace(Answer::None.clause(), "")
}

/// Returns why a call is refused about which no person can be asked.
pub(crate) fn refusal(findings: &[Finding]) -> String {
    let (why, question) = (sentences(findings), question(findings));
    if why == question {
        why
    } else {
        format!("ask a person: {question}")
    }
}

/// Returns the command of a call as one text; of a long one, what is recorded in its place.
pub(crate) fn command(input: &Map<String, Value>) -> Option<Value> {
    let (name, command) = COMMANDS
        .iter()
        .find_map(|name| Some((*name, input.get(*name)?)))?;
    match command {
        Value::String(text) => Some(
            text.strip_suffix('\n')
                .unwrap_or(text)
                .into(),
        ),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words
                .iter()
                .map(Value::as_str)
                .collect();
            let words = words?;
            Some(match &*words {
                lines if name == "commands" => lines.join("\n").into(),
                words => command_line(words).into(),
            })
        }
        Value::Object(_) => Some(command.clone()),
        _ => None,
    }
}

/// Returns the command of a program and its arguments: what a shell is given to execute, or else
/// the words as a shell would read them.
pub(crate) fn command_line(words: &[&str]) -> String {
    if let [shell, "-c" | "-lc" | "-ic" | "-Command", command] = words
        && shell
            .rsplit('/')
            .next()
            .is_some_and(is_shell)
    {
        return (*command).to_owned();
    }

    words
        .iter()
        .map(|word| in_shell(word))
        .collect::<Vec<String>>()
        .join(" ")
}

fn is_shell(program: &str) -> bool {
    program.ends_with("sh") || program.starts_with("powershell")
}

/// Returns the paths of a call that reads or edits, absolute and without `..`; `None` where it has
/// none, or one of them is relative to a directory that is not known and in no patch.
pub(crate) fn paths(input: &Map<String, Value>, directory: Option<&str>) -> Option<Vec<String>> {
    let change = patch(input);
    let named = match change {
        Some(change) => paths_of_patch(change),
        None => match FILES
            .iter()
            .find_map(|name| input.get(*name))?
        {
            Value::String(path) => vec![path.as_str()],
            Value::Array(paths) => paths
                .iter()
                .filter_map(Value::as_str)
                .collect(),
            _ => return None,
        },
    };

    // What a patch is about is known, also where its directory is not.
    let as_named = |path: &str| change.map(|_| path.to_owned());
    let paths: Vec<String> = named
        .into_iter()
        .map(|path| absolute(path, directory).or_else(|| as_named(path)))
        .collect::<Option<_>>()?;

    (!paths.is_empty()).then_some(paths)
}

/// Returns the patch in the arguments of a call.
fn patch(input: &Map<String, Value>) -> Option<&str> {
    input
        .values()
        .flat_map(|value| match value {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        })
        .filter_map(Value::as_str)
        .find(|text| text.contains(PATCH))
}

fn paths_of_patch(patch: &str) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    patch
        .lines()
        .filter_map(|line| {
            let line = line.trim_start().strip_prefix("*** ")?;
            let file = PATCHED
                .iter()
                .find_map(|mark| line.strip_prefix(mark))?;
            Some(file.trim())
        })
        .filter(|path| seen.insert(*path))
        .collect()
}

/// Returns a path without `.` and `..`. One in a home directory or on Windows stays as it is.
pub(crate) fn absolute(path: &str, directory: Option<&str>) -> Option<String> {
    if path.starts_with('~') || path.get(1..3) == Some(":\\") {
        return Some(path.to_owned());
    }

    let path = Path::new(directory.unwrap_or_default()).join(path);
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Action, in_one_form};

    fn form(given: Value) -> Value {
        let action: Action = serde_json::from_value(given).unwrap();
        let once = in_one_form(action, Some("/repo"));
        let twice = in_one_form(once.clone(), Some("/elsewhere"));
        assert_eq!(once, twice, "it is in that form already");
        serde_json::to_value(once).unwrap()
    }

    #[test]
    fn command_is_one_text_in_every_form() {
        for (input, command) in [
            (json!({"command": "ls -l"}), "ls -l"),
            (json!("{\"command\": \"ls -l\"}"), "ls -l"),
            (json!("ls -l"), "ls -l"),
            (json!({"cmd": ["bash", "-lc", "ls | wc"]}), "ls | wc"),
            (json!({"command": ["/bin/zsh", "-c", "ls"]}), "ls"),
            (json!({"command": ["rm", "-rf", "x y"]}), "rm -rf 'x y'"),
            (json!({"commands": ["a", "b"]}), "a\nb"),
            (json!({"keystrokes": "ls\n"}), "ls"),
        ] {
            let found = form(json!({"tool": "Bash", "input": input}));
            assert_eq!(found["x-command"], command, "{found}");
            assert_eq!(found["kind"], "execute");
        }
        let long = json!({"sha256": "0", "bytes": 70_000, "excerpt": "rm"});
        let found = form(json!({"tool": "Bash", "input": {"command": long}}));
        assert_eq!(found["x-command"], long);
        assert_eq!(
            form(json!({"tool": "BashOutput", "input": {"id": 1}}))["x-command"],
            json!(null)
        );
    }

    #[test]
    fn paths_are_absolute_or_absent() {
        let edit = |path: &str| form(json!({"tool": "Edit", "input": {"file_path": path}}));
        for (path, wanted) in [
            ("src/../a.rs", "/repo/a.rs"),
            ("../x", "/x"),
            ("/etc/./hosts", "/etc/hosts"),
            ("~/.bashrc", "~/.bashrc"),
            (r"C:\x", r"C:\x"),
        ] {
            assert_eq!(edit(path)["x-paths"], json!([wanted]));
        }
        let action = Action::new("Edit");
        let relative = serde_json::from_value(json!({"tool": "Edit", "input": {"path": "a"}}));
        for action in [action, relative.unwrap()] {
            let formed = in_one_form(action, None);
            assert!(
                !formed
                    .extensions
                    .contains_key("x-paths")
            );
        }
        let patch = "*** Begin Patch\n*** Add File: a\n*** Update File: a\n*** Delete File: /b\n";
        let patched = form(json!({"tool": "shell", "input": {"command": ["apply_patch", patch]}}));
        assert_eq!(
            (&patched["kind"], &patched["x-paths"]),
            (&json!("edit"), &json!(["/repo/a", "/b"]))
        );
        let patch = Action {
            input: Some(json!({"input": patch})),
            ..Action::new("apply_patch")
        };
        assert_eq!(
            in_one_form(patch, None).extensions["x-paths"],
            json!(["a", "/b"])
        );
    }

    #[test]
    fn input_is_an_object_and_a_kind_that_is_given_stays() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(118), "]".repeat(118));
        for cut in ["{\"a\": 1, \"a\": 2}", "{\"a\": 1e999}", &deep] {
            let act = form(json!({"tool": "x", "input": cut}));
            assert_eq!(act["input"]["bytes"], cut.len());
            assert_eq!(act["x-input"], *cut);
        }
        for (input, wanted) in [
            (json!("[1]"), json!({"input": "[1]"})),
            (json!([1]), json!({"input": [1]})),
        ] {
            assert_eq!(form(json!({"tool": "x", "input": input}))["input"], wanted);
        }
        for (given, wanted) in [
            (json!({"tool": "x"}), "tool"),
            (json!({"tool": "Read", "kind": "tool"}), "read"),
            (json!({"tool": "Read", "kind": "fetch"}), "fetch"),
            (json!({"tool": "transfer_to_sales"}), "delegate"),
            (
                json!({"tool": "text_editor", "input": {"command": "view"}}),
                "read",
            ),
            (
                json!({"tool": "text_editor", "input": {"command": "create"}}),
                "edit",
            ),
        ] {
            assert_eq!(form(given)["kind"], wanted);
        }
        assert_eq!(form(json!({"output": 1})), json!({"output": 1}));
        assert_eq!(form(json!({"agent": "a"})), json!({"x-agent": "a"}));
    }
}
