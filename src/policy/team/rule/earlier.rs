//! The events of a run, one after the other -> what a rule asks of earlier ones.

use std::collections::BTreeMap;

use super::{NAMES, TeamRule};
use crate::ground::digest::Digest;
use crate::ground::select::{KeyPath, Unjudged, shown_paths};
use crate::ground::timestamp::Instant;
use crate::policy::expression::{Budget, FoldState, FoldStep, Value};
use crate::policy::team::events::{EventSelector, EventView};
use crate::policy::team::limit::{MAX_ENTRIES, MAX_GROUPS, TeamLimit};
use crate::policy::team::selector::Truth;
use crate::policy::team::window::Window;

/// The room that a question takes for each group, of [`MAX_ROOM`](crate::policy::team::judge::MAX_ROOM): it
/// may keep a text, or the reason why it has no value.
const ROOM_OF_A_QUESTION: usize = 2;

/// The entries of a window that are added up in one step.
const ENTRIES_OF_STEP: usize = 16;

/// The events with which an event is grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    All,
    Of(Digest),
    /// It lacks a value by which events are grouped.
    Unknown,
}

/// The places of what a rule asks of events.
#[derive(Clone, Debug, Default)]
pub(super) struct EarlierKeys {
    /// The selectors of the earlier events, each with the place of the values by which they are
    /// grouped.
    pub(super) asked: Vec<(EventSelector, usize)>,
    /// The selector of the events since which others count, and the place of their values.
    pub(super) since: Option<(EventSelector, usize)>,
    /// The place of the instant of an event, if the rule asks for that.
    pub(super) time: Option<usize>,
}

/// The values that a rule asks of the events so far: for each group, in the order in which it asks.
#[derive(Clone, Debug, Default)]
pub(super) struct Earlier {
    groups: BTreeMap<Group, GroupFolds>,
    /// The latest events since which others count, of all groups.
    since: Since,
    /// The number of kept values, and of entries of windows.
    values: usize,
    entries: usize,
}

/// The latest event since which others count, by its line, and the latest of which nobody can tell.
#[derive(Clone, Debug, Default)]
struct Since {
    known: u64,
    unknown: Option<(u64, Box<str>)>,
}

/// What is asked of the events of a group.
#[derive(Clone, Debug, Default)]
struct GroupFolds {
    states: Vec<FoldState>,
    /// What each event in a window adds, by its line.
    steps: Vec<BTreeMap<u64, FoldStep<'static>>>,
    window: Window,
    since: Since,
}

impl GroupFolds {
    /// Leaves out the events that are too old at an instant.
    fn slide(
        &mut self,
        rule: &TeamRule,
        now: &Instant,
        within: i128,
        budget: &mut Budget,
    ) -> Result<(), TeamLimit> {
        let left = self.window.leave(now, within);
        if left.is_empty() {
            return Ok(());
        }

        let folds = rule.check.folds().iter();
        for ((fold, state), steps) in folds
            .zip(&mut self.states)
            .zip(&mut self.steps)
        {
            let gone: Vec<FoldStep<'_>> = left
                .iter()
                .filter_map(|line| steps.remove(line))
                .collect();
            if gone
                .iter()
                .all(|step| fold.take_away(state, step))
            {
                continue;
            }

            let entries = steps.len() / ENTRIES_OF_STEP + 1;
            budget
                .spend(entries)
                .map_err(|_| TeamLimit::Steps)?;
            *state = FoldState::default();
            for (line, step) in &*steps {
                fold.add(state, *line, step, true);
            }
        }

        Ok(())
    }

    fn room(&self) -> (usize, usize) {
        let values = self
            .states
            .iter()
            .map(FoldState::room)
            .sum();
        let steps = self
            .steps
            .iter()
            .map(BTreeMap::len)
            .sum::<usize>();

        (values, steps + self.window.room())
    }
}

impl Earlier {
    /// Returns what it takes of the room that a run has for groups.
    pub(super) fn room(&self) -> usize {
        let questions = self
            .groups
            .first_key_value()
            .map_or(0, |(_, group)| group.states.len());
        self.groups.len() * questions * ROOM_OF_A_QUESTION + self.values + self.entries
    }

    /// Leaves out the events of a group that are too old at an instant.
    pub(super) fn slide(
        &mut self,
        rule: &TeamRule,
        group: Group,
        now: &Instant,
        budget: &mut Budget,
    ) -> Result<(), TeamLimit> {
        let (Some(within), Some(of_group)) = (rule.within, self.groups.get_mut(&group)) else {
            return Ok(());
        };
        let before = of_group.room();
        of_group.slide(rule, now, within, budget)?;
        let after = of_group.room();
        self.recount(before, after);

        Ok(())
    }

    /// Counts the room of a group as it is now in place of what it was.
    fn recount(&mut self, before: (usize, usize), after: (usize, usize)) {
        self.values = self.values + after.0 - before.0;
        self.entries = self.entries + after.1 - before.1;
    }

    /// Returns the values for an event of a group at an instant, or why there is none.
    pub(super) fn values(
        &self,
        rule: &TeamRule,
        group: Group,
        now: Option<&Instant>,
        budget: &mut Budget,
    ) -> Result<Vec<Result<Value<'static>, String>>, TeamLimit> {
        let folds = rule.check.folds();
        let none = |why: String| {
            Ok(folds
                .iter()
                .map(|_| Err(why.clone()))
                .collect())
        };

        if group == Group::Unknown {
            let places = shown_paths(&rule.same.each);
            return none(format!(
                "the event has no value at {places}, by which the rule groups events"
            ));
        }

        let of_group = self.groups.get(&group);
        if let Some((line, why)) = self.unknown_since(of_group) {
            return none(format!("of the event on line {line}, {why}"));
        }

        let mut slid = None;
        if let (Some(of_group), Some(within), Some(now)) = (of_group, rule.within, now)
            && of_group.window.has_old(now, within)
        {
            let mut without_old = of_group.clone();
            without_old.slide(rule, now, within, budget)?;
            slid = Some(without_old);
        }

        let of_group = slid.as_ref().or(of_group);
        let empty = FoldState::default();
        let values = folds
            .iter()
            .enumerate()
            .map(|(number, fold)| {
                let folded = of_group.and_then(|of_group| of_group.states.get(number));
                fold.value(folded.unwrap_or(&empty))
            });

        Ok(values.collect())
    }

    /// Returns the latest event of which nobody can tell if others of a group count since that,
    /// unless a later one is known.
    fn unknown_since<'e>(
        &'e self,
        of_group: Option<&'e GroupFolds>,
    ) -> Option<&'e (u64, Box<str>)> {
        let known = of_group.map_or(0, |of_group| of_group.since.known);
        of_group
            .and_then(|of_group| of_group.since.unknown.as_ref())
            .into_iter()
            .chain(&self.since.unknown)
            .max_by_key(|(line, _)| *line)
            .filter(|(line, _)| *line > known.max(self.since.known))
    }

    /// Adds an event to what is asked of those that the selectors name.
    pub(super) fn add(
        &mut self,
        rule: &TeamRule,
        keys: &EarlierKeys,
        event: &EventView<'_>,
        budget: &mut Budget,
    ) -> Result<(), TeamLimit> {
        let params = rule.params.root();
        let bound = NAMES.map(|name| match name {
            "params" => Value::of_record(params),
            _ => Value::Null,
        });
        let folds = rule.check.folds();
        for (number, (fold, (selector, place))) in folds
            .iter()
            .zip(&keys.asked)
            .enumerate()
        {
            let answer = selector.ask(event, budget)?;
            let group = group_of(event, *place, &rule.same.other);
            if answer == Truth::No || group == Group::Unknown {
                continue;
            }

            let step = if let Truth::Unknown(Unjudged { why, .. }) = answer {
                FoldStep::Failed {
                    why: why.into(),
                    is_unknown: true,
                }
            } else {
                budget.add_record(event);
                rule.check
                    .step(fold, Value::Record(event), &bound, budget)
                    .ok_or(TeamLimit::Steps)?
            };

            let (line, is_new) = (event.line.number, !self.groups.contains_key(&group));
            if is_new && self.groups.len() >= MAX_GROUPS {
                return Err(TeamLimit::Groups);
            }

            let of_group = self.groups.entry(group).or_default();
            of_group
                .states
                .resize(folds.len(), FoldState::default());

            let before = of_group.room();

            if let Some(state) = of_group.states.get_mut(number) {
                fold.add(state, line, &step, rule.within.is_some());
            }

            if rule.within.is_some() {
                of_group
                    .steps
                    .resize(folds.len(), BTreeMap::new());

                let time = keys
                    .time
                    .and_then(|key| event.time(key));
                let is_in = of_group
                    .steps
                    .iter()
                    .any(|steps| steps.contains_key(&line));
                if !is_in {
                    of_group.window.add(time.as_ref(), line);
                }
                if let Some(steps) = of_group.steps.get_mut(number) {
                    steps.insert(line, step.kept());
                }
            }

            let after = of_group.room();
            self.recount(before, after);
            if self.entries > 2 * MAX_ENTRIES * folds.len() {
                return Err(TeamLimit::Entries);
            }
        }

        self.note_since(rule, keys, event, budget)
    }

    /// Notes an event since which others count.
    fn note_since(
        &mut self,
        rule: &TeamRule,
        keys: &EarlierKeys,
        event: &EventView<'_>,
        budget: &mut Budget,
    ) -> Result<(), TeamLimit> {
        let Some((selector, place)) = &keys.since else {
            return Ok(());
        };
        let unknown = match selector.ask(event, budget)? {
            Truth::No => return Ok(()),
            Truth::Yes => None,
            Truth::Unknown(Unjudged { why, .. }) => Some((event.line.number, why.into())),
        };

        let group = group_of(event, *place, &rule.same.other);
        if group == Group::Unknown || group == Group::All {
            if unknown.is_none() {
                *self = Self::default();
                self.since.known = event.line.number;
            } else {
                self.since.unknown = unknown;
            }
            return Ok(());
        }

        if !self.groups.contains_key(&group) && self.groups.len() >= MAX_GROUPS {
            return Err(TeamLimit::Groups);
        }

        let of_group = self.groups.entry(group).or_default();
        if unknown.is_some() {
            of_group.since.unknown = unknown;
            return Ok(());
        }

        let before = of_group.room();
        *of_group = GroupFolds::default();
        of_group.since.known = event.line.number;

        let after = of_group.room();
        self.recount(before, after);
        Ok(())
    }
}

/// Returns the group of an event by the values at a place.
pub(super) fn group_of(event: &EventView<'_>, place: usize, same: &[KeyPath]) -> Group {
    match event.group(place) {
        Some(digest) => Group::Of(digest),
        None if same.is_empty() => Group::All,
        None => Group::Unknown,
    }
}
