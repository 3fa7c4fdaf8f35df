//! A JSON text with a known skeleton -> its strings and numbers, without parsing the skeleton
//! again.
//!
//! The skeleton of a text is everything outside its string and number values. Writers of logs
//! repeat the same keys in the same order, so most lines of a log share a few skeletons. A text
//! with the skeleton of a text that was parsed before has the same keys and the same nesting; it is
//! valid JSON if its strings and numbers are, and only those are read.
//!
//! The skeletons are a trie of literals, stored as first child and next sibling. A full trie is
//! kept until many texts with other skeletons have come, and then reset. So the skeletons that
//! repeat themselves stay known among those that don't, and a log that never repeats itself costs
//! little.

use std::ops::Range;

use super::node::same;
use super::parser::{Parser, Sink, number, string};
use super::{Document, Kind, Node, Tape, Token};

/// The size of the trie in bytes and the number of siblings up to which skeletons are added. A log
/// that needs more does not repeat itself enough to profit.
const MAX_SKELETON_BYTES: usize = 64 << 10;
const MAX_SIBLINGS: usize = 32;

/// Texts to skip before the first skeleton is added: parsing a few texts is cheaper than adding
/// their skeletons.
const FIRST_SKIP: u32 = 32;

/// Texts to skip while the trie is full, before it is reset.
const FULL_SKIP: u32 = 1023;

/// A trie of skeletons: skeletons with a common beginning share it. A skeleton has a sign `S`: what
/// is known of every text that has it.
pub(crate) struct Skeletons<S> {
    /// The first is the root, which has no literal.
    nodes: Vec<TrieNode<S>>,
    /// The bytes of the literals of all nodes.
    literals: usize,
    is_full: bool,
    /// Texts that are not added.
    left_to_skip: u32,
}

/// A literal and what follows it.
struct TrieNode<S> {
    /// The bytes since the previous string or number.
    literal: Box<[u8]>,
    next: Next<S>,
    /// Indices of other nodes, or [`NONE`].
    first_child: usize,
    next_sibling: usize,
}

/// The index of no node.
const NONE: usize = usize::MAX;

/// What follows a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next<S> {
    String,
    Number,
    /// The end of the text, and the sign of its skeleton.
    End(S),
}

/// A string or a number, found in a text.
pub(crate) struct Scalar {
    pub(crate) kind: Kind,
    /// Its bytes, quotes included.
    pub(crate) span: Range<usize>,
    /// Whether it has escapes.
    pub(crate) escaped: bool,
}

/// The strings and numbers of a text in its order, without what they stand in.
#[derive(Default)]
pub(crate) struct Scalars(Tape);

impl Scalars {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "texts of 4 GiB have no skeleton here"
    )]
    pub(crate) fn add(&mut self, kind: Kind, span: Range<usize>, escaped: bool) {
        let token = Token::new(kind, span.start as u32, span.end as u32, escaped);
        self.0.tokens.push(token);
    }

    /// The place among them of a string or number of the same text.
    pub(crate) fn place(&self, node: Node<'_>) -> Option<u32> {
        let start = |token: &Token| token.start as usize;
        let place = self
            .0
            .tokens
            .binary_search_by_key(&node.span().start, start);
        u32::try_from(place.ok()?).ok()
    }

    /// The one at a place, of a text.
    #[inline]
    pub(crate) fn get<'a>(&'a self, text: &'a str, place: u32) -> Option<Node<'a>> {
        let document = Document {
            text,
            tape: &self.0,
        };
        let is_there = (place as usize) < self.0.tokens.len();
        is_there.then_some(Node {
            document,
            index: place,
        })
    }
}

impl<S> TrieNode<S> {
    fn new(literal: &[u8], next: Next<S>) -> Self {
        Self {
            literal: literal.into(),
            next,
            first_child: NONE,
            next_sibling: NONE,
        }
    }
}

impl<S> Default for Skeletons<S> {
    fn default() -> Self {
        Self {
            nodes: vec![TrieNode::new(b"", Next::Number)],
            literals: 0,
            is_full: false,
            left_to_skip: FIRST_SKIP,
        }
    }
}

impl<S: Copy + PartialEq> Skeletons<S> {
    /// Skeletons that are added from the first text on.
    #[cfg(test)]
    pub(crate) fn eager() -> Self {
        Self {
            left_to_skip: 0,
            ..Self::default()
        }
    }

    /// Reads a text with a known skeleton and calls `found` with each string and each number.
    /// Returns the sign of the skeleton; where it is not known, the text may be JSON or not, and
    /// what was found means nothing.
    #[inline]
    pub(crate) fn read(&self, bytes: &[u8], mut found: impl FnMut(Scalar)) -> Option<S> {
        let mut rest = bytes;
        let mut index = self.nodes.first()?.first_child;
        loop {
            let node = self.nodes.get(index)?;
            index = node.next_sibling;
            let Some((written, after)) = rest.split_at_checked(node.literal.len()) else {
                continue;
            };
            if !same(written, &node.literal) {
                continue;
            }
            let start = bytes.len() - after.len();
            match (node.next, after) {
                (Next::String, [b'"', ..]) => {
                    let (end, escaped) = string(bytes, start).ok()?;
                    (rest, index) = (bytes.get(end..)?, node.first_child);
                    found(Scalar {
                        kind: Kind::String,
                        span: start..end,
                        escaped,
                    });
                }
                (Next::Number, [b'-' | b'0'..=b'9', ..]) => {
                    let end = number(bytes, start).ok()?;
                    (rest, index) = (bytes.get(end..)?, node.first_child);
                    found(Scalar {
                        kind: Kind::Number,
                        span: start..end,
                        escaped: false,
                    });
                }
                (Next::End(sign), []) => return Some(sign),
                _ => {}
            }
        }
    }

    /// Adds the skeleton of a text that is JSON, with its sign. Some texts are skipped.
    pub(crate) fn learn(&mut self, bytes: &[u8], sign: S) {
        if self.left_to_skip > 0 {
            self.left_to_skip -= 1;
            return;
        }
        if self.is_full {
            *self = Self {
                left_to_skip: 0,
                ..Self::default()
            };
        }
        let has_room = self.literals < MAX_SKELETON_BYTES;
        if !has_room || self.add(bytes, sign).is_none() {
            self.is_full = true;
            self.left_to_skip = FULL_SKIP;
        }
    }

    /// Adds a skeleton; `None` where there is no room for it.
    fn add(&mut self, bytes: &[u8], sign: S) -> Option<()> {
        let (mut at, mut node) = (0, 0);
        let mut variable = Variable {
            parts: Scalars::default(),
        };
        Parser::new(bytes, &mut variable).text().ok()?;
        for part in variable.parts.0.tokens {
            let (start, end) = (part.start as usize, part.end as usize);
            let next = match part.kind() {
                Kind::String => Next::String,
                _ => Next::Number,
            };
            node = self.child(node, bytes.get(at..start)?, next)?;
            at = end;
        }
        self.child(node, bytes.get(at..)?, Next::End(sign))
            .map(drop)
    }

    /// The child of a node with this literal, added if there is none; `None` where the node has too
    /// many children.
    fn child(&mut self, parent: usize, literal: &[u8], next: Next<S>) -> Option<usize> {
        let mut last = None;
        let mut index = self.nodes.get(parent)?.first_child;
        for _ in 0..MAX_SIBLINGS {
            let Some(node) = self.nodes.get(index) else {
                let new = self.nodes.len();
                match last {
                    None => self.nodes.get_mut(parent)?.first_child = new,
                    Some(last) => self.nodes.get_mut::<usize>(last)?.next_sibling = new,
                }
                self.literals += literal.len();
                self.nodes.push(TrieNode::new(literal, next));
                return Some(new);
            };
            if node.next == next && *node.literal == *literal {
                return Some(index);
            }
            (last, index) = (Some(index), node.next_sibling);
        }
        None
    }
}

/// Gathers what differs between texts with one skeleton.
struct Variable {
    parts: Scalars,
}

impl Sink for &mut Variable {
    fn value(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        if !matches!(kind, Kind::Null | Kind::False | Kind::True) {
            self.parts.add(kind, start..end, escaped);
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

    /// The strings of a text with a known skeleton.
    fn read(skeletons: &Skeletons<()>, text: &str) -> Option<Vec<String>> {
        let mut strings = Vec::new();
        skeletons
            .read(text.as_bytes(), |found| {
                if found.kind == Kind::String {
                    strings.push(text[found.span].to_owned());
                }
            })
            .map(|()| strings)
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
            skeletons.learn(text.as_bytes(), ());
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
                (),
            );
            most = most.max(skeletons.literals);
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
            skeletons.learn(once(index).as_bytes(), ());
            assert!(skeletons.nodes.len() <= 1 + 2 * MAX_SIBLINGS);
        }
        assert!(skeletons.is_full);
        for _ in 0..=FULL_SKIP {
            skeletons.learn(b"[1]", ());
        }
        assert_eq!(read(&skeletons, "[2]"), Some(vec![]));
    }
}
