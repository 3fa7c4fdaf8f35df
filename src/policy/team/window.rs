//! Events one after the other -> those of them that are not too old, as one event sees them.

use std::collections::BTreeSet;

use crate::ground::timestamp::Instant;

/// The events of a group that may still be within a time.
///
/// One that was too old for an event stays out, also where the clock goes back.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    timed: BTreeSet<(Instant, u64)>,
    /// The number of events without an instant, which never are too old.
    timeless: u64,
}

impl Window {
    pub(super) fn add(&mut self, time: Option<&Instant>, line: u64) {
        match time {
            Some(time) => drop(self.timed.insert((time.clone(), line))),
            None => self.timeless += 1,
        }
    }

    /// Returns the number of events that are at most some attoseconds before an instant, or later.
    pub(super) fn count_at(&self, now: &Instant, within: i128) -> u64 {
        let old = self
            .timed
            .range(..(earliest(now, within), 0))
            .count();
        (self.timed.len() - old) as u64 + self.timeless
    }

    /// Returns `true` if any event is too old at an instant.
    pub(super) fn has_old(&self, now: &Instant, within: i128) -> bool {
        self.timed
            .first()
            .is_some_and(|(first, _)| *first < earliest(now, within))
    }

    /// Leaves out the events that are too old at an instant, and returns their lines.
    pub(super) fn leave(&mut self, now: &Instant, within: i128) -> Vec<u64> {
        if !self.has_old(now, within) {
            return Vec::new();
        }

        let kept = self
            .timed
            .split_off(&(earliest(now, within), 0));

        std::mem::replace(&mut self.timed, kept)
            .into_iter()
            .map(|(_, line)| line)
            .collect()
    }

    /// Returns the number of its entries.
    pub(super) fn room(&self) -> usize {
        self.timed.len()
    }
}

/// Returns the earliest instant that is at most some attoseconds before another one.
pub(super) fn earliest(instant: &Instant, attoseconds: i128) -> Instant {
    Instant {
        attoseconds: instant.attoseconds - attoseconds,
        rest: instant.rest.clone(),
    }
}
