//! An act event that has the id of an action -> what is kept of it until it is compared.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

use super::as_of::{AsOf, Marks};
use super::event::EventFacts;
use super::note::{ActNote, MIRRORED, MirroredSpans, Span, bytes_of, is_mirrored};
use super::value::Value;
use crate::document::{Kind, Tape, unquoted};
use crate::source::Line;

/// The latest act event for each action of the state that has an id.
#[derive(Debug, Default)]
pub(super) struct Acts<'a> {
    by_id: BTreeMap<Cow<'a, str>, OfAction<'a>>,
    /// Whether an action has an id that no event can have.
    has_strange_id: bool,
    /// The bytes that the events take.
    pub(super) bytes: usize,
}

/// An action of the state, and its events.
#[derive(Debug)]
struct OfAction<'a> {
    /// `None` where several actions have the id, and where it is long: it is looked at with each
    /// event.
    action: Option<Value<'a>>,
    events: Option<AsOf<KeptAct>>,
}

/// The tokens of a short action, at most. Actions have about twenty.
const SHORT_TOKENS: u32 = 64;

impl<'a> Acts<'a> {
    /// The actions of a state.
    pub(super) fn new(actions: impl Iterator<Item = Value<'a>>) -> Self {
        let mut acts = Self::default();
        for action in actions {
            let Some(id) = action.get("id").filter(|id| !id.node().is_null()) else {
                continue;
            };
            let Some(id) = id.node().text().filter(|_| id.is_fact()) else {
                acts.has_strange_id = true;
                continue;
            };
            let size = action.node().end_index() - action.node().index();
            let alone = OfAction {
                action: (size <= SHORT_TOKENS).then_some(action),
                events: None,
            };
            let of_id = acts.by_id.entry(id);
            of_id.and_modify(|of| of.action = None).or_insert(alone);
        }
        acts
    }

    /// Adds an event that has an id, given its text, its note and the tokens that its schema
    /// refuses. Returns whether an action has the id; `None` where there is no memory for that.
    pub(super) fn add(
        &mut self,
        id: &str,
        (line, event, note, refused): (Line, &[u8], &ActNote<'_>, &[u32]),
        marks: Marks,
        tape: &mut Tape,
    ) -> Option<bool> {
        let Some(of) = self.by_id.get_mut(id) else {
            return Some(false);
        };
        let act = match (&note.mirrored, of.action) {
            (Some(spans), Some(action)) if spans.are_mirrored(event, action) => {
                KeptAct::mirrored(line)
            }
            _ => KeptAct::new(line, event, note, refused, tape)?,
        };
        let bytes = |acts: &AsOf<KeptAct>| acts.values().map(KeptAct::bytes).sum::<usize>();
        if let Some(events) = &mut of.events {
            self.bytes -= bytes(events);
            events.set(line.number, act, marks);
            self.bytes += bytes(events);
        } else {
            self.bytes += act.bytes();
            of.events = Some(AsOf::new(line.number, act));
        }
        Some(true)
    }

    /// Whether an action has an id, and no event has it.
    pub(super) fn lack_an_event(&self) -> bool {
        self.has_strange_id || self.by_id.values().any(|of| of.events.is_none())
    }

    /// The latest event for an id up to a line.
    pub(super) fn at(&self, reach: u64, id: &str) -> Option<&KeptAct> {
        self.by_id.get(id)?.events.as_ref()?.at(reach)
    }
}

/// An act event that has the id of an action: what an action mirrors of it. All of that are facts.
#[derive(Debug)]
pub(super) struct KeptAct {
    pub(super) line: Line,
    /// Whether the only action with the id mirrors the event; then no more is kept of it.
    pub(super) is_mirrored: bool,
    /// The timestamp and the names and values of the fields, one after the other.
    text: String,
    /// The length of the timestamp as the event has it; 0 where it has none.
    timestamp: usize,
    /// Those of the payload, in the order of [`by_length`].
    fields: Vec<KeptField>,
}

/// A field of the payload: the bytes of its name, and of its value as the event has it.
#[derive(Debug, PartialEq, Eq)]
struct KeptField {
    name: Range<usize>,
    value: Range<usize>,
    kind: Kind,
}

/// The bytes that a kept event takes in addition to its text.
const KEPT_BYTES: usize = 128;

impl KeptAct {
    /// An event that the only action with its id mirrors.
    fn mirrored(line: Line) -> Self {
        Self {
            line,
            is_mirrored: true,
            text: String::new(),
            timestamp: 0,
            fields: Vec::new(),
        }
    }

    /// Keeps what actions are compared with of an event, given its note and the tokens that its
    /// schema refuses; `None` where there is no memory for that.
    fn new(
        line: Line,
        event: &[u8],
        note: &ActNote<'_>,
        refused: &[u32],
        tape: &mut Tape,
    ) -> Option<Self> {
        if let Some(spans) = &note.mirrored {
            return Some(Self::of_spans(line, event, spans));
        }
        let document = tape.read_record(event).ok();
        let event = document.map(|event| EventFacts::new(line, Value::root(event, refused)));
        let kept = event.map(|event| Self::of_event(line, &event));
        tape.release();
        kept
    }

    /// Keeps the strings at known places of an event.
    fn of_spans(line: Line, event: &[u8], spans: &MirroredSpans) -> Self {
        let raw = |span: &Span| event.get(bytes_of(span)).unwrap_or_default();
        let fields = MIRRORED.into_iter().zip(&spans.fields);
        let fields =
            fields.filter_map(|(name, span)| Some((name, Kind::String, raw(span.as_ref()?))));
        Self::of(line, spans.timestamp.as_ref().map(raw), fields)
    }

    /// Keeps the facts of an event.
    fn of_event(line: Line, event: &EventFacts<'_>) -> Self {
        let timestamp = event.timestamp.filter(|timestamp| timestamp.is_fact());
        let timestamp = timestamp.map(|timestamp| timestamp.node().raw().as_bytes());
        let members = event.payload().into_iter().flat_map(Value::members);
        let mut fields: Vec<_> = members
            .filter(|(name, value)| is_mirrored(name) && value.is_fact())
            .collect();
        fields.sort_unstable_by(|(a, _), (b, _)| by_length(a, b));
        let fields = fields.iter().map(|(name, value)| {
            let value = value.node();
            (&**name, value.kind(), value.raw().as_bytes())
        });
        Self::of(line, timestamp, fields)
    }

    fn of<'t>(
        line: Line,
        timestamp: Option<&[u8]>,
        fields: impl Iterator<Item = (&'t str, Kind, &'t [u8])> + Clone,
    ) -> Self {
        let timestamp = timestamp.unwrap_or_default();
        // An event may have hundreds of thousands of fields: nothing is kept in excess.
        let lengths = (fields.clone()).map(|(name, _, value)| name.len() + value.len());
        let mut text = Vec::with_capacity(timestamp.len() + lengths.clone().sum::<usize>());
        text.extend_from_slice(timestamp);
        let mut kept = Vec::with_capacity(lengths.count());
        for (name, kind, value) in fields {
            let start = text.len();
            text.extend_from_slice(name.as_bytes());
            let middle = text.len();
            text.extend_from_slice(value);
            kept.push(KeptField {
                name: start..middle,
                value: middle..text.len(),
                kind,
            });
        }
        Self {
            line,
            is_mirrored: false,
            // Whatever is noted or parsed is UTF-8.
            text: String::from_utf8(text).unwrap_or_default(),
            timestamp: timestamp.len(),
            fields: kept,
        }
    }

    /// Its timestamp, where that is a string.
    pub(super) fn timestamp(&self) -> Option<Cow<'_, str>> {
        let raw = self.raw(&(0..self.timestamp));
        raw.starts_with('"')
            .then(|| unquoted(raw, 0, raw.len(), raw.contains('\\')))
    }

    /// Its fields in the order of [`by_length`]: names, kinds, and the texts of the values.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, Kind, &str)> {
        let fields = self.fields.iter();
        fields.map(|field| (self.raw(&field.name), field.kind, self.raw(&field.value)))
    }

    fn raw(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    fn bytes(&self) -> usize {
        KEPT_BYTES + self.text.len() + self.fields.len() * size_of::<KeptField>()
    }
}

/// The order of the names of fields. Most names differ in length.
pub(super) fn by_length(a: &str, b: &str) -> Ordering {
    (a.len(), a).cmp(&(b.len(), b))
}

#[cfg(test)]
mod tests {
    use super::super::note::{EventNote, EventReader};
    use super::*;

    /// What is kept of an event: its fields as they are written, and whether they are known from
    /// its note.
    fn kept(event: &str, refused: &[&str]) -> (String, bool) {
        let line = Line {
            number: 1,
            offset: 0,
            length: event.len(),
        };
        let mut tape = Tape::default();
        let document = tape.read(event.as_bytes()).unwrap();
        let refused: Vec<u32> = (refused.iter())
            .map(|key| document.root().at(&["payload", key]).unwrap().index())
            .collect();
        let mut notes = EventReader::default();
        let found = notes.read(event.as_bytes()).filter(|_| refused.is_empty());
        let note = found.map_or_else(
            || EventNote::of(&EventFacts::new(line, Value::root(document, &refused))),
            |event| event.note,
        );
        let act = note.act.unwrap();
        let tape = &mut Tape::default();
        let kept = KeptAct::new(line, event.as_bytes(), &act, &refused, tape).unwrap();
        let fields = kept
            .fields()
            .map(|(name, kind, raw)| format!("{name} {kind:?} {raw}"));
        let timestamp = kept.timestamp().map(Cow::into_owned);
        let all: Vec<String> = timestamp.into_iter().chain(fields).collect();
        (all.join(", "), act.mirrored.is_some())
    }

    #[test]
    fn only_mirrored_facts_are_kept_of_an_event() {
        let event = |payload: &str| {
            format!(
                r#"{{"phase":"act","timestamp":"2026-01-01T00:00:00Z","payload":{{"id":"a",{payload}}}}}"#
            )
        };
        let strings = event(r#""kind":"k","blob":7,"tool":"\u0041","x":1"#);
        let expected = r#"2026-01-01T00:00:00Z, kind String "k", tool String "\u0041""#;
        assert_eq!(kept(&strings, &[]), (expected.into(), true));
        for (payload, refused, expected) in [
            (
                r#""x-own":[1],"tool":"y","kind":7"#,
                &["kind"][..],
                "tool String \"y\", x-own Array [1]",
            ),
            (
                r#""x\u002do":1,"kind":"k""#,
                &[],
                "x-o Number 1, kind String \"k\"",
            ),
            (r#""tool":null,"tool":{}"#, &[], "tool Object {}"),
            (r#""x-own":"z""#, &[], "x-own String \"z\""),
        ] {
            let expected = format!("2026-01-01T00:00:00Z, {expected}");
            assert_eq!(kept(&event(payload), refused), (expected, false));
        }
    }
}
