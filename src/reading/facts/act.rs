//! An act event that has the id of an action -> what is kept of it until it is compared.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::as_of::{AsOf, AsOfMarks};
use super::content::Content;
use super::event::EventFacts;
use super::slots::{InAction, InEvent};
use super::value::{RowItem, Value, content};
use crate::ground::source::Line;

/// The fields that an action has from the payload of its act event, besides those of a runtime's
/// own.
const MIRRORED: [(&str, InAction, InEvent); 7] = [
    ("kind", InAction::Kind, InEvent::Kind),
    ("tool", InAction::Tool, InEvent::Tool),
    ("step_id", InAction::StepId, InEvent::StepId),
    ("provenance", InAction::Provenance, InEvent::Provenance),
    (
        "result_artifacts",
        InAction::ResultArtifacts,
        InEvent::ResultArtifacts,
    ),
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

/// The values of an act that may be shortened on one side.
pub(super) const CONTENTS: [(&str, InAction, InEvent); 3] = [
    ("input", InAction::Input, InEvent::Input),
    ("output", InAction::Output, InEvent::Output),
    ("duration_ms", InAction::DurationMs, InEvent::DurationMs),
];

/// The latest act event for each action of the state that has an id.
#[derive(Default)]
pub(super) struct Acts<'a> {
    by_id: BTreeMap<Cow<'a, str>, OfAction<'a>>,
    /// `true` if an action has an id that no event can have.
    has_strange_id: bool,
    /// The bytes that the events take.
    pub(super) bytes: usize,
}

/// An action of the state, and its events.
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
            if action
                .value(InAction::Id)
                .is_none_or(Value::is_null)
            {
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

            acts.by_id
                .entry(id)
                .and_modify(|of| of.action = None)
                .or_insert(alone);
        }

        acts
    }

    /// Adds an event that has an id. Returns whether an action has the id.
    pub(super) fn add(&mut self, id: &str, event: EventFacts<'_>, marks: AsOfMarks) -> bool {
        let Some(of) = self.by_id.get_mut(id) else {
            return false;
        };
        let act = KeptAct {
            contents: contents(event, of.action),
            ..match of.action {
                Some(action) if is_mirrored(event, action) => KeptAct::mirrored(event.line),
                _ => KeptAct::new(event),
            }
        };

        let bytes = |acts: &AsOf<KeptAct>| {
            acts.values()
                .map(KeptAct::bytes)
                .sum::<usize>()
        };

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
        self.has_strange_id
            || self
                .by_id
                .values()
                .any(|of| of.events.is_none())
    }

    /// Returns the latest event for an id up to a line.
    pub(super) fn at(&self, reach: u64, id: &str) -> Option<&KeptAct> {
        self.by_id
            .get(id)?
            .events
            .as_ref()?
            .at(reach)
    }
}

/// An act event that has the id of an action: what an action mirrors of it. All of that are facts.
#[derive(Debug)]
pub(super) struct KeptAct {
    pub(super) line: Line,
    /// `true` if the only action with the id mirrors the event; then no more is kept of it.
    pub(super) is_mirrored: bool,
    /// The timestamp as the event has it.
    timestamp: Option<Box<str>>,
    /// The fields of the payload by their names, as the event has them.
    pub(super) fields: BTreeMap<Box<str>, Box<str>>,
    /// Those of [`CONTENTS`] that the only action with the id does not have as they are written,
    /// each with its name and its slot in an action.
    pub(super) contents: Vec<(&'static str, InAction, Content)>,
}

/// The number of keys of a runtime's own that most events have at most.
const FEW_EXTENSIONS: usize = 16;

/// The bytes that a kept event takes in addition to its fields.
const KEPT_BYTES: usize = 152;

/// The bytes that a kept content takes in addition to its text.
const CONTENT_BYTES: usize = 160;

/// The bytes that a kept field takes in addition to its texts.
const FIELD_BYTES: usize = 64;

impl KeptAct {
    /// Returns an event that the only action with its id mirrors.
    fn mirrored(line: Line) -> Self {
        Self {
            line,
            is_mirrored: true,
            timestamp: None,
            fields: BTreeMap::new(),
            contents: Vec::new(),
        }
    }

    /// Keeps what actions are compared with of an event: facts.
    fn new(event: EventFacts<'_>) -> Self {
        let timestamp = event
            .value(InEvent::Timestamp)
            .and_then(Value::fact);
        let fields = MIRRORED
            .iter()
            .filter_map(|(name, _, slot)| {
                let value = event.value(*slot)?;
                Some((Cow::Borrowed(*name), value))
            })
            .chain(event.extensions())
            .filter(|(_, value)| value.is_fact());
        let kept = |(name, value): (Cow<'_, str>, Value<'_>)| (name.into(), value.raw().into());

        Self {
            line: event.line,
            is_mirrored: false,
            timestamp: timestamp.map(|timestamp| timestamp.raw().into()),
            fields: fields.map(kept).collect(),
            contents: Vec::new(),
        }
    }

    /// Returns its timestamp, where that is a string.
    pub(super) fn timestamp(&self) -> Option<Cow<'_, str>> {
        let raw = self.timestamp.as_deref()?;
        raw.starts_with('"')
            .then(|| content(raw))
    }

    fn bytes(&self) -> usize {
        let fields = self
            .fields
            .iter()
            .map(|(name, value)| FIELD_BYTES + name.len() + value.len());
        let contents = self
            .contents
            .iter()
            .map(|(.., content)| CONTENT_BYTES + content.shown.len());

        KEPT_BYTES + fields.sum::<usize>() + contents.sum::<usize>()
    }
}

/// Returns the contents of an event that its action does not have as they are written; all, where
/// several actions have the id.
fn contents(
    event: EventFacts<'_>,
    action: Option<RowItem<'_>>,
) -> Vec<(&'static str, InAction, Content)> {
    let differs = |(name, in_action, in_event): (_, _, InEvent)| {
        let value = event.value(in_event)?;
        let is_same = action.is_some_and(|action| {
            action
                .value(in_action)
                .is_none_or(|of_action| of_action.is_written_as(value))
        });
        (!is_same).then(|| (name, in_action, Content::new(value.raw())))
    };

    CONTENTS
        .into_iter()
        .filter_map(differs)
        .collect()
}

/// Returns `true` if an action is written as its event is, so that nothing differs. Most are.
fn is_mirrored(event: EventFacts<'_>, action: RowItem<'_>) -> bool {
    // Each is looked for among the others.
    if event
        .extensions()
        .nth(FEW_EXTENSIONS)
        .is_some()
        || action
            .extensions()
            .nth(FEW_EXTENSIONS)
            .is_some()
    {
        return false;
    }

    let is_same = |in_event: Option<Value<'_>>, in_action: Option<Value<'_>>| {
        in_event
            .zip(in_action)
            .is_none_or(|(in_event, in_action)| in_event.is_written_as(in_action))
    };

    let dates = (event.value(InEvent::Timestamp)).zip(action.value(InAction::Timestamp));
    let extension = |name: &str| {
        action
            .extensions()
            .find(|(of, _)| of == name)
    };

    dates.is_some_and(|(in_event, in_action)| in_event.raw() == in_action.raw())
        && (MIRRORED.iter()).all(|(_, of, slot)| is_same(event.value(*slot), action.value(*of)))
        && (event.extensions())
            .all(|(name, value)| is_same(Some(value), extension(&name).map(|(_, it)| it)))
}

#[cfg(test)]
mod tests {
    use super::super::slots::EVENT;
    use super::super::value::JsonText;
    use super::*;
    use crate::ground::document::ReadText;

    /// Returns what is kept of an event: its timestamp, and its fields as they are written.
    fn kept(event: &str, refused: &[&str]) -> String {
        let line = Line {
            number: 1,
            offset: 0,
            length: event.len(),
        };
        let mut read = ReadText::default();
        let text = read
            .parse(event.as_bytes(), &EVENT)
            .unwrap();
        let document = read.document(text).unwrap();
        let refused: Vec<u32> = (refused.iter())
            .map(|key| {
                let span = document
                    .root()
                    .at(&["payload", key])
                    .unwrap()
                    .span();
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
            .fields
            .iter()
            .map(|(name, raw)| format!("{name} {raw}"));
        let timestamp = kept.timestamp().map(Cow::into_owned);
        let all: Vec<String> = timestamp
            .into_iter()
            .chain(fields)
            .collect();
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
                r#"kind "k", tool "\u0041""#,
            ),
            (
                r#""x-own":[1],"tool":"y","kind":7"#,
                &["kind"],
                "tool \"y\", x-own [1]",
            ),
            (r#""x\u002do":1,"kind":"k""#, &[], "kind \"k\", x-o 1"),
            (r#""tool":null,"tool":{}"#, &[], "tool {}"),
            (r#""x-own":"z""#, &[], "x-own \"z\""),
        ] {
            let expected = format!("2026-01-01T00:00:00Z, {expected}");
            assert_eq!(kept(&event(payload), refused), expected);
        }
    }
}
