//! What a format finds in a log -> a conversation: messages, answers, calls, and how it ends.

mod act;
mod answer;
mod ending;

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::{Map, Value, json};

use super::fields::without;

use crate::ground::Own;
pub(super) use act::{Act, Call, Outcome, Took};
pub(super) use answer::{Answer, Usage};
pub(super) use ending::Ending;

/// A conversation of a log, which becomes a run.
///
/// What is added has the time [`Conversation::at`] and is by the agent [`Conversation::agent`].
#[derive(Default)]
pub(super) struct Conversation {
    pub(super) id: String,
    /// The name of its source, if that is not the name of the first file.
    pub(super) source: Option<String>,
    /// The digest of its part of the log, where a log has several conversations.
    pub(super) sha256: Option<String>,
    pub(super) started_at: Option<SystemTime>,
    /// The task, if it is not the first message of the user.
    pub(super) task: Option<String>,
    pub(super) tags: BTreeMap<String, String>,
    pub(super) end: Option<Ending>,
    /// The usage of all that is in it, where the log has it besides that of the answers.
    pub(super) totals: Option<Usage>,
    pub(super) cost: Option<f64>,
    pub(super) metrics: Map<String, Value>,
    /// The results of an evaluator: whether each of the things was achieved.
    pub(super) assertions: Vec<(String, bool)>,
    /// The number of parts of each type that are left out.
    pub(super) skipped: BTreeMap<String, u64>,
    /// `true` if events are in the order of their times, `false` if in that of the log.
    pub(super) is_by_time: bool,
    /// The time of what is added next; `None` in a log without times.
    pub(super) at: Option<SystemTime>,
    /// The agent of what is added next; `None` for the first one.
    pub(super) agent: Option<String>,
    /// The call that began that agent, if its name does not tell it.
    pub(super) parent: Option<String>,
    /// The call that began each agent.
    pub(super) parents: BTreeMap<String, String>,
    /// The directory of the calls that are added next.
    pub(super) cwd: Option<String>,
    pub(super) events: Vec<Event>,
    /// The calls without a result, by their ids.
    pub(super) open: BTreeMap<String, Call>,
    /// The number of calls that were asked for.
    pub(super) calls: usize,
    /// The places of the acts that an interruption cancelled.
    pub(super) cancelled: BTreeMap<String, usize>,
    /// The answers by their numbers, and their numbers by their keys.
    pub(super) answers: BTreeMap<usize, Answer>,
    pub(super) keys: BTreeMap<String, usize>,
    /// The note of a compaction that has no summary yet.
    pub(super) compaction: Option<usize>,
    /// `true` if the log says that nothing follows.
    pub(super) is_over: bool,
}

/// Something that happened in a conversation.
pub(super) struct Event {
    pub(super) at: Option<SystemTime>,
    pub(super) agent: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) what: What,
}

#[expect(clippy::large_enum_variant, reason = "most events are acts or notes")]
pub(super) enum What {
    /// A note of a phase.
    Note(&'static str, Map<String, Value>),
    /// An answer of a model, by its number.
    Answer(usize),
    Act(Act),
    /// The end of a turn, of which nothing is recorded.
    TurnEnd,
    /// Nothing: it turned out that something else says it.
    Nothing,
}

impl Conversation {
    /// Counts a part that is left out.
    pub(super) fn skip(&mut self, kind: impl Into<String>) {
        *self
            .skipped
            .entry(kind.into())
            .or_default() += 1;
    }

    /// Counts what is left out of another conversation.
    pub(super) fn skip_all(&mut self, others: BTreeMap<String, u64>) {
        for (kind, number) in others {
            *self.skipped.entry(kind).or_default() += number;
        }
    }

    /// Sets the time of what is added next, if the log has it.
    pub(super) fn moment(&mut self, at: Option<SystemTime>) {
        self.at = at.or(self.at);
    }

    /// Sets the time of what is added next, in a log whose order holds, not its times.
    pub(super) fn not_before(&mut self, at: Option<SystemTime>) {
        self.at = self.at.max(at);
    }

    /// Sets a tag, unless it is set or the text is empty: the first one holds.
    pub(super) fn tag(&mut self, name: &str, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.tags
                .entry(name.to_owned())
                .or_insert(text);
        }
    }

    fn add(&mut self, what: What) -> usize {
        self.events.push(Event {
            at: self.at,
            agent: self.agent.clone(),
            parent: self.parent.clone(),
            what,
        });

        self.events.len() - 1
    }

    /// Adds a note of the members of an object, without those that are null.
    pub(super) fn note(&mut self, phase: &'static str, payload: Value) -> usize {
        let Value::Object(mut members) = payload else {
            return self.add(What::Nothing);
        };
        members.retain(|_, value| !value.is_null());
        self.add(What::Note(phase, members))
    }

    /// Adds a message of the user or of the system; one without text is counted. What a program put
    /// into it is cut out.
    pub(super) fn message(&mut self, role: &'static str, text: &str) -> Option<usize> {
        let text = without(text, "<system-reminder>", "</system-reminder>");
        let text = text.trim();
        if text.is_empty() {
            self.skip(format!("{role} message without text"));
            return None;
        }

        if role == "user" && self.agent.is_some() {
            self.skip("prompt of a sub-agent");
            return None;
        }

        Some(self.note(
            "observe",
            json!({"kind": "message", "role": role, "text": text}),
        ))
    }

    /// Adds an answer, or returns the one with this key that is there.
    pub(super) fn answer(&mut self, key: &str) -> &mut Answer {
        let number = self
            .keys
            .get(key)
            .copied()
            .unwrap_or_else(|| {
                let number = self.answers.len();
                self.add(What::Answer(number));
                number
            });
        if !key.is_empty() {
            self.keys.insert(key.to_owned(), number);
        }

        self.answers.entry(number).or_default()
    }

    /// Adds a call that was asked for. One that is asked for again before it has a result is one
    /// call, that of the last.
    pub(super) fn call(&mut self, mut call: Call) {
        self.calls += 1;
        call.place = self.calls;
        (call.at, call.agent) = (self.at, self.agent.clone());
        call.parent.clone_from(&self.parent);
        call.cwd = call.cwd.or_else(|| self.cwd.clone());
        if call.id.is_empty() {
            call.id = format!("call {}", call.place);
        }

        self.open.insert(call.id.clone(), call);
    }

    /// Returns the id of a call of a tool that has no result yet.
    pub(super) fn open_call(&self, tool: &str) -> Option<String> {
        self.open
            .values()
            .find(|call| call.tool == tool)
            .map(|call| call.id.clone())
    }

    /// Adds the act of a call, at the time of its result.
    pub(super) fn result(&mut self, id: &str, outcome: Outcome) {
        if let Some(call) = self.open.remove(id) {
            self.act(call, outcome);
            return;
        }

        let cancelled = self.cancelled.remove(id);
        match cancelled.map(|place| self.events.own_mut(place)) {
            // Its result is in the log after the interruption.
            Some(Event { at, what, .. }) => {
                *at = self.at;
                if let What::Act(act) = what {
                    act.outcome = outcome;
                }
            }
            None => self.skip("result without a call"),
        }
    }

    fn act(&mut self, call: Call, outcome: Outcome) {
        self.events.push(Event {
            at: self.at,
            agent: call.agent.clone(),
            parent: call.parent.clone(),
            what: What::Act(Act { call, outcome }),
        });
    }

    /// Takes the calls without a result, in their order: those of an agent, or all.
    fn take_open(&mut self, agent: Option<&str>) -> Vec<Call> {
        let is_of_agent = |call: &Call| agent.is_none() || call.agent.as_deref() == agent;
        let open = std::mem::take(&mut self.open).into_iter();
        let (taken, left) = open.partition(|(_, call)| is_of_agent(call));
        self.open = left;
        let mut taken: Vec<Call> = taken.into_values().collect();
        taken.sort_by_key(|call| call.place);

        taken
    }

    /// Adds an interruption, by which the calls that have no result then are cancelled.
    pub(super) fn interrupt(&mut self, text: &str) {
        for call in self.take_open(self.agent.clone().as_deref()) {
            self.cancelled
                .insert(call.id.clone(), self.events.len());
            self.act(call, Outcome::new(Some("cancelled"), Value::Null));
        }

        let text = Some(text).filter(|text| !text.is_empty());
        self.note("observe", json!({"kind": "interrupt", "text": text}));
    }

    /// Cancels the calls that have no result, as those of a run that is over.
    pub(super) fn cancel_open(&mut self) {
        for call in self.take_open(None) {
            self.act(call, Outcome::new(Some("cancelled"), Value::Null));
        }
    }

    /// Adds a field to the act of a call that has no result yet.
    pub(super) fn mark(&mut self, id: &str, field: &str, text: &str) {
        if let Some(call) = self.open.get_mut(id) {
            call.extensions
                .insert(field.to_owned(), text.into());
        }
    }

    /// Adds to the cost.
    pub(super) fn spent(&mut self, cost: Option<f64>) {
        self.cost = cost
            .map(|cost| self.cost.unwrap_or_default() + cost)
            .or(self.cost);
    }

    pub(super) fn retry(&mut self, attempt: &Value, error: &Value) {
        let payload = json!({"kind": "retry", "attempt": attempt, "error": error});
        self.note("observe", payload);
    }

    /// Marks the end of a turn, where the log says it besides the answer.
    pub(super) fn end_turn(&mut self) {
        let is_failure = |event: &Event| match &event.what {
            What::Note(_, note) => is_kind(note, "error") || is_kind(note, "interrupt"),
            _ => false,
        };

        if !self
            .events
            .last()
            .is_some_and(is_failure)
        {
            self.add(What::TurnEnd);
        }
    }

    pub(super) fn error(&mut self, text: &str) {
        self.note("observe", json!({"kind": "error", "text": text}));
    }

    /// Adds the note of a compaction, whose summary may follow.
    pub(super) fn compaction(&mut self, payload: Value) {
        self.compaction = None;
        let place = self.note("observe", json!({"kind": "compaction"}));
        self.compaction = Some(place);
        self.complete(payload);
    }

    /// Adds the summary of a compaction, to the note that is there if it has none.
    pub(super) fn summary(&mut self, payload: Value) {
        if self.compaction.is_none() {
            self.compaction(json!({}));
        }
        self.complete(payload);
        self.compaction = None;
    }

    fn complete(&mut self, payload: Value) {
        let event = self
            .compaction
            .map(|place| self.events.own_mut(place));
        if let (Some(What::Note(_, note)), Value::Object(more)) =
            (event.map(|event| &mut event.what), payload)
        {
            note.extend(
                more.into_iter()
                    .filter(|(_, value)| !value.is_null()),
            );
        }
    }

    /// Takes in the conversation of an agent that this one began.
    pub(super) fn absorb(&mut self, agent: &str, other: Self) {
        let first_answer = self.answers.len();
        let of_agent = |by: Option<String>| Some(by.unwrap_or_else(|| agent.to_owned()));
        for mut event in other.events {
            match &mut event.what {
                What::Answer(number) => *number += first_answer,
                What::Note(_, note)
                    if note
                        .get("role")
                        .is_some_and(|role| role == "user") =>
                {
                    self.skip("prompt of a sub-agent");
                    continue;
                }
                _ => {}
            }

            event.agent = of_agent(event.agent);
            self.events.push(event);
        }

        let answers = other.answers.into_iter();
        self.answers
            .extend(answers.map(|(number, answer)| (number + first_answer, answer)));
        for (id, mut call) in other.open {
            call.agent = of_agent(call.agent);
            call.place += self.calls;
            self.open
                .insert(format!("{agent} {id}"), call);
        }

        self.calls += other.calls;
        self.parents.extend(other.parents);
        self.cost = self.cost.map_or(other.cost, |cost| {
            Some(cost + other.cost.unwrap_or_default())
        });

        self.skip_all(other.skipped);
    }

    /// Returns the call by which an agent was begun, if the result of one names it.
    pub(super) fn call_that_began(&self, agent: &str) -> Option<String> {
        let names = |act: &Act| match &act.outcome.output {
            Value::String(text) => text.contains(agent),
            other => other.to_string().contains(agent),
        };

        self.events
            .iter()
            .find_map(|event| match &event.what {
                What::Act(act) if act.is_of_kind("delegate") && names(act) => {
                    Some(act.call.id.clone())
                }
                _ => None,
            })
    }

    /// Returns `true` if it works in a directory that the log does not name.
    pub(super) fn needs_directory(&self) -> bool {
        let is_work = |event: &Event| match &event.what {
            What::Act(act) => act.needs_directory(),
            _ => false,
        };
        !self.tags.contains_key("cwd") && self.events.iter().any(is_work)
    }

    /// Returns `true` if a call began another agent.
    pub(super) fn has_delegated(&self) -> bool {
        let is_delegate = |event: &Event| match &event.what {
            What::Act(act) => act.is_of_kind("delegate"),
            _ => false,
        };

        let is_open = |call: &Call| call.is_of_kind("delegate");
        self.events.iter().any(is_delegate) || self.open.values().any(is_open)
    }

    pub(super) fn is_empty(&self) -> bool {
        let is_nothing = |event: &Event| matches!(event.what, What::Nothing | What::TurnEnd);
        self.open.is_empty() && self.events.iter().all(is_nothing)
    }

    /// Returns the first message of the user.
    pub(super) fn first_message(&self) -> Option<&str> {
        self.events
            .iter()
            .find_map(|event| match &event.what {
                What::Note(_, note)
                    if note
                        .get("role")
                        .is_some_and(|role| role == "user") =>
                {
                    note.get("text").and_then(Value::as_str)
                }
                _ => None,
            })
    }

    /// Returns the time of its beginning, else that of the first message or answer of the first
    /// agent, else that of the first event.
    pub(super) fn began(&self) -> Option<SystemTime> {
        let is_message = |event: &&Event| {
            event.agent.is_none()
                && match &event.what {
                    What::Answer(_) => true,
                    What::Note(_, note) => is_kind(note, "message"),
                    _ => false,
                }
        };
        let first_message = || {
            self.events
                .iter()
                .filter(is_message)
                .filter_map(|event| event.at)
                .min()
        };
        let first = || {
            self.events
                .iter()
                .filter_map(|event| event.at)
                .min()
        };

        self.started_at
            .or_else(first_message)
            .or_else(first)
    }

    /// Returns the usage of all answers; else the one of the log as a whole.
    pub(super) fn usage(&self) -> Usage {
        let of_note = |event: &Event| match &event.what {
            What::Note(_, note) => note.get("usage").map(Usage::of_note),
            _ => None,
        };

        let of_notes = self.events.iter().filter_map(of_note);
        let sum = self
            .answers
            .values()
            .filter_map(|answer| answer.usage)
            .chain(of_notes)
            .fold(Usage::default(), Usage::add);

        self.totals
            .filter(|totals| !totals.is_empty())
            .unwrap_or(sum)
    }
}

fn is_kind(note: &Map<String, Value>, kind: &str) -> bool {
    note.get("kind")
        .is_some_and(|it| it == kind)
}
