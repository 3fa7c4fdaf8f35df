//! An action and the act event that it mirrors -> the fields in which they differ.

use std::borrow::Cow;

use super::StateFacts;
use super::act::{KeptAct, is_mirrored};
use super::listener::Listener;
use super::timeline::Timeline;
use super::value::{Heard, Stamp, Value, show};
use crate::document::{Kind, Node, Parser, Sink, unquoted, utf8};
use crate::printable::quote;
use crate::source::{Line, Pointer};

/// An action of the state that is not like an act event.
pub(crate) struct Unlike {
    /// The place of the action in `outcomes.actions`.
    pub(crate) index: usize,
    /// Its id, as messages show it.
    pub(crate) id: String,
    pub(crate) why: Why,
}

/// Why an action is not like an act event.
pub(crate) enum Why {
    /// No act event has its id.
    NoEvent,
    /// They differ in a field.
    Differs(Line, MirrorDifference),
}

/// A field in which an action and its event differ.
#[derive(Debug)]
pub(crate) struct MirrorDifference {
    pub(crate) field: String,
    pub(crate) action: MirrorSide,
    pub(crate) event: MirrorSide,
}

/// What one side says, and where.
#[derive(Debug)]
pub(crate) struct MirrorSide {
    pub(crate) pointer: Pointer,
    pub(crate) shown: String,
}

impl MirrorSide {
    fn new(pointer: Pointer, node: Node<'_>) -> Self {
        Self {
            pointer,
            shown: show(node),
        }
    }
}

/// Compares the actions of a state with the latest act events up to a line that have their ids.
pub(super) fn mirror(
    state: StateFacts<'_>,
    timeline: &Timeline<'_>,
    reach: u64,
    differences: &mut Listener<'_, Unlike>,
) {
    let mut to_compare: Vec<(&KeptAct, usize, Value<'_>)> = Vec::new();
    for (index, action) in state.actions().enumerate() {
        let Some(id) = action.get("id").filter(|id| !id.node().is_null()) else {
            continue;
        };
        let text = id.node().text().filter(|_| id.is_fact());
        match text.and_then(|text| timeline.act(reach, &text)) {
            None => differences.hear(|| Unlike {
                index,
                id: show(id.node()),
                why: Why::NoEvent,
            }),
            Some(act) => to_compare.push((act, index, action)),
        }
    }
    // Actions may share an id, and events may be long: each event is parsed once.
    to_compare.sort_unstable_by_key(|(act, index, _)| (act.line, *index));
    let mut fields = Vec::new();
    for actions in to_compare.chunk_by(|(a, ..), (b, ..)| a.line == b.line) {
        let Some((act, ..)) = actions.first() else {
            continue;
        };
        let Some(event) = HeardAct::read(act, std::mem::take(&mut fields)) else {
            continue;
        };
        for (_, index, action) in actions {
            event.differences(*index, *action, differences);
        }
        fields = event.fields;
    }
}

/// The fields of an act event with which actions are compared.
struct HeardAct<'a> {
    line: Line,
    text: &'a str,
    timestamp: Option<Cow<'a, str>>,
    /// Those of the payload, sorted by name. Of equal names the last one counts.
    fields: Vec<(Cow<'a, str>, Heard<'a>)>,
    /// The nesting depth of the parser: 1 inside the event, 2 inside its payload.
    depth: u8,
    next: Next<'a>,
}

/// What the next value of an event is.
#[derive(Default)]
enum Next<'a> {
    Timestamp,
    Payload,
    Field(Cow<'a, str>),
    #[default]
    Other,
}

impl<'a> HeardAct<'a> {
    /// Reads a kept event into a buffer of fields. All that is mirrored of it are facts.
    fn read(act: &'a KeptAct, fields: Vec<(Cow<'a, str>, Heard<'a>)>) -> Option<Self> {
        let mut event = Self {
            line: act.line,
            text: utf8(&act.text).ok()?,
            timestamp: None,
            fields,
            depth: 0,
            next: Next::Other,
        };
        Parser::new(&act.text, &mut event).text().ok()?;
        event.fields.sort_by(|(a, _), (b, _)| a.cmp(b));
        Some(event)
    }

    fn field(&self, name: &str) -> Option<&Heard<'a>> {
        let after = self.fields.partition_point(|(known, _)| **known <= *name);
        let (known, value) = self.fields.get(after.checked_sub(1)?)?;
        (*known == name).then_some(value)
    }

    /// The fields in which an action differs from the event.
    fn differences(&self, index: usize, action: Value<'_>, differences: &mut Listener<'_, Unlike>) {
        let at = || Pointer::new("/outcomes/actions").item(index);
        let mut differ = |difference: &dyn Fn() -> MirrorDifference| {
            differences.hear(|| Unlike {
                index,
                id: action
                    .get("id")
                    .map(|id| show(id.node()))
                    .unwrap_or_default(),
                why: Why::Differs(self.line, difference()),
            });
        };
        if self.timestamp_differs(action) {
            differ(&|| self.timestamps(at(), action));
        }
        for (name, value) in action.members() {
            if is_mirrored(&name)
                && let Some(in_event) = self.field(&name)
                && value.is_fact()
                && !in_event.equals(value.node())
            {
                differ(&|| MirrorDifference {
                    field: name.to_string(),
                    action: MirrorSide::new(at().field(&name), value.node()),
                    event: MirrorSide {
                        pointer: Pointer::new("/payload").field(&name),
                        shown: in_event.shown().to_owned(),
                    },
                });
            }
        }
    }

    /// When the event happened, if its timestamp is a date-time.
    fn happened(&self) -> Option<Stamp<'a>> {
        Stamp::of(self.timestamp.clone()?)
    }

    /// Whether an action has another instant than the event, or none.
    fn timestamp_differs(&self, action: Value<'_>) -> bool {
        let Some(written) = action.get("timestamp") else {
            return true;
        };
        if !written.is_fact() || written.node().text() == self.timestamp {
            return false;
        }
        self.happened().is_some_and(|happened| {
            let stamp = action.stamp(&["timestamp"]);
            stamp.is_none_or(|stamp| stamp.instant != happened.instant)
        })
    }

    /// The timestamps of an action at a place and of the event.
    fn timestamps(&self, at: Pointer, action: Value<'_>) -> MirrorDifference {
        MirrorDifference {
            field: "timestamp".into(),
            action: match action.get("timestamp") {
                Some(written) => MirrorSide::new(at.field("timestamp"), written.node()),
                None => MirrorSide {
                    pointer: at,
                    shown: "absent".into(),
                },
            },
            event: match self.happened() {
                Some(happened) => MirrorSide {
                    pointer: Pointer::new("/timestamp"),
                    shown: quote(&happened.text),
                },
                None => MirrorSide {
                    pointer: Pointer::default(),
                    shown: "not a date-time".into(),
                },
            },
        }
    }
}

impl Sink for &mut HeardAct<'_> {
    fn value(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        match std::mem::take(&mut self.next) {
            Next::Timestamp => {
                let text = || unquoted(self.text, start, end, escaped);
                self.timestamp = (kind == Kind::String).then(text);
            }
            // The fields of an earlier payload do not count.
            Next::Payload => self.fields.clear(),
            Next::Field(name) => {
                let text = self.text.get(start..end).unwrap_or_default();
                self.fields.push((name, Heard::new(kind, text)));
            }
            Next::Other => {}
        }
    }

    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let name = unquoted(self.text, start, end, escaped);
        self.next = match (self.depth, &*name) {
            (1, "timestamp") => Next::Timestamp,
            (1, "payload") => Next::Payload,
            (2, field) if is_mirrored(field) => Next::Field(name),
            _ => Next::Other,
        };
    }

    fn open(&mut self, kind: Kind, _: usize) -> bool {
        let is_payload = self.depth == 1 && matches!(self.next, Next::Payload);
        let is_wanted = kind == Kind::Object && (self.depth == 0 || is_payload);
        if is_wanted {
            self.fields.clear();
            self.depth += 1;
        }
        is_wanted
    }

    fn close(&mut self, _: usize) {
        self.depth -= 1;
    }
}
