//! What `opencode export` writes, or the files of its store -> a conversation with sub-sessions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::conversation::{Answer, Call, Conversation, Outcome, Took, Usage};
use super::super::fields::{
    count, first_text, is_true, items, picture_of_url, some_text, text, time, value_at,
};
use super::super::log::{Log, LogFile};
use super::super::parts::{Part, joined};
use super::{Format, Take, Ties};

use crate::ground::Own;

pub(super) const FORMAT: Format = Format {
    name: "opencode",
    form: "it has the ids of opencode: `ses_…`, `msg_…` or `prt_…`",
    is_form,
    ties: Ties::First(ties),
    read,
};

/// A value of opencode, as an export or a file of the store has it.
enum Kind<'v> {
    Export,
    Session,
    Message,
    /// A part of a message, in the file of its own.
    Piece(&'v str),
}

fn kind_of(value: &Value) -> Option<Kind<'_>> {
    let is = |at: &str, prefix: &str| text(value, at).starts_with(prefix);
    if is("/info/id", "ses_") && value_at(value, "/messages").is_array() {
        Some(Kind::Export)
    } else if is("/id", "ses_") && value.pointer("/time/created").is_some() {
        Some(Kind::Session)
    } else if is("/id", "msg_") && is("/sessionID", "ses_") {
        Some(Kind::Message)
    } else if is("/id", "prt_") && is("/messageID", "msg_") {
        Some(Kind::Piece(text(value, "/messageID")))
    } else {
        None
    }
}

fn is_form(head: &[Value]) -> bool {
    head.first()
        .is_some_and(|first| kind_of(first).is_some())
}

fn ties(_: &LogFile, value: &Value, ties: &mut BTreeSet<String>) {
    let info = value.get("info").unwrap_or(value);
    let names = ["/parentID", "/sessionID"];
    ties.extend(
        names
            .iter()
            .filter_map(|at| some_text(info, at))
            .filter(|id| id.starts_with("ses_")),
    );
    ties.extend(some_text(info, "/id").filter(|id| id.starts_with("ses_")));
}

/// A session and its messages.
struct Session {
    /// The name of its file.
    source: Option<String>,
    info: Value,
    messages: Vec<Message>,
}

/// A message and its parts.
struct Message {
    info: Value,
    parts: Vec<Value>,
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut sessions: Vec<Session> = Vec::new();
    let mut messages: Vec<Value> = Vec::new();
    let mut pieces: BTreeMap<String, Vec<Value>> = BTreeMap::new();

    while let Some(entry) = log.next()? {
        let value = entry.value;
        let source = Some(
            log.files
                .own(entry.file)
                .base()
                .to_owned(),
        );

        match kind_of(&value) {
            Some(Kind::Export) => sessions.push(Session::of_export(source, &value)),
            Some(Kind::Session) => sessions.push(Session {
                source,
                info: value,
                messages: Vec::new(),
            }),
            Some(Kind::Message) => messages.push(value),
            Some(Kind::Piece(message)) => {
                pieces
                    .entry(message.to_owned())
                    .or_default()
                    .push(value);
            }
            None => {}
        }
    }

    for info in messages {
        let mut parts = pieces
            .remove(text(&info, "/id"))
            .unwrap_or_default();
        parts.sort_by_key(|part| text(part, "/id").to_owned());

        let session = text(&info, "/sessionID");
        if let Some(of) = sessions
            .iter_mut()
            .find(|it| text(&it.info, "/id") == session)
        {
            of.messages
                .push(Message { info, parts });
        }
    }

    for conversation in joined(sessions.into_iter().map(Session::end)) {
        take(log, conversation);
    }

    Ok(())
}

impl Session {
    fn of_export(source: Option<String>, export: &Value) -> Self {
        let message = |it: &Value| Message {
            info: value_at(it, "/info").clone(),
            parts: items(it, "/parts").to_vec(),
        };

        Self {
            source,
            info: value_at(export, "/info").clone(),
            messages: items(export, "/messages")
                .iter()
                .map(message)
                .collect(),
        }
    }

    fn end(self) -> Part {
        Part {
            parent: some_text(&self.info, "/parentID"),
            conversation: self.conversation(),
        }
    }

    fn conversation(mut self) -> Conversation {
        let mut conversation = Conversation {
            source: self.source,
            id: text(&self.info, "/id").to_owned(),
            started_at: time(&self.info, "/time/created"),
            cwd: some_text(&self.info, "/directory"),
            is_by_time: true,
            ..Conversation::default()
        };

        conversation.tag("cwd", text(&self.info, "/directory"));
        conversation.tag("version", text(&self.info, "/version"));
        self.messages.sort_by_key(|it| {
            (
                count(&it.info, "/time/created"),
                text(&it.info, "/id").to_owned(),
            )
        });
        for Message { info, parts } in &self.messages {
            conversation.moment(time(info, "/time/created"));
            match text(info, "/role") {
                "user" => user(&mut conversation, parts),
                "assistant" => assistant(&mut conversation, info, parts),
                role => conversation.skip(format!("message of {role}")),
            }
        }

        conversation
    }
}

fn user(conversation: &mut Conversation, parts: &[Value]) {
    let mut said = Vec::new();
    for part in parts {
        match text(part, "/type") {
            "text" if is_true(part, "/synthetic") || is_true(part, "/ignored") => {
                conversation.skip("synthetic text");
            }
            "text" => said.push(text(part, "/text")),
            "compaction" => {
                let trigger = if is_true(part, "/auto") {
                    "auto"
                } else {
                    "manual"
                };
                conversation.compaction(json!({"trigger": trigger}));
            }
            kind => conversation.skip(kind),
        }
    }

    if !said.is_empty() {
        conversation.message("user", &said.join("\n"));
    }
}

fn assistant(conversation: &mut Conversation, info: &Value, parts: &[Value]) {
    let answer = answer_of(info, parts);
    conversation.spent(info.get("cost").and_then(Value::as_f64));
    if is_true(info, "/summary") {
        return conversation.summary(json!({
            "summary": answer.text,
            "model": answer.model,
            "usage": answer.usage.map(Usage::members),
        }));
    }

    conversation.tag("model", text(info, "/modelID"));
    conversation.tag(
        "agent",
        first_text(info, &["/agent", "/mode"]).unwrap_or_default(),
    );
    *conversation.answer("") = answer;

    for part in parts {
        match text(part, "/type") {
            "tool" => tool(conversation, part),
            "retry" => {
                conversation.moment(time(part, "/time/created"));
                conversation.retry(value_at(part, "/attempt"), value_at(part, "/error"));
            }
            "text" | "reasoning" => {}
            kind => conversation.skip(kind),
        }
    }

    add_error(conversation, info);
}

fn answer_of(info: &Value, parts: &[Value]) -> Answer {
    let of_type = |kind: &'static str| {
        parts
            .iter()
            .filter(move |part| text(part, "/type") == kind)
    };

    let of_steps = of_type("step-finish")
        .filter_map(|part| part.get("tokens"))
        .map(usage)
        .reduce(Usage::add);
    let reason = text(info, "/finish");
    let mut answer = Answer {
        model: some_text(info, "/modelID"),
        stop_reason: some_text(info, "/finish"),
        message_id: some_text(info, "/id"),
        usage: of_steps
            .or_else(|| info.get("tokens").map(usage))
            .filter(|usage| !usage.is_empty()),
        ends_turn: Some(matches!(reason, "stop" | "length" | "end_turn")),
        is_refusal: reason == "content-filter",
        ..Answer::default()
    };

    of_type("text").for_each(|part| answer.say(text(part, "/text")));
    of_type("reasoning").for_each(|part| answer.think(text(part, "/text")));

    answer
}

/// Adds the error that ended a message, after all that happened in it.
fn add_error(conversation: &mut Conversation, info: &Value) {
    let name = text(info, "/error/name");
    if name.is_empty() {
        return;
    }

    let ended = time(info, "/time/completed");
    let last = conversation
        .events
        .iter()
        .filter_map(|event| event.at)
        .max();
    conversation.moment(ended.max(last));

    let message = some_text(info, "/error/data/message").unwrap_or_else(|| name.to_owned());
    if name == "MessageAbortedError" {
        conversation.interrupt(&message);
    } else {
        conversation.error(&message);
    }
}

/// Returns the usage of a step, whose four parts lie apart.
fn usage(tokens: &Value) -> Usage {
    let (cache_read, cache_write) = (count(tokens, "/cache/read"), count(tokens, "/cache/write"));
    Usage {
        input: count(tokens, "/input")
            .saturating_add(cache_read)
            .saturating_add(cache_write),
        output: count(tokens, "/output").saturating_add(count(tokens, "/reasoning")),
        cache_read,
        cache_write,
    }
}

fn tool(conversation: &mut Conversation, part: &Value) {
    let id = text(part, "/callID");
    let input = value_at(part, "/state/input").clone();
    let session = some_text(part, "/state/metadata/sessionId");

    conversation
        .parents
        .extend(session.map(|session| (session, id.to_owned())));
    conversation.moment(time(part, "/state/time/start"));
    conversation.call(Call::new(id, text(part, "/tool"), input));

    let error = text(part, "/state/error");
    let is_denied = [
        "The user rejected permission",
        "The user has specified a rule which prevents",
        "Permission denied",
    ]
    .iter()
    .any(|denial| error.starts_with(denial));
    let exit = part
        .pointer("/state/metadata/exit")
        .and_then(Value::as_i64);
    let status = match text(part, "/state/status") {
        "completed" if text(part, "/tool") == "bash" && exit.is_some_and(|exit| exit != 0) => {
            Some("error")
        }
        "completed" => None,
        "error" if is_denied => Some("denied"),
        "error"
            if error.starts_with("Tool execution aborted")
                || is_true(part, "/state/metadata/interrupted") =>
        {
            Some("cancelled")
        }
        "error" => Some("error"),
        // It is still to be done.
        _ => return,
    };

    let output = first_text(part, &["/state/output", "/state/error"]);
    let mut outcome = Outcome::new(status, output.unwrap_or_default()).took(Took::Between);
    for attachment in items(part, "/state/attachments") {
        outcome
            .pictures
            .extend(picture_of_url(text(attachment, "/url")));
    }

    conversation.moment(time(part, "/state/time/end"));
    conversation.result(id, outcome);
}
