//! An order that a team declares, and the events of a run -> what it finds in them.

mod automaton;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::RunFacts;
use super::events::{EventIndex, EventView};
use super::example::RunExample;
use super::message::{Message, Word};
use crate::digest::Digest;
use crate::document::Meanings;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::UNKNOWN_LIFECYCLE;
use crate::finding::{Lifecycle, MAX_FINDINGS_PER_RULE, SkipReason};
use crate::printable::brief;
use crate::select::{KeyPath, Selector};
use crate::source::{Artifact, Place};
pub(crate) use automaton::Seen;
use automaton::{Automaton, Offence, Pattern, TooMany, Why};
pub(crate) use table::OrderTable;

/// An order of events.
#[derive(Debug)]
pub(crate) struct TeamOrder {
    /// The events that it is about.
    pub(crate) each: Selector,
    /// The other events that the pattern speaks of.
    pub(crate) other: Option<Selector>,
    pub(crate) pattern: Pattern,
    /// The place of the value by which events are grouped.
    pub(crate) same: Option<KeyPath>,
    /// The time in attoseconds within which other events count.
    pub(crate) within: Option<i128>,
    pub(crate) message: Message,
    pub(crate) examples: Vec<RunExample>,
}

/// The places of what an order asks of events, among those of all declarations.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderKeys {
    pub(super) each: usize,
    pub(super) other: Option<usize>,
    pub(super) same: Option<usize>,
}

/// An order, and what it knows and finds of one run.
#[derive(Clone, Debug)]
pub(super) struct OrderJudge {
    order: Arc<TeamOrder>,
    /// What it asks of events, if it is on.
    pub(super) in_events: Option<OrderKeys>,
    automaton: Automaton,
    /// The offences that are listed, and the number of the rest.
    offences: Vec<Offence>,
    more: usize,
    /// The values by which events are grouped, as messages show them, if the order's message does.
    shown: BTreeMap<Digest, String>,
    /// Whether it saw an event that it is about.
    examined: bool,
    /// Whether there were more groups, or events that wait, than are kept.
    is_full: bool,
}

impl OrderJudge {
    pub(super) fn new(order: &Arc<TeamOrder>, is_on: bool, index: &mut EventIndex) -> Self {
        let in_events = is_on.then(|| OrderKeys {
            each: index.selector(&order.each),
            other: order.other.as_ref().map(|other| index.selector(other)),
            same: order.same.as_ref().map(|same| index.key(same)),
        });
        let is_grouped = order.same.is_some();
        Self {
            automaton: Automaton::new(order.pattern, is_grouped, order.within),
            order: Arc::clone(order),
            in_events,
            offences: Vec::new(),
            more: 0,
            shown: BTreeMap::new(),
            examined: false,
            is_full: false,
        }
    }

    /// Returns `true` if the team wants no event that a selector with this key names.
    pub(super) fn bans(&self, key: &str) -> bool {
        match self.order.pattern {
            Pattern::Never => true,
            Pattern::NoneEarlier | Pattern::NoneLater => key == "other",
            _ => false,
        }
    }

    /// Returns `true` if only the time of events tells whether they break it.
    pub(super) fn is_timed(&self) -> bool {
        self.order.within.is_some()
    }

    /// Returns whether it is about an event, and whether its pattern speaks of that; `None` for
    /// neither.
    pub(super) fn names(&self, event: &EventView<'_>) -> Option<[bool; 2]> {
        let OrderKeys { each, other, .. } = self.in_events?;
        let is_other = other.is_some_and(|other| event.is_named(other));
        let names = [event.is_named(each), is_other];
        (names != [false; 2]).then_some(names)
    }

    /// Returns what it sees of an event; `None` where it does not name that.
    pub(super) fn seen(&self, event: &EventView<'_>, meanings: &mut Meanings) -> Option<Seen> {
        let names = self.names(event)?;
        let same = self.in_events?.same.and_then(|same| event.value(same));
        let time = self.is_timed().then(|| event.time()).flatten();
        Some(Seen::new(event.line, names, time, same, meanings))
    }

    /// Judges an event of a text by what it sees of that, and notes it for those that follow.
    pub(super) fn event(&mut self, seen: &Seen, text: &[u8]) {
        if !self.is_full {
            self.examine(seen, text);
            let stepped = self.automaton.step(seen, &mut self.offences);
            self.is_full = stepped.is_err();
            self.keep_the_first();
        }
    }

    /// Judges the next event of a text as the judge of nothing else.
    pub(super) fn next(&self, seen: &Seen, text: &[u8]) -> Self {
        let mut next = Self::new(&self.order, false, &mut EventIndex::default());
        // Only the end of a run breaks some orders.
        if !self.order.pattern.is_of_the_end() {
            next.examine(seen, text);
            next.offences = self.automaton.offences(seen);
            next.is_full = self.is_full;
            next.keep_the_first();
        }
        next
    }

    /// Notes the next event for those that follow, as far as [`OrderJudge::next`] asks.
    pub(super) fn follow(&mut self, seen: &Seen) {
        if !(self.order.pattern.is_of_the_end() || self.is_full) {
            let stepped = self.automaton.step(seen, &mut Vec::new());
            self.is_full = stepped.is_err();
        }
    }

    fn examine(&mut self, seen: &Seen, text: &[u8]) {
        self.examined |= seen.is_each;
        if let Some(same) = seen.same
            && self.order.message.names(Word::Same)
        {
            self.shown.entry(same).or_insert_with(|| {
                let value = text.get(seen.written.clone()).unwrap_or_default();
                brief(&String::from_utf8_lossy(value))
            });
        }
    }

    /// Counts offences beyond those that are listed.
    fn keep_the_first(&mut self) {
        self.more += self.offences.len().saturating_sub(MAX_FINDINGS_PER_RULE);
        self.offences.truncate(MAX_FINDINGS_PER_RULE);
    }

    /// Reports what it found, in the order of the timeline; `None` where it can't be judged.
    pub(super) fn report(
        &self,
        run: Option<&RunFacts<'_>>,
        findings: &mut Findings<'_>,
    ) -> Option<Compared> {
        let pattern = self.order.pattern;
        let mut offences = self.offences.clone();
        if let Some(run) = run {
            if let Some(reason) = self.unmet(run) {
                findings.skip(&reason);
                return None;
            }
            if pattern.is_of_the_end() {
                if run.lifecycle != Lifecycle::Terminal {
                    return None;
                }
                offences.extend(self.automaton.end());
            }
        }
        offences.sort_by_key(|offence| offence.line);
        let more = offences.len().saturating_sub(MAX_FINDINGS_PER_RULE);
        offences.truncate(MAX_FINDINGS_PER_RULE);
        for offence in &offences {
            findings.push(self.draft(offence));
        }
        findings.more(self.more + more);
        if self.is_full {
            findings.skip(&SkipReason::bound(&TooMany));
        }
        // `never` compares all events with its selector, all else is about events that are there.
        let has_events = run.is_some_and(|run| run.has_events);
        let is_examined = self.examined || (pattern == Pattern::Never && has_events);
        Compared::when(is_examined || !offences.is_empty())
    }

    /// Returns why it can't be judged.
    fn unmet(&self, run: &RunFacts<'_>) -> Option<SkipReason> {
        let pattern = self.order.pattern;
        if let Some(reason) = (run.unjudged)(Artifact::Events) {
            return Some(reason);
        }
        if pattern.is_of_the_end() && run.lifecycle == Lifecycle::Unknown {
            return Some(UNKNOWN_LIFECYCLE);
        }
        let broken = run.broken_line.filter(|_| pattern.needs_every_event());
        broken.map(|line| SkipReason::no_event(line.number))
    }

    fn draft(&self, offence: &Offence) -> Draft {
        let order = &self.order;
        let same = offence.same.and_then(|same| self.shown.get(&same).cloned());
        let message = match offence.why {
            Why::Pattern(count) => order.message.with(|word| match word {
                Word::Same => same.clone(),
                Word::Count => Some(count.to_string()),
                Word::Limit => order.pattern.limit().map(|limit| limit.to_string()),
                Word::Value => None,
            }),
            Why::NoValue => {
                let pointer = order.same.as_ref().map(KeyPath::pointer);
                let pointer = pointer.unwrap_or_default();
                let pointer = pointer.as_str();
                format!("the event has no value at `{pointer}`, by which the order groups events")
            }
            Why::NoInstant => {
                "the event has no instant, so no other event is within the time of the order"
                    .to_owned()
            }
        };
        let draft = match (offence.line, offence.why) {
            // How many events there are is what a baseline accepts.
            (Some(line), Why::Pattern(_)) if matches!(order.pattern, Pattern::AtMost(_)) => {
                let count = self.automaton.count(offence.same).to_le_bytes();
                Draft::new(Place::event(line, ""), message).further([&count[..]])
            }
            (Some(line), _) => Draft::new(Place::event(line, ""), message),
            (None, Why::Pattern(count)) => {
                let besides = format!("{count} {}", same.unwrap_or_default());
                Draft {
                    further: offence.same,
                    ..Draft::new(Place::whole(Artifact::Events), message).besides(&besides)
                }
            }
            (None, _) => Draft::new(Place::whole(Artifact::Events), message),
        };
        match offence.other {
            Some(other) => draft.related(Place::event(other, ""), "the other event"),
            None => draft,
        }
    }
}
