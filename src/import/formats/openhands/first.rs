//! The events of `OpenHands` before its agent SDK: actions, and observations of them.

use serde_json::{Value, json};

use super::{Awaited, Delegate, Trajectory, is_failure};
use crate::import::conversation::{Call, Ending, Outcome, Took, Usage};
use crate::import::fields::{
    first_text, is_true, items, picture_of_url, some_text, text, texts, value_at,
};
use crate::recorder::call::arguments;

/// The fields of an action that are no arguments of a call.
const BOOKKEEPING: [&str; 11] = [
    "thought",
    "confirmation_state",
    "is_confirmed",
    "security_risk",
    "hidden",
    "blocking",
    "is_static",
    "is_input",
    "impl_source",
    "wait_for_response",
    "translated_ipython_code",
];

impl Trajectory {
    pub(super) fn event(&mut self, event: &Value) {
        if event.get("observation").is_some() {
            return self.observation(event);
        }

        let said = || first_text(event, &["/args/content", "/message"]).unwrap_or_default();
        let conversation = &mut self.conversation;
        match (text(event, "/action"), text(event, "/source")) {
            ("system", _) => {
                conversation.tag("agent", text(event, "/args/agent_class"));
                conversation.message("system", text(event, "/args/content"));
            }
            ("message", "user") => {
                for _ in items(event, "/args/image_urls") {
                    conversation.skip("picture of the user");
                }
                conversation.message("user", &said());
            }
            ("message", _) => {
                let response = text(event, "/tool_call_metadata/model_response/id").to_owned();
                self.answer(&response).say(&said());
            }
            ("condensation", _) => {
                conversation.summary(json!({"summary": some_text(event, "/args/summary")}));
            }
            ("reject", _) if conversation.agent.is_none() => {
                let places = ["/args/outputs/reason", "/args/reason", "/args/thought"];
                let reason = first_text(event, &places)
                    .unwrap_or_else(|| "the agent rejected the task".into());
                conversation.end = Some(Ending::Partial(reason));
            }
            (kind @ ("recall" | "null" | "change_agent_state"), _) => conversation.skip(kind),
            ("", _) => conversation.skip("other event"),
            (kind, "agent" | "") => self.action(event, kind),
            // A person ran it.
            (kind, "user") => {
                let agent = self
                    .conversation
                    .agent
                    .replace("user".into());
                self.action(event, kind);
                self.conversation.agent = agent;
            }
            (kind, _) => conversation.skip(kind),
        }
    }

    /// Adds the answer that asked for an action, and the call.
    fn action(&mut self, event: &Value, kind: &str) {
        let metadata = value_at(event, "/tool_call_metadata");
        let response = value_at(metadata, "/model_response");
        let thought = first_text(event, &["/args/thought", "/args/final_thought"]);
        let id = text(response, "/id").to_owned();
        if !id.is_empty() || thought.is_some() {
            self.add_answer(event, response, &id, thought);
        }

        let called = text(metadata, "/function_name");
        let (tool, input) = if called.is_empty() {
            (kind, own_input(event))
        } else {
            (
                called,
                asked_input(metadata, response).unwrap_or_else(|| own_input(event)),
            )
        };

        let call = self.call_id(event, metadata, tool, &input);
        let mut asked = Call::new(&call, tool, input.clone());
        if let Some(kind) = kind_of(kind, &input) {
            asked
                .extensions
                .insert("kind".into(), kind.into());
        }

        let is_awaited = text(event, "/args/confirmation_state") == "awaiting_confirmation";
        self.awaited = is_awaited.then(|| Awaited {
            id: call.clone(),
            tool: tool.to_owned(),
            input,
        });
        self.calls
            .insert(number_of(event, "id"), call.clone());
        self.conversation.call(asked);

        match kind {
            "finish" => self.finish(event, &call),
            "delegate" => self.delegate(event, call),
            _ => {}
        }
    }

    /// Adds the result of the call that ends a conversation, and how that ends.
    fn finish(&mut self, event: &Value, call: &str) {
        let output = thought_of_end(event);
        self.conversation
            .result(call, Outcome::new(None, output));

        let completed = value_at(event, "/args/task_completed");
        let is_partial =
            completed == false || matches!(completed.as_str(), Some("false" | "partial"));
        let is_partial = is_partial && self.conversation.agent.is_none();
        self.conversation.end =
            is_partial.then(|| Ending::Partial("the agent did not complete the task".into()));
    }

    fn delegate(&mut self, event: &Value, call: String) {
        let agent = text(event, "/args/agent").to_owned();
        self.conversation
            .parents
            .insert(agent.clone(), call);
        self.delegates.push(Delegate {
            event: number_of(event, "id"),
            agent,
        });
        self.set_agent();
    }

    fn add_answer(&mut self, event: &Value, response: &Value, id: &str, thought: Option<String>) {
        let message = value_at(response, "/choices/0/message");
        let said = message
            .get("content")
            .map(texts)
            .filter(|it| !it.is_empty());
        let has_usages = !items(event, "/llm_metrics/token_usages").is_empty();
        let used = response
            .get("usage")
            .filter(|it| it.is_object() && !has_usages);
        let model = some_text(response, "/model");

        if self.conversation.agent.is_none() {
            self.conversation
                .tag("model", model.clone().unwrap_or_default());
        }

        let answer = self.answer(id);
        if answer.text.is_empty() {
            answer.text = said.or(thought).unwrap_or_default();
        }

        text(message, "/reasoning_content").clone_into(&mut answer.thinking);
        answer.model = model.or(answer.model.take());
        answer.stop_reason = some_text(response, "/choices/0/finish_reason");
        answer.usage = answer
            .usage
            .or_else(|| used.map(Usage::of_openai));
        answer.ends_turn = Some(false);
    }

    /// Returns the id of a call; one that a person has confirmed is written again.
    fn call_id(&self, event: &Value, metadata: &Value, tool: &str, input: &Value) -> String {
        let own = || {
            self.awaited
                .as_ref()
                .filter(|awaited| awaited.tool == tool && awaited.input == *input)
                .map(|awaited| awaited.id.clone())
        };

        some_text(metadata, "/tool_call_id")
            .or_else(own)
            .unwrap_or_else(|| format!("event {}", number_of(event, "id")))
    }

    fn set_agent(&mut self) {
        self.conversation.agent = self
            .delegates
            .last()
            .map(|delegate| delegate.agent.clone());
    }

    fn observation(&mut self, event: &Value) {
        let kind = text(event, "/observation");
        let begun_by = match kind {
            "agent_state_changed" => return self.change_state(event),
            "delegate" => {
                let ended = self.delegates.pop();
                self.set_agent();
                ended.map(|delegate| delegate.event)
            }
            _ => Some(number_of(event, "cause")),
        };

        let call = begun_by
            .and_then(|event| self.calls.get(&event))
            .filter(|call| {
                self.conversation
                    .open
                    .contains_key(*call)
            });
        let Some(call) = call else {
            return self.conversation.skip(kind);
        };

        let mut outcome =
            Outcome::new(status_of(event, kind), output_of(event, kind)).took(Took::Between);
        outcome
            .pictures
            .extend(picture_of_url(text(event, "/extras/screenshot")));
        self.conversation.result(call, outcome);
    }

    fn change_state(&mut self, event: &Value) {
        let conversation = &mut self.conversation;
        let reason = some_text(event, "/extras/reason");
        match text(event, "/extras/agent_state") {
            "error" => {
                conversation
                    .error(&reason.unwrap_or_else(|| "the agent is in the state error".into()));
            }
            "stopped" => conversation.interrupt(&reason.unwrap_or_default()),
            _ => conversation.skip("agent_state_changed"),
        }
    }
}

/// Returns the number of an event, or of the one that it is about; empty where it has none.
fn number_of(event: &Value, name: &str) -> String {
    event
        .get(name)
        .map(Value::to_string)
        .unwrap_or_default()
}

fn status_of(observation: &Value, kind: &str) -> Option<&'static str> {
    let codes = ["/extras/metadata/exit_code", "/extras/exit_code"];
    match kind {
        "user_rejected" => Some("denied"),
        "error" if text(observation, "/extras/error_id").contains("NOT_EXECUTED") => {
            Some("cancelled")
        }
        "error" => Some("error"),
        _ if is_true(observation, "/extras/error") => Some("error"),
        "run" if is_failure(observation, &codes) => Some("error"),
        _ => None,
    }
}

fn output_of(observation: &Value, kind: &str) -> Value {
    let content = value_at(observation, "/content");
    if kind == "delegate"
        && content
            .as_str()
            .is_none_or(str::is_empty)
    {
        value_at(observation, "/extras/outputs").clone()
    } else {
        content.clone()
    }
}

fn thought_of_end(event: &Value) -> Value {
    first_text(event, &["/args/final_thought", "/args/thought"]).map_or(Value::Null, Value::from)
}

/// Returns the arguments of a call as the model wrote them.
fn asked_input(metadata: &Value, response: &Value) -> Option<Value> {
    let id = text(metadata, "/tool_call_id");
    let input = items(response, "/choices/0/message/tool_calls")
        .iter()
        .find(|call| text(call, "/id") == id)?
        .pointer("/function/arguments")?
        .clone();

    Some(Value::Object(arguments(input)))
}

/// Returns the arguments of an action, without its bookkeeping and what is null.
fn own_input(event: &Value) -> Value {
    let mut input = arguments(value_at(event, "/args").clone());
    input.retain(|name, value| !(BOOKKEEPING.contains(&name.as_str()) || value.is_null()));

    Value::Object(input)
}

/// Returns the kind of an action, where its name says it.
fn kind_of(action: &str, input: &Value) -> Option<&'static str> {
    Some(match action {
        "run" | "run_ipython" => "execute",
        "read" => "read",
        "edit" if text(input, "/command") == "view" => "read",
        "write" | "edit" => "edit",
        "delegate" => "delegate",
        "task_tracking" => "plan",
        browse if browse.starts_with("browse") => "fetch",
        _ => return None,
    })
}
