//! The events of a run, one after the other -> what a rule asks of earlier ones.

use std::collections::BTreeMap;

use super::{NAMES, TeamRule};
use crate::ground::Own;
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
    /// The earlier events of each question.
    pub(super) asked: Vec<GroupedEvents>,
    /// The events since which others count.
    pub(super) since: Option<GroupedEvents>,
    /// The place of the instant of an event, if the rule asks for that.
    pub(super) time: Option<usize>,
}

/// The events that a selector names, in groups.
#[derive(Clone, Debug)]
pub(super) struct GroupedEvents {
    pub(super) selector: EventSelector,
    /// The place of the values by which they are grouped.
    pub(super) group: usize,
}

/// The values that a rule asks of the events so far: for each group, in the order in which it asks.
#[derive(Clone, Debug, Default)]
pub(super) struct Earlier {
    groups: BTreeMap<Group, GroupFolds>,
    /// The latest events since which others count, of all groups.
    since: Since,
    room: Room,
}

/// What is kept of events.
#[derive(Clone, Copy, Debug, Default)]
struct Room {
    /// The number of kept values.
    values: usize,
    /// The number of entries of windows.
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

impl Room {
    /// Counts the room of a group as it is now in place of what it was.
    fn change(&mut self, before: Self, after: Self) {
        self.values = self.values + after.values - before.values;
        self.entries = self.entries + after.entries - before.entries;
    }
}

/// An event as a window knows it.
struct TimedLine {
    line: u64,
    time: Option<Instant>,
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

        for ((fold, state), steps) in rule
            .check
            .folds()
            .iter()
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

    /// Adds what an event is to the question of a number.
    fn add(&mut self, rule: &TeamRule, number: usize, event: TimedLine, step: FoldStep<'_>) {
        let TimedLine { line, time } = event;
        let (folds, is_windowed) = (rule.check.folds(), rule.within.is_some());
        self.states
            .resize(folds.len(), FoldState::default());
        let state = self.states.own_mut(number);
        folds
            .own(number)
            .add(state, line, &step, is_windowed);
        if !is_windowed {
            return;
        }

        self.steps
            .resize(folds.len(), BTreeMap::new());
        let is_in_window = self
            .steps
            .iter()
            .any(|steps| steps.contains_key(&line));
        if !is_in_window {
            self.window.add(time.as_ref(), line);
        }
        self.steps
            .own_mut(number)
            .insert(line, step.kept());
    }

    fn room(&self) -> Room {
        let steps: usize = self
            .steps
            .iter()
            .map(BTreeMap::len)
            .sum();
        Room {
            values: self
                .states
                .iter()
                .map(FoldState::room)
                .sum(),
            entries: steps + self.window.room(),
        }
    }
}

impl Earlier {
    /// Returns what it takes of the room that a run has for groups.
    pub(super) fn room(&self) -> usize {
        let questions = self
            .groups
            .first_key_value()
            .map_or(0, |(_, group)| group.states.len());
        self.groups.len() * questions * ROOM_OF_A_QUESTION + self.room.values + self.room.entries
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
        self.room
            .change(before, of_group.room());

        Ok(())
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
        let folds = rule.check.folds();
        for (number, (fold, asked)) in folds
            .iter()
            .zip(&keys.asked)
            .enumerate()
        {
            let answer = asked.selector.ask(event, budget)?;
            if answer == Truth::No {
                continue;
            }

            let group = group_of(event, asked.group, &rule.same.other);
            if group == Group::Unknown {
                continue;
            }

            let bound;
            let step = if let Truth::Unknown(Unjudged { why, .. }) = answer {
                FoldStep::Failed {
                    why: why.into(),
                    is_unknown: true,
                }
            } else {
                budget.add_record(event);
                bound = NAMES.map(|name| match name {
                    "params" => Value::of_record(rule.params.root()),
                    _ => Value::Null,
                });
                rule.check
                    .step(fold, Value::Record(event), &bound, budget)
                    .ok_or(TeamLimit::Steps)?
            };

            let of_group = self.group(group)?;
            let before = of_group.room();
            let timed = TimedLine {
                line: event.line.number,
                time: keys
                    .time
                    .and_then(|key| event.time(key)),
            };
            of_group.add(rule, number, timed, step);
            let after = of_group.room();
            self.room.change(before, after);
            if self.room.entries > 2 * MAX_ENTRIES * folds.len() {
                return Err(TeamLimit::Entries);
            }
        }

        self.note_since(rule, keys, event, budget)
    }

    /// Returns what is asked of the events of a group, if there is room for it.
    fn group(&mut self, group: Group) -> Result<&mut GroupFolds, TeamLimit> {
        if !self.groups.contains_key(&group) && self.groups.len() >= MAX_GROUPS {
            return Err(TeamLimit::Groups);
        }
        Ok(self.groups.entry(group).or_default())
    }

    /// Notes an event since which others count.
    fn note_since(
        &mut self,
        rule: &TeamRule,
        keys: &EarlierKeys,
        event: &EventView<'_>,
        budget: &mut Budget,
    ) -> Result<(), TeamLimit> {
        let Some(since) = &keys.since else {
            return Ok(());
        };
        let unknown = match since.selector.ask(event, budget)? {
            Truth::No => return Ok(()),
            Truth::Yes => None,
            Truth::Unknown(Unjudged { why, .. }) => Some((event.line.number, why.into())),
        };

        let group = group_of(event, since.group, &rule.same.other);
        if group == Group::Unknown || group == Group::All {
            if unknown.is_none() {
                *self = Self::default();
                self.since.known = event.line.number;
            } else {
                self.since.unknown = unknown;
            }
            return Ok(());
        }

        let of_group = self.group(group)?;
        if unknown.is_some() {
            of_group.since.unknown = unknown;
            return Ok(());
        }

        let before = of_group.room();
        *of_group = GroupFolds::default();
        of_group.since.known = event.line.number;

        let after = of_group.room();
        self.room.change(before, after);
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
