//! The lines of `events.jsonl` -> the timeline's facts, and the troubles on the way.
//!
//! A long timeline is split into blocks of whole lines, in which several threads find the lines
//! that matter. Those are added one by one and in order, as all lines of a short timeline are, so
//! the result is the same.

mod reader;
mod sift;

use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;

use super::cause::{Cause, NotJson};
use super::multi_line::MultiLineSearch;
use super::trouble::{Mistaken, NotAnEvent, Trouble, Troubles};
pub(super) use reader::EventReader;
use sift::{SiftWorker, Sifted, SiftedLine, Sifting};

use crate::digest::Digest;
use crate::document::{Document, Kind, ReadText, Refused, Tape};
use crate::facts::{self, EventFacts, JsonText, StrictFacts, Timeline, TimelineReader, typo_for};
use crate::outline::{NoEvent, OutlineEvent, OutlineReader};
use crate::parallel::{Alone, cores, pipeline};
use crate::schema;
use crate::source::{Artifact, Line, Pointer};
use crate::store::{Block, LineRead, Lines, MAX_RECORD_BYTES, Opened, Repetition, Unreadable};
use crate::team::{EventText, Examined, OrderEvent, RunValues, TeamJudges};

/// The size of a timeline in bytes from which several threads read it: starting them takes as long
/// as reading some hundred kilobytes.
const SPLIT_BYTES: u64 = 1 << 20;

/// The number of threads that read one timeline, at most: one thread feeds them, and each holds two
/// blocks.
const MAX_THREADS: usize = 4;

/// The offset at which several threads are started for the rest of a timeline. They end at a line
/// that is longer than a block. Where such lines are so close that the threads read too little in
/// between, each start waits twice as long as the one before.
struct Split {
    due: u64,
    wait: u64,
}

impl Default for Split {
    fn default() -> Self {
        Self {
            due: SPLIT_BYTES,
            wait: SPLIT_BYTES,
        }
    }
}

impl Split {
    /// Returns `true` if threads are started at an offset.
    fn is_due(&self, offset: u64) -> bool {
        offset >= self.due
    }

    /// Notes that the threads have read from one offset to another.
    fn ended(&mut self, from: u64, to: u64) {
        if to - from < SPLIT_BYTES {
            self.due = to + self.wait;
            self.wait = self.wait.saturating_mul(2);
        } else {
            *self = Self {
                due: to,
                ..Self::default()
            };
        }
    }
}

/// A reader of a timeline.
pub(super) struct EventsReader<'r, 'a> {
    pub(super) listeners: Listeners<'r, 'a>,
    pub(super) reader: &'r mut EventReader,
    /// Of an event that the reader does not accept.
    pub(super) parsed: &'r mut ReadText,
    /// Entered where a line is large, or much is kept.
    pub(super) alone: &'r Alone,
    pub(super) troubles: &'r mut Troubles,
    /// `true` if a last line that was cut off may still be written.
    pub(super) may_be_unfinished: bool,
    /// The number of threads that may read the timeline. `None` stands for one on each core; their
    /// number is asked for where the timeline is long.
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) multi_line: MultiLineSearch,
    /// The judges of what a team declares; they have judged nothing.
    pub(super) team: &'r TeamJudges,
    /// The same judges, with their findings in the run.
    pub(super) judges: &'r mut TeamJudges,
    /// The judges that judged events which were not shown to them.
    pub(super) examined: Examined,
    /// The values that the names in its rules stand for.
    pub(super) values: &'r RunValues<'r>,
}

/// All who get every event, in the order of the lines.
pub(super) struct Listeners<'r, 'a> {
    pub(super) facts: TimelineReader<'r, 'a>,
    /// The facts that are gathered from every event, if a rule asks for them.
    pub(super) strict: Option<&'r mut StrictFacts>,
    /// The reader of an outline, if one is asked for.
    pub(super) outline: Option<OutlineReader<'r>>,
}

impl Listeners<'_, '_> {
    fn event(&mut self, event: EventFacts<'_>, counting: TallyState) {
        if counting == TallyState::Due {
            self.facts.timeline_mut().tally.event(event);
        }
        self.facts.event(event);
        if let Some(strict) = &mut self.strict {
            strict.event(event);
        }
        if let Some(outline) = &mut self.outline {
            outline.event(OutlineEvent::of(event, outline.shows_steps()));
        }
    }

    fn no_event(&mut self, why: impl FnOnce() -> NoEvent) {
        if let Some(outline) = &mut self.outline {
            outline.no_event(why);
        }
    }

    /// Returns `true` if so much is kept that the episode is large.
    fn are_large(&self) -> bool {
        self.facts.is_large() || self.strict.as_ref().is_some_and(|it| it.is_large())
    }
}

impl<'a> EventsReader<'_, 'a> {
    /// Reads all lines. Returns the stream, and what could not be read.
    pub(super) fn read<'s>(
        &mut self,
        stream: Opened<'s>,
        buffer: &mut Vec<u8>,
    ) -> (Opened<'s>, Result<(), Unreadable>) {
        let mut lines = Lines::new(stream, std::mem::take(buffer), MAX_RECORD_BYTES);
        let result = self.read_lines(&mut lines);
        self.judges.examined(&self.examined);
        if let Err(why) = &result {
            let (place, reason) = (None, why.to_string());
            self.listeners.no_event(|| NoEvent { place, reason });
        }
        let (stream, read) = lines.into_parts();
        if read.capacity() <= super::KEPT_BYTES {
            *buffer = read;
        }
        let result = result.map_err(Unreadable::from).and_then(|()| {
            std::mem::take(&mut self.multi_line).finish(self.troubles);
            if self.timeline().exceeds_memory {
                let why = "more of its events would have to be kept than fits into the memory";
                return Err(Unreadable::Lacking(why.into()));
            }
            Ok(())
        });
        (stream, result)
    }

    fn read_lines(&mut self, lines: &mut Lines<Opened<'_>>) -> io::Result<()> {
        let mut split = Split::default();
        loop {
            if split.is_due(lines.offset()) && self.threads() > 1 {
                let from = lines.offset();
                self.read_blocks(lines)?;
                split.ended(from, lines.offset());
            }
            let Some(read) = lines.next_line_with(|| self.alone.enter())? else {
                return Ok(());
            };
            self.take(read, TallyState::Due);
            self.multi_line.passed(Some(read.line()));
            if let Some(repetition) = lines.repetition() {
                self.repetition(lines, repetition)?;
            }
        }
    }

    fn timeline(&mut self) -> &mut Timeline<'a> {
        self.listeners.facts.timeline_mut()
    }

    fn threads(&mut self) -> usize {
        self.threads.get_or_insert_with(cores).get()
    }

    /// Reads the rest of the timeline in blocks of whole lines, with several threads.
    fn read_blocks(&mut self, lines: &mut Lines<Opened<'_>>) -> io::Result<()> {
        struct Reading<'e, 'l, 'r, 'a, 's> {
            events: &'e mut EventsReader<'r, 'a>,
            lines: &'l mut Lines<Opened<'s>>,
            spare: Vec<Vec<u8>>,
            fault: Option<io::Error>,
        }
        let threads = self.threads().min(MAX_THREADS);
        let sifting = Sifting {
            expected_id: self.listeners.facts.expected_id(),
            every_line: self.listeners.strict.is_some(),
            outline_steps: (self.listeners.outline.as_ref()).map(OutlineReader::shows_steps),
            team: self.team,
        };
        let mut reading = Reading {
            events: self,
            lines,
            spare: Vec::new(),
            fault: None,
        };
        pipeline(
            (threads, 2 * threads),
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
                    *fault = Some(error);
                    None
                })
            },
            SiftWorker::default,
            |worker, block| (Sifted::new(&block, worker, &sifting), block),
            |reading, (mut sifted, block)| {
                let Reading { events, lines, .. } = reading;
                if let Some(repetition) = block.repetition()
                    && let Err(why) = events.repetition(lines, repetition)
                {
                    reading.fault.get_or_insert(why);
                }
                events.timeline().tally.append(&sifted.tally);
                events.examined.append(&mut sifted.examined);
                events.kept(sifted.kept, &sifted.seen, &block);
                events.multi_line.passed(sifted.last);
                reading.spare.extend(block.into_buffer());
            },
        );
        reading.fault.map_or(Ok(()), Err)
    }

    /// Takes the lines that were kept of a block, and what orders and the outline need of others.
    fn kept(&mut self, kept: Vec<SiftedLine>, mut seen: &[(usize, OrderEvent)], block: &Block) {
        // Where every line is asked for, none was counted.
        let counting = match self.listeners.strict {
            Some(_) => TallyState::Due,
            None => TallyState::Done,
        };
        for kept in kept {
            match kept {
                SiftedLine::Whole(line, before) => {
                    self.multi_line.passed(before);
                    self.take(block.line(line), counting);
                }
                SiftedLine::Seen(line, count) => {
                    let of_line = seen.split_off(..count).unwrap_or_default();
                    for (order, seen) in of_line {
                        self.judges.seen(*order, seen, block.bytes(line));
                    }
                }
                SiftedLine::Outlined(event) => {
                    if let Some(outline) = &mut self.listeners.outline {
                        outline.event(event);
                    }
                }
            }
        }
    }

    /// Counts a line that repeats the one before it, if it does.
    fn repetition(&mut self, lines: &Lines<Opened<'_>>, repetition: Repetition) -> io::Result<()> {
        if lines.confirms(repetition)? {
            let Repetition { original, line, .. } = repetition;
            self.timeline().tally.repeated(original, line);
        }
        Ok(())
    }

    fn take(&mut self, read: LineRead<'_>, counting: TallyState) {
        match read {
            LineRead::Text { bytes, ended, .. } => {
                self.line(read, bytes, ended, counting);
                if self.listeners.are_large() {
                    self.alone.enter();
                }
            }
            LineRead::TooLong { line } => {
                self.no_event(line);
                self.listeners.no_event(|| no_event_on(read));
                self.troubles.add(Trouble::LineTooLong(line));
            }
        }
    }

    fn no_event(&mut self, line: Line) {
        self.timeline().broken_line.get_or_insert(line);
    }

    fn line(&mut self, read: LineRead<'_>, bytes: &[u8], ended: bool, counting: TallyState) {
        let line = read.line();
        if self.is_sound(line, bytes, counting) {
            return;
        }
        let text = self.parsed.parse(bytes, &facts::EVENT);
        let parsed = &*self.parsed;
        let document = text.and_then(|text| parsed.document(text));
        if !matches!(document, Ok(it) if it.root().kind() == Kind::Object) {
            self.listeners.no_event(|| no_event_on(read));
        }
        let (span, why) = match document {
            Ok(document) if document.root().kind() == Kind::Object => {
                let refused = refused(document, line, self.troubles);
                let parsed_event = EventText::Parsed(document.root());
                let view = self.team.index.view(line, parsed_event);
                self.judges.event(&view, self.values);
                let text = JsonText {
                    text: document.text(),
                    read: parsed,
                    refused: &refused,
                };
                let event = EventFacts::new(line, text);
                self.listeners.facts.timeline_mut().typos.add(event);
                return self.listeners.event(event, TallyState::Due);
            }
            Ok(document) => {
                let root = document.root();
                (root.span(), NotAnEvent::NotAnObject(root.kind()))
            }
            Err(Refused::Syntax(error)) => {
                let why = NotJson::new(error, bytes);
                (error.span(bytes), NotAnEvent::NotJson(why))
            }
            Err(why @ Refused::NoMemory) => {
                self.no_event(line);
                return self.troubles.add(Trouble::Unreadable {
                    artifact: Artifact::Events,
                    why: Unreadable::Lacking(why.to_string()),
                });
            }
            Err(Refused::TooManyValues) => {
                self.no_event(line);
                let content = Digest::of([bytes]);
                return self.troubles.add(Trouble::LineTooFull { line, content });
            }
        };
        self.not_an_event(line, bytes, ended, span, why);
    }

    /// Adds an event that is read in one pass; returns `false` if it must be parsed.
    fn is_sound(&mut self, line: Line, bytes: &[u8], counting: TallyState) -> bool {
        let Some(event) = self.reader.read(line, bytes) else {
            return false;
        };
        if let Some(view) = self.team.concerned(event, &mut self.examined) {
            if !view.has_room() {
                return false;
            }
            self.judges.event(&view, self.values);
        }
        self.listeners.event(event, counting);
        true
    }

    fn not_an_event(
        &mut self,
        line: Line,
        bytes: &[u8],
        ended: bool,
        span: Range<usize>,
        why: NotAnEvent,
    ) {
        let content = Digest::of([bytes]);
        let is_of_file = |cause: Cause| line.number == 1 && cause.is_of_file;
        let trouble = match why {
            NotAnEvent::NotJson(why) if why.cause.is_some_and(|it| ended || is_of_file(it)) => {
                Trouble::Mistaken(Mistaken {
                    line,
                    span,
                    is_of_file: why.cause.is_some_and(is_of_file),
                    why,
                    lines: 1,
                    content,
                })
            }
            NotAnEvent::NotJson(NotJson { error, .. }) if !ended && self.may_be_unfinished => {
                Trouble::UnfinishedLine { line, error }
            }
            NotAnEvent::NotJson(NotJson { error, .. }) if !ended => Trouble::TornTail {
                line,
                error,
                array: None,
            },
            why => Trouble::NotAnEvent {
                line,
                span,
                why,
                content,
                array: None,
            },
        };
        let may_be_unfinished = matches!(trouble, Trouble::UnfinishedLine { .. });
        let is_complete = self.multi_line.add(line, bytes, trouble, self.troubles);
        if may_be_unfinished && !is_complete {
            self.timeline().unfinished_line = Some(line);
        } else {
            self.no_event(line);
        }
    }
}

/// The state of the count of the events that can be noted in one pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TallyState {
    Due,
    /// The thread that sifted the block has counted them.
    Done,
}

/// Returns why a line is not an event.
fn no_event_on(read: LineRead<'_>) -> NoEvent {
    let mut tape = Tape::default();
    let why = event_on(read, &mut tape).err();
    why.unwrap_or_else(|| NoEvent {
        place: Some((read.line().number, 1)),
        reason: "the line can't be read as an event".into(),
    })
}

/// Returns the event on a line, or why it is none.
pub(crate) fn event_on<'a>(
    read: LineRead<'a>,
    tape: &'a mut Tape,
) -> Result<(Line, Document<'a>), NoEvent> {
    let line = read.line();
    let no_event = |column, reason| NoEvent {
        place: Some((line.number, column)),
        reason,
    };
    let LineRead::Text { bytes, .. } = read else {
        let limit = MAX_RECORD_BYTES >> 20;
        let reason = format!("the line is longer than the limit of {limit} MiB");
        return Err(no_event(1, reason));
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(no_event(1, "the line is not UTF-8".into()));
    };
    match tape.read_record(bytes) {
        Ok(document) if document.root().kind() == Kind::Object => Ok((line, document)),
        Ok(document) => {
            let kind = document.root().kind().with_article();
            Err(no_event(1, format!("{kind}, not an object")))
        }
        Err(why) => {
            let offset = match why {
                Refused::Syntax(error) => error.offset,
                Refused::TooManyValues | Refused::NoMemory => 0,
            };
            Err(no_event(column_of(text, offset), why.to_string()))
        }
    }
}

/// Returns the column of a byte, in characters, counted from 1.
pub(crate) fn column_of(text: &str, offset: usize) -> u64 {
    text.get(..offset)
        .map_or(0, |before| before.chars().count()) as u64
        + 1
}

/// Returns the offsets of the values of an event that its schema refuses, ascending.
fn refused(event: Document<'_>, line: Line, troubles: &mut Troubles) -> Vec<u32> {
    // The schema of an event has too few fields to exceed the limit of violations.
    let violations = schema::EVENT.violations(event).unwrap_or_default();
    let refused = schema::offsets(event, &violations);
    for mut violation in violations {
        if violation.pointer == Pointer::default() {
            violation.explain_absence(|field| typo_for(event.root(), field));
        }
        troubles.add(Trouble::Violation {
            artifact: Artifact::Events,
            line: Some(line),
            violation,
        });
    }
    refused
}

#[cfg(test)]
mod tests;
