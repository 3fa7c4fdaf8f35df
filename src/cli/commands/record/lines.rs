//! Standard input -> its lines, and answers -> standard output, until one ends or a signal comes.

use std::io::{self, Read};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use super::super::output::wait;
use super::stop::StopSignal;
use crate::store::{LineRead, Lines};

/// The number of bytes that a pipe takes without blocking when it is writable: `PIPE_BUF`.
const PIECE: usize = 4 << 10;

/// The lines of standard input, and standard output for the answers to them.
pub(super) struct InputLines {
    stop: Arc<StopSignal>,
    lines: Lines<Input>,
}

/// Standard input, of which a signal ends the reading.
struct Input(Arc<StopSignal>);

impl Read for Input {
    /// Waits for more input or a signal, and reads what there is. That nobody reads the answers any
    /// more is an error.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let mut waited = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(&stdout, PollFlags::empty()),
            PollFd::new(&self.0.wakes, PollFlags::IN),
        ];
        wait(&mut waited)?;

        let [input, output, signals] = waited.map(|waited| !waited.revents().is_empty());
        if output {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if signals {
            return Err(io::Error::other("a signal came"));
        }
        if !input {
            return Err(io::ErrorKind::Interrupted.into());
        }

        match rustix::io::read(&stdin, buffer) {
            Err(Errno::AGAIN) => Err(io::ErrorKind::Interrupted.into()),
            read => Ok(read?),
        }
    }
}

impl InputLines {
    /// Returns the lines of standard input.
    pub(super) fn new(stop: StopSignal, limit: usize) -> Self {
        let stop = Arc::new(stop);
        let input = Input(Arc::clone(&stop));
        let lines = Lines::new(input, Vec::new(), limit);
        Self { stop, lines }
    }

    /// Returns the next line that is not blank; `None` where the input has ended, or a signal asks
    /// to stop.
    pub(super) fn next(&mut self) -> io::Result<Option<LineRead<'_>>> {
        if self.stop.is_asked() {
            return Ok(None);
        }

        match self.lines.next_line() {
            Err(_) if self.stop.is_asked() => Ok(None),
            line => line,
        }
    }

    /// Returns `true` if a signal asks to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_asked()
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
                Ok(written) => {
                    answer = answer
                        .get(written..)
                        .unwrap_or_default();
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        }

        Ok(true)
    }
}
