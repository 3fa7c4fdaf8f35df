//! The output of a command -> standard output and standard error, drawn as they allow.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::Exit;
use crate::ground::printable::{ascii, escape};
use crate::report::{DashboardText, Style};
use crate::store::WalkFindings;

/// The maximum width: longer lines are hard to read.
const MAX_WIDTH: usize = 120;
const MIN_WIDTH: usize = 40;

/// The choice when to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless `NO_COLOR` is set; elsewhere if `CLICOLOR_FORCE` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// `true` if text for people is written in ASCII: the user asks for it, or the terminal knows no
/// more.
static IN_ASCII: AtomicBool = AtomicBool::new(false);

/// Has text for people written in ASCII, if it is asked for or the variable `TERM` is `dumb`.
pub(super) fn write_in_ascii(is_asked: bool) {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    IN_ASCII.store(is_asked || is_dumb, Ordering::Relaxed);
}

fn is_in_ascii() -> bool {
    IN_ASCII.load(Ordering::Relaxed)
}

/// The output of a command.
#[derive(Default)]
pub(super) struct Output {
    stdout: WholeLines,
    /// `true` if a message could not be printed.
    is_muted: AtomicBool,
}

/// The number of bytes to write at a time: `PIPE_BUF`, up to which a write to a pipe is atomic.
const BLOCK: usize = 4 << 10;

/// The number of bytes of a line to buffer before its end is seen.
const LONG_LINE: usize = 1 << 20;

/// Standard output, in blocks of whole lines: if the program is interrupted, its output still ends
/// with a whole line, unless that line is longer than a block.
///
/// It does not use the standard library's writer, which ignores an error when standard output is
/// closed.
#[derive(Default)]
struct WholeLines {
    waiting: Vec<u8>,
    /// The end of the last whole line.
    whole: usize,
    /// `true` if other programs read it, so that every byte stays as it is.
    is_for_programs: bool,
}

impl WholeLines {
    fn write_out(&mut self, end: usize) -> io::Result<()> {
        write_all(
            io::stdout(),
            self.waiting
                .get(..end)
                .unwrap_or_default(),
        )?;
        self.waiting.drain(..end);
        self.whole = 0;

        Ok(())
    }
}

impl Write for WholeLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = match str::from_utf8(bytes) {
            Ok(text) if is_in_ascii() && !self.is_for_programs => ascii(text),
            _ => Cow::Borrowed(""),
        };

        let mut rest = if text.is_empty() {
            bytes
        } else {
            text.as_bytes()
        };

        while !rest.is_empty() {
            let newline = memchr::memchr(b'\n', rest);
            let (line, after) = rest.split_at(newline.map_or(rest.len(), |at| at + 1));
            rest = after;
            if self.waiting.len() + line.len() > BLOCK && self.whole > 0 {
                self.write_out(self.whole)?;
            }

            self.waiting.extend_from_slice(line);
            if newline.is_some() {
                self.whole = self.waiting.len();
            } else if self.waiting.len() > LONG_LINE {
                self.write_out(self.waiting.len())?;
            }
        }

        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_out(self.waiting.len())
    }
}

/// Writes all of some bytes, and waits where the output is full and does not block.
pub(super) fn write_all(to: impl AsFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(&to, bytes) {
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait(&mut [PollFd::new(&to, PollFlags::OUT)])?,
            Err(error) => return Err(error.into()),
        }
    }

    Ok(())
}

/// Waits until one of some files is ready, or a signal comes.
pub(super) fn wait(waited: &mut [PollFd<'_>]) -> io::Result<()> {
    match poll(waited, None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl Output {
    /// Standard output, for the results of a command.
    pub(super) fn stdout(&mut self) -> &mut dyn Write {
        &mut self.stdout
    }

    /// Has standard output keep every byte, because other programs read it.
    pub(super) fn keep_bytes(&mut self) {
        self.stdout.is_for_programs = true;
    }

    /// Standard output, for a text that is drawn for people.
    #[cfg(feature = "commands")]
    pub(super) fn text(&mut self, color: Color) -> DashboardText<'_> {
        DashboardText::new(&mut self.stdout, style(color), width())
    }

    /// Writes the buffered output; an error of a buffered write shows here at the latest.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }

    /// Writes the buffered output, then reports faults, and that there is no episode: the exit code
    /// of a command that fails on nothing else.
    pub(super) fn end<F: Display>(
        &mut self,
        faults: impl IntoIterator<Item = F>,
        found: Option<&WalkFindings>,
    ) -> io::Result<Exit> {
        self.finish()?;
        let number = faults
            .into_iter()
            .map(|fault| self.fault(&fault))
            .count();
        if number == 0
            && let Some(found) = found.filter(|found| found.episodes.is_empty())
        {
            self.fault(&format!("no episode found{}", found.exclusion()));
            return Ok(Exit::NothingFound);
        }

        Ok(match number {
            0 => Exit::Success,
            _ => Exit::Fault,
        })
    }

    /// Reports that runvet could not do something.
    pub(super) fn fault(&self, message: &dyn Display) {
        self.drawn(&format!("error: {}\n", escape(&message.to_string())));
    }

    /// Reports something that is not a fault.
    pub(super) fn note(&self, message: &str) {
        self.drawn(&format!("note: {}\n", escape(message)));
    }

    /// Tells how a command went, in a line of its own.
    pub(super) fn say(&self, message: &str) {
        self.drawn(&format!("{}\n", escape(message)));
    }

    /// Prints a text that is safe to standard error; nothing else does. `eprint!` would panic if it
    /// can't be written.
    pub(super) fn drawn(&self, text: &str) {
        let text = if is_in_ascii() {
            ascii(text)
        } else {
            text.into()
        };

        if write_all(io::stderr(), text.as_bytes()).is_err() {
            self.is_muted
                .store(true, Ordering::Relaxed);
        }
    }

    /// Returns `true` if a message could not be printed, which only the exit code can show.
    pub(super) fn is_muted(&self) -> bool {
        self.is_muted.load(Ordering::Relaxed)
    }
}

/// Returns how text for people is drawn on standard output.
pub(super) fn style(color: Color) -> Style {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_terminal = io::stdout().is_terminal();
    let forced = set("CLICOLOR_FORCE")
        && std::env::var_os("CLICOLOR_FORCE").is_none_or(|value| value != "0");
    let coloured = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => !set("NO_COLOR") && (forced || (is_terminal && !is_in_ascii())),
    };

    match (coloured, is_in_ascii()) {
        (true, _) => Style::Colour,
        (false, true) => Style::Ascii,
        (false, false) => Style::Plain,
    }
}

/// Returns the width of the terminal, else `COLUMNS`, else no limit: what goes to a pipe or a file
/// is neither wrapped nor cut, because other programs search it.
pub(super) fn width() -> usize {
    let of_terminal =
        rustix::termios::tcgetwinsize(io::stdout()).map(|size| usize::from(size.ws_col));
    let requested = || {
        std::env::var("COLUMNS")
            .ok()?
            .parse()
            .ok()
    };

    let columns: Option<usize> = of_terminal
        .ok()
        .filter(|columns| *columns > 0)
        .or_else(requested);

    columns.map_or(usize::MAX, |columns| columns.clamp(MIN_WIDTH, MAX_WIDTH))
}
