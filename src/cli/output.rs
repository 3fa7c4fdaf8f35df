//! Standard output and standard error, and what can be drawn on them.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};

use crate::printable::escape;
use crate::report::Style;

/// Columns where none are known, and the most that a report uses: longer lines are hard to read.
const DEFAULT_WIDTH: usize = 80;
const MAX_WIDTH: usize = 120;
const MIN_WIDTH: usize = 40;

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless `NO_COLOR` is set; elsewhere if `CLICOLOR_FORCE` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Where a command prints.
pub(super) struct Output {
    stdout: WholeLines,
    /// Whether a message could not be printed.
    is_muted: Cell<bool>,
}

/// Bytes that are written at a time. It is `PIPE_BUF`: a pipe takes that many as a whole or not at
/// all.
const BLOCK: usize = 4 << 10;

/// Bytes of a line that wait for its end.
const LONG_LINE: usize = 1 << 20;

/// Standard output, in blocks of whole lines: wherever the program is interrupted, what it printed
/// ends with a line, unless that line is longer than a block.
///
/// It writes by itself: the standard library passes over the error of an output that can't be
/// written to.
#[derive(Default)]
struct WholeLines {
    waiting: Vec<u8>,
    /// Where the last whole line ends.
    whole: usize,
}

impl WholeLines {
    fn write_out(&mut self, end: usize) -> io::Result<()> {
        let mut written = 0;
        while written < end {
            match rustix::io::write(
                io::stdout(),
                self.waiting.get(written..end).unwrap_or_default(),
            ) {
                Ok(count) => written += count,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.waiting.drain(..end);
        self.whole = 0;
        Ok(())
    }
}

impl Write for WholeLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.waiting.len() + line.len() > BLOCK && self.whole > 0 {
                self.write_out(self.whole)?;
            }
            self.waiting.extend_from_slice(line);
            if line.ends_with(b"\n") {
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

impl Output {
    pub(super) fn new() -> Self {
        Self {
            stdout: WholeLines::default(),
            is_muted: Cell::new(false),
        }
    }

    /// What a command was asked for.
    pub(super) fn stdout(&mut self) -> &mut dyn Write {
        &mut self.stdout
    }

    /// Writes out what waits; a fault of a buffered write shows here at the latest.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }

    /// Reports that the tool could not do something.
    pub(super) fn fault(&self, message: &dyn std::fmt::Display) {
        self.tell(&format!("error: {}\n", escape(&message.to_string())));
    }

    /// Reports what is worth knowing and not a fault.
    pub(super) fn note(&self, message: &str) {
        self.tell(&format!("note: {}\n", escape(message)));
    }

    /// Reports a fault in a text that is drawn and escaped already.
    pub(super) fn drawn(&self, text: &str) {
        self.tell(&format!("error:\n{text}"));
    }

    /// Prints to standard error: the one place that does. `eprint!` would panic where nothing can
    /// be written.
    fn tell(&self, text: &str) {
        if io::stderr().write_all(text.as_bytes()).is_err() {
            self.is_muted.set(true);
        }
    }

    /// Whether a message could not be printed: a fault, of which only the exit code can tell.
    pub(super) fn is_muted(&self) -> bool {
        self.is_muted.get()
    }

    /// Reports that output can't be written, except to a reader that has gone away.
    pub(super) fn fault_of_output(&self, error: &io::Error) {
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.fault(&format!("can't write the output: {error}"));
        }
    }
}

/// How text for people is drawn on standard output.
pub(super) fn style(color: Color) -> Style {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_terminal = io::stdout().is_terminal();
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let forced = set("CLICOLOR_FORCE")
        && std::env::var_os("CLICOLOR_FORCE").is_none_or(|value| value != "0");
    let coloured = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => !set("NO_COLOR") && (forced || (is_terminal && !is_dumb)),
    };
    match (coloured, is_terminal && is_dumb) {
        (true, _) => Style::Colour,
        (false, true) => Style::Ascii,
        (false, false) => Style::Plain,
    }
}

/// The width of the terminal, else `COLUMNS`, else 80. So what is written to a file does not depend
/// on where it was done.
pub(super) fn width() -> usize {
    let of_terminal =
        rustix::termios::tcgetwinsize(io::stdout()).map(|size| usize::from(size.ws_col));
    let asked_for = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns = of_terminal
        .ok()
        .filter(|columns| *columns > 0)
        .or_else(asked_for);
    columns.map_or(DEFAULT_WIDTH, |columns| columns.clamp(MIN_WIDTH, MAX_WIDTH))
}
