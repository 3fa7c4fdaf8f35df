//! An order that a team declares, compiled -> what it sees of an event.

mod automaton;
mod example;

use std::ops::Range;

use super::example::RunExample;
use super::message::Message;
use crate::document::{Meanings, Node};
use crate::select::{KeyPath, Selector};
use crate::source::Line;
use crate::timestamp::Timestamp;
pub(crate) use automaton::{Automaton, Instant, Offence, Pattern, Seen, Why};

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

impl TeamOrder {
    /// What it sees of an event; `None` where it is about another one.
    pub(crate) fn see(&self, line: Line, event: Node<'_>) -> Option<Seen> {
        let glimpse = Glimpse {
            is_each: self.each.names(event),
            is_other: self.other.as_ref().is_some_and(|other| other.names(event)),
            same: self.same.as_ref().and_then(|same| same.of(event)),
            time: self.within.and_then(|_| event.get("timestamp")),
        };
        glimpse.seen(line, &mut Meanings::default())
    }

    pub(crate) fn automaton(&self) -> Automaton {
        Automaton::new(self.pattern, self.same.is_some(), self.within)
    }
}

/// What an order looks at of an event.
pub(super) struct Glimpse<'a> {
    pub(super) is_each: bool,
    pub(super) is_other: bool,
    /// The value by which events are grouped.
    pub(super) same: Option<Node<'a>>,
    pub(super) time: Option<Node<'a>>,
}

/// What one order sees of an event.
pub(crate) struct Sight {
    /// The place of the order among all.
    pub(crate) order: usize,
    pub(crate) seen: Seen,
    /// Where the value by which events are grouped stands in the line.
    pub(crate) same: Option<Range<usize>>,
}

impl Glimpse<'_> {
    /// What the order at a place sees; `None` where it is about another event.
    pub(super) fn sight(&self, order: usize, line: Line, meanings: &mut Meanings) -> Option<Sight> {
        Some(Sight {
            order,
            seen: self.seen(line, meanings)?,
            same: self.same.map(Node::span),
        })
    }

    /// What an automaton is to know; `None` where its order is about another event.
    fn seen(&self, line: Line, meanings: &mut Meanings) -> Option<Seen> {
        if !(self.is_each || self.is_other) {
            return None;
        }
        let time = self.time.and_then(Node::text);
        let time = time.and_then(|time| Timestamp::parse(&time));
        Some(Seen {
            line,
            is_each: self.is_each,
            is_other: self.is_other,
            same: self.same.map(|same| meanings.of(same)),
            time: time.as_ref().map(Instant::of),
        })
    }
}

impl Pattern {
    /// Whether it is judged in runs that have ended alone.
    pub(crate) fn is_of_the_end(self) -> bool {
        matches!(self, Self::AtLeast(_) | Self::NeedsLater)
    }

    /// Whether a line that is no event could be the one that it needs.
    pub(crate) fn needs_every_event(self) -> bool {
        matches!(
            self,
            Self::AtLeast(_) | Self::NeedsLater | Self::NeedsEarlier
        )
    }

    /// The number that it allows or demands.
    pub(crate) fn limit(self) -> Option<u64> {
        match self {
            Self::AtMost(limit) | Self::AtLeast(limit) => Some(limit),
            _ => None,
        }
    }
}
