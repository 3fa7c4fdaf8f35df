//! Standard input -> its lines, until it ends or a signal comes.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

/// The number of bytes to read at a time.
const BLOCK: usize = 64 << 10;

/// The number of bytes of a block for which lines keep their memory.
const KEPT_BYTES: usize = 1 << 20;

/// The lines of standard input.
pub(super) struct Lines {
    /// Becomes readable when a signal comes.
    signals: UnixStream,
    /// What was read.
    waiting: Vec<u8>,
    /// Where the next line starts.
    from: usize,
    /// Up to where no newline is after that.
    seen: usize,
    limit: usize,
    has_ended: bool,
}

/// What comes next.
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

impl Lines {
    /// The lines of standard input; from now on, SIGINT and SIGTERM only end them.
    pub(super) fn new(limit: usize) -> io::Result<Self> {
        let (signals, raised) = UnixStream::pair()?;
        signals.set_nonblocking(true)?;
        pipe::register(SIGINT, raised.try_clone()?)?;
        pipe::register(SIGTERM, raised)?;
        Ok(Self {
            signals,
            waiting: Vec::new(),
            from: 0,
            seen: 0,
            limit,
            has_ended: false,
        })
    }

    /// The next line, which may be blank.
    pub(super) fn next(&mut self) -> io::Result<Next<'_>> {
        let mut is_too_long = false;
        loop {
            if self.is_stopped() {
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

    fn is_stopped(&mut self) -> bool {
        self.signals.read(&mut [0]).is_ok_and(|read| read > 0)
    }

    /// Waits for more input or a signal, and reads what there is.
    fn read(&mut self) -> io::Result<()> {
        let stdin = io::stdin();
        let mut waited = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(&self.signals, PollFlags::IN),
        ];
        match poll(&mut waited, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [input, signals] = waited.map(|waited| !waited.revents().is_empty());
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
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => 0,
            Err(error) => return Err(error.into()),
        };
        self.waiting.truncate(length + read);
        Ok(())
    }
}
