//! A file of a user's configuration -> its contents, and its mistakes with their places.

mod files;
mod reading;

use std::ops::Range;
use std::path::Path;

use crate::ground::finding::Location;
use crate::ground::printable::escape;
use crate::ground::source;
pub(crate) use files::{Files, ROOT, Reached};
pub(crate) use reading::MAX_MISTAKES;

/// A mistake in a configuration, and the others that were found with it.
#[derive(Debug, thiserror::Error, Clone)]
#[error("{}", lines(self))]
#[non_exhaustive]
pub struct ConfigError {
    /// The mistake, in words.
    pub message: String,
    /// The place of the mistake.
    pub location: Box<Location>,
    /// A suggestion, such as a name that may have been meant.
    pub help: Option<String>,
    /// The other mistakes, in the order of their places.
    pub others: Vec<ConfigError>,
}

impl ConfigError {
    /// Returns the first of some mistakes, with the others; `None` if there are none.
    pub(crate) fn first_of(mut mistakes: Vec<Self>) -> Option<Self> {
        mistakes.sort_by_key(|mistake| {
            let at = &mistake.location;
            (at.file.clone(), at.line, at.column)
        });

        let mut mistakes = mistakes.into_iter();
        let first = mistakes.next()?;
        Some(Self {
            others: mistakes.collect(),
            ..first
        })
    }

    /// Returns the mistake and the others.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }
}

/// Returns a line for each mistake: its place, its message, and the suggestion.
fn lines(error: &ConfigError) -> String {
    error
        .each()
        .map(|error| {
            let (at, message) = (&error.location, &error.message);
            let file = escape(&at.file);
            let place = match (at.line, at.column) {
                (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
                _ => file.into_owned(),
            };

            match &error.help {
                Some(help) => format!("{place}: {message} ({help})"),
                None => format!("{place}: {message}"),
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// A user's file that errors point into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConfigSource<'f> {
    /// Its path, as messages name it.
    pub(crate) name: &'f str,
    /// The directory that it lies in, whose name need not be UTF-8.
    pub(crate) dir: &'f Path,
    /// Its text.
    pub(crate) text: &'f str,
}

impl ConfigSource<'_> {
    /// Returns an error at a place.
    pub(crate) fn error(
        self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> ConfigError {
        let mut location = Location {
            file: self.name.into(),
            ..Location::default()
        };

        let spots = source::locate(self.text.as_bytes(), 1, &[span]);
        for (start, _, excerpt) in spots {
            location.line = Some(start.line);
            location.column = Some(start.column);
            location.excerpt = Some(excerpt);
        }

        ConfigError {
            message: message.into(),
            location: Box::new(location),
            help,
            others: Vec::new(),
        }
    }

    /// Returns the file and the line of a place.
    pub(crate) fn place(self, span: &Range<usize>) -> String {
        let (line, _) = source::line_and_column(self.text.as_bytes(), span.start);
        format!("{}:{line}", self.name)
    }
}
