//! `~/.copilot/session-state/<id>/events.jsonl` of Copilot CLI -> a conversation.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::conversation::{Call, Conversation, Ending, Outcome, Took, Usage};
use super::super::fields::{
    count, first_text, is_true, items, members, picture, some_text, text, time, value_at,
};
use super::super::log::Log;
use super::{Format, Take, Ties};

pub(super) const FORMAT: Format = Format {
    name: "copilot-cli",
    form: "its first line is `session.start` with an id and a time",
    is_form,
    ties: Ties::Nothing,
    read,
};

fn is_form(head: &[Value]) -> bool {
    head.first().is_some_and(|first| {
        text(first, "/type") == "session.start"
            && !text(first, "/data/sessionId").is_empty()
            && !text(first, "/timestamp").is_empty()
    })
}

/// A session, while it is read.
#[derive(Default)]
struct Session {
    conversation: Conversation,
    /// The calls that a permission was asked for, by the requests.
    requests: BTreeMap<String, String>,
    /// What was decided about each call.
    decisions: BTreeMap<String, String>,
    /// The calls that began a sub-agent.
    delegates: BTreeSet<String>,
    assets: BTreeMap<String, Value>,
    /// The tokens of single requests, of the processes that ended, and since the last of them.
    requested: Usage,
    shut_down: Usage,
    since: Usage,
    is_shut_down: bool,
    is_blocked: bool,
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut session = Session::default();
    session.conversation.is_by_time = true;
    while let Some(entry) = log.next()? {
        session.add(&entry.value);
    }

    take(log, session.end());
    Ok(())
}

impl Session {
    fn add(&mut self, line: &Value) {
        let kind = text(line, "/type");
        let conversation = &mut self.conversation;
        if is_true(line, "/ephemeral") && kind != "assistant.usage" {
            return conversation.skip(kind);
        }

        let data = value_at(line, "/data");
        conversation.moment(time(line, "/timestamp"));
        conversation.agent = first_text(line, &["/agentId", "/data/parentToolCallId"]);
        match kind {
            "session.start" | "session.resume" => self.start(data),
            "session.model_change" => conversation.tag("model", text(data, "/newModel")),
            "system.message" => drop(conversation.message("system", text(data, "/content"))),
            "user.message" => self.user(data),
            "assistant.message" => self.answer(data),
            "assistant.usage" => self.requested = self.requested.add(usage(data)),
            "tool.execution_start" | "tool.user_requested" => self.call(data, kind),
            "tool.execution_complete" => self.result(data),
            "permission.requested" => {
                let call = some_text(data, "/permissionRequest/toolCallId");
                self.requests
                    .extend(some_text(data, "/requestId").zip(call));
            }
            "permission.completed" => self.decide(data),
            "session.binary_asset" => {
                let id = some_text(data, "/assetId");
                self.assets
                    .extend(id.map(|id| (id, data.clone())));
            }
            "subagent.started" => self.start_agent(data),
            "session.compaction_complete" => self.compaction(data),
            "abort" => conversation.interrupt(text(data, "/reason")),
            "session.error" => {
                let why = first_text(data, &["/message", "/errorType"]);
                conversation.error(&why.unwrap_or_else(|| "unknown".into()));
            }
            "session.task_complete" => {
                self.is_blocked = text(data, "/outcome") == "blocked";
                let answer = conversation.answer("");
                answer.say(text(data, "/summary"));
                answer.ends_turn = Some(true);
            }
            "session.shutdown" => return self.shut_down(data),
            kind => return conversation.skip(kind),
        }

        self.is_shut_down = false;
    }

    /// Takes in what was decided about a call.
    fn decide(&mut self, data: &Value) {
        let asked = self
            .requests
            .get(text(data, "/requestId"))
            .cloned();
        let call = some_text(data, "/toolCallId").or(asked);
        self.decisions
            .extend(call.zip(some_text(data, "/result/kind")));
    }

    fn start_agent(&mut self, data: &Value) {
        let conversation = &mut self.conversation;
        let Some(call) = some_text(data, "/toolCallId") else {
            return;
        };
        let agent = conversation
            .agent
            .clone()
            .unwrap_or_else(|| call.clone());
        self.delegates.insert(call.clone());
        conversation.mark(&call, "kind", "delegate");
        conversation.parents.insert(agent, call);
    }

    fn start(&mut self, data: &Value) {
        let conversation = &mut self.conversation;
        if conversation.id.is_empty() {
            text(data, "/sessionId").clone_into(&mut conversation.id);
            conversation.started_at = time(data, "/startTime");
        }

        for (tag, at) in [
            ("cwd", "/context/cwd"),
            ("branch", "/context/branch"),
            ("version", "/copilotVersion"),
            ("model", "/selectedModel"),
        ] {
            conversation.tag(tag, text(data, at));
        }

        conversation.cwd = some_text(data, "/context/cwd").or(conversation.cwd.take());
    }

    fn user(&mut self, data: &Value) {
        self.is_blocked = false;
        let by = text(data, "/source");
        let conversation = &mut self.conversation;
        if is_true(data, "/isAutopilotContinuation") || !matches!(by, "" | "user") {
            return conversation.skip("message of the program");
        }
        for _ in items(data, "/attachments") {
            conversation.skip("attachment of the user");
        }

        conversation.message("user", text(data, "/content"));
    }

    fn answer(&mut self, data: &Value) {
        let conversation = &mut self.conversation;
        if conversation.agent.is_none() {
            conversation.tag("model", text(data, "/model"));
        }

        let answer = conversation.answer(text(data, "/messageId"));
        text(data, "/content").clone_into(&mut answer.text);
        text(data, "/reasoningText").clone_into(&mut answer.thinking);
        answer.model = some_text(data, "/model");
        answer.message_id = some_text(data, "/messageId");

        let usage = Usage {
            output: count(data, "/outputTokens"),
            ..Usage::default()
        };

        answer.usage = Some(usage).filter(|usage| !usage.is_empty());
        let asks = !items(data, "/toolRequests").is_empty();
        answer.ends_turn = Some(!asks && !answer.text.trim().is_empty());
        self.since = self.since.add(usage);
    }

    fn call(&mut self, data: &Value, kind: &str) {
        let id = text(data, "/toolCallId");
        let conversation = &mut self.conversation;
        if conversation.open.contains_key(id) {
            return;
        }
        if kind == "tool.user_requested" {
            conversation.agent = Some("user".into());
        }

        let input = value_at(data, "/arguments").clone();
        conversation.call(Call::new(id, text(data, "/toolName"), input));

        if self.delegates.contains(id) {
            conversation.mark(id, "kind", "delegate");
        }
    }

    fn result(&mut self, data: &Value) {
        let id = text(data, "/toolCallId");
        let is_done = is_true(data, "/success");
        let decision = self
            .decisions
            .get(id)
            .filter(|_| !is_done)
            .map_or("", String::as_str);
        let places = ["/result/content", "/error/message", "/result"];
        let output = first_text(data, &places).unwrap_or_default();
        let code = text(data, "/error/code");
        let is_cancelled = [
            code,
            decision,
            text(data, "/result"),
            text(data, "/result/kind"),
        ]
        .contains(&"cancelled");
        let status = if decision.starts_with("denied") || matches!(code, "denied" | "rejected") {
            if decision.starts_with("denied") {
                self.conversation
                    .mark(id, "x-denied-by", decision);
            }
            Some("denied")
        } else if is_cancelled {
            Some("cancelled")
        } else {
            (!is_done || exit_code(&output).is_some_and(|code| code != 0)).then_some("error")
        };

        let mut outcome = Outcome::new(status, output).took(Took::Between);
        for part in items(data, "/result/binaryResultsForLlm") {
            let known = self
                .assets
                .get(text(part, "/assetId"))
                .unwrap_or(part);
            let found = picture(text(known, "/mimeType"), text(known, "/data"));
            if found.is_none() {
                self.conversation.skip("binary result");
            }

            outcome.pictures.extend(found);
        }

        self.conversation.result(id, outcome);
    }

    fn compaction(&mut self, data: &Value) {
        if data.get("success") == Some(&Value::Bool(false)) {
            let why = some_text(data, "/error");
            return self
                .conversation
                .error(&why.unwrap_or_else(|| "the compaction failed".into()));
        }

        let used = data
            .get("compactionTokensUsed")
            .map(usage);
        self.since = self.since.add(used.unwrap_or_default());
        self.conversation.summary(json!({
            "trigger": data.get("trigger"),
            "tokens_before": data.get("preCompactionTokens"),
            "summary": data.get("summaryContent"),
            "usage": used.map(Usage::members),
        }));
    }

    fn shut_down(&mut self, data: &Value) {
        for (_, model) in members(data, "/modelMetrics") {
            let used = model
                .get("usage")
                .map(usage)
                .unwrap_or_default();
            self.shut_down = self.shut_down.add(used);
        }

        self.since = Usage::default();
        self.is_shut_down = true;
        if text(data, "/shutdownType") == "error" {
            let why = some_text(data, "/errorReason");
            self.conversation
                .error(&why.unwrap_or_else(|| "unknown".into()));
        }
    }

    fn end(self) -> Conversation {
        let mut conversation = self.conversation;
        conversation.agent = None;
        conversation.totals = Some(if self.requested.is_empty() {
            self.shut_down.add(self.since)
        } else {
            self.requested
        });
        if self.is_shut_down {
            let ending = match conversation.ending() {
                Ending::Ok if self.is_blocked => Ending::Partial("the task is blocked".into()),
                Ending::Pending(_) => {
                    Ending::Aborted("the session was shut down within a turn".into())
                }
                ending => ending,
            };

            conversation.cancel_open();
            conversation.end = Some(ending);
        } else if self.is_blocked {
            conversation.end = Some(Ending::Partial("the task is blocked".into()));
        }

        conversation
    }
}

/// Returns the usage of requests, whose input has what a cache read and wrote.
fn usage(of: &Value) -> Usage {
    Usage {
        input: count(of, "/inputTokens"),
        output: count(of, "/outputTokens"),
        cache_read: count(of, "/cacheReadTokens"),
        cache_write: count(of, "/cacheWriteTokens"),
    }
}

/// Returns the exit code in the last line of an output.
fn exit_code(output: &str) -> Option<i64> {
    let line = output
        .trim_end()
        .lines()
        .next_back()?
        .strip_prefix('<')?
        .strip_suffix('>')?;
    let is_exit = line.starts_with("exited with exit code ")
        || (line.starts_with("shellId: ") && line.contains(" completed with exit code "));
    let (_, code) = line.rsplit_once(' ')?;

    is_exit
        .then(|| code.parse().ok())
        .flatten()
}
