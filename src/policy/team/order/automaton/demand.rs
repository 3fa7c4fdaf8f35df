//! What an order demands, and what is known -> whether an event breaks it.

use super::{Demand, GroupState, Offence, OffenceKind, OrderEvent, OrderPattern, Waiting};
use crate::ground::source::Line;
use crate::ground::timestamp::Instant;
use crate::policy::team::window::earliest;

impl Demand {
    /// Returns `true` if events wait for a later one.
    pub(super) fn waits(&self) -> bool {
        let pattern = self.pattern;
        matches!(pattern, OrderPattern::NeedsLater | OrderPattern::NoneLater)
    }

    pub(super) fn is_of_rows(&self) -> bool {
        matches!(self.pattern, OrderPattern::AtMostInARow(_))
    }

    /// Returns `true` if an event ends all rows but its own.
    pub(super) fn ends_rows(&self, event: &OrderEvent) -> bool {
        self.is_of_rows() && event.is_other && event.unknown.is_none()
    }

    /// Returns the offences that an event causes after those of its groups: as one that the order
    /// is about, and as another one.
    pub(super) fn offences(
        &self,
        [group, others]: [Option<&GroupState>; 2],
        event: &OrderEvent,
    ) -> Vec<Offence> {
        let banned = others.filter(|_| event.is_other && self.pattern == OrderPattern::NoneLater);
        let mut offences = Vec::new();
        for entry in banned
            .iter()
            .flat_map(|it| self.met(it, event.time.as_ref()))
        {
            offences.push(Offence {
                line: Some(entry.line),
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
    pub(super) fn lacks(&self, event: &OrderEvent) -> Option<OffenceKind> {
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

    pub(super) fn own_offence(
        &self,
        event: &OrderEvent,
        group: Option<&GroupState>,
    ) -> Option<Offence> {
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
                    let last = group
                        .filter(|_| self.has_since)
                        .and_then(|it| it.last_each);
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
    pub(super) fn fulfilling(&self, group: &GroupState, event: &OrderEvent) -> Option<Line> {
        let Some(within) = self.within else {
            return group.last_line();
        };
        let (newest, line) = group.newest.as_ref()?;
        (*newest >= earliest(event.time.as_ref()?, within)).then_some(*line)
    }

    /// Returns the line of an earlier event that an event may not have: the nearest one, if that
    /// counts.
    pub(super) fn breaking(&self, group: &GroupState, event: &OrderEvent) -> Option<Line> {
        let Waiting { time, line } = group.last.as_ref()?;
        match (self.within, time) {
            (Some(within), Some(last)) if *last < earliest(event.time.as_ref()?, within) => self
                .fulfilling(group, event)
                .max(group.timeless),
            _ => Some(*line),
        }
    }

    /// Returns the events that wait for an event at some time, and meet it.
    pub(super) fn met<'g>(
        &self,
        group: &'g GroupState,
        time: Option<&Instant>,
    ) -> Box<dyn Iterator<Item = Waiting> + 'g> {
        let waiting = &group.waiting;
        match (self.within, time) {
            (None, _) => Box::new(waiting.keys().cloned()),
            (Some(within), Some(time)) => {
                let first = Waiting {
                    time: Some(earliest(time, within)),
                    line: Line::BEFORE_ALL,
                };
                Box::new(
                    waiting
                        .range(first..)
                        .map(|(entry, _)| entry.clone()),
                )
            }
            // Without an instant it breaks a ban, and fulfils no need.
            (Some(_), None) if self.pattern == OrderPattern::NoneLater => {
                Box::new(waiting.keys().cloned())
            }
            (Some(_), None) => Box::new(std::iter::empty()),
        }
    }
}
