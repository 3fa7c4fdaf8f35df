//! A timeline -> its events, as types or as plain JSON, one at a time.

use std::fmt;
use std::path::{Path, PathBuf};

use super::stored::typed;
use super::{Error, LineColumn, io_error};
use crate::document::{Document, Kind, Node, Refused, Tape};
use crate::load::{MAX_THREADS, Split};
use crate::parallel::{cores, pipeline};
use crate::record::Event;
use crate::schema;
use crate::source::Line;
use crate::store::{Block, LineRead, Lines, MAX_RECORD_BYTES, Opened};

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
    split: Split,
}

/// Whole lines of a timeline, at which another thread has had a glance.
pub(crate) struct Glanced<'b, G> {
    /// Of each line that is not blank, what the glance saw; `None` where it is not an event.
    pub(crate) lines: Vec<(Line, Option<G>)>,
    pub(crate) texts: BlockTexts<'b>,
}

/// The lines of a block as plain JSON objects.
pub(crate) struct BlockTexts<'b> {
    block: &'b Block,
    path: &'b Path,
    tape: &'b mut Tape,
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

/// A line as text.
fn text_of<'b>(read: LineRead<'b>, path: &Path) -> Result<(Line, &'b str), Error> {
    let error = |line: Line, reason: String| {
        Err(Error::Artifact {
            path: path.to_owned(),
            place: Some(LineColumn {
                line: line.number,
                column: 1,
            }),
            reason,
        })
    };
    match read {
        LineRead::TooLong { line } => error(
            line,
            format!(
                "the line is longer than the limit of {} MiB",
                MAX_RECORD_BYTES >> 20
            ),
        ),
        LineRead::Text { line, bytes, .. } => match std::str::from_utf8(bytes) {
            Ok(text) => Ok((line, text)),
            Err(_) => error(line, "the line is not UTF-8".into()),
        },
    }
}

/// The JSON object on a line, with the number of the line.
fn document_of<'a>(
    (line, text): (Line, &'a str),
    tape: &'a mut Tape,
    path: &Path,
) -> Result<(u64, Node<'a>), Error> {
    let document = event_document(tape, text);
    document
        .map(|document| (line.number, document.root()))
        .map_err(|(column, reason)| Error::Artifact {
            path: path.to_owned(),
            place: Some(LineColumn {
                line: line.number,
                column,
            }),
            reason,
        })
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
        match self.lines.next_line() {
            Ok(None) => None,
            Ok(Some(read)) => Some(text_of(read, &self.path)),
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
            split: Split::default(),
        }
    }

    /// The next line as a plain JSON object, with its number. A line that is not one is an error,
    /// and the next call reads the next line.
    pub fn next_document(&mut self) -> Option<Result<(u64, Node<'_>), Error>> {
        let path = self.events.path.clone();
        Some(match self.events.next_text()? {
            Ok(read) => document_of(read, &mut self.tape, &path),
            Err(error) => Err(error),
        })
    }

    /// Whether the timeline is long, so that [`Self::glance`] is worth its threads.
    pub(crate) fn is_long(&self) -> bool {
        !self.events.failed && self.split.is_due(self.events.lines.offset())
    }

    /// Reads the next lines in blocks, with several threads, up to a line that is longer than a
    /// block. Each thread has a glance at the events, and `take` gets all lines in order.
    pub(crate) fn glance<G: Send>(
        &mut self,
        glance: impl Fn(Node<'_>) -> G + Sync,
        mut take: impl FnMut(Glanced<'_, G>),
    ) -> Option<Error> {
        struct Reading<'e> {
            texts: &'e mut EventTexts,
            spare: Vec<Vec<u8>>,
            fault: Option<Error>,
        }
        let from = self.events.lines.offset();
        let threads = match cores().get() {
            1 => 0,
            cores => cores.min(MAX_THREADS),
        };
        let mut reading = Reading {
            texts: self,
            spare: Vec::new(),
            fault: None,
        };
        pipeline(
            threads,
            &mut reading,
            |Reading {
                 texts,
                 spare,
                 fault,
             }| {
                let events = &mut texts.events;
                let block = events.lines.next_block(|| spare.pop().unwrap_or_default());
                block.unwrap_or_else(|why| {
                    events.failed = true;
                    *fault = Some(io_error(&events.path, &why));
                    None
                })
            },
            Tape::default,
            |tape, block| {
                let lines = block.lines().map(|read| {
                    let LineRead::Text { line, bytes, .. } = read else {
                        return (read.line(), None);
                    };
                    let event = tape.read_record(bytes).ok().map(Document::root);
                    let event = event.filter(|event| event.kind() == Kind::Object);
                    (line, event.map(&glance))
                });
                (lines.collect(), block)
            },
            |Reading { texts, spare, .. }, (lines, block)| {
                take(Glanced {
                    lines,
                    texts: BlockTexts {
                        block: &block,
                        path: &texts.events.path,
                        tape: &mut texts.tape,
                    },
                });
                spare.extend(block.into_buffer());
            },
        );
        let fault = reading.fault;
        self.split.ended(from, self.events.lines.offset());
        fault
    }
}

impl BlockTexts<'_> {
    /// The text of a line that is an event.
    pub(crate) fn text(&self, line: Line) -> &str {
        let text = std::str::from_utf8(self.block.bytes(line));
        text.unwrap_or_default()
    }

    /// A line as a plain JSON object, with its number, or why it is not one.
    pub(crate) fn document(&mut self, line: Line) -> Result<(u64, Node<'_>), Error> {
        let text = text_of(self.block.line(line), self.path)?;
        document_of(text, self.tape, self.path)
    }
}
