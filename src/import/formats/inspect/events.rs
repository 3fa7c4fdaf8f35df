//! The events of a sample, or its messages in older logs -> what happened in it.

mod model;
mod tool;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::task;
use crate::import::conversation::Conversation;
use crate::import::fields::{items, some_text, text, time};

/// The marks of a text that stands elsewhere in the sample.
const REFERENCE: &str = "attachment://";

/// The number of bytes of such texts that a sample may bring, however often they are referred to.
const MAX_ATTACHED: usize = 256 << 20;

/// The levels of spans that are followed, and the answers among which a summary is looked for.
const MAX_DEPTH: usize = 64;

/// A span of events: what it is, its name, and the span in which it lies.
struct Span<'v> {
    kind: &'v str,
    name: &'v str,
    parent: &'v str,
}

/// Who does what an event says.
#[derive(Clone, Default)]
struct By {
    agent: Option<String>,
    parent: Option<String>,
}

/// The events of a sample, while they are read.
pub(super) struct Events<'v> {
    conversation: Conversation,
    sample: &'v Value,
    attached: usize,
    spans: BTreeMap<&'v str, Span<'v>>,
    /// The call of the tool of each span.
    calls: BTreeMap<&'v str, &'v str>,
    /// The last decision about each call.
    approvals: BTreeMap<&'v str, &'v Value>,
    /// The scorers of older logs that are at work.
    steps: Vec<Option<&'v str>>,
    /// The messages that were seen.
    seen: BTreeSet<String>,
    /// The results of calls in messages.
    results: BTreeMap<String, &'v Value>,
}

impl<'v> Events<'v> {
    pub(super) fn new(conversation: Conversation, sample: &'v Value) -> Self {
        Self {
            conversation,
            sample,
            attached: 0,
            spans: BTreeMap::new(),
            calls: BTreeMap::new(),
            approvals: BTreeMap::new(),
            steps: Vec::new(),
            seen: BTreeSet::new(),
            results: BTreeMap::new(),
        }
    }

    pub(super) fn add_task(&mut self, input: &Value) {
        let input = self.whole(input);
        self.conversation.task = Some(task(&input)).filter(|task| !task.is_empty());
    }

    /// Returns a value with the texts that it refers to.
    fn whole(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text_of(text).into(),
            Value::Array(items) => items
                .iter()
                .map(|item| self.whole(item))
                .collect(),
            Value::Object(members) => (members.iter())
                .map(|(name, value)| (name.clone(), self.whole(value)))
                .collect(),
            other => other.clone(),
        }
    }

    fn text_of(&mut self, text: &str) -> String {
        let Some(hash) = text.strip_prefix(REFERENCE) else {
            return text.to_owned();
        };
        let sample = self.sample;
        let mut found = ["/attachments", "/transcript/content"]
            .iter()
            .filter_map(|at| sample.pointer(at)?.get(hash)?.as_str());

        let Some(found) = found.next() else {
            self.conversation
                .skip("attachment that is not there");
            return text.to_owned();
        };
        let attached = self
            .attached
            .saturating_add(found.len());
        if attached > MAX_ATTACHED {
            let limit = MAX_ATTACHED >> 20;
            self.conversation
                .skip(format!("attachment beyond {limit} MiB"));
            return text.to_owned();
        }

        self.attached = attached;
        found.to_owned()
    }

    pub(super) fn events(&mut self, events: &'v [Value]) {
        self.survey(events);
        for message in items(self.sample, "/messages") {
            if let Some(id) = some_text(message, "/tool_call_id") {
                self.results.insert(id, message);
            }
        }

        self.each(events, &By::default());
    }

    /// Finds what stands after what it is about: spans, their tools, and decisions.
    fn survey(&mut self, events: &'v [Value]) {
        for event in events {
            match text(event, "/event") {
                "span_begin" => {
                    let span = Span {
                        kind: text(event, "/type"),
                        name: text(event, "/name"),
                        parent: text(event, "/parent_id"),
                    };
                    self.spans
                        .insert(text(event, "/id"), span);
                }
                "tool" => {
                    self.calls
                        .insert(text(event, "/span_id"), text(event, "/id"));
                }
                "approval" => {
                    self.approvals
                        .insert(text(event, "/call/id"), event);
                }
                _ => {}
            }

            self.survey(items(event, "/events"));
        }
    }

    fn each(&mut self, events: &'v [Value], by: &By) {
        for event in events {
            let by = self
                .by(event)
                .unwrap_or_else(|| by.clone());
            self.set_agent(&by);
            match text(event, "/event") {
                "model" => self.model(event),
                "tool" => self.tool(event, &by),
                // What was decided about a call stands in its act.
                "approval" => {}
                "compaction" => {
                    self.conversation
                        .moment(time(event, "/timestamp"));
                    self.conversation.compaction(json!({
                        "trigger": event.get("type"),
                        "tokens_before": event.get("tokens_before"),
                    }));
                }
                "step" => self.step(event),
                "subtask" => {
                    self.conversation.skip("subtask");
                    self.each(items(event, "/events"), &by);
                }
                kind => self.conversation.skip(kind),
            }
        }
    }

    fn set_agent(&mut self, by: &By) {
        self.conversation
            .agent
            .clone_from(&by.agent);
        self.conversation
            .parent
            .clone_from(&by.parent);
    }

    /// Takes in the beginning or the end of a step, which may be a scorer.
    fn step(&mut self, event: &'v Value) {
        if text(event, "/action") == "begin" {
            let name = (text(event, "/type") == "scorer").then(|| text(event, "/name"));
            self.steps.push(name);
        } else {
            self.steps.pop();
        }

        self.conversation.skip("step");
    }

    /// Returns who does what an event says, if its span or a step tells it: a scorer, or the
    /// nearest agent that is not the outermost one.
    fn by(&self, event: &Value) -> Option<By> {
        if let Some(scorer) = self
            .steps
            .iter()
            .rev()
            .find_map(|it| *it)
        {
            return Some(By {
                agent: Some(scorer.to_owned()),
                parent: None,
            });
        }

        let mut id = text(event, "/span_id");
        let mut agent = None;
        for _ in 0..MAX_DEPTH {
            let Some(span) = self.spans.get(id) else {
                break;
            };
            match (span.kind, agent) {
                ("scorer", None) => agent = Some(span.name),
                ("agent", None) if self.is_inner(span) => agent = Some(span.name),
                ("tool", Some(agent)) => {
                    return Some(By {
                        agent: Some(agent.to_owned()),
                        parent: self
                            .calls
                            .get(id)
                            .map(|&call| call.to_owned()),
                    });
                }
                _ => {}
            }

            id = span.parent;
        }

        agent.map(|agent| By {
            agent: Some(agent.to_owned()),
            parent: None,
        })
    }

    /// Returns `true` if an agent lies below a tool, a handoff or another agent.
    fn is_inner(&self, agent: &Span<'v>) -> bool {
        let mut id = agent.parent;
        for _ in 0..MAX_DEPTH {
            match self.spans.get(id) {
                Some(span) if ["tool", "handoff", "agent"].contains(&span.kind) => return true,
                Some(span) => id = span.parent,
                None => break,
            }
        }

        false
    }

    /// Adds the messages of a log without events, which has no times.
    pub(super) fn messages(&mut self, messages: &'v [Value]) {
        self.conversation.is_by_time = false;
        for message in messages {
            match text(message, "/role") {
                "assistant" if text(message, "/source") != "input" => {
                    self.answer(message, some_text(message, "/model"), None, None);
                }
                "tool" => self.tool_message(message),
                _ => self.message(message),
            }
        }
    }

    /// Returns the conversation, after the calls that no event is about.
    pub(super) fn end(mut self) -> Conversation {
        let last = self
            .conversation
            .events
            .iter()
            .filter_map(|it| it.at)
            .max();
        self.conversation.moment(last);

        let open: Vec<String> = self
            .conversation
            .open
            .keys()
            .cloned()
            .collect();
        for id in open {
            if let Some(message) = self.results.get(&id).copied() {
                self.tool_message(message);
            }
        }

        self.conversation.cancel_open();
        self.conversation.agent = None;
        self.conversation.parent = None;

        self.conversation
    }
}
