//! Reports -> text: one renderer for each format, all fed episode by episode, none keeping what it has written.

mod human;
mod json;

use std::io::{self, Write};

pub use human::{HumanOptions, Style};
pub use json::{write_json, write_json_text};

use crate::finding::{EpisodeReport, Totals};

/// Writes a report as it comes.
pub trait Renderer {
    /// Writes what stands before the first episode.
    ///
    /// # Errors
    ///
    /// Those of the writer, here and below.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// Writes one episode.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()>;
    /// Writes what stands behind the last episode.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    fn end(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()>;
}

/// A report for people, drawn with snippets.
#[must_use]
pub fn human(options: HumanOptions) -> Box<dyn Renderer> {
    Box::new(human::Human::new(options))
}

/// The report as one JSON document, see `schemas/report.schema.json`.
#[must_use]
pub fn json() -> Box<dyn Renderer> {
    Box::new(json::Json::default())
}

/// The report as one line of JSON for each episode, and one for the totals.
#[must_use]
pub fn ndjson() -> Box<dyn Renderer> {
    Box::new(json::Ndjson)
}

/// Writes a text on as many lines as it takes.
pub(crate) fn paragraph(out: &mut dyn Write, width: usize, first: &str, next: &str, text: &str) -> io::Result<()> {
    let options = textwrap::Options::new(width)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .initial_indent(first)
        .subsequent_indent(next);
    textwrap::wrap(text, options).iter().try_for_each(|line| {
        // Where a long word was broken, what comes to stand at the start of a line must make it no command.
        let words = line.trim_start();
        let blanks = line.get(..line.len() - words.len()).unwrap_or_default();
        writeln!(out, "{blanks}{}", crate::printable::escape(words))
    })
}
