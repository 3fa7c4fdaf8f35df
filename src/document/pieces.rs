//! The lines of a text, one at a time -> whether they are one JSON object or array so far.
//!
//! No token goes over the end of a line, so nothing of a line is kept but the arrays and objects
//! that it leaves open.

use super::MAX_DEPTH;
use super::parser::{number, string};

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    /// A value, or the end of an empty array.
    FirstValue,
    Key,
    /// A key, or the end of an empty object.
    FirstKey,
    Colon,
    /// A comma, or the end of the innermost array or object.
    Comma,
    /// Nothing: the whole is complete.
    Nothing,
}

/// How far the lines of an object or array were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// More lines are needed.
    Open,
    /// The object or array is complete.
    Complete,
    /// The lines are not the beginning of one.
    Wrong,
}

/// An object or array that is read line by line.
pub(crate) struct Pieces {
    /// How the whole begins: with `{` or with `[`.
    first: u8,
    /// A bit for each open array or object, the innermost lowest: whether it is an object.
    objects: u128,
    depth: usize,
    next: Next,
}

impl Default for Pieces {
    fn default() -> Self {
        Self {
            first: b'{',
            objects: 0,
            depth: 0,
            next: Next::Value,
        }
    }
}

impl Pieces {
    /// An array, none of which was read.
    pub(crate) fn of_array() -> Self {
        Self {
            first: b'[',
            ..Self::default()
        }
    }

    /// Passes over a line that is an item of the array by itself, if one is due.
    pub(crate) fn pass_over_item(&mut self) {
        if self.depth == 1 && matches!(self.next, Next::Value | Next::FirstValue) {
            self.next = Next::Comma;
        }
    }

    /// Reads the next line.
    pub(crate) fn read(&mut self, line: &[u8]) -> Progress {
        if std::str::from_utf8(line).is_err() {
            return Progress::Wrong;
        }
        let mut at = 0;
        while let Some(byte) = line.get(at) {
            if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                at += 1;
            } else {
                match self.token(line, at, *byte) {
                    Some(end) => at = end,
                    None => return Progress::Wrong,
                }
            }
        }
        if self.next == Next::Nothing {
            Progress::Complete
        } else {
            Progress::Open
        }
    }

    /// Reads one token; returns its end, or `None` where it can't come next.
    fn token(&mut self, line: &[u8], at: usize, first: u8) -> Option<usize> {
        let in_object = self.depth > 0 && self.objects & 1 == 1;
        match (self.next, first) {
            (Next::Key | Next::FirstKey, b'"') => {
                self.next = Next::Colon;
                return Some(string(line, at).ok()?.0);
            }
            (Next::Colon, b':') => self.next = Next::Value,
            (Next::Comma, b',') => {
                self.next = if in_object { Next::Key } else { Next::Value };
            }
            (Next::FirstKey, b'}') | (Next::FirstValue, b']') => self.close(),
            (Next::Comma, b'}') if in_object => self.close(),
            (Next::Comma, b']') if !in_object => self.close(),
            (Next::Value | Next::FirstValue, _) => return self.value(line, at, first),
            _ => return None,
        }
        Some(at + 1)
    }

    fn value(&mut self, line: &[u8], at: usize, first: u8) -> Option<usize> {
        let is_object = first == b'{';
        let opens = is_object || first == b'[';
        if opens && (self.depth > 0 || first == self.first) {
            if self.depth == MAX_DEPTH {
                return None;
            }
            self.depth += 1;
            self.objects = self.objects << 1 | u128::from(is_object);
            self.next = if is_object {
                Next::FirstKey
            } else {
                Next::FirstValue
            };
            return Some(at + 1);
        }
        if self.depth == 0 {
            return None;
        }
        self.next = Next::Comma;
        let word = |word: &[u8]| {
            let end = at + word.len();
            (line.get(at..end) == Some(word)).then_some(end)
        };
        match first {
            b'"' => Some(string(line, at).ok()?.0),
            b'-' | b'0'..=b'9' => number(line, at).ok(),
            b't' => word(b"true"),
            b'f' => word(b"false"),
            b'n' => word(b"null"),
            _ => None,
        }
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.objects >>= 1;
        self.next = if self.depth == 0 {
            Next::Nothing
        } else {
            Next::Comma
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Kind, Tape};

    /// How far a text is read, line by line.
    fn progress(text: &str) -> Progress {
        let mut pieces = Pieces::default();
        let mut progress = Progress::Open;
        for line in text.split('\n') {
            progress = pieces.read(line.as_bytes());
            if progress == Progress::Wrong {
                break;
            }
        }
        progress
    }

    #[test]
    fn lines_are_complete_exactly_when_they_are_an_object() {
        let seed = "{\n\"a\" :\n[\n1\n,\n-2.5e1, {}, []\n,null,true,false\n],\"b\\n\":{\"c\":\"\\u0041\"\n}\n}";
        let pieces = [
            "", "\n", "\"", ",", ":", "{", "}", "[", "]", "1", "0", "\"a\"", "x", "\\", "[]", "}}",
        ];
        let (mut complete, mut tape) = (0, Tape::default());
        for cut in 0..seed.len() {
            for end in cut..(cut + 4).min(seed.len()) {
                for piece in pieces {
                    let text = [&seed[..cut], piece, &seed[end..]].concat();
                    let is_object = tape
                        .read(text.as_bytes())
                        .is_ok_and(|document| document.root().kind() == Kind::Object);
                    assert_eq!(progress(&text) == Progress::Complete, is_object, "{text}");
                    complete += usize::from(is_object);
                }
            }
        }
        assert!(complete > 100, "{complete}");
    }

    #[test]
    fn array_is_read_with_an_item_passed_over() {
        let progress = |lines: &[Option<&str>]| {
            let mut pieces = Pieces::of_array();
            let mut progress = Progress::Open;
            for line in lines {
                match line {
                    Some(line) => progress = pieces.read(line.as_bytes()),
                    None => pieces.pass_over_item(),
                }
            }
            progress
        };
        let (first, last) = (Some("[{\"a\":1},"), Some("]"));
        assert_eq!(progress(&[Some("["), Some("1"), last]), Progress::Complete);
        assert_eq!(progress(&[first, None, last]), Progress::Complete);
        assert_eq!(progress(&[Some("["), None, last]), Progress::Complete);
        assert_eq!(progress(&[first, last]), Progress::Wrong);
        assert_eq!(progress(&[Some("{"), Some("}")]), Progress::Wrong);
        assert_eq!(progress(&[first]), Progress::Open);
    }

    #[test]
    fn nesting_beyond_the_limit_is_wrong() {
        let nested = |depth: usize| {
            format!(
                "{{\n\"a\":\n{}{}\n}}",
                "[\n".repeat(depth),
                "]".repeat(depth)
            )
        };
        assert_eq!(progress(&nested(MAX_DEPTH - 1)), Progress::Complete);
        assert_eq!(progress(&nested(MAX_DEPTH)), Progress::Wrong);
    }
}
