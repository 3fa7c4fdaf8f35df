//! An action and the act event that it mirrors -> the fields in which they differ.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::StateFacts;
use super::act::{KeptAct, is_mirrored};
use super::event::EventFacts;
use super::listener::Listener;
use super::timeline::Timeline;
use super::value::{Heard, Stamp, Value, show};
use crate::document::{Document, Node, Tape};
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
    Differs(Line, Difference),
}

/// A field in which an action and its event differ.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) field: String,
    pub(crate) action: Side,
    pub(crate) event: Side,
}

/// What one side says, and where.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) pointer: Pointer,
    pub(crate) shown: String,
}

impl Side {
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
        let Some(id) = action.get("id").map(Value::node).filter(|id| !id.is_null()) else {
            continue;
        };
        let text = action.text(&["id"]);
        match text.and_then(|text| timeline.act(reach, &text)) {
            None => differences.hear(|| Unlike {
                index,
                id: show(id),
                why: Why::NoEvent,
            }),
            Some(act) => to_compare.push((act, index, action)),
        }
    }
    // Actions may share an id, and events may be long: each event is parsed once.
    to_compare.sort_unstable_by_key(|(act, index, _)| (act.line, *index));
    let mut tape = Tape::default();
    for actions in to_compare.chunk_by(|(a, ..), (b, ..)| a.line == b.line) {
        let Some((act, ..)) = actions.first() else {
            continue;
        };
        let Ok(document) = tape.read_record(&act.text) else {
            continue;
        };
        let event = HeardAct::new(act.line, document);
        for (_, index, action) in actions {
            event.differences(*index, *action, differences);
        }
    }
}

/// The fields of an act event with which actions are compared.
struct HeardAct<'a> {
    line: Line,
    happened: Option<Stamp<'a>>,
    /// Those of the payload, by name.
    fields: BTreeMap<Cow<'a, str>, Heard<'a>>,
}

impl<'a> HeardAct<'a> {
    /// All that is mirrored of a kept event are facts.
    fn new(line: Line, event: Document<'a>) -> Self {
        let event = EventFacts::new(line, Value::root(event, &[]));
        let members = event.payload().into_iter().flat_map(Value::members);
        Self {
            line,
            happened: event.timestamp(),
            fields: members
                .filter(|(name, _)| is_mirrored(name))
                .map(|(name, value)| (name, Heard::new(value.node())))
                .collect(),
        }
    }

    /// The fields in which an action differs from the event.
    fn differences(&self, index: usize, action: Value<'_>, differences: &mut Listener<'_, Unlike>) {
        let at = || Pointer::new("/outcomes/actions").item(index);
        let mut differ = |difference: &dyn Fn() -> Difference| {
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
            if let Some(in_event) = self.fields.get(&*name)
                && value.is_fact()
                && !in_event.equals(value.node())
            {
                differ(&|| Difference {
                    field: name.to_string(),
                    action: Side::new(at().field(&name), value.node()),
                    event: Side {
                        pointer: Pointer::new("/payload").field(&name),
                        shown: in_event.shown().to_owned(),
                    },
                });
            }
        }
    }

    /// Whether an action has another instant than the event, or none.
    fn timestamp_differs(&self, action: Value<'_>) -> bool {
        match (action.get("timestamp"), &self.happened) {
            (None, _) => true,
            (Some(written), Some(happened)) if written.is_fact() => {
                let stamp = action.stamp(&["timestamp"]);
                stamp.is_none_or(|stamp| stamp.instant != happened.instant)
            }
            _ => false,
        }
    }

    /// The timestamps of an action at a place and of the event.
    fn timestamps(&self, at: Pointer, action: Value<'_>) -> Difference {
        Difference {
            field: "timestamp".into(),
            action: match action.get("timestamp") {
                Some(written) => Side::new(at.field("timestamp"), written.node()),
                None => Side {
                    pointer: at,
                    shown: "absent".into(),
                },
            },
            event: match &self.happened {
                Some(happened) => Side {
                    pointer: Pointer::new("/timestamp"),
                    shown: quote(&happened.text),
                },
                None => Side {
                    pointer: Pointer::default(),
                    shown: "not a date-time".into(),
                },
            },
        }
    }
}
