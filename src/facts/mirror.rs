//! An action and the act event that it mirrors -> the fields in which they differ.

use super::event::{EventFacts, KeptEvent};
use super::note::MIRRORED;
use super::value::{Value, show};
use crate::document::{Node, Tape};
use crate::printable::quote;
use crate::source::{Line, Pointer};

/// An act event that has the id of an action.
#[derive(Debug)]
pub(super) struct KeptAct {
    pub(super) event: KeptEvent,
    /// The tokens of the event that the schema refuses, ascending: they are not facts.
    pub(super) refused: Vec<u32>,
    /// The spans of the mirrored fields in the text, as far as they were noted.
    pub(super) mirrored: [Option<(u32, u32)>; MIRRORED.len()],
}

impl KeptAct {
    /// Whether an action equals the event byte for byte; if not, it may still be equal by value.
    fn is_repeated_by(&self, action: Value<'_>) -> bool {
        let says = |index: usize| {
            let (start, end) = self.mirrored.get(index).copied().flatten()?;
            self.event.text.get(start as usize..end as usize)
        };
        let mut has_timestamp = false;
        let is_repeated = action.members().all(|(name, value)| {
            has_timestamp |= name == "timestamp";
            match MIRRORED.iter().position(|(mirrored, _)| name == *mirrored) {
                Some(index) => says(index) == Some(value.node().raw().as_bytes()),
                None => !name.starts_with("x-"),
            }
        });
        is_repeated && has_timestamp
    }

    /// Compares an action, with its index in `outcomes.actions`, with the event.
    pub(super) fn mirror(
        &self,
        index: usize,
        action: Value<'_>,
        tape: &mut Tape,
    ) -> Option<Mirror> {
        let line = self.event.line;
        let differences = if self.is_repeated_by(action) {
            Vec::new()
        } else {
            let event = Value::root(tape.read(&self.event.text).ok()?, &self.refused);
            differences(index, action, &EventFacts::new(line, event))
        };
        Some(Mirror { line, differences })
    }
}

/// The result of comparing an action with the act event that it mirrors.
#[derive(Debug)]
pub(crate) struct Mirror {
    pub(crate) line: Line,
    pub(crate) differences: Vec<Difference>,
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

/// The fields in which an action differs from its event.
fn differences(index: usize, action: Value<'_>, event: &EventFacts<'_>) -> Vec<Difference> {
    let Some(payload) = event.payload() else {
        return Vec::new();
    };
    let at = || Pointer::new("/outcomes/actions").item(index);
    let mut differences = Vec::new();
    let written = action.get("timestamp");
    let happened = event.timestamp();
    let says_when = || match &happened {
        Some(happened) => Side {
            pointer: Pointer::new("/timestamp"),
            shown: quote(&happened.text),
        },
        None => Side {
            pointer: Pointer::default(),
            shown: "not a date-time".into(),
        },
    };
    let differs = match (written, &happened) {
        (None, _) => Some(Side {
            pointer: at(),
            shown: "absent".into(),
        }),
        (Some(written), Some(happened)) if written.is_fact() => {
            let stamp = action.stamp(&["timestamp"]);
            let equal = stamp.is_some_and(|stamp| stamp.instant == happened.instant);
            (!equal).then(|| Side::new(at().field("timestamp"), written.node()))
        }
        _ => None,
    };
    if let Some(action) = differs {
        differences.push(Difference {
            field: "timestamp".into(),
            action,
            event: says_when(),
        });
    }
    for (name, value) in action.members() {
        if name == "timestamp"
            || !(MIRRORED.iter().any(|(mirrored, _)| name == *mirrored) || name.starts_with("x-"))
        {
            continue;
        }
        let Some(in_event) = payload.fact(&[&name]) else {
            continue;
        };
        if value.is_fact() && !value.node().equals(in_event.node()) {
            differences.push(Difference {
                action: Side::new(at().field(&name), value.node()),
                event: Side::new(Pointer::new("/payload").field(&name), in_event.node()),
                field: name.into_owned(),
            });
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::super::note::ActNote;
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

    /// The text of an object; absent members are left out.
    fn object(members: &[(&str, Option<&str>)]) -> String {
        let members = members
            .iter()
            .filter_map(|(name, value)| Some(format!("\"{name}\":{}", (*value)?)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }

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
                    let kept = KeptEvent {
                        line,
                        text: event.clone().into_bytes(),
                    };
                    let act = KeptAct {
                        event: kept,
                        refused: Vec::new(),
                        mirrored: ActNote::of(&facts).mirrored,
                    };
                    let (is_repeated, differences) =
                        (act.is_repeated_by(action), differences(0, action, &facts));
                    assert!(
                        !is_repeated || differences.is_empty(),
                        "{:?} {event}: {differences:?}",
                        action.node()
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
