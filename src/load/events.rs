//! The lines of `events.jsonl` -> the timeline's facts, and the troubles met on the way.
//!
//! A long timeline is split into blocks of whole lines, in which several threads find the lines
//! that matter. Those are added one by one and in order, as all lines of a short timeline are, so
//! the result is the same.

use super::trouble::{NotAnEvent, Trouble, Troubles};
use crate::document::{Document, Kind, Tape};
use crate::facts::{EventFacts, EventNote, NoteTaker, StrictFacts, TimelineReader, Value};
use crate::parallel::pipeline;
use crate::schema;
use crate::source::{Artifact, Line};
use crate::store::{Block, LineRead, Lines, MAX_RECORD_BYTES, Opened, Unreadable};

/// The size of a timeline in bytes from which several threads read it: starting them takes as long
/// as reading some hundred kilobytes.
const SPLIT_BYTES: u64 = 1 << 20;

/// The number of threads that read one timeline, at most: one thread feeds them, and each holds two
/// blocks.
const MAX_THREADS: usize = 4;

/// When several threads are started for the rest of a timeline. They end at a line that is longer
/// than a block. Where such lines are so close that the threads read too little in between, each
/// start waits twice as long as the one before.
struct Split {
    due: u64,
    wait: u64,
}

impl Split {
    fn new() -> Self {
        Self {
            due: SPLIT_BYTES,
            wait: SPLIT_BYTES,
        }
    }

    /// The threads have read from one offset to another.
    fn ended(&mut self, from: u64, to: u64) {
        if to - from < SPLIT_BYTES {
            self.due = to + self.wait;
            self.wait = self.wait.saturating_mul(2);
        } else {
            *self = Self {
                due: to,
                ..Self::new()
            };
        }
    }
}

/// Reads a timeline.
pub(super) struct EventsReader<'r, 'a> {
    pub(super) facts: TimelineReader<'a>,
    /// What is gathered from every event, if a rule asks for it.
    pub(super) strict: Option<&'r mut StrictFacts>,
    pub(super) notes: &'r mut NoteTaker,
    pub(super) tape: &'r mut Tape,
    pub(super) troubles: &'r mut Troubles,
    /// Whether a last line that was cut off may still be written.
    pub(super) may_be_unfinished: bool,
    /// The number of threads that may read the timeline.
    pub(super) threads: usize,
}

impl EventsReader<'_, '_> {
    pub(super) fn read<'s>(
        &mut self,
        stream: Opened<'s>,
        buffer: &mut Vec<u8>,
    ) -> Result<Opened<'s>, Unreadable> {
        let mut lines = Lines::new(stream, std::mem::take(buffer), MAX_RECORD_BYTES);
        let mut split = Split::new();
        loop {
            if self.threads > 1 && lines.offset() >= split.due {
                let from = lines.offset();
                self.read_blocks(&mut lines)?;
                split.ended(from, lines.offset());
            }
            let Some(read) = lines.next_line()? else {
                break;
            };
            self.take(read);
        }
        let (stream, read) = lines.into_parts();
        *buffer = read;
        self.tape.release();
        Ok(stream)
    }

    /// Reads the rest of the timeline in blocks of whole lines, with several threads.
    fn read_blocks(&mut self, lines: &mut Lines<Opened<'_>>) -> Result<(), Unreadable> {
        struct Reading<'e, 'l, 'r, 'a, 's> {
            events: &'e mut EventsReader<'r, 'a>,
            lines: &'l mut Lines<Opened<'s>>,
            spare: Vec<Vec<u8>>,
            fault: Option<Unreadable>,
        }
        let (threads, expected_id) = (self.threads.min(MAX_THREADS), self.facts.expected_id());
        let every_line = self.strict.is_some();
        let mut reading = Reading {
            events: self,
            lines,
            spare: Vec::new(),
            fault: None,
        };
        pipeline(
            threads,
            &mut reading,
            |reading| {
                let Reading {
                    lines,
                    spare,
                    fault,
                    ..
                } = reading;
                let block = lines.next_block(|| spare.pop().unwrap_or_default());
                block.unwrap_or_else(|error| {
                    *fault = Some(error.into());
                    None
                })
            },
            |block| (lines_that_matter(&block, expected_id, every_line), block),
            |reading, (lines, block)| {
                for line in lines {
                    reading.events.take(block.line(line));
                }
                reading.spare.extend(block.into_buffer());
            },
        );
        reading.fault.map_or(Ok(()), Err)
    }

    fn take(&mut self, read: LineRead<'_>) {
        match read {
            LineRead::Text { line, bytes, ended } => self.line(line, bytes, ended),
            LineRead::TooLong { line } => {
                self.no_event(line);
                self.troubles.add(Trouble::LineTooLong {
                    line,
                    limit: MAX_RECORD_BYTES,
                });
            }
        }
    }

    fn no_event(&mut self, line: Line) {
        self.facts.timeline_mut().broken_line.get_or_insert(line);
    }

    fn line(&mut self, line: Line, bytes: &[u8], ended: bool) {
        if self.strict.is_none()
            && let Some(note) = self.notes.note(bytes)
        {
            return self.facts.event(line, &note, bytes, &[]);
        }
        self.tape.release();
        let (span, why) = match self.tape.read(bytes) {
            Ok(document) if document.root().kind() == Kind::Object => {
                let refused = refused(document, line, self.troubles);
                let value = Value::root(document, &refused);
                let event = EventFacts::new(line, value);
                if let Some(strict) = &mut self.strict {
                    strict.event(value, &event);
                }
                let note = EventNote::of(&event);
                return self.facts.event(line, &note, bytes, &refused);
            }
            Ok(document) => {
                let root = document.root();
                (root.span(), NotAnEvent::NotAnObject(root.kind()))
            }
            Err(error) => (error.span(bytes), NotAnEvent::NotJson(error)),
        };
        let trouble = match why {
            NotAnEvent::NotJson(error) if !ended && self.may_be_unfinished => {
                self.facts.timeline_mut().unfinished_line = Some(line);
                Trouble::UnfinishedLine { line, error }
            }
            NotAnEvent::NotJson(error) if !ended => {
                self.no_event(line);
                Trouble::TornTail { line, error }
            }
            why => {
                self.no_event(line);
                Trouble::NotAnEvent { line, span, why }
            }
        };
        self.troubles.add(trouble);
    }
}

/// The lines of a block that a rule may need: all but sound events of which the timeline keeps
/// nothing, unless every line is wanted.
fn lines_that_matter(block: &Block, expected_id: Option<&str>, every_line: bool) -> Vec<Line> {
    let mut notes = NoteTaker::default();
    let lines = block.lines().filter_map(|read| match read {
        LineRead::Text { line, .. } if every_line => Some(line),
        LineRead::Text { line, bytes, .. } => notes
            .note(bytes)
            .is_none_or(|note| note.matters(expected_id))
            .then_some(line),
        LineRead::TooLong { line } => Some(line),
    });
    lines.collect()
}

/// The tokens of an event that its schema refuses, ascending.
fn refused(event: Document<'_>, line: Line, troubles: &mut Troubles) -> Vec<u32> {
    // The schema of an event has too few fields to exceed the limit of violations.
    let violations = schema::EVENT.violations(event).unwrap_or_default();
    let refused = violations.iter().map(|violation| violation.token).collect();
    for violation in violations {
        troubles.add(Trouble::Violation {
            artifact: Artifact::Events,
            line: Some(line),
            violation,
        });
    }
    refused
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often threads are started for a timeline of blocks, and of long lines between them.
    fn starts(lengths: impl IntoIterator<Item = (u64, u64)>) -> usize {
        let (mut split, mut offset, mut starts) = (Split::new(), 0, 0);
        for (blocks, long_line) in lengths {
            if offset >= split.due {
                starts += 1;
                split.ended(offset, offset + blocks);
            }
            offset += blocks + long_line;
        }
        starts
    }

    #[test]
    fn threads_are_started_only_where_they_have_work() {
        assert!(
            starts(std::iter::repeat_n((0, 300_000), 2_000)) <= 10,
            "nothing but long lines"
        );
        let mixed = starts([(8 << 20, 300_000); 100]);
        assert_eq!(mixed, 99, "a long line in some megabytes");
        let late = starts([[(0, 300_000); 100], [(8 << 20, 300_000); 100]].concat());
        assert!(late >= 95, "short lines after long ones");
    }
}
