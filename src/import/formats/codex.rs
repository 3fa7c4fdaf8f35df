//! `~/.codex/sessions/Y/M/D/rollout-*.jsonl` -> a conversation, with the threads that it began.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::call::first_line;
use super::super::conversation::{Call, Conversation, Outcome, Took, Usage, What};
use super::super::fields::{
    count, is_true, items, number, parsed, picture_of_url, some_text, text, texts, time, value_at,
};
use super::super::log::{Log, LogFile};
use super::super::parts::{Part, joined};
use super::{Format, Take, Ties};

use crate::ground::Own;

pub(super) const FORMAT: Format = Format {
    name: "codex",
    form: "a line is `session_meta` with an id",
    is_form,
    ties: Ties::First(ties),
    read,
};

/// The pointer to the thread that began a thread.
const PARENT: &str = "/payload/source/subagent/thread_spawn/parent_thread_id";

/// What an editor puts before the text of the user.
const REQUEST: &str = "## My request for Codex:";

fn is_form(head: &[Value]) -> bool {
    head.iter().any(is_meta)
}

fn is_meta(line: &Value) -> bool {
    text(line, "/type") == "session_meta" && !text(line, "/payload/id").is_empty()
}

fn ties(_: &LogFile, line: &Value, ties: &mut BTreeSet<String>) {
    if is_meta(line) && ties.is_empty() {
        ties.extend(some_text(line, "/payload/id"));
        ties.extend(some_text(line, PARENT));
    }
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut threads: Vec<Thread> = Vec::new();
    let mut file = None;
    while let Some(entry) = log.next()? {
        if file != Some(entry.file) {
            file = Some(entry.file);
            let conversation = Conversation {
                source: Some(
                    log.files
                        .own(entry.file)
                        .base()
                        .to_owned(),
                ),
                ..Conversation::default()
            };

            threads.push(Thread {
                conversation,
                ..Thread::default()
            });
        }
        if let Some(thread) = threads.last_mut() {
            thread.add(&entry.value);
        }
    }

    for conversation in joined(threads.into_iter().map(Thread::end)) {
        take(log, conversation);
    }

    Ok(())
}

/// The thread of one file, while it is read.
#[derive(Default)]
struct Thread {
    conversation: Conversation,
    parent: Option<String>,
    model: Option<String>,
    thinking: String,
    /// The tokens so far.
    total: Option<Value>,
    /// The messages of the user in the form for the model, which repeat those of the user.
    repeated: Vec<usize>,
    has_messages: bool,
    /// The calls that were done with an error, or not at all, by the events of their ends.
    failures: BTreeMap<String, &'static str>,
}

impl Thread {
    fn add(&mut self, line: &Value) {
        let conversation = &mut self.conversation;
        conversation.is_by_time = true;
        conversation.moment(time(line, "/timestamp"));

        match text(line, "/type") {
            "session_meta" if conversation.id.is_empty() => {
                text(line, "/payload/id").clone_into(&mut conversation.id);
                conversation.started_at = time(line, "/payload/timestamp");
                conversation.tag("version", text(line, "/payload/cli_version"));
                conversation.tag("branch", text(line, "/payload/git/branch"));
                self.parent = some_text(line, PARENT);
                self.turn(line);
            }
            "turn_context" => {
                self.model = some_text(line, "/payload/model");
                conversation.tag("model", text(line, "/payload/model"));
                conversation.tag("permission_mode", text(line, "/payload/approval_policy"));
                self.turn(line);
            }
            "event_msg" => self.event(line),
            "response_item" => self.item(line),
            "compacted" => {
                let summary = line.pointer("/payload/message");
                conversation.summary(json!({"summary": summary}));
            }
            kind => conversation.skip(kind),
        }
    }

    /// Sets the directory of what follows.
    fn turn(&mut self, line: &Value) {
        let conversation = &mut self.conversation;
        conversation.cwd = some_text(line, "/payload/cwd").or(conversation.cwd.take());
        conversation.tag("cwd", text(line, "/payload/cwd"));
    }

    fn event(&mut self, line: &Value) {
        let conversation = &mut self.conversation;
        match text(line, "/payload/type") {
            "user_message" => {
                let said = text(line, "/payload/message");
                let said = said
                    .split_once(REQUEST)
                    .map_or(said, |(_, request)| request);
                self.has_messages |= conversation
                    .message("user", said)
                    .is_some();
            }
            "token_count" => self.tokens(line),
            "turn_aborted" => conversation.interrupt(text(line, "/payload/reason")),
            "task_complete" | "turn_complete" => conversation.end_turn(),
            "exec_command_end" | "patch_apply_end" | "mcp_tool_call_end" => {
                let id = text(line, "/payload/call_id");
                let failure = line.get("payload").and_then(failure);
                self.failures
                    .extend(failure.map(|status| (id.to_owned(), status)));
            }
            "error" => conversation.error(text(line, "/payload/message")),
            "stream_error" => {
                let error = line
                    .pointer("/payload/message")
                    .cloned();
                conversation.retry(&Value::Null, &error.unwrap_or_default());
            }
            kind => conversation.skip(kind),
        }
    }

    /// Notes the tokens of a request, once for each change of their total.
    fn tokens(&mut self, line: &Value) {
        let total = line.pointer("/payload/info/total_token_usage");
        if total.is_none() || total == self.total.as_ref() {
            return self
                .conversation
                .skip("repeated token_count");
        }

        self.total = total.cloned();
        let of = |name: &str| count(line, &format!("/payload/info/last_token_usage/{name}"));
        let usage = Usage {
            input: of("input_tokens"),
            output: of("output_tokens"),
            cache_read: of("cached_input_tokens"),
            cache_write: 0,
        };

        if !usage.is_empty() {
            let thinking = Some(std::mem::take(&mut self.thinking));
            self.conversation.note(
                "reason",
                json!({
                    "kind": "usage",
                    "model": self.model,
                    "usage": usage.members(),
                    "thinking": thinking.filter(|it| !it.is_empty()),
                }),
            );
        }
    }

    fn item(&mut self, line: &Value) {
        let conversation = &mut self.conversation;
        let id = text(line, "/payload/call_id");
        let argument = |at: &str| value_at(line, at).clone();

        match (text(line, "/payload/type"), text(line, "/payload/role")) {
            ("message", "assistant") => {
                let answer = conversation.answer("");
                answer.say(&texts(&argument("/payload/content")));
                answer.think(&std::mem::take(&mut self.thinking));
                answer.model.clone_from(&self.model);
                answer.message_id = some_text(line, "/payload/id");
            }
            ("message", "user") => {
                let said = texts(&argument("/payload/content"));
                if said.starts_with('<') || said.starts_with("# AGENTS.md") {
                    conversation.skip("context in a message of the user");
                } else {
                    self.repeated
                        .extend(conversation.message("user", &said));
                }
            }
            ("reasoning", _) => {
                let summary = texts_of(items(line, "/payload/summary"));
                if !self.thinking.is_empty() {
                    self.thinking.push('\n');
                }
                self.thinking += &summary;
            }
            ("function_call", _) => {
                let arguments = argument("/payload/arguments");
                let directory = some_text(&parsed(&arguments), "/workdir");
                let mut call = Call::new(id, text(line, "/payload/name"), arguments);
                call.cwd = directory.filter(|dir| dir.starts_with('/'));
                conversation.call(call);
            }
            ("custom_tool_call", _) => {
                let input = argument("/payload/input");
                conversation.call(Call::new(id, text(line, "/payload/name"), input));
            }
            ("local_shell_call", _) => {
                let input = json!({"command": argument("/payload/action/command")});
                conversation.call(Call::new(id, "local_shell", input));
            }
            ("function_call_output" | "custom_tool_call_output", _) => {
                let mut outcome = outcome(&argument("/payload/output"));
                let known = self.failures.remove(id);
                outcome.status = outcome.status.or(known);
                conversation.result(id, outcome);
            }
            (kind, role) => conversation.skip(format!("{kind} {role}").trim_end()),
        }
    }

    fn end(mut self) -> Part {
        if self.has_messages {
            for place in self.repeated {
                self.conversation
                    .skip("repeated message of the user");
                self.conversation
                    .events
                    .own_mut(place)
                    .what = What::Nothing;
            }
        }

        Part {
            conversation: self.conversation,
            parent: self.parent,
        }
    }
}

fn texts_of(parts: &[Value]) -> String {
    parts
        .iter()
        .map(|part| text(part, "/text"))
        .collect::<Vec<&str>>()
        .join("\n")
}

/// Returns the status of a call by the event of its end, unless it is `ok`.
fn failure(end: &Value) -> Option<&'static str> {
    let is_error = number(end, "/exit_code").is_some_and(|code| code != 0.0)
        || end.get("success") == Some(&Value::Bool(false))
        || end.pointer("/result/Err").is_some()
        || is_true(end, "/result/Ok/isError");

    match text(end, "/status") {
        "declined" => Some("denied"),
        _ => is_error.then_some("error"),
    }
}

/// How the result of a call begins that Codex could not do.
const NOT_DONE: [&str; 6] = [
    "apply_patch verification failed",
    "exec_command failed",
    "execution error",
    "failed to parse function arguments",
    "unsupported ",
    "write_stdin failed",
];

/// Returns the outcome of the output of a call: what was printed, with the exit code and the time
/// before it or beside it.
fn outcome(output: &Value) -> Outcome {
    let pictures = items(output, "")
        .iter()
        .filter_map(|part| {
            let url = text(part, "/image_url");
            picture_of_url(url)
        })
        .collect();
    let content = output.get("content").unwrap_or(output);
    let whole = texts(content);
    // Newer versions have it in a list of texts.
    let record = match content {
        Value::Array(_) => parsed(&whole.as_str().into()),
        one => parsed(one),
    };

    let (printed, exit, seconds) = match record.get("output") {
        Some(printed) => {
            let first = |places: [&str; 2]| {
                places
                    .iter()
                    .find_map(|at| number(&record, at))
            };
            let exit = first(["/metadata/exit_code", "/exit_code"]);
            let seconds = first(["/metadata/duration_seconds", "/wall_time_seconds"]);
            (printed.clone(), exit, seconds)
        }
        None => heading(&whole),
    };

    let said = printed.as_str().unwrap_or_default();
    let is_failure = output.get("success") == Some(&Value::Bool(false));
    let status = match exit {
        Some(code) => (code != 0.0).then_some("error"),
        None if first_line(said).contains("rejected by user") => Some("denied"),
        None if said.starts_with("aborted") => Some("cancelled"),
        None if NOT_DONE
            .iter()
            .any(|start| said.starts_with(start)) =>
        {
            Some("error")
        }
        None => is_failure.then_some("error"),
    };

    Outcome {
        status,
        took: seconds.map_or(Took::Unknown, Took::Seconds),
        pictures,
        output: printed,
    }
}

/// Returns what a command printed, its exit code and its seconds, from a text with these in its
/// first lines.
fn heading(whole: &str) -> (Value, Option<f64>, Option<f64>) {
    const OTHERS: [&str; 4] = [
        "Chunk ID:",
        "Process running",
        "Original token count:",
        "Total output lines:",
    ];

    let (mut exit, mut seconds, mut rest) = (None, None, after_command(whole));
    while let Some((line, after)) = rest
        .split_once('\n')
        .or(Some((rest, "")))
        .filter(|_| !rest.is_empty())
    {
        let code = ["Process exited with code ", "Exit code: "];
        if let Some(code) = code
            .iter()
            .find_map(|mark| line.strip_prefix(mark))
        {
            exit = code.trim().parse().ok();
        } else if let Some(time) = line.strip_prefix("Wall time: ") {
            seconds = time
                .split(' ')
                .next()
                .and_then(|time| time.parse().ok());
        } else if line.trim_end() == "Output:" {
            return (after.into(), exit, seconds);
        } else if !OTHERS
            .iter()
            .any(|other| line.starts_with(other))
        {
            break;
        }

        rest = after;
    }

    let printed = if exit.is_some() || seconds.is_some() {
        rest
    } else {
        whole
    };

    (printed.into(), exit, seconds)
}

/// Returns a text without the command that newer versions write before the heading. It may have
/// several lines.
fn after_command(whole: &str) -> &str {
    if !whole.starts_with("Command: ") {
        return whole;
    }

    let start = ["\nChunk ID: ", "\nWall time: "]
        .iter()
        .find_map(|mark| whole.find(mark));

    start.map_or(whole, |start| {
        whole
            .get(start + 1..)
            .unwrap_or_default()
    })
}
