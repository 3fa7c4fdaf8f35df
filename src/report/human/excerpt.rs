//! The excerpt of a place -> a source that miette draws.

use std::fmt::{self, Display};

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents,
};

use crate::ground::finding::Location;
use crate::ground::printable::escape;

/// An excerpt of a line as a source of its own: miette prints whole lines, and can't count columns
/// past 65,535.
#[derive(Debug)]
pub(super) struct ExcerptWindow {
    name: String,
    text: String,
    span: SourceSpan,
    line: usize,
    column: usize,
}

impl ExcerptWindow {
    /// Returns the excerpt of a place, if there is a line to show.
    pub(super) fn of(location: &Location) -> Option<Self> {
        let excerpt = location.excerpt.as_ref()?;
        let zero_based = |number: Option<u64>| {
            usize::try_from(number.unwrap_or(1).saturating_sub(1)).unwrap_or_default()
        };

        // An empty file has no line to show.
        if excerpt.text.is_empty()
            && location
                .line
                .is_none_or(|line| line == 1)
        {
            return None;
        }

        let (mut text, mut length) = (excerpt.text.clone(), excerpt.span.len());
        if length == 0 && excerpt.span.start == text.len() {
            // A mark at the end of a text needs a column of its own.
            text.push(' ');
            length = 1;
        }

        Some(Self {
            name: escape(&location.file).into_owned(),
            text,
            span: (excerpt.span.start, length).into(),
            line: zero_based(location.line),
            column: zero_based(location.column),
        })
    }
}

impl Display for ExcerptWindow {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for ExcerptWindow {}

impl Diagnostic for ExcerptWindow {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new(None, self.span.offset(), self.span.len());
        Some(Box::new(std::iter::once(label)))
    }
}

impl SourceCode for ExcerptWindow {
    fn read_span<'a>(
        &'a self,
        _: &SourceSpan,
        lines_before: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // miette asks without context for the place in the header, and with context for the text to
        // draw.
        let column = if lines_before == 0 { self.column } else { 0 };
        let whole = (0, self.text.len()).into();
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.text.as_bytes(),
            whole,
            self.line,
            column,
            1,
        )))
    }
}
