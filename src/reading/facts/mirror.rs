//! An action and the act event that it mirrors -> the fields in which they differ.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::StateFacts;
use super::act::KeptAct;
use super::content::Content;
use super::listener::EventListener;
use super::slots::InAction;
use super::timeline::Timeline;
use super::value::{ParsedValue, RowItem, Stamp, Value};
use crate::ground::printable::quote;
use crate::ground::source::{Line, Pointer};

/// An action of the state that is not like an act event.
pub(crate) struct Unlike {
    /// The place of the action in `outcomes.actions`.
    pub(crate) index: usize,
    /// Its id, as messages show it.
    pub(crate) id: String,
    /// The field in which it differs; `None` where no act event has its id.
    pub(crate) difference: Option<MirrorDifference>,
}

/// A field in which an action and its event differ: of both the place, and the value as messages
/// show it.
#[derive(Debug)]
pub(crate) struct MirrorDifference {
    pub(crate) line: Line,
    pub(crate) field: String,
    pub(crate) action: (Pointer, String),
    pub(crate) event: (Pointer, String),
}

/// Compares the actions of a state with the latest act events up to a line that have their ids.
pub(super) fn mirror(
    state: StateFacts<'_>,
    timeline: &Timeline<'_>,
    reach: u64,
    differences: &mut EventListener<'_, Unlike>,
) {
    let mut to_compare: Vec<(&KeptAct, usize, RowItem<'_>)> = Vec::new();
    for (index, action) in state.actions().enumerate() {
        let Some(id) = action
            .value(InAction::Id)
            .filter(|id| !id.is_null())
        else {
            continue;
        };

        let text = action.text(InAction::Id);
        match text.and_then(|text| timeline.acts.at(reach, &text)) {
            None => differences.add(|| Unlike {
                index,
                id: id.show(),
                difference: None,
            }),
            Some(act) if act.is_mirrored => {}
            Some(act) => to_compare.push((act, index, action)),
        }
    }

    // Actions may share an id, and events may be long: what takes as long is done once for each.
    to_compare.sort_unstable_by_key(|(act, index, _)| (act.line, *index));
    for actions in to_compare.chunk_by(|(a, ..), (b, ..)| a.line == b.line) {
        let Some((act, ..)) = actions.first() else {
            continue;
        };
        let event = ParsedAct::new(act);
        for (_, index, action) in actions {
            event.differences(*index, *action, differences);
        }
    }
}

/// Compares what actions took and gave with the latest act events up to a line that have their ids.
pub(super) fn contents(
    state: StateFacts<'_>,
    timeline: &Timeline<'_>,
    reach: u64,
    differences: &mut EventListener<'_, Unlike>,
) {
    for (index, action) in state.actions().enumerate() {
        let id = action.text(InAction::Id);
        let Some(act) = id
            .as_deref()
            .and_then(|id| timeline.acts.at(reach, id))
        else {
            continue;
        };

        for (field, slot, in_event) in &act.contents {
            let Some(value) = action.value(*slot) else {
                continue;
            };
            if !in_event.equals(&Content::new(value.raw())) {
                let at = Pointer::new("/outcomes/actions")
                    .item(index)
                    .field(field);
                differences.add(|| Unlike {
                    index,
                    id: id
                        .as_deref()
                        .map(quote)
                        .unwrap_or_default(),
                    difference: Some(MirrorDifference {
                        line: act.line,
                        field: (*field).to_owned(),
                        action: (at, value.show()),
                        event: (
                            Pointer::new("/payload").field(field),
                            in_event.shown.to_string(),
                        ),
                    }),
                });
            }
        }
    }
}

/// The fields of an act event with which actions are compared.
struct ParsedAct<'a> {
    line: Line,
    timestamp: Option<Cow<'a, str>>,
    /// The fields of the payload by their names.
    fields: BTreeMap<&'a str, ParsedValue<'a>>,
}

impl<'a> ParsedAct<'a> {
    fn new(act: &'a KeptAct) -> Self {
        let fields = act.fields.iter();
        Self {
            line: act.line,
            timestamp: act.timestamp(),
            fields: fields
                .map(|(name, raw)| (&**name, ParsedValue::new(raw)))
                .collect(),
        }
    }

    /// Finds the fields in which an action differs from the event.
    fn differences(
        &self,
        index: usize,
        action: RowItem<'_>,
        differences: &mut EventListener<'_, Unlike>,
    ) {
        let at = || Pointer::new("/outcomes/actions").item(index);
        let mut differ = |difference: &dyn Fn() -> MirrorDifference| {
            differences.add(|| Unlike {
                index,
                id: action
                    .value(InAction::Id)
                    .map(Value::show)
                    .unwrap_or_default(),
                difference: Some(difference()),
            });
        };

        if self.timestamp_differs(action) {
            differ(&|| self.timestamps(at(), action));
        }

        for (name, value) in action.whole().members() {
            if let Some(in_event) = self.fields.get(&*name)
                && value.is_fact()
                && !in_event.equals(value)
            {
                differ(&|| MirrorDifference {
                    line: self.line,
                    field: name.to_string(),
                    action: (at().field(&name), value.show()),
                    event: (
                        Pointer::new("/payload").field(&name),
                        in_event.shown().to_owned(),
                    ),
                });
            }
        }
    }

    /// Returns when the event happened, if its timestamp is a date-time.
    fn happened(&self) -> Option<Stamp<'a>> {
        Stamp::of(self.timestamp.clone()?)
    }

    /// Returns `true` if an action has another instant than the event, or none.
    fn timestamp_differs(&self, action: RowItem<'_>) -> bool {
        let Some(written) = action.value(InAction::Timestamp) else {
            return true;
        };
        if !written.is_fact() || written.string() == self.timestamp {
            return false;
        }

        self.happened().is_some_and(|happened| {
            action
                .text(InAction::Timestamp)
                .and_then(Stamp::of)
                .is_none_or(|stamp| stamp.instant != happened.instant)
        })
    }

    /// Returns the timestamps of an action at a place and of the event.
    fn timestamps(&self, at: Pointer, action: RowItem<'_>) -> MirrorDifference {
        MirrorDifference {
            line: self.line,
            field: "timestamp".into(),
            action: match action.value(InAction::Timestamp) {
                Some(written) => (at.field("timestamp"), written.show()),
                None => (at, "absent".into()),
            },
            event: match self.happened() {
                Some(happened) => (Pointer::new("/timestamp"), quote(&happened.text)),
                None => (Pointer::default(), "not a date-time".into()),
            },
        }
    }
}
