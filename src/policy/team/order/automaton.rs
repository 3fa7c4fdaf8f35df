//! The events of a timeline, one after the other -> those that break an order.
//!
//! An order is an automaton. It keeps, for each value by which it groups events, a few numbers, and
//! besides an entry for each event that waits for a later one, may leave a window, or is open.

mod demand;
mod group;

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use foldhash::{HashMap, HashMapExt as _};
use group::ROOM_TO_WAIT;

use crate::ground::digest::Digest;
use crate::ground::select::Unjudged;
use crate::ground::source::Line;
use crate::ground::timestamp::Instant;
use crate::policy::team::answers::Answer;
use crate::policy::team::limit::{MAX_ENTRIES, TeamLimit};
use crate::policy::team::window::Window;

/// A demand on the events that an order is about (*each*), and on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy) enum OrderPattern {
    /// There is none.
    Never,
    /// There are at most this number.
    AtMost(u64),
    /// There are at most this number without another event between them.
    AtMostInARow(u64),
    /// There are at least this number, once the run has ended.
    AtLeast(u64),
    /// Another event stands on an earlier line.
    NeedsEarlier,
    /// Another event stands on a later line, once the run has ended.
    NeedsLater,
    /// No other event stands on an earlier line.
    NoneEarlier,
    /// No other event stands on a later line.
    NoneLater,
}

/// An event as an order sees it.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "what each selector says of it"
)]
pub(in crate::policy) struct OrderEvent {
    pub(in crate::policy) line: Line,
    pub(in crate::policy) is_each: bool,
    pub(in crate::policy) is_other: bool,
    /// `true` if only later events count from it on.
    pub(in crate::policy) is_since: bool,
    /// `true` if it closes earlier ones.
    pub(in crate::policy) is_until: bool,
    /// The digest of the value by which events are grouped; `None` where the event has none.
    pub(in crate::policy) same: Option<Digest>,
    /// The same of the value that it has as another event.
    pub(in crate::policy) same_of_others: Option<Digest>,
    /// The digests of the values by which events are paired.
    pub(in crate::policy) pair: Option<Digest>,
    pub(in crate::policy) pair_of_others: Option<Digest>,
    /// Its instant, if the order asks for it.
    pub(in crate::policy) time: Option<Instant>,
    /// The reason why it is unknown if the order is about it; then it is an offence.
    pub(in crate::policy) unknown: Option<Box<Unjudged>>,
    /// `true` if each one beyond a limit is an offence, not the first alone: it is only asked
    /// about, or people are.
    pub(in crate::policy) finds_each: bool,
}

/// An event that breaks an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::policy) struct Offence {
    /// Its line; `None` where events are missing.
    pub(in crate::policy) line: Option<Line>,
    /// The line of the other event, if there is one.
    pub(in crate::policy) other: Option<Line>,
    /// `true` if that took away what would count.
    pub(in crate::policy) is_taken: bool,
    pub(in crate::policy) why: OffenceKind,
    /// The answer of a person that does not cover it, if one was asked.
    pub(in crate::policy) answer: Option<Answer>,
    /// The digest of the value by which it is grouped.
    pub(in crate::policy) same: Option<Digest>,
}

/// A reason why an event breaks an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::policy) enum OffenceKind {
    /// It does not have what the pattern demands. The number is that of the events of its group so
    /// far.
    Pattern(u64),
    /// Nobody can tell if the order is about it.
    Unknown(Box<Unjudged>),
    /// It has no value by which events are grouped.
    NoValue,
    /// It has no value by which events are paired.
    NoPair,
    /// It has no instant.
    NoInstant,
}

/// The digits of an instant, beyond its attoseconds, that an event which waits has room for.
const DIGITS_OF_AN_ENTRY: usize = 64;

/// A pattern, and the events that it demands it of.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "what an author may write besides"
)]
pub(crate) struct Demand {
    pub(crate) pattern: OrderPattern,
    /// `true` if events are grouped by a value.
    pub(crate) is_grouped: bool,
    /// The time in attoseconds within which other events count.
    pub(crate) within: Option<i128>,
    /// `true` if some events take away those before them.
    pub(crate) has_since: bool,
    /// `true` if some events close those before them.
    pub(crate) has_until: bool,
    /// `true` if they close those with one value.
    pub(crate) is_paired: bool,
}

/// An order, and what it knows of the events so far.
#[derive(Clone, Debug)]
pub(in crate::policy) struct Automaton {
    demand: Demand,
    /// All events, where they are not grouped by a value.
    all: GroupState,
    /// Else those with each value.
    groups: HashMap<Digest, Box<GroupState>>,
    /// The groups that changed since an event took away those of every group.
    changed: Vec<Digest>,
    waiting: usize,
}

/// An event that waits, or is waited for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    time: Option<Instant>,
    line: Line,
}

/// The events with one value.
#[derive(Clone, Debug, Default)]
struct GroupState {
    count: u64,
    /// The latest other event, and its instant.
    last: Option<Waiting>,
    /// The other event with the latest instant, on the last line of these.
    newest: Option<(Instant, Line)>,
    /// The latest other event without an instant.
    timeless: Option<Line>,
    /// Events that wait for a later one, by their instants, and the first other event after each.
    waiting: BTreeMap<Waiting, Option<Line>>,
    /// The waiting events that no other event has followed.
    fresh: Vec<Waiting>,
    /// The events that may be too old for a later one, if the order counts within a time.
    window: Window,
    /// The numbers of open events by the values by which they are paired.
    open: BTreeMap<Digest, u64>,
    /// The line of the latest event that counts, if some take these away.
    last_each: Option<Line>,
    /// The line of the event that took away others.
    taken_by: Option<Line>,
    /// `true` if it is listed as changed.
    is_listed: bool,
}

impl Automaton {
    pub(in crate::policy) fn new(demand: Demand) -> Self {
        Self {
            demand,
            all: GroupState::default(),
            groups: HashMap::new(),
            changed: Vec::new(),
            waiting: 0,
        }
    }

    /// Returns the events before one that are grouped with it.
    fn group(&self, same: Option<Digest>) -> Option<&GroupState> {
        if self.demand.is_grouped {
            self.groups
                .get(&same?)
                .map(|group| &**group)
        } else {
            Some(&self.all)
        }
    }

    /// Returns the offences that an event causes: its own, and those of events before it.
    pub(in crate::policy) fn offences(&self, event: &OrderEvent) -> Vec<Offence> {
        let groups = [event.same, event.same_of_others].map(|same| self.group(same));
        self.demand.offences(groups, event)
    }

    /// Notes an event for those that follow.
    pub(in crate::policy) fn note(&mut self, event: &OrderEvent) -> Result<(), TeamLimit> {
        let demand = &self.demand;
        if demand.ends_rows(event) {
            let is_own = |same: &Digest| event.is_each && Some(*same) == event.same;
            self.groups
                .retain(|same, _| is_own(same));
            if !event.is_each {
                self.all = GroupState::default();
            }
        }

        if event.is_until {
            let group = if demand.is_grouped {
                (event.same_of_others)
                    .and_then(|same| self.groups.get_mut(&same))
                    .map(|group| &mut **group)
            } else {
                Some(&mut self.all)
            };

            if let Some(group) = group {
                self.waiting -= group.room();
                group.close(demand, event);
                self.waiting += group.room();
            }
        }

        if event.is_other && !self.demand.is_of_rows() {
            self.change(event.same_of_others, |group, demand, waiting| {
                group.add_other(demand, event, waiting)
            })?;
        }

        if event.is_each && event.unknown.is_none() {
            self.change(event.same, |group, demand, waiting| {
                group.add_each(demand, event, waiting)
            })?;
        }

        if event.is_since {
            self.take_away(event);
        }

        Ok(())
    }

    /// Changes the events that are grouped by a value.
    fn change(
        &mut self,
        same: Option<Digest>,
        change: impl FnOnce(&mut GroupState, &Demand, &mut usize) -> Result<(), TeamLimit>,
    ) -> Result<(), TeamLimit> {
        if !self.demand.is_grouped {
            return change(&mut self.all, &self.demand, &mut self.waiting);
        }

        let Some(same) = same else {
            return Ok(());
        };
        let has_room = self.groups.len() < MAX_ENTRIES;
        let group = match self.groups.entry(same) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) if has_room => entry.insert(Box::default()),
            Entry::Vacant(_) => return Err(TeamLimit::Entries),
        };

        if self.demand.has_since && !group.is_listed {
            group.is_listed = true;
            self.changed.push(same);
        }

        change(group, &self.demand, &mut self.waiting)
    }

    /// Takes away the events before one: those of its group, or of every group.
    fn take_away(&mut self, event: &OrderEvent) {
        if !self.demand.is_grouped {
            self.all
                .take_away(event.line, &mut self.waiting);
            return;
        }

        let groups = match event.same_of_others {
            Some(same) => vec![same],
            None => std::mem::take(&mut self.changed),
        };

        let is_of_all = event.same_of_others.is_none();
        for same in groups {
            if let Some(group) = self.groups.get_mut(&same) {
                group.take_away(event.line, &mut self.waiting);
                group.is_listed &= !is_of_all;
                if group.taken_by.is_none() && !group.is_listed {
                    self.groups.remove(&same);
                }
            }
        }
    }

    /// Returns what it takes of [`MAX_ROOM`](crate::policy::team::judge::MAX_ROOM).
    pub(in crate::policy) fn room(&self) -> usize {
        let waits = self.demand.waits();
        self.groups.len() * if waits { ROOM_TO_WAIT } else { 1 } + self.waiting
    }

    /// Forgets all events.
    pub(in crate::policy) fn forget(&mut self) {
        self.groups = HashMap::new();
        self.all = GroupState::default();
        self.changed = Vec::new();
        self.waiting = 0;
    }

    /// Returns the number of events with a value.
    pub(in crate::policy) fn count(&self, same: Option<Digest>) -> u64 {
        self.group(same)
            .map_or(0, |group| group.count)
    }

    /// Returns the number of events with a value, and the line of the latest other event with it.
    pub(in crate::policy) fn known(&self, same: Option<Digest>) -> (u64, Option<Line>) {
        self.group(same)
            .map_or((0, None), |group| (group.count, group.last_line()))
    }

    /// Returns the offences of a run that has ended.
    pub(in crate::policy) fn end(&self) -> Vec<Offence> {
        let all = (!self.demand.is_grouped).then_some((None, &self.all));
        let groups = self
            .groups
            .iter()
            .map(|(same, group)| (Some(*same), &**group))
            .chain(all);
        let mut left: Vec<Offence> = match self.demand.pattern {
            OrderPattern::AtLeast(least) => {
                let few = |(same, group): (Option<Digest>, &GroupState)| {
                    let is_few = group.count < least && (group.count > 0 || same.is_none());
                    is_few.then_some(Offence {
                        line: None,
                        other: None,
                        is_taken: false,
                        answer: None,
                        why: OffenceKind::Pattern(group.count),
                        same,
                    })
                };

                groups.filter_map(few).collect()
            }
            OrderPattern::NeedsLater => groups
                .flat_map(|(same, group)| {
                    group
                        .waiting
                        .iter()
                        .map(move |(entry, other)| Offence {
                            line: Some(entry.line),
                            other: *other,
                            is_taken: false,
                            answer: None,
                            why: OffenceKind::Pattern(group.count),
                            same,
                        })
                })
                .collect(),
            _ => Vec::new(),
        };

        left.sort_by_key(|offence| (offence.line, offence.same));
        left
    }
}

impl OrderPattern {
    /// Returns `true` if another event breaks it, and not the lack of one.
    pub(in crate::policy) fn is_ban(self) -> bool {
        matches!(self, Self::NoneEarlier | Self::NoneLater)
    }

    /// Returns `true` if it is judged in runs that have ended alone.
    pub(in crate::policy) fn is_of_the_end(self) -> bool {
        matches!(self, Self::AtLeast(_) | Self::NeedsLater)
    }

    /// Returns `true` if a line that is no event could be the one that it needs, or ends a row.
    pub(in crate::policy) fn needs_every_event(self) -> bool {
        matches!(
            self,
            Self::AtLeast(_) | Self::NeedsLater | Self::NeedsEarlier | Self::AtMostInARow(_)
        )
    }

    /// Returns the number that it allows or demands.
    pub(in crate::policy) fn limit(self) -> Option<u64> {
        match self {
            Self::AtMost(limit) | Self::AtMostInARow(limit) | Self::AtLeast(limit) => Some(limit),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
