//! A block of a timeline -> the lines of it that the one thread which adds lines in order needs.

use super::EventReader;
use crate::facts::{EventFacts, EventTally};
use crate::outline::OutlineEvent;
use crate::source::Line;
use crate::store::{Block, LineRead};
use crate::team::{Examined, OrderEvent, TeamJudges};

/// The settings by which threads sift blocks.
pub(super) struct Sifting<'i> {
    pub(super) expected_id: Option<&'i str>,
    /// `true` if every line is asked for.
    pub(super) every_line: bool,
    /// Whether an outline shows all steps, if one is asked for.
    pub(super) outline_steps: Option<bool>,
    pub(super) team: &'i TeamJudges,
}

/// The buffers of one thread.
#[derive(Default)]
pub(super) struct SiftWorker {
    reader: EventReader,
}

/// The result of one thread for a block: the count of its sound events and of the lines that repeat
/// the one before them, and the lines that a rule may need. Those are all but sound events of which
/// the timeline keeps nothing. Where every line is asked for, the events are not counted.
#[derive(Default)]
pub(super) struct Sifted {
    pub(super) tally: EventTally,
    pub(super) kept: Vec<SiftedLine>,
    /// The events of the lines that are kept for orders alone, each with the place of the order.
    pub(super) seen: Vec<(usize, OrderEvent)>,
    pub(super) examined: Examined,
    /// The last line that is not blank.
    pub(super) last: Option<Line>,
}

/// A line that is not done with.
pub(super) enum SiftedLine {
    /// A rule may need all of it; with the line before it that is not blank, if this block has it.
    Whole(Line, Option<Line>),
    /// Orders see it, and nothing else needs it: the number of these.
    Seen(Line, usize),
    /// Only the outline needs something of it.
    Outlined(OutlineEvent),
}

/// The maximum number of times that orders see an event of one block: events beyond it are kept
/// whole.
const MAX_SEEN: usize = 1 << 14;

impl Sifted {
    pub(super) fn new(block: &Block, worker: &mut SiftWorker, sifting: &Sifting<'_>) -> Self {
        let mut sifted = Self::default();
        for read in block.lines() {
            let line = read.line();
            let before = sifted.last.replace(line);
            // Blank lines are left out, but numbered.
            if let Some(original) = before
                && original.length == line.length
                && original.number + 1 == line.number
                && block.bytes(original) == block.bytes(line)
            {
                sifted.tally.repeated(original, line);
            }
            if !sifted.passes(read, worker, sifting) {
                sifted.kept.push(SiftedLine::Whole(line, before));
            }
        }
        sifted
    }

    /// Counts a line; returns `true` if no rule needs more of it than is kept already.
    fn passes(
        &mut self,
        read: LineRead<'_>,
        worker: &mut SiftWorker,
        sifting: &Sifting<'_>,
    ) -> bool {
        let LineRead::Text { line, bytes, .. } = read else {
            return false;
        };
        if sifting.every_line {
            return false;
        }
        let Some(event) = worker.reader.read(line, bytes) else {
            return false;
        };
        self.tally.event(event);
        if event.matters(sifting.expected_id) || !self.is_sound_to(sifting.team, event) {
            return false;
        }
        if let Some(with_steps) = sifting.outline_steps {
            let event = OutlineEvent::of(event, with_steps);
            self.kept.push(SiftedLine::Outlined(event));
        }
        true
    }

    /// Returns `true` if a team finds nothing in an event, and adds what its orders see.
    fn is_sound_to(&mut self, team: &TeamJudges, event: EventFacts<'_>) -> bool {
        let Some(view) = team.concerned(event, &mut self.examined) else {
            return true;
        };
        let before = self.seen.len();
        if before > MAX_SEEN || !view.has_room() {
            return false;
        }
        if !team.judge_alone(&view, &mut self.examined, &mut self.seen) {
            return false;
        }
        let seen = self.seen.len() - before;
        if seen > 0 {
            self.kept.push(SiftedLine::Seen(event.line, seen));
        }
        true
    }
}
