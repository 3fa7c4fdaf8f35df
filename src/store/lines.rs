//! A stream -> its lines, one at a time, in a buffer that grows only for a line that needs it.

use std::io::{self, Read};

use crate::source::Line;

/// Bytes read at a time.
const BLOCK: usize = 256 << 10;

/// One line of a stream.
pub(crate) enum LineRead<'b> {
    /// A line, without its newline; whether it had one.
    Text { line: Line, bytes: &'b [u8], ended: bool },
    /// A line that is longer than the limit and was passed over.
    TooLong { line: Line },
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
    /// Where the unread part starts in the stream, and on which line.
    offset: u64,
    number: u64,
    at_end: bool,
}

impl<R: Read> Lines<R> {
    /// The lines of a stream; the buffer may come from an earlier one.
    pub(crate) fn new(stream: R, buffer: Vec<u8>, limit: usize) -> Self {
        Self { stream, buffer, limit, start: 0, searched: 0, end: 0, offset: 0, number: 0, at_end: false }
    }

    /// Gives the stream and the buffer back.
    pub(crate) fn into_parts(self) -> (R, Vec<u8>) {
        (self.stream, self.buffer)
    }

    /// The next line that is not blank; `None` at the end.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<LineRead<'_>>> {
        loop {
            let unsearched = self.buffer.get(self.searched..self.end).unwrap_or_default();
            if let Some(newline) = memchr::memchr(b'\n', unsearched) {
                let end = self.searched + newline;
                if self.pass_blank(end, true) {
                    continue;
                }
                return Ok(Some(self.take(end, true)));
            }
            self.searched = self.end;
            if self.at_end {
                let is_over = self.pass_blank(self.end, false);
                return Ok((!is_over).then(|| self.take(self.end, false)));
            }
            if self.end - self.start > self.limit {
                return self.pass_over().map(Some);
            }
            self.fill()?;
        }
    }

    /// Passes over the unread bytes up to `end` where they are blank.
    fn pass_blank(&mut self, end: usize, ended: bool) -> bool {
        let line = self.buffer.get(self.start..end).unwrap_or_default();
        let is_blank = line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        if is_blank {
            self.take(end, ended);
        }
        is_blank
    }

    /// Hands out the unread bytes up to `end`.
    fn take(&mut self, end: usize, ended: bool) -> LineRead<'_> {
        let start = self.start;
        self.number += 1;
        let line = Line { number: self.number, offset: self.offset, length: end - start };
        self.start = end + usize::from(ended);
        self.searched = self.start;
        self.offset += (self.start - start) as u64;
        if line.length > self.limit {
            return LineRead::TooLong { line };
        }
        LineRead::Text { line, bytes: self.buffer.get(start..end).unwrap_or_default(), ended }
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.searched -= self.start;
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.end < BLOCK / 2 {
            // Doubles, so that a long line costs linear time.
            let length = (self.buffer.len() * 2).max(BLOCK);
            self.buffer.resize(length, 0);
        }
        let free = self.buffer.get_mut(self.end..).unwrap_or_default();
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

    /// Reads on to the end of a line that is longer than the limit, keeping none of it.
    fn pass_over(&mut self) -> io::Result<LineRead<'_>> {
        let mut length = 0;
        loop {
            let unread = self.buffer.get(self.start..self.end).unwrap_or_default();
            let newline = memchr::memchr(b'\n', unread);
            let passed = newline.unwrap_or(unread.len());
            length += passed;
            self.start += passed;
            self.searched = self.start;
            if newline.is_some() || self.at_end {
                self.number += 1;
                let line = Line { number: self.number, offset: self.offset, length };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that yields a few bytes at a time.
    struct Dripping<'a>(&'a [u8], usize);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            self.0.split_off(..count).unwrap_or_default().read(buffer)
        }
    }

    fn lines(text: &[u8], limit: usize, drip: usize) -> Vec<(u64, u64, usize, Option<String>)> {
        let mut lines = Lines::new(Dripping(text, drip), Vec::new(), limit);
        let mut all = Vec::new();
        while let Some(read) = lines.next_line().unwrap() {
            all.push(match read {
                LineRead::Text { line, bytes, .. } => {
                    (line.number, line.offset, line.length, Some(String::from_utf8_lossy(bytes).into_owned()))
                }
                LineRead::TooLong { line } => (line.number, line.offset, line.length, None),
            });
        }
        all
    }

    #[test]
    fn lines_are_numbered_and_measured_however_the_bytes_arrive() {
        for drip in [1, 2, 3, 100] {
            let text = |text: &str| Some(text.to_owned());
            assert_eq!(
                lines(b"one\n \nthree\nlast\n\n", 100, drip),
                [(1, 0, 3, text("one")), (3, 6, 5, text("three")), (4, 12, 4, text("last"))]
            );
        }
    }

    #[test]
    fn a_line_beyond_the_limit_is_passed_over_and_the_next_ones_are_read() {
        for drip in [1, 7, 100] {
            let read = lines(b"aaaaaaaaaa\nb\ncccccccccc", 5, drip);
            assert_eq!(read, [(1, 0, 10, None), (2, 11, 1, Some("b".into())), (3, 13, 10, None)]);
        }
    }
}
