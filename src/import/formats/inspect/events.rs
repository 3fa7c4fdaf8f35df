//! The events of a sample, or its messages in older logs -> what happened in it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::super::call::of_function;
use super::super::super::conversation::{Call, Conversation, Outcome, Took, Usage, What};
use super::super::super::fields::{
    first_text, is_true, items, number, picture_of_url, some_text, text, texts, time, value_at,
};
use super::{task, usage};

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

        match found.next() {
            Some(found)
                if self
                    .attached
                    .saturating_add(found.len())
                    <= MAX_ATTACHED =>
            {
                self.attached += found.len();
                found.to_owned()
            }
            Some(_) => {
                let limit = MAX_ATTACHED >> 20;
                self.conversation
                    .skip(format!("attachment beyond {limit} MiB"));
                text.to_owned()
            }
            None => {
                self.conversation
                    .skip("attachment that is not there");
                text.to_owned()
            }
        }
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
            self.conversation
                .agent
                .clone_from(&by.agent);
            self.conversation
                .parent
                .clone_from(&by.parent);
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
                "step" => {
                    let is_scorer = text(event, "/type") == "scorer";
                    match text(event, "/action") {
                        "begin" => {
                            let name = is_scorer.then(|| text(event, "/name"));
                            self.steps.push(name);
                        }
                        _ => drop(self.steps.pop()),
                    }

                    self.conversation.skip("step");
                }
                "subtask" => {
                    self.conversation.skip("subtask");
                    self.each(items(event, "/events"), &by);
                }
                kind => self.conversation.skip(kind),
            }
        }
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

    fn model(&mut self, event: &'v Value) {
        let began = time(event, "/timestamp");
        if is_true(event, "/pending") {
            return self
                .conversation
                .skip("model that did not answer");
        }

        self.conversation.moment(began);
        let sample = self.sample;
        let all = items(sample, "/events_data/messages");

        for range in items(event, "/input_refs") {
            let end = |at: &str| {
                range
                    .pointer(at)
                    .and_then(Value::as_u64)
            };

            let end = |at: &str| end(at).and_then(|it| usize::try_from(it).ok());
            let listed = end("/0")
                .zip(end("/1"))
                .and_then(|(first, end)| all.get(first..end));
            for message in listed.unwrap_or_default() {
                self.message(message);
            }
        }

        for message in items(event, "/input") {
            self.message(message);
        }

        if let Some(retries) = event
            .get("retries")
            .and_then(Value::as_u64)
            .filter(|it| *it > 0)
        {
            self.conversation
                .retry(&retries.into(), &Value::Null);
        }

        self.conversation
            .moment(time(event, "/completed").or(began));
        let output = value_at(event, "/output");
        let of_choice = output
            .pointer("/choices/0/message")
            .cloned();
        let completion = || Some(json!({"content": some_text(output, "/completion")?}));

        if let Some(message) = of_choice.or_else(completion) {
            let is_cached = text(event, "/cache") == "read";
            let used = output
                .get("usage")
                .filter(|it| it.is_object() && !is_cached);
            let model = first_text(output, &["/model"]).or_else(|| some_text(event, "/model"));
            self.conversation
                .spent(used.and_then(|it| number(it, "/total_cost")));
            let reason = some_text(output, "/choices/0/stop_reason");
            self.answer(&message, model, used.map(usage), reason);
        } else if let Some(why) = first_text(event, &["/error", "/output/error"]) {
            self.conversation.error(&why);
        } else {
            self.conversation
                .skip("model without an answer");
        }
    }

    fn answer(
        &mut self,
        message: &Value,
        model: Option<String>,
        used: Option<Usage>,
        reason: Option<String>,
    ) {
        self.seen.insert(key(message));
        let content = self.whole(value_at(message, "/content"));
        let answer = self.conversation.answer("");
        answer.say(&texts(&content));
        for block in items(&content, "") {
            answer.think(&first_text(block, &["/reasoning", "/summary"]).unwrap_or_default());
        }

        answer.model = model;
        answer.usage = used;
        answer.stop_reason = reason;
        answer.message_id = some_text(message, "/id");
        for block in items(&content, "") {
            match text(block, "/type") {
                "tool_use" => self.provided(block),
                "text" | "reasoning" => {}
                kind => self.conversation.skip(kind),
            }
        }

        for call in items(message, "/tool_calls") {
            let (tool, input) = of_function(&self.whole(call));
            let id = text(call, "/id");
            self.conversation
                .call(Call::new(id, &tool, input));
        }
    }

    /// Adds the act of a tool that the provider of a model executed.
    fn provided(&mut self, block: &Value) {
        let id = text(block, "/id");
        let input = value_at(block, "/arguments").clone();
        self.conversation
            .call(Call::new(id, text(block, "/name"), input));

        let error = some_text(block, "/error");
        let status = error.as_ref().map(|_| "error");
        let output = block
            .get("result")
            .cloned()
            .or(error.map(Value::from));
        let outcome = Outcome::new(status, output.unwrap_or_default());
        self.conversation.result(id, outcome);
    }

    /// Adds a message of the input of a model, once.
    fn message(&mut self, message: &'v Value) {
        if !self.seen.insert(key(message)) {
            return;
        }

        let content = self.whole(value_at(message, "/content"));
        let said = texts(&content);
        let is_summary = message
            .pointer("/metadata/summary")
            .is_some_and(|it| it != false);

        match (text(message, "/role"), text(message, "/source")) {
            ("user", _) if is_summary => self.summary(&said),
            ("user", "input" | "operator") => {
                for part in items(&content, "")
                    .iter()
                    .filter(|it| texts(it).is_empty())
                {
                    self.conversation
                        .skip(format!("{} of the user", text(part, "/type")));
                }
                self.conversation.message("user", &said);
            }
            ("system" | "user", _) => drop(
                self.conversation
                    .message("system", &said),
            ),
            (role, _) => self
                .conversation
                .skip(format!("message of {role} in an input")),
        }
    }

    /// Adds the summary of a compaction, whose request is no answer.
    fn summary(&mut self, said: &str) {
        let answers = &mut self.conversation.answers;
        let of_answers = self
            .conversation
            .events
            .iter_mut()
            .rev()
            .filter(|event| matches!(event.what, What::Answer(_)));
        let mut request = None;

        for event in of_answers.take(MAX_DEPTH) {
            let What::Answer(number) = event.what else {
                continue;
            };
            let text = answers
                .get(&number)
                .map_or("", |answer| answer.text.trim());
            if !text.is_empty() && said.contains(text) {
                event.what = What::Nothing;
                request = answers.remove(&number);
                break;
            }
        }

        let used = request.and_then(|request| request.usage);
        self.conversation.summary(json!({
            "summary": said,
            "usage": used.map(Usage::members),
        }));
    }

    fn tool(&mut self, event: &'v Value, by: &By) {
        let known = first_text(event, &["/id", "/uuid"]);
        let id = known.unwrap_or_else(|| format!("tool {}", self.conversation.calls));
        let id = id.as_str();
        let began = time(event, "/timestamp");
        let approval = self.approvals.get(id).copied();
        let decision = approval.map_or("", |it| text(it, "/decision"));
        let asked = approval
            .and_then(|it| it.pointer("/modified/arguments"))
            .filter(|_| decision == "modify")
            .or(event.get("arguments"));
        let input = self.whole(asked.unwrap_or(&Value::Null));
        self.conversation.moment(began);
        self.conversation
            .call(Call::new(id, text(event, "/function"), input));

        let agent = first_text(event, &["/agent", "/agent_span_id"]);
        if agent.is_some() {
            self.conversation
                .mark(id, "kind", "delegate");
        }

        let inner = items(event, "/events");
        if !inner.is_empty() {
            let within = By {
                agent: some_text(event, "/agent").or_else(|| by.agent.clone()),
                parent: agent
                    .map(|_| id.to_owned())
                    .or_else(|| by.parent.clone()),
            };

            self.each(inner, &within);
            self.conversation
                .agent
                .clone_from(&by.agent);
            self.conversation
                .parent
                .clone_from(&by.parent);
        }

        if is_true(event, "/pending") {
            return;
        }

        let kind = text(event, "/error/type");
        let is_refused = matches!(decision, "reject" | "terminate") || kind == "approval";
        if is_refused && let Some(by) = approval.and_then(|it| some_text(it, "/approver")) {
            self.conversation
                .mark(id, "x-denied-by", &by);
        }

        let is_failed = event
            .get("error")
            .is_some_and(Value::is_object);
        let status = if is_refused {
            Some("denied")
        } else if kind == "cancelled" {
            Some("cancelled")
        } else {
            (is_failed || is_true(event, "/failed")).then_some("error")
        };

        let result = self.whole(value_at(event, "/result"));
        let mut outcome = self.outcome(&result, status);
        if outcome
            .output
            .as_str()
            .is_none_or(str::is_empty)
            && let Some(why) = some_text(event, "/error/message")
        {
            outcome.output = why.into();
        }

        let completed = time(event, "/completed");
        outcome.took = match number(event, "/working_time") {
            Some(seconds) => Took::Seconds(seconds),
            None if completed.is_some() => Took::Between,
            None => Took::Unknown,
        };
        self.conversation
            .moment(completed.or(began));
        self.conversation.result(id, outcome);
    }

    fn outcome(&mut self, result: &Value, status: Option<&'static str>) -> Outcome {
        let output = match result {
            Value::Array(_) => texts(result).into(),
            other => other.clone(),
        };

        let mut outcome = Outcome::new(status, output);
        for part in items(result, "") {
            match text(part, "/type") {
                "image" => match picture_of_url(text(part, "/image")) {
                    Some(picture) => outcome.pictures.push(picture),
                    None => self
                        .conversation
                        .skip("picture that is not in the log"),
                },
                "text" => {}
                kind => self.conversation.skip(kind),
            }
        }

        outcome
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

    fn tool_message(&mut self, message: &Value) {
        let kind = text(message, "/error/type");
        let status = match kind {
            "" => None,
            "approval" => Some("denied"),
            "cancelled" => Some("cancelled"),
            _ => Some("error"),
        };

        let content = self.whole(value_at(message, "/content"));
        let mut outcome = self.outcome(&content, status);
        if let Some(why) = some_text(message, "/error/message")
            && outcome
                .output
                .as_str()
                .is_none_or(str::is_empty)
        {
            outcome.output = why.into();
        }

        self.conversation
            .result(text(message, "/tool_call_id"), outcome);
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

/// Returns what tells a message from others: its id, else all of it.
fn key(message: &Value) -> String {
    some_text(message, "/id").unwrap_or_else(|| message.to_string())
}
