//! The call of a tool, or the message with its result in an older log -> an act.

use serde_json::Value;

use super::{By, Events};
use crate::import::conversation::{Call, Outcome, Took};
use crate::import::fields::{
    first_text, is_true, items, number, picture_of_url, some_text, text, texts, time, value_at,
};

impl<'v> Events<'v> {
    pub(super) fn tool(&mut self, event: &'v Value, by: &By) {
        let id = first_text(event, &["/id", "/uuid"])
            .unwrap_or_else(|| format!("tool {}", self.conversation.calls));
        let id = id.as_str();
        let approval = self.approvals.get(id).copied();
        let decision = approval.map_or("", |it| text(it, "/decision"));
        let asked = approval
            .and_then(|it| it.pointer("/modified/arguments"))
            .filter(|_| decision == "modify")
            .or(event.get("arguments"));
        let input = self.whole(asked.unwrap_or(&Value::Null));
        self.conversation
            .moment(time(event, "/timestamp"));
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
            self.set_agent(by);
        }

        if !is_true(event, "/pending") {
            self.tool_result(event, id, approval);
        }
    }

    /// Adds the result of the call of a tool.
    fn tool_result(&mut self, event: &Value, id: &str, approval: Option<&Value>) {
        let kind = text(event, "/error/type");
        let decision = approval.map_or("", |it| text(it, "/decision"));
        let is_refused = matches!(decision, "reject" | "terminate") || kind == "approval";
        if is_refused && let Some(by) = approval.and_then(|it| some_text(it, "/approver")) {
            self.conversation
                .mark(id, "x-denied-by", &by);
        }

        let is_failed = value_at(event, "/error").is_object();
        let status = if is_refused {
            Some("denied")
        } else if kind == "cancelled" {
            Some("cancelled")
        } else {
            (is_failed || is_true(event, "/failed")).then_some("error")
        };

        let result = self.whole(value_at(event, "/result"));
        let mut outcome = self.outcome(&result, status, event);
        let completed = time(event, "/completed");
        outcome.took = match number(event, "/working_time") {
            Some(seconds) => Took::Seconds(seconds),
            None if completed.is_some() => Took::Between,
            None => Took::Unknown,
        };
        self.conversation
            .moment(completed.or(time(event, "/timestamp")));
        self.conversation.result(id, outcome);
    }

    /// Returns the outcome of a call, whose output is the error of its event where it has none.
    fn outcome(&mut self, result: &Value, status: Option<&'static str>, event: &Value) -> Outcome {
        let output = match result {
            Value::Array(_) => texts(result).into(),
            other => other.clone(),
        };
        let output = some_text(event, "/error/message")
            .filter(|_| {
                output
                    .as_str()
                    .is_none_or(str::is_empty)
            })
            .map_or(output, Value::from);

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

    pub(super) fn tool_message(&mut self, message: &Value) {
        let kind = text(message, "/error/type");
        let status = match kind {
            "" => None,
            "approval" => Some("denied"),
            "cancelled" => Some("cancelled"),
            _ => Some("error"),
        };

        let content = self.whole(value_at(message, "/content"));
        let outcome = self.outcome(&content, status, message);
        self.conversation
            .result(text(message, "/tool_call_id"), outcome);
    }
}
