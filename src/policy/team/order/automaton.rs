//! The events of a timeline, one after the other -> those that break an order.
//!
//! An order is an automaton. It keeps, for each value by which it groups events, a few numbers, and
//! besides an entry for each event that waits for a later one, may leave a window, or is open.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use foldhash::{HashMap, HashMapExt as _};

use crate::ground::digest::Digest;
use crate::ground::select::Unjudged;
use crate::ground::source::Line;
use crate::ground::timestamp::Instant;
use crate::policy::team::answers::Answer;
use crate::policy::team::limit::{MAX_ENTRIES, TeamLimit};
use crate::policy::team::window::{Window, earliest};

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

/// The room that a group takes in which events may wait.
const ROOM_TO_WAIT: usize = 4;

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

/// An event that waits, or is waited for: its instant and its line.
type Waiting = (Option<Instant>, Line);

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
            self.groups.get(&same?).map(|group| &**group)
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
            self.groups.retain(|same, _| is_own(same));
            if !event.is_each {
                self.all = GroupState::default();
            }
        }
        if event.is_until {
            let group = if demand.is_grouped {
                let group = (event.same_of_others).and_then(|same| self.groups.get_mut(&same));
                group.map(|group| &mut **group)
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
            self.all.take_away(event.line, &mut self.waiting);
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

    /// Returns the number of events with a value, and the line of the latest other event with it.
    pub(in crate::policy) fn known(&self, same: Option<Digest>) -> (u64, Option<Line>) {
        let group = self.group(same);
        group.map_or((0, None), |group| (group.count, group.last_line()))
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
                    group.waiting.iter().map(move |((_, line), other)| Offence {
                        line: Some(*line),
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

impl Demand {
    /// Returns `true` if events wait for a later one.
    fn waits(&self) -> bool {
        let pattern = self.pattern;
        matches!(pattern, OrderPattern::NeedsLater | OrderPattern::NoneLater)
    }

    fn is_of_rows(&self) -> bool {
        matches!(self.pattern, OrderPattern::AtMostInARow(_))
    }

    /// Returns `true` if an event ends all rows but its own.
    fn ends_rows(&self, event: &OrderEvent) -> bool {
        self.is_of_rows() && event.is_other && event.unknown.is_none()
    }

    /// Returns the offences that an event causes after those of its groups: as one that the order
    /// is about, and as another one.
    fn offences(
        &self,
        [group, others]: [Option<&GroupState>; 2],
        event: &OrderEvent,
    ) -> Vec<Offence> {
        let banned = others.filter(|_| event.is_other && self.pattern == OrderPattern::NoneLater);
        let mut offences = Vec::new();
        for (_, line) in banned
            .iter()
            .flat_map(|it| self.met(it, event.time.as_ref()))
        {
            offences.push(Offence {
                line: Some(line),
                other: Some(event.line),
                is_taken: false,
                answer: None,
                why: OffenceKind::Pattern(banned.map_or(0, |it| it.count)),
                same: event.same_of_others,
            });
        }
        if event.is_each {
            offences.extend(self.own_offence(event, group));
        }
        offences
    }

    /// Returns what an event lacks that it must have to be judged.
    fn lacks(&self, event: &OrderEvent) -> Option<OffenceKind> {
        if let Some(why) = &event.unknown {
            return Some(OffenceKind::Unknown(why.clone()));
        }
        if self.is_grouped && event.same.is_none() {
            return Some(OffenceKind::NoValue);
        }
        if self.is_paired && event.pair.is_none() {
            return Some(OffenceKind::NoPair);
        }
        (self.within.is_some() && event.time.is_none()).then_some(OffenceKind::NoInstant)
    }

    fn own_offence(&self, event: &OrderEvent, group: Option<&GroupState>) -> Option<Offence> {
        let earlier = match (self.pattern, self.within, &event.time) {
            (OrderPattern::AtMost(_), Some(within), Some(now)) => {
                group.map_or(0, |group| group.window.count_at(now, within))
            }
            _ => group.map_or(0, |group| group.count),
        };
        let (count, mut is_taken) = (earlier + 1, false);
        let (other, why) = if let Some(why) = self.lacks(event) {
            (None, why)
        } else {
            let (is_broken, other) = match self.pattern {
                OrderPattern::Never => (true, None),
                OrderPattern::AtMost(most) | OrderPattern::AtMostInARow(most) => {
                    let finds_each = event.finds_each || self.within.is_some() || self.has_until;
                    let last = group.filter(|_| self.has_since).and_then(|it| it.last_each);
                    (count == most + 1 || (finds_each && count > most), last)
                }
                OrderPattern::NeedsEarlier => {
                    let found = group.and_then(|group| self.fulfilling(group, event));
                    let last = group.and_then(GroupState::last_line);
                    is_taken = last.is_none();
                    (found.is_none(), last.or_else(|| group?.taken_by))
                }
                OrderPattern::NoneEarlier => {
                    let found = group.and_then(|group| self.breaking(group, event));
                    (found.is_some(), found)
                }
                OrderPattern::AtLeast(_) | OrderPattern::NeedsLater | OrderPattern::NoneLater => {
                    (false, None)
                }
            };
            if !is_broken {
                return None;
            }
            (other, OffenceKind::Pattern(count))
        };
        Some(Offence {
            line: Some(event.line),
            other,
            is_taken,
            answer: None,
            why,
            same: event.same,
        })
    }

    /// Returns the line of an earlier event that an event needs.
    fn fulfilling(&self, group: &GroupState, event: &OrderEvent) -> Option<Line> {
        let Some(within) = self.within else {
            return group.last_line();
        };
        let (newest, line) = group.newest.as_ref()?;
        (*newest >= earliest(event.time.as_ref()?, within)).then_some(*line)
    }

    /// Returns the line of an earlier event that an event may not have: the nearest one, if that
    /// counts.
    fn breaking(&self, group: &GroupState, event: &OrderEvent) -> Option<Line> {
        let (last, line) = group.last.as_ref()?;
        match (self.within, last) {
            (Some(within), Some(last)) if *last < earliest(event.time.as_ref()?, within) => {
                self.fulfilling(group, event).max(group.timeless)
            }
            _ => Some(*line),
        }
    }

    /// Returns the events that wait for an event at some time, and meet it.
    fn met<'g>(
        &self,
        group: &'g GroupState,
        time: Option<&Instant>,
    ) -> Box<dyn Iterator<Item = Waiting> + 'g> {
        let waiting = &group.waiting;
        match (self.within, time) {
            (None, _) => Box::new(waiting.keys().cloned()),
            (Some(within), Some(time)) => {
                let first = (Some(earliest(time, within)), Line::BEFORE_ALL);
                Box::new(waiting.range(first..).map(|(entry, _)| entry.clone()))
            }
            // Without an instant it breaks a ban, and fulfils no need.
            (Some(_), None) if self.pattern == OrderPattern::NoneLater => {
                Box::new(waiting.keys().cloned())
            }
            (Some(_), None) => Box::new(std::iter::empty()),
        }
    }
}

fn within_limit(entries: usize) -> Result<(), TeamLimit> {
    if entries > MAX_ENTRIES {
        return Err(TeamLimit::Entries);
    }
    Ok(())
}

/// Returns the entries that an event takes which waits: more than one where its instant has many
/// digits.
fn room_of((instant, _): &Waiting) -> usize {
    let digits = instant.as_ref().map_or(0, |(_, rest)| rest.len());
    1 + digits / DIGITS_OF_AN_ENTRY
}

impl GroupState {
    /// Adds another event; `waiting` is the number of entries in all groups.
    fn add_other(
        &mut self,
        demand: &Demand,
        event: &OrderEvent,
        waiting: &mut usize,
    ) -> Result<(), TeamLimit> {
        if demand.waits() {
            let met: Vec<Waiting> = demand.met(self, event.time.as_ref()).collect();
            *waiting -= met.iter().map(room_of).sum::<usize>();
            for entry in &met {
                self.waiting.remove(entry);
            }
            for entry in std::mem::take(&mut self.fresh) {
                if let Some(other) = self.waiting.get_mut(&entry) {
                    *other = Some(event.line);
                }
            }
        }
        *waiting -= self.noted_room();
        self.note(event);
        *waiting += self.noted_room();
        within_limit(*waiting)
    }

    /// Adds an event that the order is about.
    fn add_each(
        &mut self,
        demand: &Demand,
        event: &OrderEvent,
        waiting: &mut usize,
    ) -> Result<(), TeamLimit> {
        if demand.is_paired && event.pair.is_none() {
            return Ok(());
        }
        self.count += 1;
        self.last_each = demand.has_since.then_some(event.line);
        *waiting -= self.room();
        if let (OrderPattern::AtMost(_), Some(within)) = (demand.pattern, demand.within) {
            if let Some(now) = &event.time {
                self.window.leave(now, within);
            }
            self.window.add(event.time.as_ref(), event.line.number);
        }
        if let Some(pair) = event.pair.filter(|_| demand.is_paired) {
            *self.open.entry(pair).or_default() += 1;
        }
        *waiting += self.room();
        within_limit(*waiting)?;
        if demand.waits() && demand.lacks(event).is_none() {
            let entry = (event.time.clone(), event.line);
            let room = room_of(&entry);
            within_limit(*waiting + room)?;
            self.fresh.push(entry.clone());
            self.waiting.insert(entry, None);
            *waiting += room;
        }
        Ok(())
    }

    /// Closes open events: those with the value of an event, or the oldest one.
    fn close(&mut self, demand: &Demand, event: &OrderEvent) {
        let closed = match event.pair_of_others {
            _ if !demand.is_paired => 1,
            Some(pair) => self.open.remove(&pair).unwrap_or_default(),
            None => 0,
        };
        self.count = self.count.saturating_sub(closed);
    }

    /// Takes away all that count.
    fn take_away(&mut self, by: Line, waiting: &mut usize) {
        let taken_by = match self.last {
            Some(_) => Some(by),
            None => self.taken_by,
        };
        *waiting -= self.room() + self.noted_room();
        *self = Self {
            taken_by,
            is_listed: self.is_listed,
            ..Self::default()
        };
    }

    /// Returns the number of entries for events that may leave a window, or be closed.
    fn room(&self) -> usize {
        self.window.room() + self.open.len()
    }

    /// Returns the room that the digits of noted instants take.
    fn noted_room(&self) -> usize {
        let last = self.last.iter().filter_map(|(time, _)| time.as_ref());
        let newest = self.newest.iter().map(|(time, _)| time);
        last.chain(newest)
            .map(|(_, rest)| rest.len() / DIGITS_OF_AN_ENTRY)
            .sum()
    }

    fn last_line(&self) -> Option<Line> {
        self.last.as_ref().map(|(_, line)| *line)
    }

    /// Notes an other event.
    fn note(&mut self, event: &OrderEvent) {
        self.last = Some((event.time.clone(), event.line));
        match &event.time {
            None => self.timeless = Some(event.line),
            Some(time) => {
                let is_newest = self
                    .newest
                    .as_ref()
                    .is_none_or(|(newest, _)| newest <= time);
                if is_newest {
                    self.newest = Some((time.clone(), event.line));
                }
            }
        }
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
