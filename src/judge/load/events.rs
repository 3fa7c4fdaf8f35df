//! The lines of `events.jsonl` -> the timeline's facts, and the troubles on the way.

mod reader;

use std::io;
use std::ops::Range;

use super::attachments::Attachments;
use super::cause::{Cause, NotJson};
use super::multi_line::MultiLineSearch;
use super::trouble::{Mistaken, NotAnObject, NotRead, Trouble, Troubles};
pub(super) use reader::EventReader;

use crate::ground::digest::Digest;
use crate::ground::document::{Document, Kind, OwnedDocument, ReadText, Refused, Tape};
use crate::ground::parallel::Alone;
use crate::ground::source::{Artifact, Line, Pointer};
use crate::policy::team::{EventIndex, EventText, RunValues, TeamJudges};
use crate::reading::facts::{
    self, EventFacts, JsonText, StrictFacts, Timeline, TimelineReader, typo_for,
};
use crate::reading::outline::{CallReader, NoEvent, OutlineReader};
use crate::reading::schema;
use crate::store::{LineRead, Lines, MAX_RECORD_BYTES, Opened, Repetition, Unreadable};

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
    pub(super) multi_line: MultiLineSearch,
    /// The parts of events that what a team declares asks for.
    pub(super) index: &'r EventIndex,
    /// The judges of what a team declares.
    pub(super) judges: &'r mut TeamJudges,
    pub(super) team: TeamInput<'r>,
}

/// What the judges of the team read besides the events.
#[derive(Clone, Copy)]
pub(super) struct TeamInput<'r> {
    /// The values that the names in its rules stand for.
    pub(super) values: &'r RunValues<'r>,
    /// The files that have what is shortened in events.
    pub(super) attachments: &'r Attachments<'r>,
}

/// All who get every event, in the order of the lines.
pub(super) struct Listeners<'r, 'a> {
    pub(super) facts: TimelineReader<'r, 'a>,
    /// The facts that are gathered from every event, if a rule asks for them.
    pub(super) strict: Option<&'r mut StrictFacts>,
    /// The reader of an outline, if one is asked for.
    pub(super) outline: Option<OutlineReader<'r>>,
    /// The reader of calls, if they are asked for.
    pub(super) calls: Option<CallReader>,
}

impl Listeners<'_, '_> {
    fn event(&mut self, event: EventFacts<'_>) {
        self.facts.event(event);
        if let Some(strict) = &mut self.strict {
            strict.event(event);
        }

        if let Some(outline) = &mut self.outline {
            outline.event(event);
        }

        if let Some(calls) = &mut self.calls {
            calls.event(event);
        }
    }

    fn no_event(&mut self, why: impl FnOnce() -> NoEvent) {
        if let Some(outline) = &mut self.outline {
            outline.no_event(why);
        }
    }

    /// Returns `true` if so much is kept that the episode is large.
    fn are_large(&self) -> bool {
        self.facts.is_large()
            || self
                .strict
                .as_ref()
                .is_some_and(|it| it.is_large())
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
        if let Err(why) = &result {
            let (place, reason) = (None, why.to_string());
            self.listeners
                .no_event(|| NoEvent { place, reason });
        }

        let (stream, read) = lines.into_parts();
        if read.capacity() <= super::KEPT_BYTES {
            *buffer = read;
        }

        let result = result
            .map_err(Unreadable::from)
            .and_then(|()| {
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
        while let Some(read) = lines.next_line_with(|| self.alone.enter())? {
            self.take(read);
            self.multi_line.passed(read.line());
            if let Some(repetition) = lines.repetition()
                && lines.confirms(repetition)?
            {
                let Repetition { original, line, .. } = repetition;
                self.timeline()
                    .tally
                    .repeated(original, line);
            }
        }

        Ok(())
    }

    fn timeline(&mut self) -> &mut Timeline<'a> {
        self.listeners.facts.timeline_mut()
    }

    fn take(&mut self, read: LineRead<'_>) {
        match read {
            LineRead::Text { bytes, ended, .. } => {
                self.line(read, bytes, ended);
                if self.listeners.are_large() {
                    self.alone.enter();
                }
            }
            LineRead::TooLong { line } => {
                self.no_event(line);
                self.listeners
                    .no_event(|| no_event_on(read));
                self.troubles
                    .add(Trouble::LineTooLong(line));
            }
        }
    }

    fn no_event(&mut self, line: Line) {
        self.timeline()
            .broken_line
            .get_or_insert(line);
    }

    fn line(&mut self, read: LineRead<'_>, bytes: &[u8], ended: bool) {
        let line = read.line();
        if self.is_sound(line, bytes) {
            return;
        }

        let text = self.parsed.parse(bytes, &facts::EVENT);
        let parsed = &*self.parsed;
        let document = text.and_then(|text| parsed.document(text));
        let why = match NotAnObject::unless(document, bytes) {
            Ok(document) => {
                let refused = refused(document, line, self.troubles);
                let whole = self
                    .team
                    .attachments
                    .whole(document.root());
                let root = whole
                    .as_ref()
                    .map_or(document.root(), OwnedDocument::root);
                let view = self
                    .index
                    .view(line, EventText::Parsed(root));
                self.judges
                    .event(&view, self.team.values);

                let text = JsonText {
                    text: document.text(),
                    read: parsed,
                    refused: &refused,
                };

                let event = EventFacts::new(line, text);
                self.listeners
                    .facts
                    .timeline_mut()
                    .typos
                    .add(event);
                return self.listeners.event(event);
            }
            Err(why) => why,
        };

        self.listeners
            .no_event(|| no_event_on(read));
        let why = match why {
            NotRead::NotAnObject(span, why) => {
                return self.not_an_event(line, bytes, ended, span, why);
            }
            NotRead::Unreadable(why) => why,
        };

        self.no_event(line);
        self.troubles.add(match why {
            Unreadable::TooManyValues(_) => Trouble::LineTooFull {
                line,
                content: Digest::of([bytes]),
            },
            why => Trouble::Unreadable {
                artifact: Artifact::Events,
                why,
            },
        });
    }

    /// Adds an event that is read in one pass; returns `false` if it must be parsed.
    fn is_sound(&mut self, line: Line, bytes: &[u8]) -> bool {
        let is_for_team = !self.judges.judges_no_event();
        let Some(event) = self
            .reader
            .read(line, bytes, is_for_team)
        else {
            return false;
        };

        if is_for_team {
            let view = self
                .index
                .view(line, EventText::Read(event));
            if !view.is_readable() {
                return false;
            }
            self.judges
                .event(&view, self.team.values);
        }

        self.listeners.event(event);
        true
    }

    fn not_an_event(
        &mut self,
        line: Line,
        bytes: &[u8],
        ended: bool,
        span: Range<usize>,
        why: NotAnObject,
    ) {
        let content = Digest::of([bytes]);
        let is_of_file = |cause: Cause| line.number == 1 && cause.is_of_file;
        let trouble = match why {
            NotAnObject::NotJson(why)
                if why
                    .cause
                    .is_some_and(|it| ended || is_of_file(it)) =>
            {
                Trouble::Mistaken(Mistaken {
                    line,
                    span,
                    is_of_file: why.cause.is_some_and(is_of_file),
                    why,
                    lines: 1,
                    content,
                })
            }
            NotAnObject::NotJson(NotJson { error, .. }) if !ended && self.may_be_unfinished => {
                Trouble::UnfinishedLine { line, error }
            }
            NotAnObject::NotJson(NotJson { error, .. }) if !ended => Trouble::TornTail {
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
        let is_complete = self
            .multi_line
            .add(line, bytes, trouble, self.troubles);

        if may_be_unfinished && !is_complete {
            self.timeline().unfinished_line = Some(line);
        } else {
            self.no_event(line);
        }
    }
}

/// Returns why a line is not an event.
fn no_event_on(read: LineRead<'_>) -> NoEvent {
    let mut tape = Tape::default();
    event_on(read, &mut tape)
        .err()
        .unwrap_or_else(|| NoEvent {
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
    let violations = schema::EVENT
        .violations(event)
        .unwrap_or_default();
    let refused = schema::offsets(event, &violations);

    for mut violation in violations {
        if violation.pointer == Pointer::default() {
            violation.explain_absence(|field| typo_for(event.root(), field));
        }
        troubles.add(Trouble::of(Artifact::Events, Some(line), violation));
    }

    refused
}

#[cfg(test)]
mod tests;
