//! `*.traj.json` of mini-swe-agent, 1.x and 2.x -> a conversation.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};

use super::super::conversation::{Call, Conversation, Ending, Outcome, Usage};
use super::super::fields::{
    between, first_text, items, number, object, seconds, some_text, text, texts, value_at,
};
use super::super::log::Log;
use super::{Format, Take, Ties};

pub(super) const FORMAT: Format = Format {
    name: "mini-swe-agent",
    form: "it has `info`, `messages` and the version of mini-swe-agent",
    is_form,
    ties: Ties::Nothing,
    read,
};

/// What a command has that submits the work.
const SUBMIT: &str = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";

/// How an answer of version 1 has its command, unless the log says it otherwise.
const COMMAND: &str = r"```bash\s*\n(.*?)\n```";

/// The size of a pattern of a log, at most.
const MAX_PATTERN: usize = 1 << 20;

fn is_form(head: &[Value]) -> bool {
    head.first().is_some_and(|first| {
        let is_named = text(first, "/trajectory_format").starts_with("mini-swe-agent");
        value_at(first, "/info").is_object()
            && value_at(first, "/messages").is_array()
            && (is_named
                || first
                    .pointer("/info/mini_version")
                    .is_some())
    })
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let name = log
        .files
        .first()
        .map_or("", |file| &file.name)
        .to_owned();
    while let Some(entry) = log.next()? {
        let value = entry.value;
        let stem = name
            .strip_suffix(".traj.json")
            .or(name.strip_suffix(".json"));
        let conversation = Conversation {
            id: stem.unwrap_or(&name).replace('/', "-"),
            source: Some(name.clone()),
            cwd: some_text(&value, "/info/config/environment/cwd"),
            ..Conversation::default()
        };

        let trajectory = Trajectory {
            is_first_version: is_first_version(&value),
            conversation,
            waiting: BTreeMap::new(),
            places: BTreeMap::new(),
            submits: BTreeSet::new(),
            has_task: false,
        };

        take(log, trajectory.conversation(&value));
    }

    Ok(())
}

fn is_first_version(value: &Value) -> bool {
    let is_newer = |message: &Value| {
        message
            .pointer("/extra/actions")
            .is_some()
            || text(message, "/role") == "tool"
            || text(message, "/type") == "function_call_output"
    };

    text(value, "/trajectory_format") != "mini-swe-agent-1.1"
        && !items(value, "/messages")
            .iter()
            .any(is_newer)
}

/// A trajectory, while it is read.
struct Trajectory {
    conversation: Conversation,
    is_first_version: bool,
    /// The calls without a result, in their order.
    waiting: BTreeMap<usize, String>,
    /// The place of each call.
    places: BTreeMap<String, usize>,
    /// The calls that submit the work.
    submits: BTreeSet<usize>,
    has_task: bool,
}

/// Returns the text of a message: of a whole response, that of its items.
fn said(message: &Value) -> String {
    let of_items = || {
        items(message, "/output")
            .iter()
            .filter_map(|it| it.get("content"))
            .map(texts)
            .collect::<Vec<String>>()
            .join("\n")
    };

    message
        .get("content")
        .map_or_else(of_items, texts)
}

fn is_result(message: &Value) -> bool {
    text(message, "/role") == "tool"
        || text(message, "/type") == "function_call_output"
        || message
            .pointer("/extra/returncode")
            .is_some()
}

impl Trajectory {
    fn conversation(mut self, value: &Value) -> Conversation {
        for (tag, at) in [
            ("instance", "/instance_id"),
            ("model", "/info/config/model/model_name"),
            ("version", "/info/mini_version"),
            ("cwd", "/info/config/environment/cwd"),
        ] {
            self.conversation
                .tag(tag, text(value, at));
        }

        self.conversation.cost = number(value, "/info/model_stats/instance_cost");
        let messages = items(value, "/messages");
        let first = messages
            .iter()
            .find_map(|it| seconds(it, "/extra/timestamp"));
        self.conversation.not_before(first);

        let pattern = some_text(value, "/info/config/agent/action_regex")
            .and_then(|written| pattern(&written).ok())
            .or_else(|| pattern(COMMAND).ok());
        let template = text(value, "/info/config/agent/action_observation_template");
        let has_code = template.is_empty() || template.contains("returncode");
        let status = text(value, "/info/exit_status");

        for (number, message) in messages.iter().enumerate() {
            let following = messages
                .get(number + 1..)
                .unwrap_or_default();
            let time: Option<SystemTime> = seconds(message, "/extra/timestamp");
            self.conversation.not_before(time);
            match text(message, "/role") {
                "system" => drop(
                    self.conversation
                        .message("system", &said(message)),
                ),
                "exit" => {}
                _ if is_result(message) => self.result(message, following, status),
                "assistant" => self.answer(message, pattern.as_ref()),
                _ if text(message, "/object") == "response" => self.answer(message, None),
                "user" if !self.has_task => {
                    self.has_task = true;
                    self.conversation
                        .message("user", &said(message));
                }
                "user" if self.is_first_version => {
                    let is_end = following.is_empty() && !status.is_empty();
                    if !is_end {
                        self.first_result(&said(message), has_code);
                    }
                }
                "user" => self.user(message),
                role => self
                    .conversation
                    .skip(format!("message of {role}")),
            }
        }

        self.end(value, status);
        self.conversation
    }

    fn answer(&mut self, message: &Value, pattern: Option<&Regex>) {
        let answer = self.conversation.answer("");
        let text_of = said(message);
        answer.say(&text_of);

        let response = message
            .pointer("/extra/response")
            .unwrap_or(message);
        answer.think(text(message, "/reasoning_content"));
        answer.model = some_text(response, "/model");
        answer.message_id = some_text(response, "/id");

        let usage = object(response, "/usage");
        answer.usage = usage.map(Usage::of_openai);
        answer.ends_turn = Some(false);
        if self.is_first_version {
            let commands: Vec<&str> = pattern
                .map(|it| it.captures_iter(&text_of))
                .into_iter()
                .flatten()
                .filter_map(|it| it.get(1))
                .map(|it| it.as_str().trim())
                .collect();
            // An answer with none or several has no call: what follows says so.
            if let [command] = commands[..] {
                self.call("", command);
            }
        }

        self.actions(message);
    }

    fn actions(&mut self, message: &Value) {
        for action in items(message, "/extra/actions") {
            let id = first_text(action, &["/tool_call_id", "/call_id"]).unwrap_or_default();
            self.call(&id, text(action, "/command"));
        }
    }

    fn call(&mut self, id: &str, command: &str) {
        let place = self.conversation.calls;
        let id = match id {
            "" => format!("call {}", place + 1),
            id => id.to_owned(),
        };

        if command.contains(SUBMIT) {
            self.submits.insert(place);
        }

        self.places.insert(id.clone(), place);
        self.waiting.insert(place, id.clone());
        let call = Call::new(&id, "bash", json!({"command": command}));
        self.conversation.call(call);
    }

    /// Adds the act of a call, unless the end of the run says what became of it.
    fn result(&mut self, message: &Value, following: &[Value], status: &str) {
        let id = first_text(message, &["/tool_call_id", "/call_id"])
            .or_else(|| self.next_waiting())
            .unwrap_or_default();
        let whole = said_or_output(message);
        let code = number(message, "/extra/returncode").or_else(|| code_of(&whole));
        let output = match message.pointer("/extra/raw_output") {
            Some(raw) => texts(raw),
            None => between(&whole, "<output>\n", "\n</output>")
                .unwrap_or(&whole)
                .to_owned(),
        };

        let exception = text(message, "/extra/exception_info");
        let status = if exception.contains("action was not executed") {
            let next = following
                .iter()
                .find(|it| !is_result(it));
            match next.map_or("", |next| text(next, "/extra/interrupt_type")) {
                "UserRejection" => Some("denied"),
                _ if status == "Submitted" && following.iter().all(is_last) => return,
                _ => Some("cancelled"),
            }
        } else {
            let is_error = !exception.is_empty() || code.is_some_and(|code| code != 0.0);
            is_error.then_some("error")
        };

        let output = if output.is_empty() {
            exception.to_owned()
        } else {
            output
        };

        self.done(&id, Outcome::new(status, output));
    }

    fn done(&mut self, id: &str, outcome: Outcome) {
        if let Some(place) = self.places.get(id) {
            self.waiting.remove(place);
        }
        self.conversation.result(id, outcome);
    }

    /// Returns the first call without a result.
    fn next_waiting(&self) -> Option<String> {
        self.waiting.values().next().cloned()
    }

    /// Adds what stands in place of a result in version 1.
    fn first_result(&mut self, said: &str, has_code: bool) {
        let Some(id) = self.next_waiting() else {
            return self
                .conversation
                .retry(&Value::Null, &said.into());
        };

        if let Some(reason) = said.strip_prefix("Command not executed.") {
            self.done(&id, Outcome::new(Some("denied"), said));
            if let Some((_, message)) = reason.split_once("following message:") {
                self.conversation
                    .message("user", message);
            }
        } else if let Some(message) = said.strip_prefix("Interrupted by user: ") {
            self.waiting.clear();
            self.conversation.interrupt(message);
        } else {
            let code = code_of(said);
            let is_error = code.map_or(has_code, |code| code != 0.0);
            let output = between(said, "<output>\n", "</output>")
                .filter(|_| code.is_some())
                .map_or(said, |it| it.trim_end_matches('\n'));
            self.done(&id, Outcome::new(is_error.then_some("error"), output));
        }
    }

    fn user(&mut self, message: &Value) {
        let content = said(message);
        let after = |mark: &str| match content.split_once(mark) {
            Some((_, after)) => after.to_owned(),
            None => content.clone(),
        };

        match text(message, "/extra/interrupt_type") {
            "FormatError" => {
                if let Some(response) = message.pointer("/extra/response") {
                    let answer = self.conversation.answer("");
                    let choice = response
                        .pointer("/choices/0/message")
                        .unwrap_or(response);
                    answer.say(&said(choice));
                    answer.model = some_text(response, "/model");
                    answer.message_id = some_text(response, "/id");
                    answer.usage = response
                        .get("usage")
                        .map(Usage::of_openai);
                    answer.ends_turn = Some(false);
                }

                self.conversation
                    .retry(&Value::Null, &content.into());
            }
            "UserRejection" => {
                self.conversation
                    .message("user", &after("following message: "));
            }
            "UserInterruption" => {
                self.waiting.clear();
                self.conversation.interrupt(&content);
            }
            "UserNewTask" => drop(
                self.conversation
                    .message("user", &after("new task: ")),
            ),
            _ if message
                .pointer("/extra/actions")
                .is_some() =>
            {
                self.conversation.agent = Some("user".into());
                self.actions(message);
                self.conversation.agent = None;
            }
            "" => drop(
                self.conversation
                    .message("user", &content),
            ),
            kind => self.conversation.skip(kind),
        }
    }

    /// Adds the acts of the calls without a result, by how the run ended.
    fn end(&mut self, value: &Value, status: &str) {
        let last = items(value, "/messages")
            .last()
            .map(said)
            .unwrap_or_default();
        self.conversation.end = match status {
            "" => None,
            "Submitted" => Some(Ending::Ok),
            "LimitsExceeded" | "TimeExceeded" => Some(Ending::Aborted(format!("limit: {status}"))),
            other => Some(Ending::Error(if last.trim().is_empty() {
                other.to_owned()
            } else {
                last.clone()
            })),
        };

        if status == "Submitted" {
            let waiting = std::mem::take(&mut self.waiting);
            let submits = waiting
                .keys()
                .find(|place| self.submits.contains(place))
                .or_else(|| waiting.keys().next_back())
                .copied();
            let submission = some_text(value, "/info/submission").unwrap_or(last);

            for (place, id) in waiting {
                let outcome = match Some(place).cmp(&submits) {
                    std::cmp::Ordering::Less => Outcome::new(Some("missing"), Value::Null),
                    std::cmp::Ordering::Equal => Outcome::new(None, submission.clone()),
                    std::cmp::Ordering::Greater => Outcome::new(Some("cancelled"), Value::Null),
                };
                self.conversation.result(&id, outcome);
            }
        } else if !status.is_empty() {
            self.conversation.cancel_open();
        }
    }
}

fn is_last(message: &Value) -> bool {
    is_result(message) || text(message, "/role") == "exit"
}

fn pattern(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .dot_matches_new_line(true)
        .size_limit(MAX_PATTERN)
        .build()
}

fn said_or_output(message: &Value) -> String {
    match message.get("output") {
        Some(output) if message.get("content").is_none() => texts(output),
        _ => said(message),
    }
}

/// Returns the exit code at the beginning of a result.
fn code_of(said: &str) -> Option<f64> {
    said.trim_start()
        .strip_prefix("<returncode>")?
        .split_once("</returncode>")?
        .0
        .trim()
        .parse()
        .ok()
}
