//! A text -> lines that are no wider than a width.

use std::io::{self, Write};

use crate::ground::printable::escape;

/// Writes a text, wrapped.
pub(super) fn paragraph(
    out: &mut dyn Write,
    width: usize,
    [first, next]: [&str; 2],
    text: &str,
) -> io::Result<()> {
    let options = textwrap::Options::new(width)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .initial_indent(first)
        .subsequent_indent(next);

    textwrap::wrap(text, options)
        .iter()
        .try_for_each(|line| {
            // If a long word is broken, its second part must not turn the new line into a workflow
            // command.
            let words = line.trim_start();
            let blanks = line
                .get(..line.len() - words.len())
                .unwrap_or_default();
            writeln!(out, "{blanks}{}", escape(words))
        })
}
