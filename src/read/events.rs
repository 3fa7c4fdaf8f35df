//! A timeline -> its events, as types or as plain JSON, one at a time.

use std::fmt;
use std::path::PathBuf;

use super::{Error, LineColumn, io_error, typed};
use crate::document::{Document, Kind, Node, Refused, Tape};
use crate::record::Event;
use crate::schema;
use crate::source::Line;
use crate::store::{LineRead, Lines, MAX_RECORD_BYTES, Opened};

/// The events of a timeline, read on demand.
pub struct Events {
    lines: Lines<Opened<'static>>,
    path: PathBuf,
    failed: bool,
    tape: Tape,
}

/// An event and its place.
#[derive(Clone, Debug, PartialEq)]
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

/// The lines of a timeline as plain JSON objects. They share one buffer, so only one exists at a
/// time.
pub struct EventTexts {
    events: Events,
    tape: Tape,
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for EventTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventTexts")
            .field("path", &self.events.path)
            .finish_non_exhaustive()
    }
}

impl Iterator for Events {
    type Item = Result<EventLine, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let path = self.path.clone();
        let mut tape = std::mem::take(&mut self.tape);
        let read = self.next_text().map(|read| {
            let (line, text) = read?;
            event_line(&mut tape, line, text).map_err(|(column, reason)| Error::Artifact {
                path,
                place: Some(LineColumn {
                    line: line.number,
                    column,
                }),
                reason,
            })
        });
        self.tape = tape;
        read
    }
}

/// A line as an event, or the column and the reason why it is not an event.
fn event_line(tape: &mut Tape, line: Line, text: &str) -> Result<EventLine, (u64, String)> {
    let document = event_document(tape, text)?;
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

/// The JSON object on a line, or the column and the reason why there is no object.
fn event_document<'a>(tape: &'a mut Tape, text: &'a str) -> Result<Document<'a>, (u64, String)> {
    match tape.read_record(text.as_bytes()) {
        Ok(document) if document.root().kind() == Kind::Object => Ok(document),
        Ok(document) => Err((
            1,
            format!("{}, not an object", document.root().kind().with_article()),
        )),
        Err(why) => {
            let offset = match why {
                Refused::Syntax(error) => error.offset,
                Refused::TooManyValues | Refused::NoMemory => 0,
            };
            Err((column_of(text, offset), why.to_string()))
        }
    }
}

/// The column of a byte, in characters, counted from 1.
fn column_of(text: &str, offset: usize) -> u64 {
    text.get(..offset)
        .map_or(0, |before| before.chars().count()) as u64
        + 1
}

impl Events {
    pub(super) fn new(stream: Opened<'static>, path: PathBuf) -> Self {
        let lines = Lines::new(stream, Vec::new(), MAX_RECORD_BYTES);
        Self {
            lines,
            path,
            failed: false,
            tape: Tape::default(),
        }
    }

    /// The next line that is not blank.
    fn next_text(&mut self) -> Option<Result<(Line, &str), Error>> {
        if self.failed {
            return None;
        }
        let path = &self.path;
        let error = |line: Line, reason: String| {
            Err(Error::Artifact {
                path: path.clone(),
                place: Some(LineColumn {
                    line: line.number,
                    column: 1,
                }),
                reason,
            })
        };
        match self.lines.next_line() {
            Ok(None) => None,
            Ok(Some(LineRead::TooLong { line })) => Some(error(
                line,
                format!(
                    "the line is longer than the limit of {} MiB",
                    MAX_RECORD_BYTES >> 20
                ),
            )),
            Ok(Some(LineRead::Text { line, bytes, .. })) => {
                Some(match std::str::from_utf8(bytes) {
                    Ok(text) => Ok((line, text)),
                    Err(_) => error(line, "the line is not UTF-8".into()),
                })
            }
            Err(why) => {
                self.failed = true;
                Some(Err(io_error(&self.path, &why)))
            }
        }
    }
}

impl EventTexts {
    pub(super) fn new(events: Events) -> Self {
        Self {
            events,
            tape: Tape::default(),
        }
    }

    /// The next line as a plain JSON object, with its number. A line that is not one is an error,
    /// and the next call reads the next line.
    pub fn next_document(&mut self) -> Option<Result<(u64, Node<'_>), Error>> {
        let path = self.events.path.clone();
        let (line, text) = match self.events.next_text()? {
            Ok(read) => read,
            Err(error) => return Some(Err(error)),
        };
        let document = event_document(&mut self.tape, text);
        Some(
            document
                .map(|document| (line.number, document.root()))
                .map_err(|(column, reason)| Error::Artifact {
                    path,
                    place: Some(LineColumn {
                        line: line.number,
                        column,
                    }),
                    reason,
                }),
        )
    }
}
