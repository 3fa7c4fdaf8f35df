//! What is known of the events of a group, and the next one -> the same with that.

use super::{DIGITS_OF_AN_ENTRY, Demand, GroupState, OrderEvent, OrderPattern, Waiting};
use crate::ground::source::Line;
use crate::policy::team::limit::{MAX_ENTRIES, TeamLimit};

/// The room that a group takes in which events may wait.
pub(super) const ROOM_TO_WAIT: usize = 4;

pub(super) fn within_limit(entries: usize) -> Result<(), TeamLimit> {
    if entries > MAX_ENTRIES {
        return Err(TeamLimit::Entries);
    }
    Ok(())
}

/// Returns the entries that an event takes which waits: more than one where its instant has many
/// digits.
pub(super) fn room_of(entry: &Waiting) -> usize {
    let digits = entry
        .time
        .as_ref()
        .map_or(0, |instant| instant.rest.len());
    1 + digits / DIGITS_OF_AN_ENTRY
}

impl OrderEvent {
    fn as_entry(&self) -> Waiting {
        Waiting {
            time: self.time.clone(),
            line: self.line,
        }
    }
}

impl GroupState {
    /// Adds another event; `waiting` is the number of entries in all groups.
    pub(super) fn add_other(
        &mut self,
        demand: &Demand,
        event: &OrderEvent,
        waiting: &mut usize,
    ) -> Result<(), TeamLimit> {
        if demand.waits() {
            let met: Vec<Waiting> = demand
                .met(self, event.time.as_ref())
                .collect();
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
    pub(super) fn add_each(
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
            self.window
                .add(event.time.as_ref(), event.line.number);
        }

        if let Some(pair) = event.pair.filter(|_| demand.is_paired) {
            *self.open.entry(pair).or_default() += 1;
        }

        *waiting += self.room();
        within_limit(*waiting)?;
        if demand.waits() && demand.lacks(event).is_none() {
            let entry = event.as_entry();
            let room = room_of(&entry);
            within_limit(*waiting + room)?;
            self.fresh.push(entry.clone());
            self.waiting.insert(entry, None);
            *waiting += room;
        }

        Ok(())
    }

    /// Closes open events: those with the value of an event, or the oldest one.
    pub(super) fn close(&mut self, demand: &Demand, event: &OrderEvent) {
        let closed = match event.pair_of_others {
            _ if !demand.is_paired => 1,
            Some(pair) => self
                .open
                .remove(&pair)
                .unwrap_or_default(),
            None => 0,
        };

        self.count = self.count.saturating_sub(closed);
    }

    /// Takes away all that count.
    pub(super) fn take_away(&mut self, by: Line, waiting: &mut usize) {
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
    pub(super) fn room(&self) -> usize {
        self.window.room() + self.open.len()
    }

    /// Returns the room that the digits of noted instants take.
    pub(super) fn noted_room(&self) -> usize {
        let last = self
            .last
            .iter()
            .filter_map(|last| last.time.as_ref());
        let newest = self.newest.iter().map(|(time, _)| time);
        last.chain(newest)
            .map(|instant| instant.rest.len() / DIGITS_OF_AN_ENTRY)
            .sum()
    }

    pub(super) fn last_line(&self) -> Option<Line> {
        self.last.as_ref().map(|last| last.line)
    }

    /// Notes an other event.
    pub(super) fn note(&mut self, event: &OrderEvent) {
        self.last = Some(event.as_entry());
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
