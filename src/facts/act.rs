//! An act event that has the id of an action -> what is kept of it until it is compared.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

use super::as_of::{AsOf, AsOfMarks};
use super::event::EventFacts;
use super::slots::{InAction, InEvent};
use super::value::{RowItem, Value};
use crate::document::{Kind, unquoted};
use crate::source::Line;

/// The fields that an action has from the payload of its act event, besides those of a runtime's
/// own, sorted by length.
const MIRRORED: [(&str, InAction, InEvent); 5] = [
    ("kind", InAction::Kind, InEvent::Kind),
    ("tool", InAction::Tool, InEvent::Tool),
    ("step_id", InAction::StepId, InEvent::StepId),
    (
        "input_excerpt",
        InAction::InputExcerpt,
        InEvent::InputExcerpt,
    ),
    (
        "result_status",
        InAction::ResultStatus,
        InEvent::ResultStatus,
    ),
];

/// The latest act event for each action of the state that has an id.
#[derive(Debug, Default)]
pub(super) struct Acts<'a> {
    by_id: BTreeMap<Cow<'a, str>, OfAction<'a>>,
    /// `true` if an action has an id that no event can have.
    has_strange_id: bool,
    /// The bytes that the events take.
    pub(super) bytes: usize,
}

/// An action of the state, and its events.
#[derive(Debug)]
struct OfAction<'a> {
    /// `None` where several actions have the id.
    action: Option<RowItem<'a>>,
    events: Option<AsOf<KeptAct>>,
}

impl<'a> Acts<'a> {
    /// Returns the actions of a state.
    pub(super) fn new(actions: impl Iterator<Item = RowItem<'a>>) -> Self {
        let mut acts = Self::default();
        for action in actions {
            if action.value(InAction::Id).is_none_or(Value::is_null) {
                continue;
            }
            let Some(id) = action.text(InAction::Id) else {
                acts.has_strange_id = true;
                continue;
            };
            let alone = OfAction {
                action: Some(action),
                events: None,
            };
            let of_id = acts.by_id.entry(id);
            of_id.and_modify(|of| of.action = None).or_insert(alone);
        }
        acts
    }

    /// Adds an event that has an id. Returns whether an action has the id.
    pub(super) fn add(&mut self, id: &str, event: EventFacts<'_>, marks: AsOfMarks) -> bool {
        let Some(of) = self.by_id.get_mut(id) else {
            return false;
        };
        let act = match of.action {
            Some(action) if is_mirrored(event, action) => KeptAct::mirrored(event.line),
            _ => KeptAct::new(event),
        };
        let bytes = |acts: &AsOf<KeptAct>| acts.values().map(KeptAct::bytes).sum::<usize>();
        if let Some(events) = &mut of.events {
            self.bytes -= bytes(events);
            events.set(event.line.number, act, marks);
            self.bytes += bytes(events);
        } else {
            self.bytes += act.bytes();
            of.events = Some(AsOf::new(event.line.number, act));
        }
        true
    }

    /// Returns `true` if an action has an id, and no event has it.
    pub(super) fn lack_an_event(&self) -> bool {
        self.has_strange_id || self.by_id.values().any(|of| of.events.is_none())
    }

    /// Returns the latest event for an id up to a line.
    pub(super) fn at(&self, reach: u64, id: &str) -> Option<&KeptAct> {
        self.by_id.get(id)?.events.as_ref()?.at(reach)
    }
}

/// An act event that has the id of an action: what an action mirrors of it. All of that are facts.
#[derive(Debug)]
pub(super) struct KeptAct {
    pub(super) line: Line,
    /// `true` if the only action with the id mirrors the event; then no more is kept of it.
    pub(super) is_mirrored: bool,
    /// The timestamp and the names and values of the fields, one after the other.
    text: String,
    /// The length of the timestamp as the event has it; 0 where it has none.
    timestamp: usize,
    /// The fields of the payload, in the order of [`by_length`].
    fields: Vec<KeptField>,
}

/// A field of the payload: the bytes of its name, and of its value as the event has it.
#[derive(Debug, PartialEq, Eq)]
struct KeptField {
    name: Range<usize>,
    value: Range<usize>,
    kind: Kind,
}

/// The number of keys of a runtime's own that most events have at most.
const FEW_EXTENSIONS: usize = 16;

/// The bytes that a kept event takes in addition to its text.
const KEPT_BYTES: usize = 128;

impl KeptAct {
    /// Returns an event that the only action with its id mirrors.
    fn mirrored(line: Line) -> Self {
        Self {
            line,
            is_mirrored: true,
            text: String::new(),
            timestamp: 0,
            fields: Vec::new(),
        }
    }

    /// Keeps what actions are compared with of an event: facts.
    fn new(event: EventFacts<'_>) -> Self {
        let timestamp = event.value(InEvent::Timestamp).and_then(Value::fact);
        let known = MIRRORED.iter().filter_map(|(name, _, slot)| {
            let value = event.value(*slot)?;
            Some((Cow::Borrowed(*name), value))
        });
        let fields = known.chain(event.extensions());
        let mut fields: Vec<_> = fields.filter(|(_, value)| value.is_fact()).collect();
        fields.sort_unstable_by(|(a, _), (b, _)| by_length(a, b));
        let fields = (fields.iter()).map(|(name, value)| (&**name, value.kind(), value.raw()));
        Self::of(event.line, timestamp.map(Value::raw), fields)
    }

    fn of<'t>(
        line: Line,
        timestamp: Option<&str>,
        fields: impl Iterator<Item = (&'t str, Kind, &'t str)> + Clone,
    ) -> Self {
        let timestamp = timestamp.unwrap_or_default();
        // An event may have hundreds of thousands of fields: nothing is kept in excess.
        let lengths = (fields.clone()).map(|(name, _, value)| name.len() + value.len());
        let mut text = String::with_capacity(timestamp.len() + lengths.clone().sum::<usize>());
        text.push_str(timestamp);
        let mut kept = Vec::with_capacity(lengths.count());
        for (name, kind, value) in fields {
            let start = text.len();
            text.push_str(name);
            let middle = text.len();
            text.push_str(value);
            kept.push(KeptField {
                name: start..middle,
                value: middle..text.len(),
                kind,
            });
        }
        Self {
            line,
            is_mirrored: false,
            text,
            timestamp: timestamp.len(),
            fields: kept,
        }
    }

    /// Returns its timestamp, where that is a string.
    pub(super) fn timestamp(&self) -> Option<Cow<'_, str>> {
        let raw = self.raw(&(0..self.timestamp));
        raw.starts_with('"')
            .then(|| unquoted(raw, 0, raw.len(), raw.contains('\\')))
    }

    /// Returns its fields in the order of [`by_length`]: names, kinds, and the texts of the values.
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

/// Returns `true` if an action is written as its event is, so that nothing differs. Most are.
fn is_mirrored(event: EventFacts<'_>, action: RowItem<'_>) -> bool {
    // Each is looked for among the others.
    if event.extensions().nth(FEW_EXTENSIONS).is_some()
        || action.extensions().nth(FEW_EXTENSIONS).is_some()
    {
        return false;
    }
    let is_same = |in_event: Option<Value<'_>>, in_action: Option<Value<'_>>| {
        let both = in_event.zip(in_action);
        both.is_none_or(|(in_event, in_action)| in_event.raw() == in_action.raw())
    };
    let dates = (event.value(InEvent::Timestamp)).zip(action.value(InAction::Timestamp));
    let extension = |name: &str| action.extensions().find(|(of, _)| of == name);
    dates.is_some_and(|(in_event, in_action)| in_event.raw() == in_action.raw())
        && (MIRRORED.iter()).all(|(_, of, slot)| is_same(event.value(*slot), action.value(*of)))
        && (event.extensions())
            .all(|(name, value)| is_same(Some(value), extension(&name).map(|(_, it)| it)))
}

/// Returns the order of the names of fields. Most names differ in length.
pub(super) fn by_length(a: &str, b: &str) -> Ordering {
    (a.len(), a).cmp(&(b.len(), b))
}

#[cfg(test)]
mod tests {
    use super::super::slots::EVENT;
    use super::super::value::JsonText;
    use super::*;
    use crate::document::ReadText;

    /// Returns what is kept of an event: its timestamp, and its fields as they are written.
    fn kept(event: &str, refused: &[&str]) -> String {
        let line = Line {
            number: 1,
            offset: 0,
            length: event.len(),
        };
        let mut read = ReadText::default();
        let text = read.parse(event.as_bytes(), &EVENT).unwrap();
        let document = read.document(text).unwrap();
        let refused: Vec<u32> = (refused.iter())
            .map(|key| {
                let span = document.root().at(&["payload", key]).unwrap().span();
                u32::try_from(span.start).unwrap()
            })
            .collect();
        let of = JsonText {
            text,
            read: &read,
            refused: &refused,
        };
        let kept = KeptAct::new(EventFacts::new(line, of));
        let fields = kept
            .fields()
            .map(|(name, kind, raw)| format!("{name} {kind:?} {raw}"));
        let timestamp = kept.timestamp().map(Cow::into_owned);
        let all: Vec<String> = timestamp.into_iter().chain(fields).collect();
        all.join(", ")
    }

    #[test]
    fn only_mirrored_facts_are_kept_of_an_event() {
        let event = |payload: &str| {
            format!(
                r#"{{"phase":"act","timestamp":"2026-01-01T00:00:00Z","payload":{{"id":"a",{payload}}}}}"#
            )
        };
        for (payload, refused, expected) in [
            (
                r#""kind":"k","blob":7,"tool":"\u0041","x":1"#,
                &[][..],
                r#"kind String "k", tool String "\u0041""#,
            ),
            (
                r#""x-own":[1],"tool":"y","kind":7"#,
                &["kind"],
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
            assert_eq!(kept(&event(payload), refused), expected);
        }
    }
}
