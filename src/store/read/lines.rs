//! A stream -> its lines, one at a time, in a buffer that grows only for a line that needs it.

use std::io::{self, BufRead, BufReader, Read};

use super::artifacts::Opened;
use super::limits::{LARGE_BYTES, MAX_RECORD_BYTES, MAX_TIMELINE_BYTES};
use crate::ground::source::Line;

/// The number of bytes to read at a time.
const BLOCK: usize = 256 << 10;

/// The bytes that are read first: most timelines are shorter.
const FIRST_READ: usize = 32 << 10;

/// The length of a line that stays in the buffer until the next one is compared with it, at most:
/// a longer one is read again if the two have the same length.
const KEPT: usize = 16 << 10;

/// One line of a stream.
#[derive(Clone, Copy)]
pub(crate) enum LineRead<'b> {
    /// A line, without its newline; whether it had one.
    Text {
        line: Line,
        bytes: &'b [u8],
        ended: bool,
    },
    /// A line that is longer than the limit and was skipped.
    TooLong { line: Line },
}

/// A line that repeats the one right before it, or may.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repetition {
    pub(crate) original: Line,
    pub(crate) line: Line,
    /// `true` if their bytes were compared; if not, only their lengths are known to be equal.
    is_certain: bool,
}

/// The lines of a stream.
pub(crate) struct Lines<R> {
    stream: R,
    buffer: Vec<u8>,
    limit: usize,
    /// The unread part of the buffer, and up to where it was searched for a newline.
    start: usize,
    searched: usize,
    end: usize,
    /// The offset in the stream where the unread part starts, and its line.
    offset: u64,
    number: u64,
    at_end: bool,
    /// The number of the first line that is wanted; those before it are passed.
    first: u64,
    /// The line before the unread part, unless it is blank, and the offset of its start in the
    /// buffer, if it is still there.
    before: Option<(Line, Option<usize>)>,
    repetition: Option<Repetition>,
}

impl LineRead<'_> {
    pub(crate) fn line(&self) -> Line {
        match self {
            Self::Text { line, .. } | Self::TooLong { line } => *line,
        }
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

impl<R: Read> Lines<R> {
    /// Returns the lines of a stream; the buffer may come from an earlier one.
    pub(crate) fn new(stream: R, buffer: Vec<u8>, limit: usize) -> Self {
        Self {
            stream,
            buffer,
            limit,
            start: 0,
            searched: 0,
            end: 0,
            offset: 0,
            number: 0,
            at_end: false,
            first: 0,
            before: None,
            repetition: None,
        }
    }

    /// Returns the lines from a number on. One before it that is longer than the limit is still
    /// returned.
    pub(crate) fn starting_at(self, first: u64) -> Self {
        Self { first, ..self }
    }

    /// Returns the stream and the buffer.
    pub(crate) fn into_parts(self) -> (R, Vec<u8>) {
        (self.stream, self.buffer)
    }

    /// Returns the next line that is not blank; `None` at the end.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<LineRead<'_>>> {
        self.next_line_with(|| ())
    }

    /// Returns the next line that is not blank; calls `before_large` before it takes the memory of
    /// a large one.
    pub(crate) fn next_line_with(
        &mut self,
        before_large: impl Fn(),
    ) -> io::Result<Option<LineRead<'_>>> {
        loop {
            let unsearched = self
                .buffer
                .get(self.searched..self.end)
                .unwrap_or_default();
            if let Some(newline) = memchr::memchr(b'\n', unsearched) {
                let end = self.searched + newline;
                if self.passes(end, true) {
                    continue;
                }
                return Ok(Some(self.take(end, true)));
            }

            self.searched = self.end;
            if self.at_end {
                let is_over = self.passes(self.end, false);
                return Ok((!is_over).then(|| self.take(self.end, false)));
            }

            if self.end - self.start > self.limit {
                return self.pass_over().map(Some);
            }
            if self.end - self.start > LARGE_BYTES {
                before_large();
            }

            self.fill()?;
        }
    }

    /// Passes the unread bytes up to `end` if they are blank, or a line that is not wanted.
    fn passes(&mut self, end: usize, ended: bool) -> bool {
        let line = self
            .buffer
            .get(self.start..end)
            .unwrap_or_default();
        let is_passed = self.number + 1 < self.first || is_blank(line);
        if is_passed {
            self.take(end, ended);
            self.before = None;
        }

        is_passed
    }

    /// Returns the unread bytes up to `end`, and marks them as read.
    #[inline]
    fn take(&mut self, end: usize, ended: bool) -> LineRead<'_> {
        let start = self.start;
        self.number += 1;
        let line = Line {
            number: self.number,
            offset: self.offset,
            length: end - start,
        };

        self.repetition = self.repeats(line, start);
        self.before = Some((line, Some(start)));
        self.start = end + usize::from(ended);
        self.searched = self.start;
        self.offset += (self.start - start) as u64;
        if line.length > self.limit {
            return LineRead::TooLong { line };
        }

        let bytes = self
            .buffer
            .get(start..end)
            .unwrap_or_default();

        LineRead::Text { line, bytes, ended }
    }

    /// Returns whether a line, which starts at a place of the buffer, repeats the one before it.
    fn repeats(&self, line: Line, start: usize) -> Option<Repetition> {
        let (original, before) = self.before?;
        if original.length != line.length {
            return None;
        }

        let bytes = |start: usize| {
            self.buffer
                .get(start..start + line.length)
        };

        let is_certain = match before {
            Some(before) if bytes(before) != bytes(start) => return None,
            before => before.is_some(),
        };

        Some(Repetition {
            original,
            line,
            is_certain,
        })
    }

    /// Returns whether the line that was returned last repeats the one before it.
    pub(crate) fn repetition(&self) -> Option<Repetition> {
        self.repetition
    }

    /// Returns where the part of the buffer starts that the next reading needs: at the unread part,
    /// or at the line before it.
    fn needed_from(&mut self, unread: usize) -> usize {
        let Some((line, before)) = &mut self.before else {
            return unread;
        };
        let is_kept = |start: &usize| line.length <= KEPT && start + line.length + 1 == unread;
        let start = before.filter(is_kept);
        *before = start.map(|_| 0);

        start.unwrap_or(unread)
    }

    fn fill(&mut self) -> io::Result<()> {
        let is_full = self.end == self.buffer.len();
        let from = self.needed_from(self.start);
        if from > 0 {
            self.buffer
                .copy_within(from..self.end, 0);
            self.searched -= from;
            self.end -= from;
            self.start -= from;
        }

        let is_small = self.buffer.len() < BLOCK;
        if is_full && (is_small || self.buffer.len() - self.end < BLOCK / 2) {
            // Doubles, so that a long line costs linear time, up to what the longest line needs.
            let length = (self.buffer.len() * 2)
                .max(FIRST_READ)
                .min(self.limit.saturating_add(BLOCK));
            self.buffer
                .try_reserve_exact(length.saturating_sub(self.buffer.len()))?;
            self.buffer.resize(length, 0);
        }

        let free_to = self.buffer.len().min(self.end + BLOCK);
        let free = self
            .buffer
            .get_mut(self.end..free_to)
            .unwrap_or_default();

        loop {
            match self.stream.read(free) {
                Ok(0) => {
                    self.at_end = true;
                    return Ok(());
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Skips to the end of a line that is longer than the limit.
    fn pass_over(&mut self) -> io::Result<LineRead<'_>> {
        let mut length = 0;
        loop {
            let unread = self
                .buffer
                .get(self.start..self.end)
                .unwrap_or_default();
            let newline = memchr::memchr(b'\n', unread);
            let passed = newline.unwrap_or(unread.len());
            length += passed;
            self.start += passed;
            self.searched = self.start;
            if newline.is_some() || self.at_end {
                self.number += 1;
                let line = Line {
                    number: self.number,
                    offset: self.offset,
                    length,
                };

                if let Some((_, before)) = &mut self.before {
                    *before = None;
                }

                self.repetition = self.repeats(line, self.start);
                self.before = Some((line, None));
                let newline = usize::from(newline.is_some());
                self.start += newline;
                self.searched = self.start;
                self.offset += (length + newline) as u64;
                return Ok(LineRead::TooLong { line });
            }

            self.fill()?;
        }
    }
}

impl Lines<Opened<'_>> {
    /// Returns whether a line that may repeat the one before it does.
    pub(crate) fn confirms(&self, repetition: Repetition) -> io::Result<bool> {
        let Repetition { original, line, .. } = repetition;
        Ok(repetition.is_certain || self.stream.same(original, line)?)
    }
}

/// Reads the lines of a timeline, newlines included, until `take` returns `false`; returns what
/// follows the last newline. A line or a file beyond the limits is an error.
pub(crate) fn whole_lines(
    file: impl Read,
    take: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<Vec<u8>> {
    let mut left = MAX_TIMELINE_BYTES;
    let mut file = BufReader::new(file);
    let mut line = Vec::new();

    loop {
        line.clear();
        let most = (MAX_RECORD_BYTES as u64 + 2).min(left + 1);
        let read = (&mut file)
            .take(most)
            .read_until(b'\n', &mut line)?;
        let exceeded = match read {
            _ if read > MAX_RECORD_BYTES + 1 => Some(("a line", MAX_RECORD_BYTES as u64)),
            _ if read as u64 > left => Some(("the file", MAX_TIMELINE_BYTES)),
            _ => None,
        };

        if let Some((what, limit)) = exceeded {
            let why = format!("{what} is larger than the limit of {} MiB", limit >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }

        left -= read as u64;
        if !line.ends_with(b"\n") {
            return Ok(line);
        }
        if !take(&line) {
            return Ok(Vec::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that yields a few bytes at a time.
    struct Dripping<'a>(&'a [u8], usize);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self
                .1
                .min(self.0.len())
                .min(buffer.len());
            self.0
                .split_off(..count)
                .unwrap_or_default()
                .read(buffer)
        }
    }

    fn lines(text: &[u8], limit: usize, drip: usize) -> Vec<(u64, u64, usize, Option<String>)> {
        let mut lines = Lines::new(Dripping(text, drip), Vec::new(), limit);
        let mut all = Vec::new();
        while let Some(read) = lines.next_line().unwrap() {
            all.push(match read {
                LineRead::Text { line, bytes, .. } => (
                    line.number,
                    line.offset,
                    line.length,
                    Some(String::from_utf8_lossy(bytes).into_owned()),
                ),
                LineRead::TooLong { line } => (line.number, line.offset, line.length, None),
            });
        }
        all
    }

    #[test]
    fn lines_are_numbered_however_bytes_arrive() {
        for drip in [1, 2, 3, 100] {
            let text = |text: &str| Some(text.to_owned());
            assert_eq!(
                lines(b"one\n \nthree\nlast\n\n", 100, drip),
                [
                    (1, 0, 3, text("one")),
                    (3, 6, 5, text("three")),
                    (4, 12, 4, text("last"))
                ]
            );
        }
    }

    #[test]
    fn lines_before_the_first_that_is_wanted_are_passed() {
        for (first, expected) in [
            (0, vec![1, 3, 4]),
            (3, vec![3, 4]),
            (2, vec![3, 4]),
            (5, vec![]),
        ] {
            let stream = Dripping(b"one\n \nthree\nlast", 2);
            let mut lines = Lines::new(stream, Vec::new(), 100).starting_at(first);
            let mut numbers = Vec::new();
            while let Some(read) = lines.next_line().unwrap() {
                numbers.push(read.line().number);
            }
            assert_eq!(numbers, expected, "{first}");
        }
    }

    #[test]
    fn oversized_line_is_skipped_and_the_rest_is_read() {
        for drip in [1, 7, 100] {
            let read = lines(b"aaaaaaaaaa\nb\ncccccccccc", 5, drip);
            assert_eq!(
                read,
                [
                    (1, 0, 10, None),
                    (2, 11, 1, Some("b".into())),
                    (3, 13, 10, None)
                ]
            );
        }
    }
}
