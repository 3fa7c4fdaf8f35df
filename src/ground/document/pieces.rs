//! The lines of a text, one at a time -> whether they are one JSON array or object so far.

use super::parser::{Parser, SkipSink};
use super::{SyntaxErrorKind, utf8};

/// The progress in reading the lines of an array or object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceProgress {
    /// More lines are needed.
    Open,
    /// The array or object is complete.
    Complete,
    /// The lines are not the beginning of one.
    Wrong,
}

/// An array or object that is read line by line.
///
/// No token goes over the end of a line. So of the lines before, only the arrays and objects matter
/// that they leave open, and the last token in the innermost.
#[derive(Default)]
pub(crate) struct Pieces {
    /// A bit for each open array or object around the innermost: whether it is an object.
    around: u128,
    depth: usize,
    /// The innermost open array or object, with empty strings in place of all that it has.
    innermost: &'static str,
}

impl Pieces {
    /// Passes over a line that is an item of the array by itself, if one is due.
    pub(crate) fn pass_over_item(&mut self) {
        if self.depth == 0 && matches!(self.innermost, "[" | "[\"\",") {
            self.innermost = "[\"\"";
        }
    }

    /// Reads the next line; the first one must start with a bracket.
    pub(crate) fn read(&mut self, line: &[u8]) -> PieceProgress {
        let text = [self.innermost.as_bytes(), line, b"\n"].concat();
        let mut parser = Parser {
            bytes: &text,
            sink: SkipSink,
            objects: self.around,
            depth: self.depth,
        };

        let why = match parser.text() {
            _ if utf8(line).is_err() => return PieceProgress::Wrong,
            Ok(()) => return PieceProgress::Complete,
            Err(error) if error.offset < text.len() => return PieceProgress::Wrong,
            Err(error) => error.kind,
        };

        let in_object = parser.objects & 1 == 1;
        self.innermost = match text.trim_ascii_end().last() {
            Some(b'{') => "{",
            Some(b'[') => "[",
            Some(b':') => "{\"\":",
            Some(b',') if in_object => "{\"\":\"\",",
            Some(b',') => "[\"\",",
            _ if why == SyntaxErrorKind::NoColon => "{\"\"",
            _ if in_object => "{\"\":\"\"",
            _ => "[\"\"",
        };
        (self.around, self.depth) = (parser.objects >> 1, parser.depth.saturating_sub(1));

        PieceProgress::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::{MAX_DEPTH, Tape};

    /// Returns the progress after lines; `None` stands for a line that is an item by itself.
    fn progress<'a>(lines: impl IntoIterator<Item = Option<&'a str>>) -> PieceProgress {
        let mut pieces = Pieces::default();
        let mut progress = PieceProgress::Open;
        for line in lines {
            match line {
                _ if progress != PieceProgress::Open => return PieceProgress::Wrong,
                Some(line) => progress = pieces.read(line.as_bytes()),
                None => pieces.pass_over_item(),
            }
        }
        progress
    }

    #[test]
    fn lines_are_complete_exactly_when_they_are_json() {
        let seed = "{\n\"a\" :\n[\n1\n,\n-2.5e1, {}, []\n,null,true,false\n],\"b\\n\":{\"c\":\"\\u0041\"\n}\n}";
        let pieces = [
            "", "\n", "\"", ",", ":", "{", "}", "[", "]", "1", "0", ".5", "\"a\"", "x", "\\", "[]",
            "}}",
        ];
        let (mut complete, mut tape) = (0, Tape::default());
        for cut in 0..seed.len() {
            for end in cut..(cut + 4).min(seed.len()) {
                for piece in pieces {
                    let text = [&seed[..cut], piece, &seed[end..]].concat();
                    let is_json = tape.read(text.as_bytes()).is_ok();
                    let progress = progress(text.trim().lines().map(Some));
                    assert_eq!(progress == PieceProgress::Complete, is_json, "{text}");
                    complete += usize::from(is_json);
                }
            }
        }
        assert!(complete > 100, "{complete}");
    }

    #[test]
    fn array_is_read_with_an_item_passed_over() {
        let (first, last) = (Some("[{\"a\":1},"), Some("]"));
        assert_eq!(
            progress([Some("["), Some("1"), last]),
            PieceProgress::Complete
        );
        assert_eq!(progress([first, None, last]), PieceProgress::Complete);
        assert_eq!(progress([Some("["), None, last]), PieceProgress::Complete);
        assert_eq!(progress([first, last]), PieceProgress::Wrong);
        assert_eq!(progress([first]), PieceProgress::Open);
    }

    #[test]
    fn nesting_beyond_the_limit_is_wrong() {
        let nested = |depth: usize| {
            let (open, close) = ("[\n".repeat(depth), "]".repeat(depth));
            progress(
                format!("{{\n\"a\":\n{open}{close}\n}}")
                    .split('\n')
                    .map(Some),
            )
        };
        assert_eq!(nested(MAX_DEPTH - 1), PieceProgress::Complete);
        assert_eq!(nested(MAX_DEPTH), PieceProgress::Wrong);
    }
}
