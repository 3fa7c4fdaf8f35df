//! The events and lines of a timeline -> how many there are of each kind that rules count.

use super::event::EventFacts;
use crate::source::Line;

/// The events of one kind: their number, and the first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) number: u64,
    pub(crate) first: Option<Line>,
}

impl Counted {
    fn add(&mut self, line: Line) {
        self.number += 1;
        self.first.get_or_insert(line);
    }

    fn append(&mut self, later: Self) {
        self.number += later.number;
        self.first = self.first.or(later.first);
    }
}

/// The events and lines that are counted, of a timeline or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventTally {
    /// The number of events.
    pub(crate) events: u64,
    pub(crate) starts: Counted,
    pub(crate) second_start: Option<Line>,
    /// The plan events that are not synthetic.
    pub(crate) plans: Counted,
    /// The act events that are not synthetic.
    pub(crate) acts: Counted,
    pub(crate) reflects: Counted,
    pub(crate) directions: Counted,
    /// Lines that repeat the line before them.
    pub(crate) repeated: Counted,
    /// The line that the first of those repeats.
    pub(crate) first_original: Option<Line>,
}

impl EventTally {
    /// Counts an event.
    pub(crate) fn event(&mut self, event: EventFacts<'_>) {
        self.events += 1;
        let line = event.line;
        match (event.phase().as_deref(), event.is_synthetic()) {
            (Some("act"), false) => self.acts.add(line),
            (Some("plan"), false) => self.plans.add(line),
            (Some("reflect"), _) => self.reflects.add(line),
            (Some("direction"), _) => self.directions.add(line),
            (Some("start"), _) => {
                if self.starts.number == 1 {
                    self.second_start = Some(line);
                }
                self.starts.add(line);
            }
            _ => {}
        }
    }

    /// Counts a line that repeats the one before it.
    pub(crate) fn repeated(&mut self, original: Line, line: Line) {
        self.first_original.get_or_insert(original);
        self.repeated.add(line);
    }

    /// Adds what was counted in the lines that come next.
    pub(crate) fn append(&mut self, later: &Self) {
        self.second_start = self.second_start.or(match self.starts.number {
            0 => later.second_start,
            _ => later.starts.first,
        });
        self.events += later.events;
        self.starts.append(later.starts);
        self.plans.append(later.plans);
        self.acts.append(later.acts);
        self.reflects.append(later.reflects);
        self.directions.append(later.directions);
        self.first_original = self.first_original.or(later.first_original);
        self.repeated.append(later.repeated);
    }
}
