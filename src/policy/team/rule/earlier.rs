//! The events of a run, one after the other -> what a rule asks of earlier ones.

use std::collections::BTreeMap;

use super::{NAMES, TeamRule};
use crate::ground::digest::Digest;
use crate::ground::select::shown_paths;
use crate::policy::expression::{Budget, FoldState, Value};
use crate::policy::team::events::{EventSelector, EventView};
use crate::policy::team::limit::{MAX_GROUPS, TeamLimit};
use crate::policy::team::selector::Truth;

/// The room that a question takes for each group, of [`MAX_ROOM`](crate::policy::team::judge::MAX_ROOM): it
/// may keep a text, or the reason why it has no value.
const ROOM_OF_A_QUESTION: usize = 2;

/// The events with which an event is grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    All,
    Of(Digest),
    /// It lacks a value by which events are grouped.
    Unknown,
}

/// The values that a rule asks of the events so far: for each group, in the order in which it asks.
#[derive(Clone, Debug, Default)]
pub(super) struct Earlier(BTreeMap<Group, Vec<FoldState>>);

impl Earlier {
    /// Returns what it takes of the room that a run has for groups.
    pub(super) fn room(&self) -> usize {
        let questions = self.0.first_key_value().map_or(0, |(_, asked)| asked.len());
        self.0.len() * questions * ROOM_OF_A_QUESTION
    }

    /// Returns the values for an event of a group, or why there is none.
    pub(super) fn values(
        &self,
        rule: &TeamRule,
        group: Group,
    ) -> Vec<Result<Value<'static>, String>> {
        let none = FoldState::default();
        let of_group = self.0.get(&group);
        let values = rule.check.folds().iter().enumerate().map(|(number, fold)| {
            if group == Group::Unknown {
                let places = shown_paths(&rule.same);
                return Err(format!(
                    "the event has no value at {places}, by which the rule groups events"
                ));
            }
            let folded = of_group.and_then(|folded| folded.get(number));
            fold.value(folded.unwrap_or(&none))
        });
        values.collect()
    }

    /// Adds an event of a group to what is asked of those that the selectors name.
    pub(super) fn add(
        &mut self,
        rule: &TeamRule,
        selectors: &[EventSelector],
        group: Group,
        event: &EventView<'_>,
        budget: &mut Budget,
    ) -> Result<(), TeamLimit> {
        if group == Group::Unknown {
            return Ok(());
        }
        let has_room = self.0.len() < MAX_GROUPS || self.0.contains_key(&group);
        let params = rule.params.root();
        let bound = NAMES.map(|name| match name {
            "params" => Value::of_record(params),
            _ => Value::Null,
        });
        for (number, (fold, selector)) in rule.check.folds().iter().zip(selectors).enumerate() {
            let answer = selector.ask(event, budget)?;
            if answer == Truth::No {
                continue;
            }
            if !has_room {
                return Err(TeamLimit::Groups);
            }
            let of_group = self.0.entry(group).or_default();
            of_group.resize(rule.earlier.len(), FoldState::default());
            let Some(folded) = of_group.get_mut(number) else {
                continue;
            };
            if let Truth::Unknown(why) = answer {
                folded.lose(event.line.number, &why);
                continue;
            }
            budget.add_record(event);
            let item = (event.line.number, Value::Record(event));
            let noted = rule.check.fold(fold, folded, item, &bound, budget);
            noted.ok_or(TeamLimit::Steps)?;
        }
        Ok(())
    }
}
