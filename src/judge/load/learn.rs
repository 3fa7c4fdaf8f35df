//! `learn.jsonl` -> whether each line is a JSON object. It is read only for the rule that asks.

use std::ops::Range;

use super::trouble::{NotAnObject, NotRead, Trouble, Troubles};
use super::unreadable;
use crate::ground::digest::Digest;
use crate::ground::document::{Refused, Tape};
use crate::ground::finding::{SkipKind, SkipReason};
use crate::ground::parallel::Alone;
use crate::ground::source::{Artifact, Line, Place};
use crate::policy::team::TeamJudges;
use crate::reading::facts::Usable;
use crate::store::{Artifacts, LineRead, Lines, MAX_RECORD_BYTES, Opened, Unreadable};

/// A learning timeline as it was loaded: whether each line could be judged, and the file, which
/// findings may point into.
pub(in crate::judge) struct LoadedLearn<'f> {
    pub(in crate::judge) lines: Usable<()>,
    pub(in crate::judge) stream: Option<Opened<'f>>,
    /// `true` if there is any line that is not blank.
    pub(in crate::judge) any_line: bool,
}

impl LoadedLearn<'_> {
    /// A file that is not read, because no rule asks for it or because it is not there.
    pub(super) const NOT_READ: Self = Self {
        lines: Usable::NotDue,
        stream: None,
        any_line: false,
    };
}

/// A reader of every line; the last one may be one that is still written.
pub(super) struct LearnReader<'r> {
    pub(super) tape: &'r mut Tape,
    pub(super) alone: &'r Alone,
    pub(super) may_be_unfinished: bool,
    pub(super) judges: &'r mut TeamJudges,
    /// Of the lines that are not objects the first, with its defect, and their number.
    pub(super) first: Option<(Line, Range<usize>, NotAnObject, Digest)>,
    pub(super) lines: u64,
    /// `true` if there is any line.
    pub(super) any: bool,
    pub(super) too_large: Option<Line>,
}

impl LearnReader<'_> {
    pub(super) fn read<'f>(
        mut self,
        files: &'f dyn Artifacts,
        buffer: &mut Vec<u8>,
        troubles: &mut Troubles,
    ) -> LoadedLearn<'f> {
        if !files.entries().has(Artifact::Learn) {
            return LoadedLearn::NOT_READ;
        }

        let opened = files.open(Artifact::Learn);
        let stream = match opened.and_then(|stream| self.read_lines(stream, buffer)) {
            Ok(stream) => stream,
            Err(why) => {
                let lines = Usable::Unjudged(unreadable("learn.jsonl", &why));
                troubles.add_lacking(Artifact::Learn, why);
                return LoadedLearn {
                    lines,
                    ..LoadedLearn::NOT_READ
                };
            }
        };

        let lines = self.lines;
        if let Some((line, span, why, content)) = self.first {
            troubles.add(Trouble::NotALearnRecord {
                line,
                span,
                why,
                content,
                lines,
            });
        }

        let too_large = self.too_large.map(|line| {
            let number = line.number;
            let text = format!("line {number} of learn.jsonl is too large to be read");
            SkipReason {
                besides: number.to_string(),
                ..SkipReason::worded(SkipKind::Limit, text)
            }
        });

        LoadedLearn {
            lines: too_large.map_or(Usable::Read(()), Usable::Unjudged),
            stream: Some(stream),
            any_line: self.any,
        }
    }

    fn read_lines<'f>(
        &mut self,
        stream: Opened<'f>,
        buffer: &mut Vec<u8>,
    ) -> Result<Opened<'f>, Unreadable> {
        let mut lines = Lines::new(stream, std::mem::take(buffer), MAX_RECORD_BYTES);
        while let Some(read) = lines.next_line_with(|| self.alone.enter())? {
            match read {
                LineRead::TooLong { line } => drop(self.too_large.get_or_insert(line)),
                LineRead::Text { line, bytes, ended } => self.line(line, bytes, ended)?,
            }
        }

        let (stream, read) = lines.into_parts();
        *buffer = read;
        self.tape.release();

        Ok(stream)
    }

    fn line(&mut self, line: Line, bytes: &[u8], ended: bool) -> Result<(), Unreadable> {
        self.tape.release();
        self.any = true;
        let read = self.tape.read_record(bytes);
        let place = Place::line(Artifact::Learn, line);

        for schema in self.judges.of(Artifact::Learn) {
            match &read {
                Ok(document) => schema.record(document.root(), &|| place.clone()),
                Err(Refused::Syntax(_)) if ended || !self.may_be_unfinished => {
                    schema.unusable(&place, "the line is not JSON", bytes);
                }
                Err(_) => {}
            }
        }

        match NotAnObject::unless(read, bytes) {
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
