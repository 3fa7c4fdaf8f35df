//! `~/.claude/projects/<dir>/<session>.jsonl`, with its sub-agents -> a conversation.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::call::is_denial;
use super::super::conversation::{Call, Conversation, Outcome, Took, Usage};
use super::super::fields::{
    between, count, first_text, is_true, items, picture, some_text, text, texts, time, value_at,
};
use super::super::log::{Log, LogFile};
use super::{Format, Take, Ties};

use crate::ground::Own;

pub(super) const FORMAT: Format = Format {
    name: "claude-code",
    form: "its lines have a `type`, an `uuid` and a message with a `role`",
    is_form,
    ties: Ties::First(ties),
    read,
};

fn is_form(head: &[Value]) -> bool {
    head.iter()
        .any(|line| match text(line, "/type") {
            "user" | "assistant" => {
                let is_kept = line.get("session_id").is_none() || line.get("sessionId").is_some();
                is_kept && line.get("uuid").is_some() && line.pointer("/message/role").is_some()
            }
            "system" | "progress" | "attachment" => {
                line.get("uuid").is_some() && line.get("sessionId").is_some()
            }
            "summary" => line.get("leafUuid").is_some(),
            "file-history-snapshot" => line.get("snapshot").is_some(),
            "queue-operation" => line.get("operation").is_some() && line.get("sessionId").is_some(),
            _ => false,
        })
}

/// Returns the session in whose directory the log of a sub-agent is.
fn session_above(file: &LogFile) -> Option<&str> {
    file.dirs()
        .skip_while(|dir| *dir != "subagents")
        .nth(1)
}

/// A session and its sub-agents, whose logs lie below its name or beside it.
fn ties(file: &LogFile, line: &Value, ties: &mut BTreeSet<String>) {
    let session = match session_above(file) {
        Some(session) => session,
        None if is_of_agent(file, line) => text(line, "/sessionId"),
        None => file.stem(),
    };

    let dirs: Vec<&str> = match session_above(file) {
        Some(_) => file
            .dirs()
            .skip_while(|dir| *dir != "subagents")
            .skip(2)
            .collect(),
        None => file.dirs().collect(),
    };

    ties.insert(format!("{}/{session}", dirs.join("/")));
}

fn is_of_agent(file: &LogFile, line: &Value) -> bool {
    file.base().starts_with("agent-") && is_true(line, "/isSidechain")
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut sessions = Sessions::default();
    while let Some(entry) = log.next()? {
        sessions.add(log.files.own(entry.file), &entry.value);
    }

    let Some(mut conversation) = sessions.joined() else {
        return Ok(());
    };
    let is_main = |file: &&LogFile| session_above(file).is_none() && file.stem() == conversation.id;
    conversation.source = log
        .files
        .iter()
        .find(is_main)
        .map(|file| file.base().to_owned());
    take(log, conversation);

    Ok(())
}

/// The sessions of a log, while they are read.
#[derive(Default)]
struct Sessions {
    by_id: BTreeMap<String, Conversation>,
    /// What is of no session.
    others: Conversation,
    /// The ids of the lines that were read.
    seen: BTreeSet<String>,
    /// The session of the last line that is of no sub-agent.
    last: Option<String>,
    /// The names of the files that are of no sub-agent.
    stems: BTreeSet<String>,
}

impl Sessions {
    fn add(&mut self, file: &LogFile, line: &Value) {
        let above = session_above(file);
        let session = above
            .unwrap_or(text(line, "/sessionId"))
            .to_owned();
        if session.is_empty() {
            return self.others.skip(text(line, "/type"));
        }

        if above.is_none() && !is_of_agent(file, line) {
            self.stems
                .insert(file.stem().to_owned());
            self.last = Some(session.clone());
        }

        let conversation = self.by_id.entry(session).or_default();
        conversation.is_by_time = true;
        if some_text(line, "/uuid").is_none_or(|uuid| self.seen.insert(uuid)) {
            add(conversation, line);
        } else {
            conversation.skip("repeated line");
        }
    }

    /// Returns the conversation of the main session, with what is left out of the others.
    fn joined(mut self) -> Option<Conversation> {
        let id = self
            .stems
            .into_iter()
            .find(|name| self.by_id.contains_key(name))
            .or(self.last)
            .or_else(|| self.by_id.keys().next().cloned())?;
        let mut conversation = self.by_id.remove(&id)?;
        conversation.id = id;

        // A session that was resumed repeats the one before it.
        for other in self.by_id.into_values() {
            for _ in &other.events {
                conversation.skip("line of another session");
            }
        }

        conversation.skip_all(self.others.skipped);
        Some(conversation)
    }
}

fn add(conversation: &mut Conversation, line: &Value) {
    conversation.moment(time(line, "/timestamp"));
    conversation.agent = None;
    if is_true(line, "/isSidechain") {
        let agent = some_text(line, "/agentId").unwrap_or_else(|| "sidechain".into());
        if agent == "sidechain" {
            let parent = conversation.open_call("Task");
            conversation
                .parents
                .extend(parent.map(|parent| (agent.clone(), parent)));
        }
        conversation.agent = Some(agent);
    }

    conversation.cwd = some_text(line, "/cwd");
    for (tag, at) in [
        ("cwd", "/cwd"),
        ("branch", "/gitBranch"),
        ("version", "/version"),
        ("permission_mode", "/permissionMode"),
    ] {
        conversation.tag(tag, text(line, at));
    }

    match (text(line, "/type"), text(line, "/subtype")) {
        ("user", _) => user(conversation, line),
        ("assistant", _) => assistant(conversation, line),
        ("system", "compact_boundary") => conversation.compaction(json!({
            "trigger": line.pointer("/compactMetadata/trigger"),
            "tokens_before": line.pointer("/compactMetadata/preTokens"),
        })),
        ("system", "api_error") => {
            conversation.retry(value_at(line, "/retryAttempt"), value_at(line, "/error"));
        }
        ("progress", _) => {
            let parent = some_text(line, "/parentToolUseID");
            let agent = some_text(line, "/data/agentId");
            conversation
                .parents
                .extend(agent.zip(parent));
            conversation.skip("progress");
        }
        (kind, "") => conversation.skip(kind),
        (kind, subtype) => conversation.skip(format!("{kind} {subtype}")),
    }
}

pub(super) fn user(conversation: &mut Conversation, line: &Value) {
    let content = value_at(line, "/message/content");
    if is_true(line, "/isCompactSummary") {
        return conversation.summary(json!({"summary": texts(content)}));
    }

    for block in items(line, "/message/content") {
        match text(block, "/type") {
            "tool_result" => result(conversation, line, block),
            "text" => {}
            kind => conversation.skip(kind),
        }
    }

    let said = texts(content);
    let said = said.trim();
    if said.is_empty() {
        return;
    }

    if said.starts_with("[Request interrupted") {
        conversation.interrupt(said);
    } else if is_true(line, "/isMeta")
        || said.starts_with("<local-command")
        || said.starts_with("Caveat:")
    {
        conversation.skip("message of the program");
    } else if let Some(name) = between(said, "<command-name>", "</command-name>") {
        let arguments = between(said, "<command-args>", "</command-args>").unwrap_or_default();
        conversation.message("user", &format!("{name} {arguments}"));
    } else if let Some(command) = between(said, "<bash-input>", "</bash-input>") {
        conversation.agent = Some("user".into());
        conversation.call(Call::new("bash-input", "Bash", json!({"command": command})));
    } else if let Some(output) = between(said, "<bash-stdout>", "</bash-stdout>") {
        let error = between(said, "<bash-stderr>", "</bash-stderr>").unwrap_or_default();
        let output = format!("{output}{error}");
        conversation.result("bash-input", Outcome::new(None, output));
    } else {
        conversation.message("user", said);
    }
}

fn result(conversation: &mut Conversation, line: &Value, block: &Value) {
    let content = value_at(block, "/content");
    let output = texts(content);
    let is_error = is_true(block, "/is_error");
    let status = if is_error && is_denial(&output) {
        Some("denied")
    } else if is_true(line, "/toolUseResult/interrupted") {
        Some("cancelled")
    } else {
        is_error.then_some("error")
    };

    let id = text(block, "/tool_use_id");
    let agent = some_text(line, "/toolUseResult/agentId");
    conversation
        .parents
        .extend(agent.map(|agent| (agent, id.to_owned())));

    let mut outcome = Outcome::new(status, output).took(Took::Between);
    for part in items(block, "/content") {
        match text(part, "/type") {
            "image" => {
                let source = |name: &str| text(part, &format!("/source/{name}")).to_owned();
                outcome
                    .pictures
                    .extend(picture(&source("media_type"), &source("data")));
            }
            "text" => {}
            kind => conversation.skip(kind),
        }
    }

    conversation.result(id, outcome);
}

pub(super) fn assistant(conversation: &mut Conversation, line: &Value) {
    let content = value_at(line, "/message/content");
    if is_true(line, "/isApiErrorMessage") {
        return conversation.error(&texts(content));
    }

    let key = first_text(line, &["/message/id", "/uuid"]).unwrap_or_default();
    let model = text(line, "/message/model");
    if conversation.agent.is_none() && !model.starts_with('<') {
        conversation.tag("model", model);
    }

    let answer = conversation.answer(&key);
    for block in items(line, "/message/content") {
        match text(block, "/type") {
            "text" => answer.say(text(block, "/text")),
            "thinking" => answer.think(text(block, "/thinking")),
            _ => {}
        }
    }

    answer.message_id = some_text(line, "/message/id");
    answer.model = Some(model.to_owned()).filter(|model| !model.is_empty());
    answer.stop_reason = some_text(line, "/message/stop_reason").or(answer.stop_reason.take());
    answer.is_refusal = answer.stop_reason.as_deref() == Some("refusal");
    answer.usage = line
        .pointer("/message/usage")
        .map(usage)
        .or(answer.usage);

    for block in items(line, "/message/content") {
        match text(block, "/type") {
            "tool_use" => {
                let input = value_at(block, "/input").clone();
                let call = Call::new(text(block, "/id"), text(block, "/name"), input);
                conversation.call(call);
            }
            "text" | "thinking" => {}
            kind => conversation.skip(kind),
        }
    }
}

/// Returns the usage of an answer of Anthropic, whose input is without what a cache read and wrote.
pub(super) fn usage(usage: &Value) -> Usage {
    let (cache_read, cache_write) = (
        count(usage, "/cache_read_input_tokens"),
        count(usage, "/cache_creation_input_tokens"),
    );

    Usage {
        input: count(usage, "/input_tokens")
            .saturating_add(cache_read)
            .saturating_add(cache_write),
        output: count(usage, "/output_tokens"),
        cache_read,
        cache_write,
    }
}
