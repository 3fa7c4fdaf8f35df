//! A timeline -> its events, as types or as plain JSON, one at a time.

use std::fmt;
use std::path::PathBuf;

use super::Error;
use super::stored::typed;
use crate::ground::document::{Document, Node, Tape};
use crate::ground::record::Event;
use crate::ground::source::Line;
use crate::judge::load::{column_of, event_on};
use crate::reading::outline::NoEvent;
use crate::reading::schema;
use crate::store::{Lines, MAX_RECORD_BYTES, Opened};

/// The lines of a timeline as plain JSON objects. They share one buffer, so only one exists at a
/// time.
pub struct EventLines<'s> {
    lines: Lines<Opened<'s>>,
    path: PathBuf,
    failed: bool,
    tape: Tape,
}

/// An event and its place.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct EventLine {
    /// The line, counted from 1.
    pub line: u64,
    /// The line's first byte in the file.
    pub offset: u64,
    /// The line as it was written.
    pub text: String,
    /// The event, with numbers rounded as in [`Stored::record`](super::Stored::record).
    pub event: Event,
}

/// The lines of the timeline of a run.
pub type EventTexts = EventLines<'static>;

impl fmt::Debug for EventLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventLines")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// Returns a line as an event, or the column and the reason why it is not an event.
fn event_line(line: Line, document: Document<'_>) -> Result<EventLine, (u64, String)> {
    let text = document.text();
    if let Some((span, reason)) = schema::EVENT.first_violation(document) {
        return Err((column_of(text, span.start), reason));
    }

    let event = typed(document.root()).map_err(|reason| (1, reason))?;
    Ok(EventLine {
        line: line.number,
        offset: line.offset,
        text: text.into(),
        event,
    })
}

impl NoEvent {
    /// Returns the error of a timeline that has this line.
    pub(in crate::look) fn in_file(self, path: PathBuf) -> Error {
        Error::Artifact {
            path,
            place: self.place,
            reason: self.reason,
        }
    }
}

impl<'s> EventLines<'s> {
    pub(in crate::look) fn new(stream: Opened<'s>, path: PathBuf) -> Self {
        let lines = Lines::new(stream, Vec::new(), MAX_RECORD_BYTES);
        Self {
            lines,
            path,
            failed: false,
            tape: Tape::default(),
        }
    }

    /// Returns the events from a line on. Errors of lines before it may be returned.
    pub(crate) fn starting_at(self, line: u64) -> Self {
        let lines = self.lines.starting_at(line);
        Self { lines, ..self }
    }

    /// Returns the event on the next line that is not blank.
    pub(super) fn next_line(&mut self) -> Option<Result<EventLine, Error>> {
        let path = self.path.clone();
        Some(
            self.next_event()?
                .and_then(|(line, event)| {
                    event_line(line, event).map_err(|(column, reason)| {
                        let place = Some((line.number, column));
                        NoEvent { place, reason }.in_file(path)
                    })
                }),
        )
    }

    /// Returns the JSON object on the next line that is not blank.
    fn next_event(&mut self) -> Option<Result<(Line, Document<'_>), Error>> {
        if self.failed {
            return None;
        }

        match self.lines.next_line() {
            Ok(None) => None,
            Ok(Some(read)) => {
                let event = event_on(read, &mut self.tape);
                Some(event.map_err(|why| why.in_file(self.path.clone())))
            }
            Err(why) => {
                self.failed = true;
                Some(Err(Error::at(&self.path, &why)))
            }
        }
    }

    /// Returns the next line as a plain JSON object, with its number. A line that is not one is an
    /// error, and the next call reads the next line.
    pub fn next_document(&mut self) -> Option<Result<(u64, Node<'_>), Error>> {
        let event = self.next_event()?;
        Some(event.map(|(line, event)| (line.number, event.root())))
    }
}
