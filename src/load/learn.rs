//! `learn.jsonl` -> whether each line is a JSON object. It is read only for the rule that asks.

use std::ops::Range;

use super::trouble::{NotAnObject, NotRead, Trouble, Troubles};
use super::unreadable;
use crate::digest::Digest;
use crate::document::{Document, Refused, Tape};
use crate::facts::Usable;
use crate::finding::{SkipKind, SkipReason};
use crate::parallel::Alone;
use crate::source::{Artifact, Line};
use crate::store::{Artifacts, LineRead, Lines, MAX_RECORD_BYTES, Opened, Unreadable};

/// What reading it line by line gave: whether each line could be judged, and the file, which
/// findings may point into.
pub(crate) struct LoadedLearn<'f> {
    pub(crate) lines: Usable<()>,
    pub(crate) stream: Option<Opened<'f>>,
    /// Whether there is any line that is not blank.
    pub(crate) any_line: bool,
}

impl LoadedLearn<'_> {
    /// A file that is not read, because no rule asks for it or because it is not there.
    pub(super) const NOT_READ: Self = Self {
        lines: Usable::NotDue,
        stream: None,
        any_line: false,
    };
}

/// The lines that are not objects: the first, with what is wrong there, and their number.
#[derive(Default)]
struct Reading {
    may_be_unfinished: bool,
    first: Option<(Line, Range<usize>, NotAnObject, Digest)>,
    lines: u64,
    any: bool,
    too_large: Option<Line>,
}

/// Reads every line, and passes on what it is; the last one may be one that is still written.
pub(super) fn read<'f>(
    files: &'f dyn Artifacts,
    buffer: &mut Vec<u8>,
    tape: &mut Tape,
    alone: &Alone,
    troubles: &mut Troubles,
    may_be_unfinished: bool,
    mut judge: impl FnMut(Line, Result<Document<'_>, &str>),
) -> LoadedLearn<'f> {
    if !files.entries().has(Artifact::Learn) {
        return LoadedLearn::NOT_READ;
    }
    let mut reading = Reading {
        may_be_unfinished,
        ..Reading::default()
    };
    let opened = files.open(Artifact::Learn);
    match opened.and_then(|stream| reading.read(stream, buffer, tape, alone, &mut judge)) {
        Err(why) => {
            let lines = Usable::Unjudged(unreadable("learn.jsonl", &why));
            troubles.add_lacking(Artifact::Learn, why);
            LoadedLearn {
                lines,
                ..LoadedLearn::NOT_READ
            }
        }
        Ok(stream) => {
            if let Some((line, span, why, content)) = reading.first {
                let lines = reading.lines;
                troubles.add(Trouble::NotALearnRecord {
                    line,
                    span,
                    why,
                    content,
                    lines,
                });
            }
            let too_large = reading.too_large.map(|line| SkipReason {
                besides: line.number.to_string(),
                ..SkipReason::worded(
                    SkipKind::Limit,
                    format!(
                        "line {} of learn.jsonl is too large to be read",
                        line.number
                    ),
                )
            });
            LoadedLearn {
                lines: too_large.map_or(Usable::Read(()), Usable::Unjudged),
                stream: Some(stream),
                any_line: reading.any,
            }
        }
    }
}

impl Reading {
    fn read<'f>(
        &mut self,
        stream: Opened<'f>,
        buffer: &mut Vec<u8>,
        tape: &mut Tape,
        alone: &Alone,
        judge: &mut impl FnMut(Line, Result<Document<'_>, &str>),
    ) -> Result<Opened<'f>, Unreadable> {
        let mut lines = Lines::new(stream, std::mem::take(buffer), MAX_RECORD_BYTES);
        while let Some(read) = lines.next_line_with(|| alone.enter())? {
            match read {
                LineRead::TooLong { line } => drop(self.too_large.get_or_insert(line)),
                LineRead::Text { line, bytes, ended } => {
                    self.line((line, ended), bytes, tape, judge)?;
                }
            }
        }
        let (stream, read) = lines.into_parts();
        *buffer = read;
        tape.release();
        Ok(stream)
    }

    fn line(
        &mut self,
        (line, ended): (Line, bool),
        bytes: &[u8],
        tape: &mut Tape,
        judge: &mut impl FnMut(Line, Result<Document<'_>, &str>),
    ) -> Result<(), Unreadable> {
        tape.release();
        self.any = true;
        let read = tape.read_record(bytes);
        match &read {
            Ok(document) => judge(line, Ok(*document)),
            Err(Refused::Syntax(_)) if ended || !self.may_be_unfinished => {
                judge(line, Err("the line is not JSON"));
            }
            Err(_) => {}
        }
        match NotAnObject::unless_read(read, bytes) {
            Ok(_) => {}
            Err(NotRead::Unreadable(why @ Unreadable::Lacking(_))) => return Err(why),
            Err(NotRead::Unreadable(_)) => drop(self.too_large.get_or_insert(line)),
            Err(NotRead::NotAnObject(span, why)) => {
                self.lines += 1;
                self.first
                    .get_or_insert_with(|| (line, span, why, Digest::of([bytes])));
            }
        }
        Ok(())
    }
}
