//! A text like others before it -> its strings and numbers: what stands between them is compared,
//! not read.
//!
//! Writers of logs write the same keys in the same order again and again. The text of a line
//! without its strings and numbers is its skeleton. A text whose skeleton is known is JSON as the
//! first one of that skeleton was: it has the same keys, the same nesting, and a string or number
//! wherever that one has one.

use std::ops::Range;

use super::parser::{Parser, Sink, number, string};
use super::{Kind, same};

/// Bytes of skeletons that are kept, and pieces that may stand in one place: texts that are all
/// different are not worth more.
const MAX_SKELETON_BYTES: usize = 64 << 10;
const MAX_ALTERNATIVES: usize = 32;

/// Texts that are not learned at first: a few are read as soon as learned.
const FIRST_PAUSE: u32 = 32;

/// Texts that are not learned after a new beginning, at most: where there is one new beginning
/// after another, learning is in vain.
const LONGEST_PAUSE: u32 = 1023;

/// The skeletons of texts, as a tree: what they begin with in common is there once.
pub(crate) struct Skeletons<M> {
    /// The first is no piece: what comes after it is what texts begin with.
    pieces: Vec<Piece<M>>,
    literals: Vec<u8>,
    /// Texts that were not to be learned after the latest new beginning, and those that are still
    /// not to be learned.
    pause: u32,
    pausing: u32,
}

/// What stands before a string or a number or at the end of a text, and what is there then.
struct Piece<M> {
    literal: Range<usize>,
    then: Then<M>,
    /// The first piece that may come after this one, and the next that may stand in its place; 0,
    /// none.
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
        let root = Piece {
            literal: 0..0,
            then: Then::End,
            after: 0,
            instead: 0,
        };
        Self {
            pieces: vec![root],
            literals: Vec::new(),
            pause: 0,
            pausing: FIRST_PAUSE,
        }
    }
}

impl<M: Copy + PartialEq> Skeletons<M> {
    /// Skeletons that are learned from the first text on.
    #[cfg(test)]
    pub(crate) fn eager() -> Self {
        Self {
            pausing: 0,
            ..Self::default()
        }
    }

    /// Reads a text whose skeleton is known, and hands out the strings that are marked in it. Any
    /// other text may be JSON or not; of what was handed out of it nothing is known.
    #[inline]
    pub(crate) fn read(&self, bytes: &[u8], mut found: impl FnMut(Marked<M>)) -> bool {
        let mut at = 0;
        let mut next = self.pieces.first().map_or(0, |root| root.after);
        while next != 0 {
            let Some(piece) = self.pieces.get(next) else {
                return false;
            };
            let literal = self.literals.get(piece.literal.clone()).unwrap_or_default();
            let start = at + literal.len();
            if bytes
                .get(at..start)
                .is_some_and(|written| same(written, literal))
            {
                match (piece.then, bytes.get(start)) {
                    (Then::String(mark), Some(b'"')) => {
                        let Ok((end, escaped)) = string(bytes, start) else {
                            return false;
                        };
                        if let Some(mark) = mark {
                            found(Marked {
                                mark,
                                span: start..end,
                                escaped,
                            });
                        }
                        (at, next) = (end, piece.after);
                        continue;
                    }
                    (Then::Number, Some(b'-' | b'0'..=b'9')) => {
                        let Ok(end) = number(bytes, start) else {
                            return false;
                        };
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

    /// Learns the skeleton of a text that is JSON; `mark` tells by where a string starts what it is
    /// marked with. Where there is no room for it, all that was learned is forgotten: what was met
    /// once may never come again.
    pub(crate) fn learn(&mut self, bytes: &[u8], mark: impl Fn(usize) -> Option<M>) {
        if self.pausing > 0 {
            self.pausing -= 1;
        } else if self.literals.len() >= MAX_SKELETON_BYTES || self.add(bytes, mark).is_none() {
            let pause = (2 * self.pause + 1).min(LONGEST_PAUSE);
            *self = Self {
                pause,
                pausing: pause,
                ..Self::default()
            };
        }
    }

    /// Adds a skeleton, if there is room for it.
    fn add(&mut self, bytes: &[u8], mark: impl Fn(usize) -> Option<M>) -> Option<()> {
        let mut scalars = Scalars(Vec::new());
        Parser::new(bytes, &mut scalars).text().ok()?;
        let (mut at, mut piece) = (0, 0);
        for (kind, span) in scalars.0 {
            let then = if kind == Kind::String {
                Then::String(mark(span.start))
            } else {
                Then::Number
            };
            piece = self.piece_after(piece, bytes.get(at..span.start)?, then)?;
            at = span.end;
        }
        self.piece_after(piece, bytes.get(at..)?, Then::End)
            .map(drop)
    }

    /// The piece that comes after another, made where there is none yet; `None` where too many
    /// others do.
    fn piece_after(&mut self, before: usize, literal: &[u8], then: Then<M>) -> Option<usize> {
        let mut last: Option<usize> = None;
        let mut known = self.pieces.get(before)?.after;
        for _ in 0..MAX_ALTERNATIVES {
            let Some(piece) = self.pieces.get(known).filter(|_| known != 0) else {
                let (start, new) = (self.literals.len(), self.pieces.len());
                self.literals.extend_from_slice(literal);
                self.pieces.push(Piece {
                    literal: start..self.literals.len(),
                    then,
                    after: 0,
                    instead: 0,
                });
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
        skeletons
            .read(text.as_bytes(), |found| {
                strings.push(text[found.span].to_owned());
            })
            .then_some(strings)
    }

    #[test]
    fn line_is_read_by_the_skeleton_of_another() {
        let mut skeletons = Skeletons::eager();
        for text in [
            r#"{"a":"x","b":[1,{"c":"y"}]}"#,
            r#"{"a":2}"#,
            r#"{"a":true,"b":"z"}"#,
            r#" "x" "#,
            "7",
            "[]",
        ] {
            assert_eq!(read(&skeletons, text), None);
            skeletons.learn(text.as_bytes(), |_| Some(()));
        }
        let strings = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(
            read(&skeletons, r#"{"a":"\u0041\"","b":[-1e9,{"c":""}]}"#),
            strings(&[r#""\u0041\"""#, r#""""#])
        );
        assert_eq!(read(&skeletons, r#"{"a":0.5}"#), strings(&[]));
        assert_eq!(
            read(&skeletons, r#"{"a":true,"b":"w"}"#),
            strings(&[r#""w""#])
        );
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
    fn skeletons_stay_bounded_for_many_texts() {
        let separator = format!(",{}", " ".repeat(1 << 10));
        let mut skeletons = Skeletons::eager();
        let mut most = 0;
        for count in 1..200 {
            let text = format!("[{}]", vec!["1"; count % 60].join(&separator));
            skeletons.learn(
                text.replace(' ', if count < 60 { " " } else { "\t" })
                    .as_bytes(),
                |_| Some(()),
            );
            most = most.max(skeletons.literals.len());
        }
        assert!(
            (MAX_SKELETON_BYTES..2 * MAX_SKELETON_BYTES).contains(&most),
            "{most}"
        );
    }

    #[test]
    fn unique_texts_do_not_stop_learning() {
        let mut skeletons = Skeletons::eager();
        let once = |index: usize| format!("{{\"{index}\":1}}");
        for index in 0..10_000 {
            skeletons.learn(once(index).as_bytes(), |_| Some(()));
            assert!(skeletons.pieces.len() <= 1 + 2 * MAX_ALTERNATIVES);
        }
        assert!(skeletons.pausing > 100 && skeletons.pausing <= LONGEST_PAUSE);
        for _ in 0..=LONGEST_PAUSE {
            skeletons.learn(b"[1]", |_| Some(()));
        }
        assert_eq!(read(&skeletons, "[2]"), Some(vec![]));
    }

    #[test]
    fn skeletons_keep_own_marks_when_prefixes_match() {
        let mut skeletons = Skeletons::eager();
        let marked = |skeletons: &Skeletons<usize>, text: &str| {
            let mut marks = Vec::new();
            skeletons
                .read(text.as_bytes(), |found| {
                    marks.push((found.mark, text[found.span].to_owned()));
                })
                .then_some(marks)
        };
        // Of a key that is named twice the last one counts.
        skeletons.learn(br#"{"a":"x"}"#, |at| (at == 5).then_some(1));
        skeletons.learn(br#"{"a":"x","a":"y"}"#, |at| (at == 13).then_some(1));
        assert_eq!(
            marked(&skeletons, r#"{"a":"z"}"#),
            Some(vec![(1, r#""z""#.to_owned())])
        );
        let twice = marked(&skeletons, r#"{"a":"z","a":"w"}"#);
        assert!(
            twice.is_none() || twice == Some(vec![(1, r#""w""#.to_owned())]),
            "{twice:?}"
        );
    }
}
