//! The files besides the artifacts that a team's schemas judge -> what those find.

use std::cell::LazyCell;
use std::sync::Arc;

use crate::ground::document::Tape;
use crate::ground::finding::{Lifecycle, SkipKind, SkipReason};
use crate::ground::parallel::Alone;
use crate::ground::source::{Artifact, Elsewhere, Line, Place, Target};
use crate::policy::team::{Expect, TeamJudges};
use crate::reading::facts::UNKNOWN_LIFECYCLE;
use crate::store::{Artifacts, LineRead, Lines, MAX_RECORD_BYTES, MAX_TIMELINE_BYTES, Unreadable};

/// The length of a line of which a finding shows a part, at most: every finding keeps its line.
const MAX_KEPT_LINE: usize = 1 << 20;

/// The bytes of such lines in one episode, at most.
const MAX_KEPT_LINES: usize = 16 << 20;

/// Judges all such files of an episode.
pub(super) fn judge(
    files: &dyn Artifacts,
    judges: &mut TeamJudges,
    lifecycle: Lifecycle,
    alone: &Alone,
) {
    let named: Vec<_> = judges
        .judged_files()
        .map(|(index, name)| (index, Arc::clone(name)))
        .collect();
    let mut kept = 0;

    for (index, name) in named {
        let mut reader = OtherFileReader {
            index,
            name,
            lifecycle,
            judges,
            kept: &mut kept,
            tape: Tape::default(),
        };

        match reader.read(files, alone) {
            Ok(()) => {}
            Err(Unreadable::Vanished) => reader.absent(),
            Err(Unreadable::ListedOnly) => {
                let why = format!("{} was not provided", reader.name);
                let why = SkipReason::worded(SkipKind::Missing, why);
                (reader.judges.of_file(index)).for_each(|schema| schema.unjudged(&why));
            }
            Err(why) => reader.unusable(None, &format!("it can't be read: {why}"), &[]),
        }
    }
}

struct OtherFileReader<'r> {
    /// The place of the file among all, and its name.
    index: usize,
    name: Arc<str>,
    lifecycle: Lifecycle,
    judges: &'r mut TeamJudges,
    /// The bytes of lines that are kept.
    kept: &'r mut usize,
    tape: Tape,
}

impl OtherFileReader<'_> {
    fn read(&mut self, files: &dyn Artifacts, alone: &Alone) -> Result<(), Unreadable> {
        let opened = files.open_named(&self.name)?;
        if !has_lines(&self.name) {
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

        if opened
            .size()
            .is_some_and(|size| size > MAX_TIMELINE_BYTES)
        {
            return Err(Unreadable::TooLarge(MAX_TIMELINE_BYTES));
        }

        let mut lines = Lines::new(opened, Vec::new(), MAX_RECORD_BYTES);
        while let Some(read) = lines.next_line_with(|| alone.enter())? {
            match read {
                // It may still be written.
                LineRead::Text { ended: false, .. } if self.lifecycle != Lifecycle::Terminal => {}
                LineRead::Text { line, bytes, .. } => self.text(line, bytes, Some(line)),
                LineRead::TooLong { line } => {
                    let length = line.length.to_le_bytes();
                    self.unusable(Some((line, &[])), "it is too long", &length);
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
                let (name, kept) = (&self.name, &mut *self.kept);
                // The text is kept only where something is found in it.
                let place = LazyCell::new(|| place(name, kept, at, Target::Whole, bytes));
                for schema in self.judges.of_file(self.index) {
                    schema.record(document.root(), &|| (*place).clone());
                }
            }
            Err(why) => {
                let why = format!("the text is not JSON: {why}");
                self.unusable(line.map(|line| (line, bytes)), &why, bytes);
            }
        }

        self.tape = tape;
    }

    fn unusable(&mut self, line: Option<(Line, &[u8])>, why: &str, text: &[u8]) {
        let (line, target, bytes) = match line {
            Some((line, bytes)) => (line, Target::Bytes(0..bytes.len()), bytes),
            None => (Line::BEFORE_ALL, Target::Whole, &[][..]),
        };

        let place = place(&self.name, self.kept, line, target, bytes);
        for schema in self.judges.of_file(self.index) {
            schema.unusable(&place, why, text);
        }
    }

    /// Notes that the file is not there, where a schema expects it.
    fn absent(&mut self) {
        let place = place(&self.name, self.kept, Line::BEFORE_ALL, Target::Whole, &[]);
        for schema in self.judges.of_file(self.index) {
            match (schema.schema.expect, self.lifecycle) {
                (Expect::Always, _) | (Expect::Ended, Lifecycle::Terminal) => schema.absent(&place),
                (Expect::Ended, Lifecycle::Unknown) => schema.unjudged(&UNKNOWN_LIFECYCLE),
                (Expect::Ended, Lifecycle::NonTerminal) | (Expect::Optional, _) => {}
            }
        }
    }
}

/// Returns `true` if each line of a file is judged.
fn has_lines(name: &str) -> bool {
    matches!(name.rsplit_once('.'), Some((_, "jsonl")))
}

/// Returns the place of a text in a file, which is kept with it where there is room.
fn place(name: &Arc<str>, kept: &mut usize, line: Line, target: Target, bytes: &[u8]) -> Place {
    let is_kept =
        !has_lines(name) || (bytes.len() <= MAX_KEPT_LINE && *kept + bytes.len() <= MAX_KEPT_LINES);
    let text = if is_kept { bytes.to_vec() } else { Vec::new() };
    *kept += text.len();

    Place {
        line: Some(line),
        target,
        elsewhere: Some(Arc::new(Elsewhere {
            name: Arc::clone(name),
            text,
        })),
        ..Place::whole(Artifact::Manifest)
    }
}
