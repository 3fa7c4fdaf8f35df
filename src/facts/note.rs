//! An event as it passes -> what is noted of it while its timeline is read.

use std::borrow::Cow;

use super::Value;
use super::timeline::{EventFacts, text};
use crate::Instant;
use crate::document::{Kind, Parser, Sink, unquoted};
use crate::record::StepStatus;

/// What is noted of an event: texts that are facts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EventNote<'a> {
    pub(crate) phase: Option<Cow<'a, str>>,
    pub(crate) event_type: Option<Cow<'a, str>>,
    pub(crate) episode_id: Option<Cow<'a, str>>,
    pub(crate) timestamp: Option<Cow<'a, str>>,
    /// The step whose status it tells, and the status; none where what it tells is no status.
    pub(crate) step: Option<(Cow<'a, str>, Option<StepStatus>)>,
    /// The identifier of the action that mirrors the event.
    pub(crate) action_id: Option<Cow<'a, str>>,
}

impl<'a> EventNote<'a> {
    /// The note of any event.
    pub(crate) fn of(event: &EventFacts<'a>) -> Self {
        let payload = event.payload();
        let in_payload = |key: &str| payload.and_then(|payload| payload.text(&[key]));
        let status = |value: Value<'_>| value.node().text().and_then(|status| StepStatus::from_name(&status));
        Self {
            phase: text(event.phase),
            event_type: text(event.event_type),
            episode_id: text(event.episode_id),
            timestamp: text(event.timestamp),
            step: in_payload("step_id").zip(payload.and_then(|payload| payload.get("step_status")).map(status)),
            action_id: in_payload("action_id").or_else(|| in_payload("id")),
        }
    }

    /// Whether anything becomes of the event while its timeline is read; `expected_id` is the id of the run.
    pub(crate) fn matters(&self, expected_id: Option<&str>) -> bool {
        self.is_foreign(expected_id)
            || match self.phase.as_deref() {
                Some("start" | "direction" | "plan") => true,
                Some("act") => self.step.is_some() || self.action_id.is_some(),
                Some("runtime") => self.event_type.as_deref() == Some("run.state_projection"),
                _ => false,
            }
    }

    /// Whether the event names another run than the one whose id is expected.
    pub(crate) fn is_foreign(&self, expected_id: Option<&str>) -> bool {
        matches!((expected_id, &self.episode_id), (Some(expected), Some(id)) if id != expected)
    }

    /// The note of an event that satisfies its schema for certain, read from its bytes in one pass that keeps nothing else.
    /// `None` says nothing: such an event is read as a document, and judged by its schema.
    ///
    /// Tests hold this reading against the schema and against [`EventNote::of`].
    pub(crate) fn of_text(bytes: &'a [u8]) -> Option<Self> {
        u32::try_from(bytes.len()).ok()?;
        let text = std::str::from_utf8(bytes).ok()?;
        let mut parts = Parts::new(bytes);
        Parser::new(bytes, &mut parts).text().ok()?;
        let string = |field: Field| match parts.get(field) {
            Some(Part { kind: Kind::String, start, end, escaped }) => {
                Some(unquoted(text.get(start as usize..end as usize)?, escaped))
            }
            _ => None,
        };
        let is_text = |field: Field| parts.get(field).is_none_or(|part| part.kind == Kind::String);
        let status = parts.get(Field::StepStatus);
        let status = status.map(|_| StepStatus::from_name(&string(Field::StepStatus).unwrap_or_default()));
        let note = Self {
            phase: Some(string(Field::Phase)?),
            event_type: string(Field::EventType),
            episode_id: string(Field::EpisodeId),
            timestamp: Some(string(Field::Timestamp).filter(|text| Instant::is_valid(text))?),
            step: string(Field::StepId).zip(status),
            action_id: string(Field::ActionId).or_else(|| string(Field::Id)),
        };
        let is_sound = !parts.has_escaped_keys
            && parts.get(Field::Payload).is_some_and(|payload| payload.kind == Kind::Object)
            && [Field::EventType, Field::EpisodeId, Field::AgentId].into_iter().all(is_text)
            && (note.phase.as_deref() != Some("act") || (is_text(Field::StepId) && status != Some(None)));
        is_sound.then_some(note)
    }
}

/// The fields of an event and of its payload that its schema describes and that are noted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    AgentId,
    EpisodeId,
    EventType,
    Payload,
    Phase,
    Timestamp,
    StepId,
    StepStatus,
    ActionId,
    Id,
    /// Any other.
    Other,
}

impl Field {
    const COUNT: usize = Self::Other as usize + 1;

    fn of_event(key: &[u8]) -> Self {
        match key {
            b"agent_id" => Self::AgentId,
            b"episode_id" => Self::EpisodeId,
            b"event_type" => Self::EventType,
            b"payload" => Self::Payload,
            b"phase" => Self::Phase,
            b"timestamp" => Self::Timestamp,
            _ => Self::Other,
        }
    }

    fn of_payload(key: &[u8]) -> Self {
        match key {
            b"step_id" => Self::StepId,
            b"step_status" => Self::StepStatus,
            b"action_id" => Self::ActionId,
            b"id" => Self::Id,
            _ => Self::Other,
        }
    }
}

/// A value: what it is, and where it stands.
#[derive(Clone, Copy)]
struct Part {
    kind: Kind,
    escaped: bool,
    start: u32,
    end: u32,
}

/// The values of an event's fields; of a field that is named twice, the last.
struct Parts<'a> {
    bytes: &'a [u8],
    found: [Option<Part>; Field::COUNT],
    /// The field whose value comes next.
    field: Field,
    /// The event, and its payload.
    depth: u8,
    /// Whether a key is written with escapes: it may be one of the fields.
    has_escaped_keys: bool,
}

impl<'a> Parts<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, found: [None; Field::COUNT], field: Field::Other, depth: 0, has_escaped_keys: false }
    }

    fn get(&self, field: Field) -> Option<Part> {
        self.found.get(field as usize).copied().flatten()
    }

    fn set(&mut self, field: Field, part: Option<Part>) {
        if let Some(slot) = self.found.get_mut(field as usize) {
            *slot = part;
        }
    }
}

#[expect(clippy::inline_always, reason = "measured: the parser is to be one with what it feeds")]
#[expect(clippy::cast_possible_truncation, reason = "an event longer than 4 GiB is not begun")]
impl Sink for &mut Parts<'_> {
    #[inline(always)]
    fn value(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        let field = self.field;
        self.set(field, Some(Part { kind, escaped, start: start as u32, end: end as u32 }));
        if field == Field::Payload {
            // What an earlier payload said does not count.
            for field in [Field::StepId, Field::StepStatus, Field::ActionId, Field::Id] {
                self.set(field, None);
            }
        }
    }

    #[inline(always)]
    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let name = self.bytes.get(start + 1..end - 1).unwrap_or_default();
        self.field = if self.depth == 1 { Field::of_event(name) } else { Field::of_payload(name) };
        self.has_escaped_keys |= escaped;
    }

    #[inline(always)]
    fn open(&mut self, kind: Kind, start: usize) -> bool {
        let is_wanted = kind == Kind::Object && (self.depth == 0 || (self.depth == 1 && self.field == Field::Payload));
        if is_wanted {
            if self.depth == 1 {
                self.value(kind, start, start, false);
            }
            self.depth += 1;
        }
        is_wanted
    }

    #[inline(always)]
    fn close(&mut self, _: usize) {
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Tape;
    use crate::schema::Schema;
    use crate::source::Line;

    /// Events around which mutants are made: every field that is noted, right and wrong, early and late, twice and escaped.
    const SEEDS: [&str; 6] = [
        r#"{"phase":"act","timestamp":"2025-01-01T00:00:00Z","payload":{"step_id":"s","step_status":"done","action_id":"a","id":"b"}}"#,
        r#"{"agent_id":"x","episode_id":"ep","event_type":"t","payload":{},"payload":{"id":7},"phase":"plan","timestamp":"2025-01-01T00:00:00Z"}"#,
        r#"{"payload":{"step_id":1,"step_status":"gone"},"phase":"observe","timestamp":"2025-01-01T00:00:00Z"}"#,
        r#"{"payload":[{"id":"x"}],"phase":"act","timestamp":"2025-01-01T00:00:00Z","ph\u0061se":"x","a":{"phase":[[]]}}"#,
        r#"{"payload":{"step_id":"a\n","payload":{"id":"q"},"action_id":null,"id":"z"},"phase":"act","timestamp":"2025-01-01T00:00:00Z","phase":"\u0061ct"}"#,
        r#"{"payload":{"id":"old"},"payload":"x","payload":{"x":1},"phase":"act","timestamp":"2025-01-01T00:00:00Z"}"#,
    ];

    /// Pieces of which mutants are made.
    const PIECES: [&str; 16] = [
        "\"act\"",
        "\"done\"",
        "null",
        "7",
        "[]",
        "{}",
        "\"phase\"",
        "\"id\"",
        ",",
        ":",
        "{",
        "}",
        "\"",
        "\\u0061",
        " ",
        "é",
    ];

    /// Whatever is noted in one pass satisfies the schema, and is noted the same from the document.
    fn is_sound(bytes: &[u8]) -> bool {
        let Some(note) = EventNote::of_text(bytes) else { return false };
        let (mut tape, shown) = (Tape::default(), String::from_utf8_lossy(bytes));
        let document = tape.read(bytes).unwrap_or_else(|error| panic!("{shown}: {error}"));
        assert!(Schema::Event.violations_by_validator(document).is_empty(), "{shown}");
        let line = Line { number: 1, offset: 0, length: bytes.len() };
        assert_eq!(note, EventNote::of(&EventFacts::new(line, Value::root(document, &[]))), "{shown}");
        true
    }

    #[test]
    fn what_is_noted_in_one_pass_is_what_the_document_and_its_schema_say() {
        let (mut noted, mut tried) = (0_usize, 0);
        for seed in SEEDS {
            let tokens: Vec<(usize, &str)> = seed.match_indices(['"', '{', '}', '[', ']', ',', ':']).collect();
            for (cut, _) in tokens.iter().copied().chain([(seed.len(), "")]) {
                for (end, _) in tokens.iter().filter(|(end, _)| *end >= cut).take(12) {
                    for piece in PIECES.into_iter().chain([""]) {
                        let mutant = [&seed[..cut], piece, &seed[*end..]].concat();
                        noted += usize::from(is_sound(mutant.as_bytes()));
                        tried += 1;
                    }
                }
            }
        }
        assert!(tried > 30_000 && noted > 200, "{noted} of {tried} mutants were noted");
    }

    #[test]
    fn events_as_runtimes_write_them_are_noted_in_one_pass() {
        for (index, expected) in [true, true, true, false, true, true].into_iter().enumerate() {
            assert_eq!(is_sound(SEEDS[index].as_bytes()), expected, "{}", SEEDS[index]);
        }
    }
}
