//! `output.jsonl` of evaluations of `OpenHands`, trajectories of its page, and the events that its
//! agent SDK keeps in files -> a conversation for each.

mod first;
mod sdk;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::call::id_of_path;
use super::super::conversation::{Answer, Conversation, Usage};
use super::super::fields::{
    count, first_text, is_true, items, members, number, object, some_text, text, time, value_at,
};
use super::super::log::{Log, LogFile};
use super::{Format, Take, Ties};
use crate::ground::digest::FileDigest;

pub(super) const FORMAT: Format = Format {
    name: "openhands",
    form: "it has a list of events with `action` or `observation`, or an `instance_id` with a \
           `history`, or is a file of a conversation that has one for each event",
    is_form,
    ties: Ties::First(ties),
    read,
};

/// The directory of the events of a conversation that the agent SDK keeps.
const EVENTS: &str = "events";

fn is_form(head: &[Value]) -> bool {
    head.first().is_some_and(|first| {
        if is_kept_event(first) || is_state(first) {
            return true;
        }

        let is_line = !text(first, "/instance_id").is_empty();
        history(first).is_some_and(|events| {
            is_line
                || events
                    .iter()
                    .any(|event| is_event(event))
        })
    })
}

/// Returns the events of a line of an evaluation, or of a trajectory.
fn history(value: &Value) -> Option<Vec<&Value>> {
    let of_line = || {
        value
            .get("history")
            .filter(|_| value.get("instance_id").is_some())
    };

    let list = value.as_array().or_else(|| {
        of_line()
            .or(value.get("trajectory"))?
            .as_array()
    })?;
    // Older evaluations have pairs of an action and its observation.
    let events: Vec<&Value> = list
        .iter()
        .flat_map(|event| match event {
            Value::Array(pair) => pair.as_slice(),
            one => std::slice::from_ref(one),
        })
        .collect();

    events
        .iter()
        .all(|event| event.is_object())
        .then_some(events)
}

fn is_event(event: &Value) -> bool {
    let has = |name: &str| event.get(name).is_some();
    has("timestamp")
        && ((has("action") && has("args"))
            || (has("observation") && has("content"))
            || (has("kind") && has("source")))
}

/// Returns `true` for an event that is the value of a file.
fn is_kept_event(value: &Value) -> bool {
    is_event(value)
        && ["Event", "Observation", "Condensation"]
            .iter()
            .any(|end| text(value, "/kind").ends_with(end))
}

/// Returns `true` for the state that is kept beside events: what the requests of a conversation
/// took.
fn is_state(value: &Value) -> bool {
    value.get("execution_status").is_some() && value_at(value, "/agent").is_object()
}

/// Ties the files of a conversation, by its directory.
fn ties(file: &LogFile, value: &Value, ties: &mut BTreeSet<String>) {
    if is_kept_event(value) || is_state(value) {
        ties.insert(conversation_of(file));
    }
}

/// Returns the directory of the conversation that a file is of, below the one that was given.
fn conversation_of(file: &LogFile) -> String {
    let mut dirs: Vec<&str> = file
        .dirs()
        .skip_while(|dir| *dir == EVENTS)
        .collect();
    dirs.reverse();

    dirs.join("/")
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let name = log
        .files
        .first()
        .map_or("", |file| &file.name)
        .to_owned();
    let mut kept = Vec::new();
    let mut state = Value::Null;

    while let Some(entry) = log.next()? {
        if is_kept_event(&entry.value) {
            kept.push(entry.value);
            continue;
        }

        let Some(events) = history(&entry.value) else {
            if is_state(&entry.value) {
                state = entry.value;
            }
            continue;
        };

        let trajectory = Trajectory {
            conversation: Conversation {
                source: Some(name.clone()),
                sha256: Some(FileDigest::of(entry.value.to_string().as_bytes()).to_string()),
                is_by_time: true,
                ..Conversation::default()
            },
            usages: usages(&entry.value),
            ..Trajectory::default()
        };

        take(
            log,
            trajectory.conversation(&entry.value, &events, &id_of_path(&name)),
        );
    }

    if !kept.is_empty() {
        take(log, kept_conversation(&state, &kept));
    }

    Ok(())
}

/// Returns the conversation whose events are in files of their own.
fn kept_conversation(state: &Value, events: &[Value]) -> Conversation {
    let first = events
        .first()
        .and_then(|event| some_text(event, "/id"));
    let id = some_text(state, "/id")
        .or(first)
        .unwrap_or_default();
    let metrics = members(state, "/stats/usage_to_metrics").map(|(_, metrics)| metrics);
    let costs = metrics
        .clone()
        .filter_map(|it| number(it, "/accumulated_cost"));
    let used = metrics.flat_map(|it| items(it, "/token_usages"));
    let line = json!({
        "metadata": {"agent_class": state.pointer("/agent/kind"), "llm": state.pointer("/agent/llm")},
        "metrics": {
            "accumulated_cost": costs.reduce(|sum, cost| sum + cost),
            "token_usages": used.collect::<Vec<_>>(),
        },
    });
    let trajectory = Trajectory {
        conversation: Conversation {
            source: Some(id.clone()),
            is_by_time: true,
            cwd: some_text(state, "/workspace/working_dir"),
            ..Conversation::default()
        },
        usages: usages(&line),
        ..Trajectory::default()
    };

    let events: Vec<&Value> = events.iter().collect();
    let mut conversation = trajectory.conversation(&line, &events, &id);
    let cwd = conversation.cwd.clone();
    conversation.tag("cwd", cwd.unwrap_or_default());

    conversation
}

/// Returns the usage of each request of a line, by its response.
fn usages(line: &Value) -> BTreeMap<String, (usize, Usage)> {
    let mut found: BTreeMap<String, (usize, Usage)> = BTreeMap::new();
    for (number, it) in items(line, "/metrics/token_usages")
        .iter()
        .enumerate()
    {
        let response = some_text(it, "/response_id").unwrap_or_else(|| format!("request {number}"));
        let (_, used) = found
            .entry(response)
            .or_insert((number, Usage::default()));
        *used = used.add(usage(it));
    }

    found
}

/// Returns the usage of a request, whose input has what a cache read and wrote.
fn usage(of: &Value) -> Usage {
    Usage {
        input: count(of, "/prompt_tokens"),
        output: count(of, "/completion_tokens"),
        cache_read: count(of, "/cache_read_tokens"),
        cache_write: count(of, "/cache_write_tokens"),
    }
}

/// A trajectory, while it is read.
#[derive(Default)]
struct Trajectory {
    conversation: Conversation,
    /// The ids of the calls, by the events that asked for them.
    calls: BTreeMap<String, String>,
    /// The usage of each request that no answer has yet, with its place in the log.
    usages: BTreeMap<String, (usize, Usage)>,
    /// The delegates that are open.
    delegates: Vec<Delegate>,
    /// The call that waits for a person.
    awaited: Option<Awaited>,
}

/// A delegate: the event that began it, and its agent.
struct Delegate {
    event: String,
    agent: String,
}

/// A call that waits for a person.
struct Awaited {
    id: String,
    tool: String,
    input: Value,
}

impl Trajectory {
    fn conversation(mut self, line: &Value, events: &[&Value], file: &str) -> Conversation {
        let conversation = &mut self.conversation;
        let instance = text(line, "/instance_id");
        let is_line = !instance.is_empty();
        conversation.id = if is_line {
            format!("{file}-{instance}")
        } else {
            file.to_owned()
        };

        let models = ["/metadata/llm_config/model", "/metadata/llm/model"];
        conversation.tag("instance", instance);
        conversation.tag("agent", text(line, "/metadata/agent_class"));
        conversation.tag("model", first_text(line, &models).unwrap_or_default());
        for event in events {
            self.conversation
                .moment(time(event, "/timestamp"));
            if event.get("kind").is_some() {
                self.sdk_event(event);
            } else {
                self.event(event);
            }
        }

        self.conversation.agent = None;
        self.conversation.parent = None;
        self.count_usage(line, events);
        if is_line {
            self.judge(line);
        }

        self.conversation
    }

    /// Returns the answer of a response, with its usage.
    fn answer(&mut self, response: &str) -> &mut Answer {
        let used = self.take_usage(response);
        let answer = self.conversation.answer(response);
        answer.usage = answer.usage.or(used);
        answer.message_id = Some(response.to_owned()).filter(|id| !id.is_empty());
        answer
    }

    fn take_usage(&mut self, response: &str) -> Option<Usage> {
        self.usages
            .remove(response)
            .map(|(_, used)| used)
    }

    /// Gives the usage that no response names to the answers without one, in their order; what is
    /// left is that of other requests. Without any, the total of the log is all that is known.
    fn count_usage(&mut self, line: &Value, events: &[&Value]) {
        let mut left = std::mem::take(&mut self.usages)
            .into_values()
            .collect::<BTreeMap<usize, Usage>>()
            .into_values();
        let answers = self.conversation.answers.values_mut();
        for answer in answers.filter(|it| it.usage.is_none() && it.message_id.is_none()) {
            answer.usage = left.next();
        }

        for usage in left {
            let note = json!({"kind": "usage", "usage": usage.members()});
            self.conversation.note("reason", note);
        }

        let last = events
            .iter()
            .rev()
            .find_map(|event| event.get("llm_metrics"));
        let totals = object(line, "/metrics").or(last);
        let Some(totals) = totals else {
            return;
        };
        self.conversation.cost = number(totals, "/accumulated_cost");

        if self.conversation.usage().is_empty() {
            self.conversation.totals = totals
                .get("accumulated_token_usage")
                .map(usage);
        }
    }

    /// Adds what an evaluation found, and ends the run.
    fn judge(&mut self, line: &Value) {
        let conversation = &mut self.conversation;
        let resolved = ["/test_result/report/resolved", "/test_result/resolved"]
            .iter()
            .find_map(|at| line.pointer(at)?.as_bool())
            .map(|passed| ("resolved".to_owned(), passed));
        conversation.assertions.extend(resolved);
        conversation.cancel_open();
        conversation.is_over = true;

        if let Some(error) = some_text(line, "/error") {
            conversation.error(&error);
            conversation.end = None;
        }
    }
}

/// Returns `true` if a result has an exit code other than 0.
fn is_failure(result: &Value, places: &[&str]) -> bool {
    let code = places
        .iter()
        .find_map(|at| number(result, at));
    code.is_some_and(|code| code != 0.0) || is_true(result, "/is_error")
}
