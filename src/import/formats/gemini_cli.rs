//! `~/.gemini/tmp/<hash>/chats/session-*.json`, or its lines in newer versions -> a conversation.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::conversation::{Call, Conversation, Outcome, Usage};
use super::super::fields::{count, items, object, some_text, text, texts, time, value_at, without};
use super::super::log::{Log, LogFile};
use super::super::parts::{Part, joined};
use super::{Format, Take, Ties};

pub(super) const FORMAT: Format = Format {
    name: "gemini-cli",
    form: "it begins with `sessionId`, `projectHash` and `startTime`",
    is_form,
    ties: Ties::First(ties),
    read,
};

fn is_form(head: &[Value]) -> bool {
    head.first().is_some_and(|first| {
        ["sessionId", "projectHash", "startTime"]
            .iter()
            .all(|name| {
                first
                    .get(name)
                    .is_some_and(Value::is_string)
            })
    })
}

/// Ties a session to those of its sub-agents, which lie in a directory of its id.
fn ties(file: &LogFile, value: &Value, ties: &mut BTreeSet<String>) {
    if value.get("startTime").is_some() {
        ties.extend(some_text(value, "/sessionId"));
        ties.extend(parent_of(file, value));
    }
}

/// Returns the id of the session that began a sub-agent.
fn parent_of(file: &LogFile, header: &Value) -> Option<String> {
    let is_part = text(header, "/kind") == "subagent";
    let dir = file.dirs().next().filter(|_| is_part)?;
    Some(dir.to_owned()).filter(|dir| dir != CHATS)
}

/// The directory of all sessions, where older versions put sub-agents, too.
const CHATS: &str = "chats";

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut sessions: Vec<Session> = Vec::new();
    let mut file = None;
    while let Some(entry) = log.next()? {
        let of_file = log.files.get(entry.file);
        if file != Some(entry.file) {
            file = Some(entry.file);
            let conversation = Conversation {
                source: of_file.map(|file| file.base().to_owned()),
                is_by_time: true,
                ..Conversation::default()
            };

            sessions.push(Session {
                conversation,
                ..Session::default()
            });
        }

        if let Some((session, file)) = sessions.last_mut().zip(of_file) {
            session.add(file, entry.value);
        }
    }

    for conversation in joined(sessions.into_iter().map(Session::end)) {
        take(log, conversation);
    }

    Ok(())
}

/// The session of one file, while it is read.
#[derive(Default)]
struct Session {
    conversation: Conversation,
    parent: Option<String>,
    messages: Vec<Value>,
}

/// The number of messages among which one is looked for that is written again.
const RECENT: usize = 64;

impl Session {
    fn add(&mut self, file: &LogFile, value: Value) {
        if value.get("startTime").is_some() {
            text(&value, "/sessionId").clone_into(&mut self.conversation.id);
            self.conversation.started_at = time(&value, "/startTime");
            self.parent = parent_of(file, &value);
            self.messages
                .extend_from_slice(items(&value, "/messages"));
        } else if value.get("type").is_some() {
            match self.place_of(&value, RECENT) {
                // A message is written again when more of it is known.
                Some(known) => *known = value,
                None => self.messages.push(value),
            }
        } else {
            for message in items(&value, "/$set/messages") {
                self.replace(message);
            }

            let kind = value
                .as_object()
                .and_then(|line| line.keys().next());
            // What a rewind takes back was done all the same.
            self.conversation
                .skip(kind.map_or("other line", String::as_str));
        }
    }

    /// Returns the message of the same id among the last ones.
    fn place_of(&mut self, message: &Value, last: usize) -> Option<&mut Value> {
        let id = text(message, "/id");
        let is_same = |known: &&mut Value| !id.is_empty() && text(known, "/id") == id;
        self.messages
            .iter_mut()
            .rev()
            .take(last)
            .find(is_same)
    }

    /// Adds a message of the list that stands for all earlier ones, which has those again, or a
    /// summary instead of them.
    fn replace(&mut self, message: &Value) {
        if self
            .place_of(message, usize::MAX)
            .is_some()
        {
            return;
        }

        let said = texts(value_at(message, "/content"));
        let kind = if said.contains("<state_snapshot>") {
            SUMMARY
        } else {
            text(message, "/type")
        };

        let mut message = message.clone();
        if let Some(members) = message.as_object_mut() {
            members.insert("type".into(), kind.into());
        }

        self.messages.push(message);
    }

    fn end(mut self) -> Part {
        for message in &self.messages {
            say(&mut self.conversation, message);
        }

        Part {
            conversation: self.conversation,
            parent: self.parent,
        }
    }
}

/// The type of a message that is the summary of a compaction.
const SUMMARY: &str = "$summary";

fn say(conversation: &mut Conversation, message: &Value) {
    conversation.moment(time(message, "/timestamp"));
    let content = value_at(message, "/content");
    let said = texts(content);

    match text(message, "/type") {
        "user" => {
            for part in items(message, "/content") {
                if part.get("text").is_none() && !part.is_string() {
                    conversation.skip("part of a message of the user");
                }
            }
            let said = without(&said, "<session_context>", "</session_context>");
            let said = without(&said, "<hook_context>", "</hook_context>");
            conversation.message("user", &said);
        }
        "gemini" => answer(conversation, message, content),
        "error" => conversation.error(&said),
        "info" if said == "Request cancelled." => conversation.interrupt(&said),
        SUMMARY => conversation.summary(json!({"summary": said})),
        kind => conversation.skip(kind),
    }
}

fn answer(conversation: &mut Conversation, message: &Value, content: &Value) {
    conversation.tag("model", text(message, "/model"));
    let answer = conversation.answer("");
    answer.say(&texts(content));
    for thought in items(message, "/thoughts") {
        let (subject, rest) = (text(thought, "/subject"), text(thought, "/description"));
        answer.think(format!("{subject}: {rest}").trim_start_matches(": "));
    }

    answer.model = some_text(message, "/model");
    answer.message_id = some_text(message, "/id");
    answer.usage = object(message, "/tokens").map(|tokens| Usage {
        input: count(tokens, "/input"),
        output: count(tokens, "/output").saturating_add(count(tokens, "/thoughts")),
        cache_read: count(tokens, "/cached"),
        cache_write: 0,
    });

    for call in items(message, "/toolCalls") {
        add_call(conversation, call);
    }
}

fn add_call(conversation: &mut Conversation, call: &Value) {
    let id = text(call, "/id");
    conversation.moment(time(call, "/timestamp"));
    let input = value_at(call, "/args").clone();
    let mut asked = Call::new(id, text(call, "/name"), input);
    if let Some(agent) = some_text(call, "/agentId") {
        asked
            .extensions
            .insert("kind".into(), "delegate".into());
        conversation
            .parents
            .insert(agent, id.to_owned());
    }

    conversation.call(asked);
    let response = items(call, "/result")
        .iter()
        .find_map(|it| it.pointer("/functionResponse/response"))
        .unwrap_or(&Value::Null);
    let output = ["output", "error"]
        .iter()
        .find_map(|name| response.get(name))
        .unwrap_or(response);
    let said = output.to_string();
    let is_denied = DENIALS
        .iter()
        .any(|words| said.contains(words));
    let status = match text(call, "/status") {
        "success" => failure(text(call, "/name"), output.as_str().unwrap_or_default()),
        "error" | "cancelled" if is_denied => Some("denied"),
        "error" => Some("error"),
        "cancelled" => Some("cancelled"),
        // It is still running, or waits for a person.
        _ => return,
    };

    conversation.result(id, Outcome::new(status, output.clone()));
}

/// What an error says where a person, a policy or a hook refused a call.
const DENIALS: [&str; 4] = [
    "did not allow tool call",
    "User denied execution",
    "denied by policy",
    "Tool execution blocked",
];

/// Returns `error` for a command that failed, which is a call that succeeded: its exit code is
/// among the last lines of what it printed.
fn failure(tool: &str, printed: &str) -> Option<&'static str> {
    const LAST: [&str; 5] = [
        "Exit Code: ",
        "Signal: ",
        "Background PIDs: ",
        "Process Group PGID: ",
        "</untrusted_context>",
    ];

    if tool != "run_shell_command" {
        return None;
    }

    let is_last = |line: &&str| {
        LAST.iter()
            .any(|mark| line.starts_with(mark))
    };

    let mut last = printed
        .trim_end()
        .lines()
        .rev()
        .take_while(is_last);
    let is_failure = printed.starts_with("Command was automatically cancelled")
        || last.any(|line| {
            LAST.iter()
                .take(2)
                .any(|mark| line.starts_with(mark))
        });

    is_failure.then_some("error")
}
