//! What `claude -p --output-format stream-json` prints, on lines or in one list -> a conversation.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::conversation::{Conversation, Ending, Usage, What};
use super::super::fields::{
    count, first_text, is_true, items, number, some_text, text, texts, time,
};
use super::super::log::Log;
use super::claude_code::{assistant, user};
use super::{Format, Take, Ties};

pub(super) const FORMAT: Format = Format {
    name: "claude-stream",
    form: "its lines have a `type` and a `session_id`, and one is a message, or the `init` or the \
           `result` of a session",
    is_form,
    ties: Ties::Nothing,
    read,
};

fn is_form(head: &[Value]) -> bool {
    lines(head).any(|line| {
        // What Claude Code keeps of a session has a `sessionId`.
        let is_printed = !text(line, "/session_id").is_empty() && line.get("sessionId").is_none();
        is_printed
            && match text(line, "/type") {
                "system" => text(line, "/subtype") == "init",
                "user" | "assistant" => line
                    .pointer("/message/content")
                    .is_some(),
                "result" => line.get("subtype").is_some(),
                _ => false,
            }
    })
}

/// Returns the lines of values: each is one, or a list of them.
fn lines(values: &[Value]) -> impl Iterator<Item = &Value> {
    values
        .iter()
        .flat_map(|value| match value {
            Value::Array(lines) => lines.as_slice(),
            line => std::slice::from_ref(line),
        })
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut sessions: Vec<Session> = Vec::new();
    while let Some(entry) = log.next()? {
        for line in lines(std::slice::from_ref(&entry.value)) {
            let id = text(line, "/session_id");
            let is_of = |session: &&mut Session| id.is_empty() || session.conversation.id == id;
            if let Some(session) = sessions.iter_mut().rev().find(is_of) {
                session.add(line);
            } else {
                let mut session = Session::default();
                id.clone_into(&mut session.conversation.id);
                session.add(line);
                sessions.push(session);
            }
        }
    }

    for session in sessions {
        let conversation = session.end();
        if !conversation.id.is_empty() {
            take(log, conversation);
        }
    }

    Ok(())
}

/// A session, while it is read.
#[derive(Default)]
struct Session {
    conversation: Conversation,
    /// The calls that were not made, because nobody allowed them.
    denied: BTreeSet<String>,
    has_result: bool,
}

impl Session {
    fn add(&mut self, line: &Value) {
        let conversation = &mut self.conversation;
        conversation.moment(time(line, "/timestamp"));
        conversation.agent = some_text(line, "/parent_tool_use_id");
        conversation.parents.extend(
            conversation
                .agent
                .clone()
                .map(|call| (call.clone(), call)),
        );

        match (text(line, "/type"), text(line, "/subtype")) {
            ("system", "init") => self.init(line),
            ("system", "compact_boundary") => conversation.compaction(json!({
                "trigger": line.pointer("/compact_metadata/trigger"),
                "tokens_before": line.pointer("/compact_metadata/pre_tokens"),
            })),
            ("user", _) if is_true(line, "/isSynthetic") => {
                conversation.skip("message of the program");
            }
            ("user", _) => {
                self.denied.extend(refused(line));
                user(conversation, line);
            }
            ("assistant", _)
                if line
                    .get("error")
                    .is_some_and(Value::is_string) =>
            {
                let said = line
                    .pointer("/message/content")
                    .map(texts);
                conversation.error(&said.unwrap_or_default());
            }
            ("assistant", _) => assistant(conversation, line),
            ("result", _) => self.result(line),
            (kind, "") => conversation.skip(kind),
            (kind, subtype) => conversation.skip(format!("{kind} {subtype}")),
        }
    }

    /// Begins a turn.
    fn init(&mut self, line: &Value) {
        self.has_result = false;
        let conversation = &mut self.conversation;
        conversation.cwd = some_text(line, "/cwd");
        for (tag, at) in [
            ("cwd", "/cwd"),
            ("model", "/model"),
            ("permission_mode", "/permissionMode"),
            ("version", "/claude_code_version"),
        ] {
            conversation.tag(tag, text(line, at));
        }
    }

    /// Takes the end of a turn: what it cost, what was denied, and why it ended.
    fn result(&mut self, line: &Value) {
        self.has_result = true;
        let conversation = &mut self.conversation;
        // Both are those of the session so far. Answers count only what was known when they began.
        conversation.cost = number(line, "/total_cost_usd").or(conversation.cost);
        conversation.totals = usage_of_models(line).or(conversation.totals);
        let denials = items(line, "/permission_denials");
        self.denied.extend(
            denials
                .iter()
                .filter_map(|denial| some_text(denial, "/tool_use_id")),
        );

        let subtype = text(line, "/subtype");
        let why = first_text(line, &["/result", "/errors/0", "/errors/0/message"]);
        conversation.end = match subtype {
            "success" if !is_true(line, "/is_error") => {
                if conversation.answers.is_empty() {
                    conversation
                        .answer("")
                        .say(text(line, "/result"));
                }
                let is_refused = matches!(conversation.ending(), Ending::Partial(_));
                (!is_refused).then_some(Ending::Ok)
            }
            "error_during_execution" if matches!(conversation.ending(), Ending::Aborted(_)) => None,
            "success" | "error_during_execution" => {
                Some(Ending::Error(why.unwrap_or_else(|| subtype.to_owned())))
            }
            limit => Some(Ending::Aborted(limit.to_owned())),
        };
    }

    fn end(mut self) -> Conversation {
        for event in &mut self.conversation.events {
            if let What::Act(act) = &mut event.what
                && self.denied.contains(&act.call.id)
            {
                act.outcome.status = Some("denied");
            }
        }

        let conversation = &mut self.conversation;
        conversation.is_over = self.has_result;
        if !self.has_result && !matches!(conversation.ending(), Ending::Aborted(_)) {
            conversation.end = Some(Ending::Pending("the log has no result".into()));
        }

        self.conversation
    }
}

/// Returns the tokens of all models of a session, its sub-agents too.
fn usage_of_models(line: &Value) -> Option<Usage> {
    let of_model = |of: &Value| Usage {
        input: count(of, "/inputTokens")
            .saturating_add(count(of, "/cacheReadInputTokens"))
            .saturating_add(count(of, "/cacheCreationInputTokens")),
        output: count(of, "/outputTokens"),
        cache_read: count(of, "/cacheReadInputTokens"),
        cache_write: count(of, "/cacheCreationInputTokens"),
    };

    line.get("modelUsage")?
        .as_object()?
        .values()
        .map(of_model)
        .reduce(Usage::add)
}

/// Returns the calls that a rule or a person did not allow, as the results in a message say.
fn refused(line: &Value) -> impl Iterator<Item = String> {
    items(line, "/tool_result_meta")
        .iter()
        .filter(|meta| text(meta, "/non_execution_kind").starts_with("permission"))
        .filter_map(|meta| some_text(meta, "/id"))
}
