//! Parts of a line -> the line, cut to a width, with colours for the words that people look for.

use std::ops::Range;

use crate::ground::printable::columns_of;
use crate::ground::printable::{escape, fit};

/// The colour of a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Bold,
    /// A success.
    Good,
    /// A failure.
    Bad,
    /// Something that deserves attention, such as a warning.
    Caution,
    /// Something that did not happen, or not yet.
    Quiet,
}

impl Paint {
    /// Returns the colour of a status, an outcome or a severity; `None` for any other word.
    pub(in crate::report) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "done" | "ok" | "success" | "passed" | "there" => Self::Good,
            "failed" | "error" | "goal_not_achieved" | "missing" => Self::Bad,
            "vetoed" | "aborted" | "partial" | "success_unverified" | "warning" => Self::Caution,
            "pending" | "running" | "skipped" => Self::Quiet,
            _ => return None,
        })
    }

    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Bold => "\u{1b}[1m",
            Self::Good => "\u{1b}[32m",
            Self::Bad => "\u{1b}[31m",
            Self::Caution => "\u{1b}[33m",
            Self::Quiet => "\u{1b}[2m",
        }
    }
}

/// A line on its way to a terminal.
#[derive(Clone, Debug, Default)]
pub(crate) struct StyledLine {
    text: String,
    paints: Vec<(Range<usize>, Paint)>,
}

impl StyledLine {
    /// Adds a text, escaped.
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.text.push_str(&escape(text));
        self
    }

    /// Adds a text in a colour.
    pub(crate) fn painted(self, text: &str, paint: impl Into<Option<Paint>>) -> Self {
        let start = self.text.len();
        let mut line = self.text(text);
        if let Some(paint) = paint.into() {
            line.paints
                .push((start..line.text.len(), paint));
        }

        line
    }

    /// Adds a word in its own colour.
    pub(crate) fn word(self, word: &str) -> Self {
        let paint = Paint::of(word.trim_end());
        self.painted(word, paint)
    }

    /// Returns the number of columns that the whole line takes.
    pub(in crate::report) fn columns(&self) -> usize {
        columns_of(self.text.trim_end())
    }

    /// Returns the line, cut to a number of columns.
    pub(crate) fn draw(&self, columns: usize, is_coloured: bool) -> String {
        let shown = fit(self.text.trim_end(), columns);
        let kept = shown
            .strip_suffix('…')
            .unwrap_or(&shown);
        // Parts that are harmless alone may be harmful side by side, and are then escaped again.
        if !is_coloured || !self.text.starts_with(kept) {
            return shown;
        }

        format!(
            "{}{}",
            self.coloured(kept),
            shown
                .get(kept.len()..)
                .unwrap_or_default()
        )
    }

    /// Returns the beginning of the text, with its colours.
    fn coloured(&self, kept: &str) -> String {
        let (mut painted, mut done) = (String::new(), 0);
        for (range, paint) in &self.paints {
            let (start, end) = (range.start, range.end.min(kept.len()));
            let Some((before, part)) = kept
                .get(done..start)
                .zip(kept.get(start..end))
            else {
                break;
            };

            painted.push_str(before);

            // Blanks have no colour, so the reset stands directly behind the words.
            let words = part.trim_end();
            if !words.is_empty() {
                painted.push_str(paint.code());
                painted.push_str(words);
                painted.push_str("\u{1b}[0m");
            }

            painted.push_str(
                part.get(words.len()..)
                    .unwrap_or_default(),
            );
            done = end;
        }

        painted.push_str(kept.get(done..).unwrap_or_default());
        painted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_changes_no_text_and_no_width() {
        let line = StyledLine::default()
            .text("step-1 ")
            .word("done    ")
            .word("other");
        assert_eq!(line.draw(80, false), "step-1 done    other");
        assert_eq!(
            line.draw(80, true),
            "step-1 \u{1b}[32mdone\u{1b}[0m    other"
        );
        assert_eq!(line.draw(10, true), "step-1 \u{1b}[32mdo\u{1b}[0m…");
        assert_eq!(line.draw(5, true), "step…");
    }

    #[test]
    fn parts_never_form_a_command_together() {
        let line = StyledLine::default()
            .text(":")
            .painted(":error::", Paint::Bad);
        assert_eq!(line.draw(80, true), line.draw(80, false));
        assert!(!line.draw(80, true).starts_with("::"));
    }
}
