//! An action and the act event that it mirrors -> the fields in which they differ.

use std::collections::BTreeMap;

use super::StateFacts;
use super::act::KeptAct;
use super::event::{EventFacts, ReadAgain, Unread};
use super::listener::Listener;
use super::note::MIRRORED;
use super::timeline::Timeline;
use super::value::{Heard, Stamp, Value, show};
use crate::document::{Node, Tape};
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
///
/// Actions may share an id, and events may be long: each event is read again at most once.
pub(super) fn mirror(
    state: StateFacts<'_>,
    (timeline, read_again): (&Timeline<'_>, ReadAgain<'_>),
    reach: u64,
    differences: &mut Listener<'_, Unlike>,
) -> Result<(), Unread> {
    // There may be millions: of each action, its index on the tape is kept.
    let mut to_compare: Vec<(&KeptAct, u32, u32)> = Vec::new();
    for (index, action) in (0..).zip(state.actions()) {
        let Some(id) = action.get("id").map(Value::node).filter(|id| !id.is_null()) else {
            continue;
        };
        let text = action.text(&["id"]);
        match text.and_then(|text| timeline.act(reach, &text)) {
            None => differences.hear(|| Unlike {
                index: index as usize,
                id: show(id),
                why: Why::NoEvent,
            }),
            Some(act) if act.is_repeated_by(action) => {}
            Some(act) => to_compare.push((act, index, action.node().index())),
        }
    }
    to_compare.sort_unstable_by_key(|(act, index, _)| (act.line(), *index));
    let (mut bytes, mut tape) = (Vec::new(), Tape::default());
    let mut all_read = Ok(());
    for actions in to_compare.chunk_by(|(a, ..), (b, ..)| a.line() == b.line()) {
        let Some((act, ..)) = actions.first() else {
            continue;
        };
        let event = read_again(act.line(), &mut bytes).then(|| tape.read_record(&bytes).ok());
        let Some(document) = event.flatten() else {
            all_read = Err(Unread);
            continue;
        };
        let event = EventFacts::new(act.line(), Value::root(document, act.refused()));
        let event = HeardAct::new(&event);
        for (_, index, action) in actions {
            if let Some(action) = state.node().document().node_at(*action) {
                let action = state.with(action);
                event.differences(act.line(), *index as usize, action, differences);
            }
        }
    }
    all_read
}

/// The fields of an act event with which actions are compared.
struct HeardAct<'a> {
    happened: Option<Stamp<'a>>,
    /// Those of the payload that are facts, by name.
    fields: BTreeMap<String, Heard<'a>>,
}

impl<'a> HeardAct<'a> {
    fn new(event: &EventFacts<'a>) -> Self {
        let members = event.payload().into_iter().flat_map(Value::members);
        Self {
            happened: event.timestamp(),
            fields: members
                .filter(|(name, value)| is_mirrored(name) && value.is_fact())
                .map(|(name, value)| (name.into_owned(), Heard::new(value.node())))
                .collect(),
        }
    }

    /// The fields in which an action differs from the event.
    fn differences(
        &self,
        line: Line,
        index: usize,
        action: Value<'_>,
        differences: &mut Listener<'_, Unlike>,
    ) {
        let at = || Pointer::new("/outcomes/actions").item(index);
        let unlike = |difference| Unlike {
            index,
            id: action
                .get("id")
                .map(|id| show(id.node()))
                .unwrap_or_default(),
            why: Why::Differs(line, difference),
        };
        if self.timestamp_differs(action) {
            differences.hear(|| {
                unlike(Difference {
                    field: "timestamp".into(),
                    action: match action.get("timestamp") {
                        Some(written) => Side::new(at().field("timestamp"), written.node()),
                        None => Side {
                            pointer: at(),
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
                })
            });
        }
        for (name, value) in action.members() {
            if !is_mirrored(&name) || !value.is_fact() {
                continue;
            }
            if let Some(in_event) = self.fields.get(&*name)
                && !in_event.equals(value.node())
            {
                differences.hear(|| {
                    unlike(Difference {
                        action: Side::new(at().field(&name), value.node()),
                        event: Side {
                            pointer: Pointer::new("/payload").field(&name),
                            shown: in_event.shown().to_owned(),
                        },
                        field: name.into_owned(),
                    })
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
}

/// Whether an action has a field from the payload of its act event.
fn is_mirrored(name: &str) -> bool {
    let is_named = MIRRORED.iter().any(|(mirrored, _)| name == *mirrored);
    (is_named && name != "timestamp") || name.starts_with("x-")
}

#[cfg(test)]
mod tests {
    use super::super::act::{ActBudget, KeptAct};
    use super::super::note::ActNote;
    use super::super::written::object;
    use super::*;

    /// Values of a field on either side: absent, strings in different spellings, other types.
    const SAYS: [Option<&str>; 6] = [
        None,
        Some(r#""x""#),
        Some(r#""\u0078""#),
        Some(r#""y""#),
        Some("null"),
        Some("1"),
    ];

    #[test]
    fn action_matches_event_when_copied_word_for_word() {
        const WHEN: [Option<&str>; 4] = [
            None,
            Some(r#""2025-01-01T00:00:00Z""#),
            Some(r#""2025-01-01T00:00:00.0Z""#),
            Some(r#""2025-01-01T00:00:01Z""#),
        ];
        let line = Line {
            number: 1,
            offset: 0,
            length: 0,
        };
        let (mut repeated, mut equal, mut tapes) = (0, 0, [Tape::default(), Tape::default()]);
        for field in [
            "kind",
            "tool",
            "input_excerpt",
            "result_status",
            "step_id",
            "x-own",
            "other",
        ] {
            for (ours, theirs) in SAYS
                .into_iter()
                .flat_map(|ours| SAYS.map(|theirs| (ours, theirs)))
            {
                for (written, happened) in WHEN
                    .into_iter()
                    .flat_map(|ours| WHEN.map(|theirs| (ours, theirs)))
                {
                    let action = object(&[("timestamp", written), (field, ours)]);
                    let payload = object(&[(field, theirs)]);
                    let event = object(&[("payload", Some(&payload)), ("timestamp", happened)]);
                    let [action_tape, event_tape] = &mut tapes;
                    let action = Value::root(action_tape.read(action.as_bytes()).unwrap(), &[]);
                    let facts = EventFacts::new(
                        line,
                        Value::root(event_tape.read(event.as_bytes()).unwrap(), &[]),
                    );
                    let note = ActNote::of(&facts);
                    let budget = &mut ActBudget::default();
                    let act = KeptAct::new(line, &note, event.as_bytes(), &[], budget).unwrap();
                    let mut differences = Vec::new();
                    let take = &mut |unlike: Unlike| differences.push(unlike.why);
                    let mut listener = Listener::new(9, take);
                    HeardAct::new(&facts).differences(line, 0, action, &mut listener);
                    let is_repeated = act.is_repeated_by(action);
                    assert!(
                        !is_repeated || differences.is_empty(),
                        "{:?} {event}: {} differences",
                        action.node(),
                        differences.len()
                    );
                    repeated += usize::from(is_repeated);
                    equal += usize::from(differences.is_empty());
                }
            }
        }
        assert!(
            repeated > 50 && equal > repeated,
            "{repeated} repeated, {equal} equal"
        );
    }
}
