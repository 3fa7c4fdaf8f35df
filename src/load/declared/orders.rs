//! What a team's orders find in an episode.

use std::collections::BTreeMap;

use crate::digest::Digest;
use crate::finding::MAX_FINDINGS_PER_RULE;
use crate::printable::brief;
use crate::team::{Automaton, Moment, Offence, Sight, TeamOrder, Word};

/// What one order finds: what is reported, and the number of the rest.
pub(crate) struct FoundByOrder {
    automaton: Automaton,
    met: Vec<Offence>,
    more: usize,
    /// The values by which events are grouped, as messages show them, if the order's message does.
    shown: BTreeMap<Digest, String>,
    /// Whether it saw an event that it is about.
    pub(crate) examined: bool,
    /// Whether there were more groups, or events that wait, than are kept.
    pub(crate) is_full: bool,
}

impl FoundByOrder {
    pub(super) fn new(order: &TeamOrder) -> Self {
        Self {
            automaton: order.automaton(),
            met: Vec::new(),
            more: 0,
            shown: BTreeMap::new(),
            examined: false,
            is_full: false,
        }
    }

    /// The offences, in the order of the timeline, and the number of those that are not listed;
    /// with those of the end, if the run has ended.
    pub(crate) fn offences(&self, with_end: bool) -> (Vec<Offence>, usize) {
        let mut offences = self.met.clone();
        let mut more = self.more;
        if with_end {
            offences.extend(self.automaton.end());
        }
        offences.sort_by_key(|offence| offence.line);
        more += offences.len().saturating_sub(MAX_FINDINGS_PER_RULE);
        offences.truncate(MAX_FINDINGS_PER_RULE);
        (offences, more)
    }

    /// The value by which an event is grouped, as messages show it.
    pub(crate) fn shown(&self, same: Option<Digest>) -> Option<String> {
        self.shown.get(&same?).cloned()
    }

    pub(super) fn event(&mut self, order: &TeamOrder, moment: &Moment, sight: &Sight, text: &[u8]) {
        if self.is_full {
            return;
        }
        self.see(order, sight, text);
        let seen = order.seen(moment, sight);
        self.is_full = self.automaton.step(&seen, &mut self.met).is_err();
        self.keep_the_first();
    }

    /// What the next event would add, if it were this one.
    pub(super) fn of_next(
        &self,
        order: &TeamOrder,
        moment: &Moment,
        sight: &Sight,
        text: &[u8],
    ) -> Self {
        let mut found = Self {
            is_full: self.is_full,
            ..Self::new(order)
        };
        found.see(order, sight, text);
        found.met = self.automaton.offences(&order.seen(moment, sight));
        found.keep_the_first();
        found
    }

    /// Notes the next event for those that follow.
    pub(super) fn follow(&mut self, order: &TeamOrder, moment: &Moment, sight: &Sight) {
        if !(order.pattern.is_of_the_end() || self.is_full) {
            let seen = order.seen(moment, sight);
            self.is_full = self.automaton.step(&seen, &mut Vec::new()).is_err();
        }
    }

    fn see(&mut self, order: &TeamOrder, sight: &Sight, text: &[u8]) {
        self.examined |= sight.is_each;
        if let Some((same, value)) = &sight.same
            && order.message.names(Word::Same)
        {
            self.shown.entry(*same).or_insert_with(|| {
                let value = text.get(value.clone()).unwrap_or_default();
                brief(&String::from_utf8_lossy(value))
            });
        }
    }

    /// Counts offences beyond those that are reported.
    fn keep_the_first(&mut self) {
        self.more += self.met.len().saturating_sub(MAX_FINDINGS_PER_RULE);
        self.met.truncate(MAX_FINDINGS_PER_RULE);
    }
}
