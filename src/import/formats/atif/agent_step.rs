//! A step of an agent -> its answer, its calls and their results.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{message, usage};
use crate::import::call::is_denial;
use crate::import::conversation::{Call, Conversation, Outcome};
use crate::import::fields::{
    Picture, count, is_true, items, number, object, some_text, text, texts, value_at,
};
use crate::import::log::Log;
use crate::recorder::call::{arguments, kind};

/// A step of an agent, with what is known of its calls until their results are read.
pub(super) struct AgentStep<'s> {
    log: &'s Log<'s>,
    file_number: usize,
    step: &'s Value,
    /// The places of the calls by their ids.
    places: BTreeMap<String, usize>,
    /// The calls without a result, by their places.
    waiting: BTreeMap<usize, Waiting>,
}

/// A call that waits for its result.
struct Waiting {
    id: String,
    is_command: bool,
}

impl<'s> AgentStep<'s> {
    pub(super) fn new(log: &'s Log<'s>, file_number: usize, step: &'s Value) -> Self {
        Self {
            log,
            file_number,
            step,
            places: BTreeMap::new(),
            waiting: BTreeMap::new(),
        }
    }

    pub(super) fn add(mut self, conversation: &mut Conversation) {
        self.answer(conversation);
        self.calls(conversation);
        for result in items(self.step, "/observation/results") {
            self.result(conversation, result);
        }
    }

    fn answer(&self, conversation: &mut Conversation) {
        let step = self.step;
        conversation.tag("model", text(step, "/model_name"));
        if value_at(step, "/llm_call_count") == 0 {
            return;
        }

        let answer = conversation.answer("");
        answer.say(&message(step));
        answer.think(text(step, "/reasoning_content"));
        answer.model = some_text(step, "/model_name");
        answer.usage = object(step, "/metrics").map(usage);
    }

    fn calls(&mut self, conversation: &mut Conversation) {
        let step = self.step;
        let delegates: BTreeSet<&str> = items(step, "/observation/results")
            .iter()
            .filter(|it| !items(it, "/subagent_trajectory_ref").is_empty())
            .map(|it| text(it, "/source_call_id"))
            .collect();

        for (number, it) in items(step, "/tool_calls")
            .iter()
            .enumerate()
        {
            let id = some_text(it, "/tool_call_id")
                .unwrap_or_else(|| format!("step {} {number}", count(step, "/step_id")));
            let tool = text(it, "/function_name");
            let input = arguments(value_at(it, "/arguments").clone());
            let is_command = kind(tool, &input) == "execute";
            let mut call = Call::new(&id, tool, Value::Object(input));
            if delegates.contains(id.as_str()) {
                call.extensions
                    .insert("kind".into(), "delegate".into());
            }

            conversation.call(call);
            self.places.insert(id.clone(), number);
            self.waiting
                .insert(number, Waiting { id, is_command });
        }
    }

    fn result(&mut self, conversation: &mut Conversation, result: &Value) {
        let named = self
            .places
            .get(text(result, "/source_call_id"))
            .and_then(|place| self.waiting.remove(place));
        if let Some(call) = named {
            let outcome = self.outcome(conversation, &call, result);
            conversation.result(&call.id, outcome);
        } else if let Some((_, last)) = self.waiting.pop_last() {
            // One result for all: it is that of the last call.
            let outcome = self.outcome(conversation, &last, result);
            for other in std::mem::take(&mut self.waiting).into_values() {
                conversation.result(&other.id, Outcome::default());
            }
            conversation.result(&last.id, outcome);
        } else {
            let said = texts(value_at(result, "/content"));
            conversation.note("observe", json!({"kind": "observation", "text": said}));
        }
    }

    fn outcome(&self, conversation: &mut Conversation, call: &Waiting, result: &Value) -> Outcome {
        let content = value_at(result, "/content");
        let printed = texts(content);
        let status = Said::of(self.step, &call.id, result).status(&printed, call.is_command);
        let mut outcome = Outcome::new(status, printed);
        let pictures = items(content, "")
            .iter()
            .filter(|part| text(part, "/type") == "image");

        for part in pictures {
            match self.picture(text(part, "/source/path")) {
                Some(picture) => outcome.pictures.push(picture),
                None => conversation.skip("picture that is not there"),
            }
        }

        outcome
    }

    /// Returns the picture in a file beside that of the step.
    fn picture(&self, path: &str) -> Option<Picture> {
        let content = self
            .log
            .beside(self.file_number, path)?;
        let (_, extension) = path.rsplit_once('.')?;
        let extension = extension
            .to_ascii_lowercase()
            .replace("jpg", "jpeg");

        Some(Picture { extension, content })
    }
}

/// What a step says of the result of a call.
struct Said<'s> {
    result: &'s Value,
    /// What it says of the call besides, as converters of Codex do.
    details: &'s Value,
}

impl<'s> Said<'s> {
    fn of(step: &'s Value, id: &str, result: &'s Value) -> Self {
        let of_call = step
            .pointer("/extra/tool_call_details")
            .and_then(|details| details.get(id));
        let is_alone = items(step, "/tool_calls").len() == 1;
        let of_step = step.get("extra").filter(|_| is_alone);

        Self {
            result,
            details: of_call
                .or(of_step)
                .unwrap_or(&Value::Null),
        }
    }

    fn status(&self, printed: &str, is_command: bool) -> Option<&'static str> {
        let has_line = |line: &str| {
            printed
                .lines()
                .any(|it| it.trim() == line)
        };

        let statuses = [
            text(self.result, "/extra/status"),
            text(self.result, "/extra/execution_status"),
            text(self.details, "/status"),
        ];

        if is_denial(printed) || statuses.contains(&"declined") {
            Some("denied")
        } else if has_line("[interrupted] True") {
            Some("cancelled")
        } else if ["error", "failed", "failure"]
            .iter()
            .any(|it| statuses.contains(it))
            || self.is_error()
            || has_line("[error] tool reported failure")
            || (is_command && exit_codes(printed).any(|code| code != 0))
        {
            Some("error")
        } else {
            None
        }
    }

    fn is_error(&self) -> bool {
        let is_set = ["is_error", "tool_result_is_error"]
            .iter()
            .any(|name| is_true(self.result, &format!("/extra/{name}")));
        let codes = ["exit_code", "return_code", "returncode"]
            .iter()
            .map(|name| number(self.result, &format!("/extra/{name}")));
        let more = ["metadata", "tool_metadata"]
            .iter()
            .map(|name| number(self.details, &format!("/{name}/exit_code")));

        is_set
            || self.result.pointer("/extra/success") == Some(&Value::Bool(false))
            || some_text(self.result, "/extra/error").is_some()
            || codes
                .chain(more)
                .flatten()
                .any(|code| code != 0.0)
    }
}

/// Returns the exit codes that a command's output names in lines of their own.
fn exit_codes(printed: &str) -> impl Iterator<Item = i64> {
    const MARKS: [&str; 4] = [
        "Exit Code: ",
        "Exit code ",
        "[exit_code] ",
        "Process exited with code ",
    ];

    printed.lines().filter_map(|line| {
        let line = line.trim();
        MARKS
            .iter()
            .find_map(|mark| line.strip_prefix(mark))?
            .trim()
            .parse()
            .ok()
    })
}
