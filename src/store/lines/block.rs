//! Whole lines of a stream, cut out of its buffer -> each of them, in any thread.

use std::ops::Range;

use super::{BLOCK, LineRead, Repetition, is_blank};
use crate::source::Line;

/// Whole lines of a stream, to be read by another thread.
pub(crate) struct Block {
    pub(super) buffer: Vec<u8>,
    pub(super) lines: Range<usize>,
    /// The offset of the first line in the stream, and the number of lines before it.
    pub(super) offset: u64,
    pub(super) number: u64,
    pub(super) limit: usize,
    pub(super) repetition: Option<Repetition>,
}

impl Block {
    /// Returns the lines that are not blank.
    pub(crate) fn lines(&self) -> impl Iterator<Item = LineRead<'_>> {
        let bytes = self.buffer.get(self.lines.clone()).unwrap_or_default();
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', bytes).zip(self.number + 1..);
        ends.filter_map(move |(end, number)| {
            let text = bytes.get(start..end).unwrap_or_default();
            let line = Line {
                number,
                offset: self.offset + start as u64,
                length: end - start,
            };
            start = end + 1;
            (!is_blank(text)).then(|| LineRead::new(line, text, true, self.limit))
        })
    }

    /// Returns a line of this block, again.
    pub(crate) fn line(&self, line: Line) -> LineRead<'_> {
        LineRead::new(line, self.bytes(line), true, self.limit)
    }

    /// Returns the bytes of a line of this block.
    pub(crate) fn bytes(&self, line: Line) -> &[u8] {
        let start = usize::try_from(line.offset - self.offset).unwrap_or(usize::MAX);
        let bytes = self.buffer.get(self.lines.clone()).unwrap_or_default();
        bytes
            .get(start..start.saturating_add(line.length))
            .unwrap_or_default()
    }

    /// Returns whether the first line repeats the last one before this block.
    pub(crate) fn repetition(&self) -> Option<Repetition> {
        self.repetition
    }

    /// Returns the buffer for reuse, unless a long line has made it large.
    pub(crate) fn into_buffer(self) -> Option<Vec<u8>> {
        Some(self.buffer).filter(|buffer| buffer.len() <= 2 * BLOCK)
    }
}
