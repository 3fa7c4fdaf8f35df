//! One event -> one line of text, and the instant at which it happened.

use std::borrow::Cow;

use super::incident::{self, error_text};
use crate::ground::document::{Key, Kind, Node, ReadText, Slots};
use crate::ground::printable::{brief, brief_json, shortened, without_colours};
use crate::ground::source::Line;
use crate::ground::timestamp::Timestamp;
use crate::reading::dashboard::{EventSummary, Mark};
use crate::reading::facts::{self, EventFacts, JsonText};

/// The maximum length of a phase or an agent's name, in characters.
const MAX_NAME: usize = 200;

/// The maximum length of a part of the line of an event, in characters.
const MAX_PART: usize = 160;

/// The depth to which the line of an event looks for the text of a value.
const MAX_DEPTH: u8 = 4;

/// The time of events since the first one that has a timestamp, to the microsecond.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimelineClock {
    pub(crate) started: Option<Timestamp>,
}

impl TimelineClock {
    /// Returns the time of the next event.
    pub(crate) fn offset_of(&mut self, event: Node<'_>) -> Option<f64> {
        let at = event
            .get("timestamp")
            .and_then(Node::text)?;
        Some(self.offset(&Timestamp::parse(&at)?))
    }

    /// Returns the time of the next event that has a timestamp, which is an instant.
    pub(super) fn offset(&mut self, at: &Timestamp) -> f64 {
        let seconds = at.seconds_since(
            self.started
                .get_or_insert_with(|| at.clone()),
        );
        (seconds * 1e6).round() / 1e6
    }
}

/// Returns the first characters of a name.
pub(super) fn cut(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.len() <= MAX_NAME {
        name
    } else {
        name.chars().take(MAX_NAME).collect()
    }
}

/// Returns an event in one line.
pub(crate) fn summary_of(line: u64, event: Node<'_>, offset_sec: Option<f64>) -> EventSummary {
    let phase = cut(event
        .get("phase")
        .and_then(Node::text)
        .unwrap_or_default());
    let agent = event
        .get("agent_id")
        .and_then(Node::text);

    EventSummary {
        line,
        offset_sec,
        agent: cut(agent.unwrap_or_default()).into_owned(),
        summary: summary(event),
        mark: mark(event),
        phase: phase.into_owned(),
    }
}

/// Returns the mark of an event, by the values that rules ask for.
fn mark(event: Node<'_>) -> Option<Mark> {
    let (document, mut slots) = (event.document(), Slots::default());
    slots.fill(document, &facts::EVENT);
    let of = JsonText {
        text: document.text(),
        read: &ReadText::of(slots),
        refused: &[],
    };

    let (mark, _) = incident::mark(EventFacts::new(Line::BEFORE_ALL, of))?;
    Some(mark)
}

/// The keys of a payload that people look for first; those that have to be named end with `=`.
const KNOWN: &str = "tool decision task input_excerpt input message text content messages \
    observation thought reasoning answer output result error step_id step_status status \
    result_status score= reward= confidence= passed= usage=";

/// The statuses of a call that say nothing new.
const USUAL: [&str; 3] = ["ok", "running", "done"];

/// The keys of an object that hold its text.
const TEXTS: [&str; 5] = ["text", "content", "message", "summary", "stdout"];

/// The number of values of a payload without known keys that a line shows.
const OTHERS: usize = 3;

/// Returns the summary of an event in one line: its type, and the values of its payload that people
/// look for first.
fn summary(event: Node<'_>) -> String {
    let mut parts: Vec<String> = event
        .get("event_type")
        .and_then(Node::text)
        .map(|kind| brief(&kind))
        .into_iter()
        .collect();
    let Some(payload) = event.get("payload") else {
        return parts.concat();
    };
    let is_call = payload
        .get("tool")
        .and_then(Node::text)
        .is_some();
    let has_excerpt = payload
        .get("input_excerpt")
        .and_then(Node::text)
        .is_some();

    for known in KNOWN.split(' ') {
        let key = known.trim_end_matches('=');
        let value = payload
            .get(key)
            .filter(|value| !value.is_null())
            .and_then(|value| match key {
                "error" => error_text(value),
                "input" if has_excerpt => None,
                _ => Some(first_words(value)),
            });
        let is_usual = |value: &str| is_call && key.ends_with("status") && USUAL.contains(&value);

        if let Some(value) = value.filter(|value| !value.trim().is_empty() && !is_usual(value)) {
            parts.push(if key == known {
                value
            } else {
                known.to_owned() + &value
            });
        }
    }

    for (key, noun) in [("step_records", "steps"), ("steps", "step labels")] {
        let steps = payload
            .get(key)
            .filter(|it| it.kind() == Kind::Array);
        parts.extend(steps.map(|steps| format!("{noun}: {}", steps.items().count())));
    }

    if parts.is_empty() {
        let named = |key: Key<'_>| format!("{}={}", brief(&key.name()), first_words(key.value()));
        parts.extend(
            payload
                .members()
                .take(OTHERS)
                .map(named),
        );
    }

    parts.join(" · ")
}

/// Returns the first words of a value: of a text its beginning, of messages their roles and
/// beginnings, of another object its text.
pub(crate) fn first_words(value: Node<'_>) -> String {
    words_within(value, 0)
}

fn words_within(value: Node<'_>, depth: u8) -> String {
    let deeper = |value: Node<'_>| shortened(&words_within(value, depth + 1), MAX_PART);
    match value.kind() {
        Kind::Array
            if depth < MAX_DEPTH
                && value
                    .items()
                    .any(|it| it.kind() == Kind::Object) =>
        {
            let number = value.items().count();
            let mut parts: Vec<String> = value
                .items()
                .take(if number > 3 { 1 } else { 3 })
                .map(deeper)
                .collect();
            if number > 3 {
                parts.push(format!("{} more", number - 2));
                parts.extend(value.items().last().map(deeper));
            }

            parts.join(" · ")
        }
        Kind::Object if depth < MAX_DEPTH => {
            // Of a history, its end is new.
            if let Some(last) = value
                .get("messages")
                .and_then(|it| it.items().last())
            {
                return deeper(last);
            }

            let name = |key| value.get(key).and_then(Node::text);
            let text = TEXTS
                .iter()
                .find_map(|key| value.get(key))
                .map(deeper);
            match (name("role").or_else(|| name("type")), text) {
                (Some(name), Some(text)) if name != "text" => format!("{}: {text}", brief(&name)),
                (_, Some(text)) => text,
                (Some(name), None) if name.len() < MAX_PART => brief(&name),
                (_, None) => brief_json(&without_colours(value.raw())),
            }
        }
        Kind::String => {
            let text = value.text().unwrap_or_default();
            shortened(&without_colours(&text), MAX_PART)
        }
        _ => without_colours(&shown(value)).into_owned(),
    }
}

/// Returns `true` if a run waits from this event on, until a later event goes on.
pub(crate) fn waits(event: Node<'_>) -> bool {
    event
        .get("event_type")
        .and_then(Node::text)
        .is_some_and(|it| it.contains("pause") || it.contains("interrupt"))
        || event
            .at(&["payload", "waiting"])
            .and_then(Node::boolean)
            == Some(true)
}

/// Returns a value in the form that a dashboard shows: a text without its quotes, a number rounded,
/// anything else as JSON.
pub(crate) fn shown(node: Node<'_>) -> String {
    match (node.text(), node.number()) {
        (Some(text), _) => brief(&text),
        (None, Some(number)) => brief(&number.rounded()),
        (None, None) => brief_json(node.raw()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::OwnedDocument;

    #[test]
    fn line_of_an_event_has_its_content() {
        let line = |payload: &str| {
            let event = format!(r#"{{"phase":"x","payload":{payload}}}"#);
            let event = OwnedDocument::read(event.into_bytes()).unwrap();
            summary_of(1, event.root(), None).summary
        };
        for (payload, expected) in [
            (r#"{"score":0.25,"text":"a\nb"}"#, r"a\nb · score=0.25"),
            (
                r#"{"step_id":"s","input_excerpt":"","result_status":"ok"}"#,
                "s · ok",
            ),
            (
                r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"text","text":"Ho"},{"type":"image_url","image_url":{"url":"data:"}}]}]}"#,
                "user: Hi · assistant: Ho · image_url",
            ),
            (
                r#"{"messages":[{"role":"a"},1,2,3,{"role":"b","content":"c"}]}"#,
                "a · 3 more · b: c",
            ),
            (
                r#"{"observation":{"stdout":"12 files"},"decision":"go"}"#,
                "go · 12 files",
            ),
            (r#"{"usage":{"in":3},"note":"n"}"#, r#"usage={"in":3}"#),
            (r#"{"a":[1,2],"b":{"text":"c"}}"#, "a=[1,2] · b=c"),
        ] {
            assert_eq!(line(payload), expected, "{payload}");
        }
    }
}
