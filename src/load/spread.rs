//! Lines that are no events -> the objects and arrays that several of them are together, as a
//! pretty-printer writes them.
//!
//! Each line is read once as the next one of an object, and once more at most as the first of
//! another; and likewise of an array.

use super::trouble::{ArrayLines, SpreadObjects, Trouble, Troubles};
use crate::document::{Pieces, Progress};
use crate::source::Line;

/// The size of an object that is looked for over several lines, at most.
const MAX_LINES: usize = 1_000;
const MAX_BYTES: u64 = 1 << 20;

/// Looks for objects over several lines of a timeline.
#[derive(Default)]
pub(super) struct Spread {
    pieces: Pieces,
    /// The lines of an object that is not complete, each with what it is by itself.
    pending: Vec<(Line, Trouble)>,
    found: Option<SpreadObjects>,
    array: Option<OpenArray>,
}

/// An array over several lines that is not complete.
struct OpenArray {
    first: u64,
    latest: u64,
    pieces: Pieces,
}

impl OpenArray {
    /// Reads a line that is no event. A line between may be an event: an item without a comma.
    fn read(&mut self, line: Line, bytes: &[u8]) -> Progress {
        match line.number - self.latest {
            1 => {}
            2 => self.pieces.pass_over_item(),
            _ => return Progress::Wrong,
        }
        self.latest = line.number;
        self.pieces.read(bytes)
    }
}

impl Spread {
    /// Adds a line that is no event, and what it is by itself. Returns whether it completes an
    /// object.
    pub(super) fn add(
        &mut self,
        line: Line,
        bytes: &[u8],
        trouble: Trouble,
        troubles: &mut Troubles,
    ) -> bool {
        let progress = self.array.as_mut().map(|array| array.read(line, bytes));
        let ended = self.array.take_if(|_| progress != Some(Progress::Open));
        let is_complete = self.add_piece(line, bytes, trouble, troubles);
        if let (Some(Progress::Complete), Some(array)) = (progress, ended) {
            troubles.are_of(ArrayLines {
                first: array.first,
                last: line.number,
            });
        }
        is_complete
    }

    fn add_piece(
        &mut self,
        line: Line,
        bytes: &[u8],
        trouble: Trouble,
        troubles: &mut Troubles,
    ) -> bool {
        if !self.pending.is_empty() {
            if self.is_next(line) {
                let progress = self.pieces.read(bytes);
                if progress != Progress::Wrong {
                    return self.push(line, trouble, progress);
                }
            }
            self.give_up(troubles);
        }
        self.pieces = Pieces::default();
        let progress = self.pieces.read(bytes);
        // An object in one line is an event, so this one is not complete.
        if progress == Progress::Open && bytes.trim_ascii_start().starts_with(b"{") {
            return self.push(line, trouble, progress);
        }
        if self.array.is_none() && bytes.trim_ascii_start().starts_with(b"[") {
            let mut pieces = Pieces::of_array();
            if pieces.read(bytes) == Progress::Open {
                let (first, latest) = (line.number, line.number);
                self.array = Some(OpenArray {
                    first,
                    latest,
                    pieces,
                });
            }
        }
        troubles.add(trouble);
        false
    }

    /// Whether a line may belong to the object that the pending lines begin.
    fn is_next(&self, line: Line) -> bool {
        let (Some((first, _)), Some((last, _))) = (self.pending.first(), self.pending.last())
        else {
            return false;
        };
        line.number == last.number + 1
            && self.pending.len() < MAX_LINES
            && line.offset + line.length as u64 - first.offset <= MAX_BYTES
    }

    fn push(&mut self, line: Line, trouble: Trouble, progress: Progress) -> bool {
        self.pending.push((line, trouble));
        let is_complete = progress == Progress::Complete;
        if is_complete {
            if let (Some((first, _)), None) = (self.pending.first(), &self.found) {
                let length = line.offset + line.length as u64 - first.offset;
                self.found = Some(SpreadObjects {
                    first: Line {
                        length: usize::try_from(length).unwrap_or_default(),
                        ..*first
                    },
                    last: line.number,
                    count: 0,
                });
            }
            if let Some(found) = &mut self.found {
                found.count += 1;
            }
            self.pending.clear();
        }
        is_complete
    }

    /// The pending lines are no object, so each is what it is by itself.
    fn give_up(&mut self, troubles: &mut Troubles) {
        for (_, trouble) in self.pending.drain(..) {
            troubles.add(trouble);
        }
    }

    /// All lines were read.
    pub(super) fn finish(mut self, troubles: &mut Troubles) {
        self.give_up(troubles);
        if let Some(found) = self.found {
            troubles.add(Trouble::SpreadObjects(found));
        }
    }
}
