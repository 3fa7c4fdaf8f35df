//! The events of `OpenHands`' agent SDK.

use serde_json::{Value, json};

use super::{Trajectory, is_failure};
use crate::import::conversation::{Call, Outcome, Took, Usage};
use crate::import::fields::{
    first_text, items, picture, picture_of_url, some_text, text, texts, value_at,
};

impl Trajectory {
    pub(super) fn sdk_event(&mut self, event: &Value) {
        let of = |name: &str| {
            event
                .get(name)
                .map(texts)
                .unwrap_or_default()
        };

        let conversation = &mut self.conversation;
        match text(event, "/kind") {
            "SystemPromptEvent" => {
                conversation.message("system", &of("system_prompt"));
            }
            "MessageEvent" => self.message(event),
            "ActionEvent" => self.call(event),
            "ObservationEvent" => self.result(event),
            "UserRejectObservation" => {
                let call = self.call_of(event);
                let by = text(event, "/rejection_source");
                if !by.is_empty() {
                    self.conversation
                        .mark(&call, "x-denied-by", by);
                }

                let reason = some_text(event, "/rejection_reason");
                self.conversation
                    .result(&call, Outcome::new(Some("denied"), reason));
            }
            "AgentErrorEvent" => {
                let outcome = Outcome::new(Some("error"), text(event, "/error"));
                conversation.result(text(event, "/tool_call_id"), outcome.took(Took::Between));
            }
            "Condensation" => {
                let used = self.take_usage(text(event, "/llm_response_id"));
                self.conversation.compaction(json!({
                    "summary": some_text(event, "/summary"),
                    "usage": used.map(Usage::members),
                }));
            }
            "ACPToolCallEvent" => self.call_of_server(event),
            "InterruptEvent" => conversation.interrupt(&of("reason")),
            "ConversationErrorEvent" => {
                let why = first_text(event, &["/detail", "/code"]);
                conversation.error(&why.unwrap_or_else(|| "unknown".into()));
            }
            kind => conversation.skip(kind),
        }
    }

    fn message(&mut self, event: &Value) {
        let said = event
            .pointer("/llm_message/content")
            .map(texts)
            .unwrap_or_default();

        match text(event, "/source") {
            "agent" => {
                let response = text(event, "/llm_response_id").to_owned();
                let thinking = first_text(
                    event,
                    &["/llm_message/reasoning_content", "/reasoning_content"],
                );
                let answer = self.answer(&response);
                answer.say(&said);
                answer.think(&thinking.unwrap_or_default());
            }
            "user" => drop(self.conversation.message("user", &said)),
            _ => drop(
                self.conversation
                    .message("system", &said),
            ),
        }
    }

    fn call(&mut self, event: &Value) {
        let thought = event
            .get("thought")
            .map(texts)
            .unwrap_or_default();
        let answer = self.answer(text(event, "/llm_response_id"));
        answer.say(&thought);
        answer.think(text(event, "/reasoning_content"));
        answer.ends_turn = Some(false);

        let id = text(event, "/tool_call_id");
        let input = ["/tool_call/arguments", "/tool_call/function/arguments"]
            .iter()
            .find_map(|at| event.pointer(at))
            .or(event.get("action"))
            .cloned()
            .unwrap_or_default();

        self.calls
            .insert(text(event, "/id").to_owned(), id.to_owned());
        self.conversation
            .call(Call::new(id, text(event, "/tool_name"), input));
    }

    /// Adds a call that a server of the agent client protocol made, which is written again when
    /// more of it is known.
    fn call_of_server(&mut self, event: &Value) {
        const KINDS: [&str; 7] = [
            "read", "edit", "delete", "move", "search", "execute", "fetch",
        ];

        let id = text(event, "/tool_call_id");
        if self.calls.contains_key(id) {
            return;
        }

        let input = value_at(event, "/raw_input").clone();
        let kind = some_text(event, "/tool_kind").unwrap_or_else(|| "tool".into());
        let mut call = Call::new(id, &kind, input);
        if KINDS.contains(&&*kind) {
            call.extensions
                .insert("kind".into(), kind.into());
        }

        call.extensions
            .insert("x-title".into(), text(event, "/title").into());
        self.conversation.call(call);

        let status = match text(event, "/status") {
            "failed" => Some("error"),
            "completed" if event.get("is_error") == Some(&Value::Bool(true)) => Some("error"),
            "completed" => None,
            // It goes on.
            _ => return,
        };

        self.calls
            .insert(id.to_owned(), id.to_owned());
        let output = event
            .get("raw_output")
            .filter(|it| !it.is_null())
            .cloned()
            .unwrap_or_else(|| {
                items(event, "/content")
                    .iter()
                    .map(|part| text(part, "/content/text"))
                    .collect::<Vec<&str>>()
                    .join("\n")
                    .into()
            });
        let outcome = Outcome::new(status, output);
        self.conversation
            .result(id, outcome.took(Took::Between));
    }

    fn call_of(&self, event: &Value) -> String {
        self.calls
            .get(text(event, "/action_id"))
            .cloned()
            .or_else(|| some_text(event, "/tool_call_id"))
            .unwrap_or_default()
    }

    fn result(&mut self, event: &Value) {
        let found = value_at(event, "/observation");
        let is_error = is_failure(found, &["/exit_code", "/metadata/exit_code"]);
        let output = found
            .get("content")
            .or(found.get("output"))
            .map(texts)
            .unwrap_or_default();
        let status = is_error.then_some("error");
        let mut outcome = Outcome::new(status, output).took(Took::Between);

        for part in items(found, "/content") {
            let urls = items(part, "/image_urls")
                .iter()
                .filter_map(Value::as_str);
            outcome
                .pictures
                .extend(urls.filter_map(picture_of_url));
        }

        let screenshot = text(found, "/screenshot_data");
        outcome
            .pictures
            .extend(picture_of_url(screenshot).or_else(|| {
                picture("image/png", screenshot).filter(|picture| !picture.content.is_empty())
            }));
        let call = self.call_of(event);
        self.conversation.result(&call, outcome);
    }
}
