//! An order that a team declares, compiled -> what it sees of an event.

mod automaton;
mod example;

use std::ops::Range;

use super::example::RunExample;
use super::message::Message;
use crate::digest::Digest;
use crate::document::{Meanings, Node};
use crate::select::{KeyPath, Selector};
use crate::source::Line;
use crate::timestamp::Timestamp;
pub(crate) use automaton::{Automaton, Instant, Offence, Pattern, Seen, TooMany, Why};

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
    pub(crate) fn automaton(&self) -> Automaton {
        Automaton::new(self.pattern, self.same.is_some(), self.within)
    }

    /// What its automaton is to know of an event that it sees.
    pub(crate) fn seen<'e>(&self, moment: &'e Moment, sight: &Sight) -> Seen<'e> {
        Seen {
            line: moment.line,
            time: moment.time.as_ref().filter(|_| self.within.is_some()),
            is_each: sight.is_each,
            is_other: sight.is_other,
            same: sight.same.as_ref().map(|(same, _)| *same),
        }
    }
}

/// When an event happened.
pub(crate) struct Moment {
    pub(crate) line: Line,
    /// Its instant, if an order asks for it.
    time: Option<Instant>,
}

impl Moment {
    /// The timestamp is that of the event, if an order asks for it.
    pub(super) fn new(line: Line, timestamp: Option<Node<'_>>) -> Self {
        let time = timestamp.and_then(Node::text);
        let time = time.and_then(|time| Timestamp::parse(&time));
        Self {
            line,
            time: time.as_ref().map(Instant::of),
        }
    }
}

/// What one order sees of an event.
pub(crate) struct Sight {
    /// The place of the order among all.
    pub(crate) order: usize,
    /// Whether the order is about the event.
    pub(crate) is_each: bool,
    is_other: bool,
    /// The value by which events are grouped: its digest, and where it stands in the line.
    pub(crate) same: Option<(Digest, Range<usize>)>,
}

impl Sight {
    pub(super) fn new(
        order: usize,
        is_each: bool,
        is_other: bool,
        same: Option<Node<'_>>,
        meanings: &mut Meanings,
    ) -> Self {
        Self {
            order,
            is_each,
            is_other,
            same: same.map(|same| (meanings.of(same), same.span())),
        }
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
