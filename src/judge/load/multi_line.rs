//! Lines that are not events -> the objects and arrays that several of them are together, as a
//! pretty-printer writes them.
//!
//! Each line is read once as the next one of an object, and once more at most as the first of
//! another; and likewise of an array.

use super::trouble::{ArrayLines, MultiLineObjects, Trouble, Troubles};
use crate::ground::document::{PieceProgress, Pieces};
use crate::ground::source::Line;

/// The size of an object that is looked for over several lines, at most.
pub(crate) const MAX_OBJECT_LINES: usize = 1_000;
pub(crate) const MAX_OBJECT_BYTES: usize = 1 << 20;

/// A search for objects and arrays over several lines of a timeline.
#[derive(Default)]
pub(super) struct MultiLineSearch {
    object: Pieces,
    /// The lines of an object that is not complete, each with what it is by itself.
    pending: Vec<(Line, Trouble)>,
    found: Option<MultiLineObjects>,
    /// The lines of an array that is not complete.
    array: Option<(ArrayLines, Pieces)>,
    /// The number of the last line that is not blank.
    before: u64,
}

/// Reads a line that is not an event as the next one of an array. A line between may be an event:
/// an item without a comma.
fn read_item(
    (lines, pieces): &mut (ArrayLines, Pieces),
    line: Line,
    before: u64,
    bytes: &[u8],
) -> PieceProgress {
    match line.number - lines.last {
        _ if before == lines.last => {}
        2 => pieces.pass_over_item(),
        _ => return PieceProgress::Wrong,
    }

    lines.last = line.number;
    pieces.read(bytes)
}

impl MultiLineSearch {
    /// Passes a line that is not blank.
    pub(super) fn passed(&mut self, line: Line) {
        self.before = line.number;
    }

    /// Adds a line that is not an event, and what it is by itself. Returns whether it completes an
    /// object.
    pub(super) fn add(
        &mut self,
        line: Line,
        bytes: &[u8],
        trouble: Trouble,
        troubles: &mut Troubles,
    ) -> bool {
        let array = self.array.as_mut();
        let progress = array.map(|array| read_item(array, line, self.before, bytes));
        let ended = self
            .array
            .take_if(|_| progress != Some(PieceProgress::Open));
        let is_complete = self.add_to_object(line, bytes, trouble, troubles);

        if let (Some(PieceProgress::Complete), Some(array)) = (progress, ended) {
            troubles.are_of(array.0);
        }

        is_complete
    }

    fn add_to_object(
        &mut self,
        line: Line,
        bytes: &[u8],
        trouble: Trouble,
        troubles: &mut Troubles,
    ) -> bool {
        let first = bytes.trim_ascii_start().first();
        let mut progress = PieceProgress::Wrong;
        if self.is_next(line) {
            progress = self.object.read(bytes);
        }

        if progress == PieceProgress::Wrong {
            self.give_up(troubles);
            if first == Some(&b'{') {
                // An object in one line is an event, so this one is not complete.
                self.object = Pieces::default();
                progress = self.object.read(bytes);
            }
        }

        match progress {
            PieceProgress::Open => self.pending.push((line, trouble)),
            PieceProgress::Complete => self.complete(line),
            PieceProgress::Wrong => {
                if self.array.is_none() && first == Some(&b'[') {
                    let (first, last) = (line.number, line.number);
                    let mut array = (ArrayLines { first, last }, Pieces::default());
                    let is_open = array.1.read(bytes) == PieceProgress::Open;
                    self.array = is_open.then_some(array);
                }
                troubles.add(trouble);
            }
        }

        progress == PieceProgress::Complete
    }

    /// Returns `true` if a line may belong to the object that the pending lines begin.
    fn is_next(&self, line: Line) -> bool {
        let (Some((first, _)), Some((last, _))) = (self.pending.first(), self.pending.last())
        else {
            return false;
        };

        self.before == last.number
            && line.number - first.number < MAX_OBJECT_LINES as u64
            && line.offset + line.length as u64 - first.offset <= MAX_OBJECT_BYTES as u64
    }

    /// Notes that the pending lines and this one are an object.
    fn complete(&mut self, last: Line) {
        let first = self
            .pending
            .first()
            .map_or(last, |(first, _)| *first);
        self.pending.clear();

        let before = usize::try_from(last.offset - first.offset).unwrap_or_default();
        let length = before + last.length;
        let found = self
            .found
            .get_or_insert(MultiLineObjects {
                first: Line { length, ..first },
                last: last.number,
                count: 0,
            });
        found.count += 1;
    }

    /// Adds the troubles of the pending lines: they are not an object, so each is what it is by
    /// itself.
    fn give_up(&mut self, troubles: &mut Troubles) {
        for (_, trouble) in self.pending.drain(..) {
            troubles.add(trouble);
        }
    }

    /// Adds what was found, once all lines were read.
    pub(super) fn finish(mut self, troubles: &mut Troubles) {
        self.give_up(troubles);
        if let Some(found) = self.found {
            troubles.add(Trouble::MultiLineObjects(found));
        }
    }
}
