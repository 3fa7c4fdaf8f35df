//! One event -> one line of text, and when it happened.

use std::borrow::Cow;

use super::incident::Signs;
use crate::dashboard::Moment;
use crate::document::{Kind, Node};
use crate::printable::{brief, brief_json};
use crate::timestamp::Timestamp;

/// The maximum length of a phase or an agent's name, in characters.
const MAX_NAME: usize = 200;

/// The time of events since the first one that has a timestamp, to the microsecond.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimelineClock {
    pub(crate) started: Option<Timestamp>,
}

impl TimelineClock {
    pub(crate) fn offset(&mut self, event: Node<'_>) -> Option<f64> {
        let at = event.get("timestamp").and_then(Node::text);
        let at = at.and_then(|text| Timestamp::parse(&text));
        if self.started.is_none() {
            self.started.clone_from(&at);
        }
        self.offset_of(&at?)
    }

    pub(super) fn offset_of(&self, at: &Timestamp) -> Option<f64> {
        let seconds = at.seconds_since(self.started.as_ref()?);
        Some((seconds * 1e6).round() / 1e6)
    }
}

/// The phase of an event.
pub(super) fn phase(event: Node<'_>) -> Cow<'_, str> {
    cut(event.get("phase").and_then(Node::text).unwrap_or_default())
}

/// The first characters of a name.
pub(super) fn cut(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.len() <= MAX_NAME {
        name
    } else {
        name.chars().take(MAX_NAME).collect()
    }
}

/// An event in one line.
pub(crate) fn moment(line: u64, event: Node<'_>, offset_sec: Option<f64>) -> Moment {
    let phase = phase(event);
    let agent = event.get("agent_id").and_then(Node::text);
    Moment {
        line,
        offset_sec,
        agent: cut(agent.unwrap_or_default()).into_owned(),
        summary: summary(event),
        mark: Signs::of(event, &phase).mark,
        phase: phase.into_owned(),
    }
}

/// What happened in an event, in one line: its type, and the values of its payload that people look
/// for first.
fn summary(event: Node<'_>) -> String {
    let mut parts: Vec<String> = event
        .get("event_type")
        .and_then(Node::text)
        .map(|kind| brief(&kind))
        .into_iter()
        .collect();
    let payload = event.get("payload");
    let known = [
        "step_id",
        "step_status",
        "decision",
        "status",
        "task",
        "input_excerpt",
        "message",
        "result_status",
        "tool",
    ];
    let members = || payload.into_iter().flat_map(Node::members);
    let mut named: Vec<(usize, String)> = members()
        .filter_map(|key| {
            let name = key.name();
            let rank = known.iter().position(|known| *known == name)?;
            Some((rank, value_of(key.value())?))
        })
        .collect();
    named.sort();
    parts.extend(named.into_iter().map(|(_, value)| value));
    for (key, noun) in [("step_records", "steps"), ("steps", "step labels")] {
        if let Some(steps) = payload
            .and_then(|payload| payload.get(key))
            .filter(|steps| steps.kind() == Kind::Array)
        {
            parts.push(format!("{noun}: {}", steps.items().count()));
        }
    }
    if parts.is_empty() {
        parts.extend(
            members().take(3).filter_map(|key| {
                Some(format!("{}={}", brief(&key.name()), value_of(key.value())?))
            }),
        );
    }
    parts.join(" · ")
}

/// Returns `true` if a run waits from this event on, until a later event goes on.
pub(crate) fn waits(event: Node<'_>) -> bool {
    let event_type = event.get("event_type").and_then(Node::text);
    event_type.is_some_and(|it| it.contains("pause") || it.contains("interrupt"))
        || event.at(&["payload", "waiting"]).and_then(Node::boolean) == Some(true)
}

/// A scalar as text; `None` for arrays and objects.
fn value_of(node: Node<'_>) -> Option<String> {
    (!matches!(node.kind(), Kind::Array | Kind::Object)).then(|| shown(node))
}

/// A value in the form that a dashboard shows: a text without its quotes, a number rounded,
/// anything else as JSON.
pub(crate) fn shown(node: Node<'_>) -> String {
    match (node.text(), node.number()) {
        (Some(text), _) => brief(&text),
        (None, Some(number)) => brief(&number.rounded()),
        (None, None) => brief_json(node.raw()),
    }
}
