//! A text like others before it -> its strings and numbers: what stands between them is compared, not read.
//!
//! Writers of logs write the same keys in the same order again and again. The text of a line without its strings and numbers
//! is its skeleton. A text whose skeleton is known is JSON as the first one of that skeleton was: it has the same keys, the
//! same nesting, and a string or number wherever that one has one.

use std::ops::Range;

use super::parser::{Parser, Sink, number, string};
use super::{Kind, same};

/// Bytes of skeletons that are kept, and pieces that may stand in one place: texts that are all different are not worth more.
const MAX_SKELETON_BYTES: usize = 64 << 10;
const MAX_ALTERNATIVES: usize = 8;

/// The skeletons of texts, as a tree: what they begin with in common is there once.
pub(crate) struct Skeletons<M> {
    /// The first is no piece: what comes after it is what texts begin with.
    pieces: Vec<Piece<M>>,
    literals: Vec<u8>,
}

/// What stands before a string or a number or at the end of a text, and what is there then.
struct Piece<M> {
    literal: Range<usize>,
    then: Then<M>,
    /// The first piece that may come after this one, and the next that may stand in its place; 0, none.
    after: usize,
    instead: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then<M> {
    /// A string; what it is marked with, if anybody asks for it.
    String(Option<M>),
    Number,
    End,
}

/// A string as it stands in a text, quotes included.
pub(crate) struct Marked<M> {
    pub(crate) mark: M,
    pub(crate) span: Range<usize>,
    pub(crate) escaped: bool,
}

impl<M> Default for Skeletons<M> {
    fn default() -> Self {
        let root = Piece { literal: 0..0, then: Then::End, after: 0, instead: 0 };
        Self { pieces: vec![root], literals: Vec::new() }
    }
}

impl<M: Copy + PartialEq> Skeletons<M> {
    /// Reads a text whose skeleton is known, and hands out the strings that are marked in it. Any other text may be JSON or
    /// not; of what was handed out of it nothing is known.
    #[inline]
    pub(crate) fn read(&self, bytes: &[u8], mut found: impl FnMut(Marked<M>)) -> bool {
        let mut at = 0;
        let mut next = self.pieces.first().map_or(0, |root| root.after);
        while next != 0 {
            let Some(piece) = self.pieces.get(next) else { return false };
            let literal = self.literals.get(piece.literal.clone()).unwrap_or_default();
            let start = at + literal.len();
            if bytes.get(at..start).is_some_and(|written| same(written, literal)) {
                match (piece.then, bytes.get(start)) {
                    (Then::String(mark), Some(b'"')) => {
                        let Ok((end, escaped)) = string(bytes, start) else { return false };
                        if let Some(mark) = mark {
                            found(Marked { mark, span: start..end, escaped });
                        }
                        (at, next) = (end, piece.after);
                        continue;
                    }
                    (Then::Number, Some(b'-' | b'0'..=b'9')) => {
                        let Ok(end) = number(bytes, start) else { return false };
                        (at, next) = (end, piece.after);
                        continue;
                    }
                    (Then::End, None) => return true,
                    _ => {}
                }
            }
            next = piece.instead;
        }
        false
    }

    /// Learns the skeleton of a text that is JSON; `mark` tells by where a string starts what it is marked with.
    pub(crate) fn learn(&mut self, bytes: &[u8], mark: impl Fn(usize) -> Option<M>) {
        let mut scalars = Scalars(Vec::new());
        if self.literals.len() >= MAX_SKELETON_BYTES || Parser::new(bytes, &mut scalars).text().is_err() {
            return;
        }
        let (mut at, mut piece) = (0, 0);
        for (kind, span) in scalars.0 {
            let then = if kind == Kind::String { Then::String(mark(span.start)) } else { Then::Number };
            let Some(next) = self.after(piece, bytes.get(at..span.start).unwrap_or_default(), then) else { return };
            (at, piece) = (span.end, next);
        }
        self.after(piece, bytes.get(at..).unwrap_or_default(), Then::End);
    }

    /// The piece that comes after another, made where there is none yet; `None` where too many others do.
    fn after(&mut self, before: usize, literal: &[u8], then: Then<M>) -> Option<usize> {
        let mut last: Option<usize> = None;
        let mut known = self.pieces.get(before)?.after;
        for _ in 0..MAX_ALTERNATIVES {
            let Some(piece) = self.pieces.get(known).filter(|_| known != 0) else {
                let (start, new) = (self.literals.len(), self.pieces.len());
                self.literals.extend_from_slice(literal);
                self.pieces.push(Piece { literal: start..self.literals.len(), then, after: 0, instead: 0 });
                match last {
                    None => self.pieces.get_mut(before)?.after = new,
                    Some(last) => self.pieces.get_mut(last)?.instead = new,
                }
                return Some(new);
            };
            if piece.then == then && self.literals.get(piece.literal.clone()) == Some(literal) {
                return Some(known);
            }
            (last, known) = (Some(known), piece.instead);
        }
        None
    }
}

/// The strings and numbers of a text that are no keys, in its order.
struct Scalars(Vec<(Kind, Range<usize>)>);

impl Sink for &mut Scalars {
    fn value(&mut self, kind: Kind, start: usize, end: usize, _: bool) {
        if matches!(kind, Kind::String | Kind::Number) {
            self.0.push((kind, start..end));
        }
    }

    fn key(&mut self, _: usize, _: usize, _: bool) {}

    fn open(&mut self, _: Kind, _: usize) -> bool {
        true
    }

    fn close(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The strings of a text that has a known skeleton.
    fn read(skeletons: &Skeletons<()>, text: &str) -> Option<Vec<String>> {
        let mut strings = Vec::new();
        skeletons.read(text.as_bytes(), |found| strings.push(text[found.span].to_owned())).then_some(strings)
    }

    #[test]
    fn a_text_is_read_by_the_skeleton_of_another() {
        let mut skeletons = Skeletons::default();
        for text in [r#"{"a":"x","b":[1,{"c":"y"}]}"#, r#"{"a":2}"#, r#"{"a":true,"b":"z"}"#, r#" "x" "#, "7", "[]"] {
            assert_eq!(read(&skeletons, text), None);
            skeletons.learn(text.as_bytes(), |_| Some(()));
        }
        let strings = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(read(&skeletons, r#"{"a":"\u0041\"","b":[-1e9,{"c":""}]}"#), strings(&[r#""\u0041\"""#, r#""""#]));
        assert_eq!(read(&skeletons, r#"{"a":0.5}"#), strings(&[]));
        assert_eq!(read(&skeletons, r#"{"a":true,"b":"w"}"#), strings(&[r#""w""#]));
        assert_eq!(read(&skeletons, r#" "" "#), strings(&[r#""""#]));
        assert_eq!(read(&skeletons, "8"), strings(&[]));
        for text in [
            r#"{"a":01}"#,
            r#"{"a":1"#,
            r#"{"a":1}}"#,
            r#"{"a":true,"b":1}"#,
            r#"{"a":"\x","b":[1,{"c":"y"}]}"#,
            r#"{"a" :2}"#,
            r#" "x""#,
            "8 ",
            "",
            "[",
        ] {
            assert_eq!(read(&skeletons, text), None, "{text}");
        }
    }

    #[test]
    fn however_many_texts_come_no_more_is_kept_than_is_worth_it() {
        let mut skeletons = Skeletons::default();
        for index in 0..2 * MAX_ALTERNATIVES {
            skeletons.learn(format!("{{\"{index}\":1}}").as_bytes(), |_| Some(()));
        }
        assert_eq!(skeletons.pieces.len(), 1 + 2 * MAX_ALTERNATIVES);
        let mut skeletons = Skeletons::default();
        let separator = format!(",{}", " ".repeat(1 << 10));
        for count in 1..100 {
            skeletons.learn(format!("[{}]", vec!["1"; count].join(&separator)).as_bytes(), |_| Some(()));
        }
        assert!((MAX_SKELETON_BYTES..MAX_SKELETON_BYTES + 2 * separator.len()).contains(&skeletons.literals.len()));
    }
}
