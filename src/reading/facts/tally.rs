//! The events and lines of a timeline -> how many there are of each kind that rules count.

use super::event::EventFacts;
use crate::ground::record::phases::KnownPhase;
use crate::ground::source::Line;

/// The events of one kind: their number, and the first of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) number: u64,
    pub(crate) first: Option<Line>,
}

impl Counted {
    fn add(&mut self, line: Line) {
        self.number += 1;
        self.first.get_or_insert(line);
    }
}

/// The events and lines of a timeline that are counted.
#[derive(Debug, Default)]
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
    pub(in crate::reading) fn event(&mut self, event: EventFacts<'_>) {
        self.events += 1;
        let line = event.line;
        match event.known_phase {
            Some(KnownPhase::Act) if !event.is_synthetic() => self.acts.add(line),
            Some(KnownPhase::Plan) if !event.is_synthetic() => self.plans.add(line),
            Some(KnownPhase::Reflect) => self.reflects.add(line),
            Some(KnownPhase::Direction) => self.directions.add(line),
            Some(KnownPhase::Start) => {
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
        self.first_original
            .get_or_insert(original);
        self.repeated.add(line);
    }
}
