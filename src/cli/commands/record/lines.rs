//! Standard input -> its lines, and answers -> standard output, until one ends or a signal comes.

use std::io;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::stop::StopSignal;

/// The number of bytes to read at a time.
const BLOCK: usize = 64 << 10;

/// The number of bytes of a block for which lines keep their memory.
const KEPT_BYTES: usize = 1 << 20;

/// The number of bytes that a pipe takes without blocking when it is writable: `PIPE_BUF`.
const PIECE: usize = 4 << 10;

/// The lines of standard input, and standard output for the answers to them.
pub(super) struct InputLines {
    stop: StopSignal,
    /// The bytes that were read and not passed on yet.
    waiting: Vec<u8>,
    /// The offset of the next line.
    from: usize,
    /// The offset up to which the next line is known to have no newline.
    seen: usize,
    limit: usize,
    has_ended: bool,
}

/// The next part of the input.
pub(super) enum Next<'l> {
    /// A line without its newline; the last one may lack it.
    Line(&'l [u8]),
    /// A line that is longer than the limit. It was passed over.
    TooLong,
    /// Nothing: the input has ended.
    End,
    /// Nothing: a signal asks to stop.
    Stopped,
}

impl InputLines {
    /// Returns the lines of standard input.
    pub(super) fn new(stop: StopSignal, limit: usize) -> Self {
        Self {
            stop,
            waiting: Vec::new(),
            from: 0,
            seen: 0,
            limit,
            has_ended: false,
        }
    }

    /// Returns the next line, which may be blank.
    pub(super) fn next(&mut self) -> io::Result<Next<'_>> {
        let mut is_too_long = false;
        loop {
            if self.stop.is_asked() {
                return Ok(Next::Stopped);
            }
            let unseen = self.waiting.get(self.seen..).unwrap_or_default();
            let newline = memchr::memchr(b'\n', unseen).map(|at| self.seen + at);
            let end = newline.unwrap_or(self.waiting.len());
            is_too_long |= end - self.from > self.limit;
            if newline.is_some() || (self.has_ended && (end > self.from || is_too_long)) {
                let after = self.waiting.len().min(end + 1);
                let from = std::mem::replace(&mut self.from, after);
                self.seen = self.from;
                if is_too_long {
                    return Ok(Next::TooLong);
                }
                return Ok(Next::Line(self.waiting.get(from..end).unwrap_or_default()));
            }
            if self.has_ended {
                return Ok(Next::End);
            }
            // What is too long is not kept.
            self.from = if is_too_long { end } else { self.from };
            self.waiting.drain(..self.from.min(end));
            self.from = 0;
            self.seen = self.waiting.len();
            if self.seen == 0 {
                self.waiting.shrink_to(KEPT_BYTES);
            }
            self.read()?;
        }
    }

    /// Waits for more input or a signal, and reads what there is. That nobody reads the answers any
    /// more is an error.
    fn read(&mut self) -> io::Result<()> {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let mut waited = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(&stdout, PollFlags::empty()),
            PollFd::new(&self.stop.wakes, PollFlags::IN),
        ];
        wait(&mut waited)?;
        let [input, output, signals] = waited.map(|waited| !waited.revents().is_empty());
        if output {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if signals || !input {
            return Ok(());
        }
        let length = self.waiting.len();
        self.waiting.resize(length + BLOCK, 0);
        let free = self.waiting.get_mut(length..).unwrap_or_default();
        let read = match rustix::io::read(&stdin, free) {
            Ok(0) => {
                self.has_ended = true;
                0
            }
            Ok(read) => read,
            Err(Errno::INTR | Errno::AGAIN) => 0,
            Err(error) => return Err(error.into()),
        };
        self.waiting.truncate(length + read);
        Ok(())
    }

    /// Writes an answer to standard output; `false` where a signal came before its reader took it.
    pub(super) fn write(&self, mut answer: &[u8]) -> io::Result<bool> {
        let stdout = io::stdout();
        while !answer.is_empty() {
            let mut waited = [
                PollFd::new(&stdout, PollFlags::OUT),
                PollFd::new(&self.stop.wakes, PollFlags::IN),
            ];
            wait(&mut waited)?;
            let [output, _] = waited;
            if output.revents().is_empty() {
                if self.stop.is_asked() {
                    return Ok(false);
                }
                continue;
            }
            let piece = answer.get(..PIECE).unwrap_or(answer);
            match rustix::io::write(&stdout, piece) {
                Ok(written) => answer = answer.get(written..).unwrap_or_default(),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }
}

fn wait(waited: &mut [PollFd<'_>]) -> io::Result<()> {
    match poll(waited, None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
