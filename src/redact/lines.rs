//! The lines of a timeline -> the same lines, redacted: what is an event stays one, and what is
//! none becomes none.

use std::io::{self, Write};

use super::keyed::placeholder_in;
use super::writer::Writer;
use crate::ground::document::{Kind, PieceProgress, Pieces, Refused, SyntaxError, Tape};
use crate::judge::load::{MAX_OBJECT_BYTES, MAX_OBJECT_LINES, stand_in};

/// A timeline on its way.
pub(super) struct Lines<'l, 'w, W> {
    pub(super) writer: &'l mut Writer<'w>,
    to: W,
    tape: Tape,
    /// The lines of an object that is written over several, as far as it is open.
    open: Pieces,
    pending: Vec<Line>,
    pending_bytes: usize,
    /// The line before, as it was and as it is, unless it is blank.
    before: Option<Line>,
    /// The reason why the rest can't be copied.
    failure: Option<Failure>,
}

/// The reason why a timeline is not copied.
pub(super) enum Failure {
    Limit(Refused),
    Output(io::Error),
}

/// A line as it was, and as it is; of one that waits, both are the same.
#[derive(Default)]
struct Line {
    was: Vec<u8>,
    is: Vec<u8>,
}

impl<'l, 'w, W: Write> Lines<'l, 'w, W> {
    pub(super) fn new(writer: &'l mut Writer<'w>, to: W) -> Self {
        Self {
            writer,
            to,
            tape: Tape::default(),
            open: Pieces::default(),
            pending: Vec::new(),
            pending_bytes: 0,
            before: None,
            failure: None,
        }
    }

    /// Takes the next line, with its newline; returns `false` where the rest can't be copied.
    pub(super) fn take(&mut self, line: &[u8]) -> bool {
        let taken = self.line(line);
        self.failure = taken.err();
        self.failure.is_none()
    }

    /// Takes what follows the last newline, and ends.
    pub(super) fn finish(mut self, rest: &[u8]) -> Result<(), Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if !rest.is_empty() {
            self.line(rest)?;
        }

        self.give_up()?;
        self.to.flush().map_err(Failure::Output)
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Failure> {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        if text
            .iter()
            .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        {
            if self.pending.is_empty() {
                return self.blank(line);
            }
            self.wait(line);
            return Ok(());
        }

        let mut tape = std::mem::take(&mut self.tape);
        let read = tape.read_record(text);
        let written = match read {
            Ok(document) if document.root().kind() == Kind::Object => {
                self.give_up().and_then(|()| {
                    let is = self.writer.event(document);
                    self.write(line, is)
                })
            }
            Err(refused @ (Refused::TooManyValues | Refused::NoMemory)) => {
                Err(Failure::Limit(refused))
            }
            Ok(_) | Err(Refused::Syntax(_)) => self.no_event(line, text),
        };

        tape.release();
        self.tape = tape;
        written
    }

    fn wait(&mut self, line: &[u8]) {
        self.pending_bytes += line.len();
        self.pending.push(Line {
            was: line.to_vec(),
            is: Vec::new(),
        });
    }

    /// Takes a line that is no event: it may belong to one that is written over several lines.
    fn no_event(&mut self, line: &[u8], text: &[u8]) -> Result<(), Failure> {
        let mut progress = PieceProgress::Wrong;
        let may_follow = !self.pending.is_empty()
            && self.pending.len() < MAX_OBJECT_LINES
            && self.pending_bytes + text.len() <= MAX_OBJECT_BYTES;
        if may_follow {
            progress = self.open.read(text);
        }

        if progress == PieceProgress::Wrong {
            self.give_up()?;
            if text
                .trim_ascii_start()
                .starts_with(b"{")
            {
                self.open = Pieces::default();
                progress = self.open.read(text);
            }
        }

        match progress {
            PieceProgress::Open => self.wait(line),
            PieceProgress::Complete => {
                self.wait(line);
                return self.object();
            }
            PieceProgress::Wrong => return self.alone(line),
        }

        Ok(())
    }

    /// Writes the lines that wait, which are an object together.
    fn object(&mut self) -> Result<(), Failure> {
        let lines = std::mem::take(&mut self.pending);
        self.pending_bytes = 0;
        let whole: Vec<u8> = lines
            .iter()
            .flat_map(|line| &line.was)
            .copied()
            .collect();
        let mut tape = Tape::default();
        let document = tape
            .read_record(&whole)
            .map_err(Failure::Limit)?;
        let is = self.writer.event(document);
        // No text goes over the end of a line.
        let is = is.split_inclusive(|byte| *byte == b'\n');
        for (line, is) in lines.iter().zip(is) {
            if line.was.trim_ascii().is_empty() {
                self.blank(&line.was)?;
            } else {
                self.write(
                    &line.was,
                    is.strip_suffix(b"\n")
                        .unwrap_or(is)
                        .to_vec(),
                )?;
            }
        }

        Ok(())
    }

    /// Writes the lines that wait, each by itself: they are no object.
    fn give_up(&mut self) -> Result<(), Failure> {
        self.pending_bytes = 0;
        for line in std::mem::take(&mut self.pending) {
            if line.was.trim_ascii().is_empty() {
                self.blank(&line.was)?;
            } else {
                self.alone(&line.was)?;
            }
        }

        Ok(())
    }

    /// Writes a line that is no event.
    fn alone(&mut self, line: &[u8]) -> Result<(), Failure> {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let mut tape = Tape::default();
        let is = match tape.read_record(text) {
            Ok(document) => self.writer.record(document, ""),
            Err(Refused::Syntax(error)) => self.no_json(text, error),
            Err(refused) => return Err(Failure::Limit(refused)),
        };

        self.write(line, is)
    }

    /// Returns what stands in place of a text that is no JSON.
    fn no_json(&self, text: &[u8], error: SyntaxError) -> Vec<u8> {
        // What stands in place of another already, stays.
        if let Some(placeholder) = placeholder_in(text) {
            let again = stand_in(text, error, &format!("[{placeholder}]"));
            if text.trim_ascii_end() == again.trim_ascii_end() {
                return text.to_vec();
            }
        }

        stand_in(
            text,
            error,
            &self
                .writer
                .rules
                .keyed
                .placeholder(text),
        )
    }

    /// Writes a blank line.
    fn blank(&mut self, line: &[u8]) -> Result<(), Failure> {
        self.before = None;
        self.put(line, line)
    }

    /// Writes a line: equal to the one before exactly where it was.
    fn write(&mut self, line: &[u8], mut is: Vec<u8>) -> Result<(), Failure> {
        let was = line.strip_suffix(b"\n").unwrap_or(line);
        let mut before = self.before.take().unwrap_or_default();
        if before.was == was {
            is.clone_from(&before.is);
        } else if before.is == is {
            is.push(b' ');
        }

        before.was.clear();
        before.was.extend_from_slice(was);
        before.is = is;

        let newline = line
            .get(was.len()..)
            .unwrap_or_default();
        let written = before.is.len();
        before.is.extend_from_slice(newline);

        let put = self.put(line, &before.is);
        before.is.truncate(written);
        self.before = Some(before);

        put
    }

    fn put(&mut self, was: &[u8], is: &[u8]) -> Result<(), Failure> {
        let [before, after] = &mut self.writer.lines;
        before.add(was);
        after.add(is);

        self.to
            .write_all(is)
            .map_err(Failure::Output)
    }
}
