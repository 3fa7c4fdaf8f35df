//! The files besides the artifacts that a team's schemas judge -> what those find.

use std::sync::Arc;

use super::declared::{Declared, What};
use crate::document::Tape;
use crate::facts::UNKNOWN_LIFECYCLE;
use crate::finding::{Lifecycle, SkipKind, SkipReason};
use crate::parallel::Alone;
use crate::source::{Artifact, Elsewhere, Line, Place, Target};
use crate::store::{Artifacts, LineRead, Lines, MAX_RECORD_BYTES, Unreadable};
use crate::team::{Expect, InForce, OtherFile};

/// The length of a line of which a finding shows a part, at most: every finding keeps its line.
const MAX_KEPT_LINE: usize = 1 << 20;

/// The bytes of such lines in one episode, at most.
const MAX_KEPT_LINES: usize = 16 << 20;

/// Judges all such files of an episode.
pub(super) fn judge(
    files: &dyn Artifacts,
    team: &InForce,
    lifecycle: Lifecycle,
    alone: &Alone,
    declared: &mut Declared,
) {
    let mut kept = 0;
    for (index, file) in team.judged_files() {
        let mut reader = Reader {
            team,
            index,
            file,
            lifecycle,
            declared,
            kept: &mut kept,
            tape: Tape::default(),
        };
        match reader.read(files, alone) {
            Ok(()) => {}
            Err(Unreadable::Vanished) => reader.absent(),
            Err(Unreadable::ListedOnly) => {
                let why = format!("{} was not provided", file.name);
                let why = SkipReason::worded(SkipKind::Missing, why);
                reader.declared.unjudged(team.of_file(index), &why);
            }
            Err(why) => reader.unusable(None, format!("it can't be read: {why}")),
        }
    }
}

struct Reader<'r> {
    team: &'r InForce,
    index: usize,
    file: &'r OtherFile,
    lifecycle: Lifecycle,
    declared: &'r mut Declared,
    /// The bytes of lines that are kept.
    kept: &'r mut usize,
    tape: Tape,
}

impl Reader<'_> {
    fn read(&mut self, files: &dyn Artifacts, alone: &Alone) -> Result<(), Unreadable> {
        let opened = files.open_named(&self.file.name)?;
        if !self.file.has_lines() {
            let mut bytes = Vec::new();
            opened.read_record_with(&mut bytes, || alone.enter())?;
            let line = Line {
                number: 1,
                offset: 0,
                length: bytes.len(),
            };
            self.text(line, &bytes, None);
            return Ok(());
        }
        let mut lines = Lines::new(opened, Vec::new(), MAX_RECORD_BYTES);
        while let Some(read) = lines.next_line_with(|| alone.enter())? {
            match read {
                // It may still be written.
                LineRead::Text { ended: false, .. } if self.lifecycle != Lifecycle::Terminal => {}
                LineRead::Text { line, bytes, .. } => self.text(line, bytes, Some(line)),
                LineRead::TooLong { line } => {
                    self.unusable(Some((line, &[])), "it is too long".into());
                }
            }
        }
        Ok(())
    }

    /// Judges a text that starts at a line; `line` is that line, where it is one of several.
    fn text(&mut self, at: Line, bytes: &[u8], line: Option<Line>) {
        self.tape.release();
        let mut tape = std::mem::take(&mut self.tape);
        match tape.read_record(bytes) {
            Ok(document) => {
                let before = self.declared.count();
                let place = self.place(at, Target::Whole, &[]);
                let schemas = self.team.of_file(self.index);
                self.declared.record(schemas, &place, document);
                // The text is kept only where something is found in it.
                if self.declared.count() > before {
                    let shown = self.place(at, Target::Whole, bytes);
                    self.declared.show(&before, &shown);
                }
            }
            Err(why) => {
                let why = format!("the text is not JSON: {why}");
                self.unusable(line.map(|line| (line, bytes)), why);
            }
        }
        self.tape = tape;
    }

    fn place(&mut self, line: Line, target: Target, bytes: &[u8]) -> Place {
        let is_kept = !self.file.has_lines()
            || (bytes.len() <= MAX_KEPT_LINE && *self.kept + bytes.len() <= MAX_KEPT_LINES);
        let text = if is_kept { bytes.to_vec() } else { Vec::new() };
        *self.kept += text.len();
        let file = Arc::clone(&self.file.name);
        Place {
            line: Some(line),
            target,
            elsewhere: Some(Arc::new(Elsewhere { file, text })),
            ..Place::whole(Artifact::Manifest)
        }
    }

    fn unusable(&mut self, line: Option<(Line, &[u8])>, why: String) {
        let (line, target, bytes) = match line {
            Some((line, bytes)) => (line, Target::Bytes(0..bytes.len()), bytes),
            None => (Line::BEFORE_ALL, Target::Whole, &[][..]),
        };
        let place = self.place(line, target, bytes);
        let schemas = self.team.of_file(self.index);
        let what = What::Unusable(why);
        self.declared.note(schemas, &place, &what);
    }

    /// Notes that the file is not there, where a schema expects it.
    fn absent(&mut self) {
        let place = self.place(Line::BEFORE_ALL, Target::Whole, &[]);
        let schemas = |expect| {
            let schemas = self.team.of_file(self.index);
            schemas.filter(move |(_, schema)| schema.expect == expect)
        };
        let (declared, absent) = (&mut *self.declared, &What::Absent);
        declared.note(schemas(Expect::Always), &place, absent);
        match self.lifecycle {
            Lifecycle::Terminal => declared.note(schemas(Expect::Ended), &place, absent),
            Lifecycle::NonTerminal => {}
            Lifecycle::Unknown => declared.unjudged(schemas(Expect::Ended), &UNKNOWN_LIFECYCLE),
        }
    }
}
