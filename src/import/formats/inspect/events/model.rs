//! A request of a model, or a message of an older log -> the messages, the answer and its calls.

use serde_json::{Value, json};

use super::super::usage;
use super::{Events, MAX_DEPTH};
use crate::import::call::of_function;
use crate::import::conversation::{Call, Outcome, Usage, What};
use crate::import::fields::{
    first_text, is_true, items, number, some_text, text, texts, time, value_at,
};

impl<'v> Events<'v> {
    pub(super) fn model(&mut self, event: &'v Value) {
        let began = time(event, "/timestamp");
        if is_true(event, "/pending") {
            return self
                .conversation
                .skip("model that did not answer");
        }

        self.conversation.moment(began);
        self.input(event);

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

    /// Adds the messages of the input, which may stand in the sample.
    fn input(&mut self, event: &'v Value) {
        let all = items(self.sample, "/events_data/messages");
        for range in items(event, "/input_refs") {
            let end = |at: &str| usize::try_from(range.pointer(at)?.as_u64()?).ok();
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
    }

    pub(super) fn answer(
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
    pub(super) fn message(&mut self, message: &'v Value) {
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
}

/// Returns what tells a message from others: its id, else all of it.
fn key(message: &Value) -> String {
    some_text(message, "/id").unwrap_or_else(|| message.to_string())
}
