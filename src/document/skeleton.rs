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
//!
//! Where texts differ in what is nested in them, whole skeletons soon fill the trie. Then shallow
//! ones are kept: of arrays, and of objects that are nested twice, they say only that they are
//! there, and these are parsed.

use std::ops::Range;

use super::node::same;
use super::parser::{Parser, Sink, number, skip, string};
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

/// The number of arrays and objects around a nested value of a shallow skeleton, at most.
const NESTED_DEPTH: usize = 2;

/// A trie of skeletons: skeletons with a common beginning share it. Strings have marks `M`, and a
/// skeleton has a sign `S`: what is known of every text that has it.
pub(crate) struct Skeletons<M, S> {
    /// The first is the root, which has no literal.
    nodes: Vec<TrieNode<M, S>>,
    /// The bytes of the literals of all nodes.
    literals: usize,
    is_full: bool,
    /// Whether the skeletons are shallow.
    is_shallow: bool,
    /// Texts that are not added.
    left_to_skip: u32,
}

/// A literal and what follows it.
struct TrieNode<M, S> {
    /// The bytes since the previous string or number.
    literal: Box<[u8]>,
    next: Next<M, S>,
    /// Indices of other nodes, or [`NONE`].
    first_child: usize,
    next_sibling: usize,
}

/// The index of no node.
const NONE: usize = usize::MAX;

/// What follows a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next<M, S> {
    /// A string, with its mark if it has one.
    String(Option<M>),
    Number,
    /// An array or object that is not a part of a shallow skeleton.
    Nested,
    /// The end of the text, and the sign of its skeleton.
    End(S),
}

/// A string or a number, found in a text.
pub(crate) struct Scalar<M> {
    pub(crate) kind: Kind,
    /// Its mark, if it is a string that has one.
    pub(crate) mark: Option<M>,
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

impl<M, S> TrieNode<M, S> {
    fn new(literal: &[u8], next: Next<M, S>) -> Self {
        Self {
            literal: literal.into(),
            next,
            first_child: NONE,
            next_sibling: NONE,
        }
    }
}

impl<M, S> Default for Skeletons<M, S> {
    fn default() -> Self {
        Self {
            nodes: vec![TrieNode::new(b"", Next::Number)],
            literals: 0,
            is_full: false,
            is_shallow: false,
            left_to_skip: FIRST_SKIP,
        }
    }
}

impl<M: Copy + PartialEq, S: Copy + PartialEq> Skeletons<M, S> {
    /// Skeletons that are added from the first text on.
    #[cfg(test)]
    pub(crate) fn eager() -> Self {
        Self {
            left_to_skip: 0,
            ..Self::default()
        }
    }

    /// Whether the skeletons are shallow, so that texts with the same one may differ in what is
    /// nested in them.
    pub(crate) fn is_shallow(&self) -> bool {
        self.is_shallow
    }

    /// Shallow ones that are added from the first text on.
    #[cfg(test)]
    pub(crate) fn eager_and_shallow() -> Self {
        Self {
            is_shallow: true,
            ..Self::eager()
        }
    }

    /// Reads a text with a known skeleton and calls `found` with each string and each number.
    /// Returns the sign of the skeleton; where it is not known, the text may be JSON or not, and
    /// what was found means nothing.
    #[inline]
    pub(crate) fn read(&self, bytes: &[u8], mut found: impl FnMut(Scalar<M>)) -> Option<S> {
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
                (Next::String(mark), [b'"', ..]) => {
                    let (end, escaped) = string(bytes, start).ok()?;
                    (rest, index) = (bytes.get(end..)?, node.first_child);
                    found(Scalar {
                        kind: Kind::String,
                        mark,
                        span: start..end,
                        escaped,
                    });
                }
                (Next::Number, [b'-' | b'0'..=b'9', ..]) => {
                    let end = number(bytes, start).ok()?;
                    (rest, index) = (bytes.get(end..)?, node.first_child);
                    found(Scalar {
                        kind: Kind::Number,
                        mark: None,
                        span: start..end,
                        escaped: false,
                    });
                }
                (Next::Nested, [b'{' | b'[', ..]) => {
                    let end = skip(bytes, start, NESTED_DEPTH)?;
                    (rest, index) = (bytes.get(end..)?, node.first_child);
                }
                (Next::End(sign), []) => return Some(sign),
                _ => {}
            }
        }
    }

    /// Adds the skeleton of a text that is JSON, with its sign. `mark` returns the mark of the
    /// string that starts at an offset. Some texts are skipped.
    pub(crate) fn learn(
        &mut self,
        bytes: &[u8],
        sign: S,
        mark: impl Fn(usize) -> Option<M>,
        may_be_shallow: bool,
    ) {
        if self.left_to_skip > 0 {
            self.left_to_skip -= 1;
            return;
        }
        if self.is_full {
            *self = Self {
                left_to_skip: 0,
                is_shallow: may_be_shallow,
                ..Self::default()
            };
        }
        let has_room = self.literals < MAX_SKELETON_BYTES;
        let may_be_shallower = !self.is_shallow && may_be_shallow;
        if !has_room || self.add(bytes, sign, mark).is_none() {
            self.is_full = true;
            self.left_to_skip = if may_be_shallower { 0 } else { FULL_SKIP };
        }
    }

    /// Adds a skeleton; `None` where there is no room for it.
    fn add(&mut self, bytes: &[u8], sign: S, mark: impl Fn(usize) -> Option<M>) -> Option<()> {
        let (mut at, mut node) = (0, 0);
        let mut variable = Variable {
            parts: Scalars::default(),
            is_shallow: self.is_shallow,
            depth: 0,
        };
        Parser::new(bytes, &mut variable).text().ok()?;
        for part in variable.parts.0.tokens {
            let (start, end) = (part.start as usize, part.end as usize);
            let next = match part.kind() {
                Kind::String => Next::String(mark(start)),
                Kind::Number => Next::Number,
                _ => Next::Nested,
            };
            node = self.child(node, bytes.get(at..start)?, next)?;
            at = end;
        }
        self.child(node, bytes.get(at..)?, Next::End(sign))
            .map(drop)
    }

    /// The child of a node with this literal, added if there is none; `None` where the node has too
    /// many children.
    fn child(&mut self, parent: usize, literal: &[u8], next: Next<M, S>) -> Option<usize> {
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
    is_shallow: bool,
    depth: usize,
}

impl Sink for &mut Variable {
    fn value(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        if !matches!(kind, Kind::Null | Kind::False | Kind::True) {
            self.parts.add(kind, start..end, escaped);
        }
    }

    fn key(&mut self, _: usize, _: usize, _: bool) {}

    fn open(&mut self, kind: Kind, _: usize) -> bool {
        let is_part = !self.is_shallow || (kind == Kind::Object && self.depth < NESTED_DEPTH);
        self.depth += usize::from(is_part);
        is_part
    }

    fn close(&mut self, _: usize) {
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAX_DEPTH;
    use super::*;

    /// Skeletons that stay whole.
    const WHOLE: bool = false;

    /// The strings of a text with a known skeleton.
    fn read(skeletons: &Skeletons<(), ()>, text: &str) -> Option<Vec<String>> {
        let mut strings = Vec::new();
        skeletons
            .read(text.as_bytes(), |found| {
                if found.mark.is_some() {
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
            skeletons.learn(text.as_bytes(), (), |_| Some(()), WHOLE);
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
                |_| Some(()),
                WHOLE,
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
            skeletons.learn(once(index).as_bytes(), (), |_| Some(()), WHOLE);
            assert!(skeletons.nodes.len() <= 1 + 2 * MAX_SIBLINGS);
        }
        assert!(skeletons.is_full);
        for _ in 0..=FULL_SKIP {
            skeletons.learn(b"[1]", (), |_| Some(()), WHOLE);
        }
        assert_eq!(read(&skeletons, "[2]"), Some(vec![]));
    }

    #[test]
    fn skeletons_get_shallow_where_whole_ones_are_too_many() {
        let mut skeletons = Skeletons::eager();
        let text = |nested: &str| format!(r#"{{"a":"x","b":{nested},"c":1}}"#);
        let learn = |skeletons: &mut Skeletons<(), ()>, nested: &str| {
            skeletons.learn(text(nested).as_bytes(), (), |_| Some(()), true);
        };
        let nested = |index: usize| format!("[{}]", "{},".repeat(index) + "7");
        for index in 0..=MAX_SIBLINGS {
            assert!(!skeletons.is_shallow());
            learn(&mut skeletons, &nested(index));
            assert_eq!(read(&skeletons, &text("{}")), None);
        }
        learn(&mut skeletons, "[]");
        assert!(skeletons.is_shallow());
        for nested in [&nested(7), "[ ]", "[[[\"\\u0041\"]]]", "{\"b\":[]}"] {
            let found = Some(vec!["\"x\"".to_owned()]);
            assert_eq!(read(&skeletons, &text(nested)), found, "{nested}");
        }
        let deepest = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(read(&skeletons, &text(&deepest(MAX_DEPTH - NESTED_DEPTH))).is_some());
        for nested in ["[}", "[01]", "7", "null", &deepest(MAX_DEPTH)] {
            assert_eq!(read(&skeletons, &text(nested)), None, "{nested}");
        }
        let mut skeletons = Skeletons::eager_and_shallow();
        learn(&mut skeletons, r#"{"k":"y","l":{}}"#);
        let found = read(&skeletons, &text(r#"{"k":"z","l":{"m":"n"}}"#));
        assert_eq!(found, Some(vec!["\"x\"".to_owned(), "\"z\"".to_owned()]));
    }

    #[test]
    fn skeletons_keep_own_marks_when_prefixes_match() {
        let mut skeletons = Skeletons::eager();
        let marked = |skeletons: &Skeletons<usize, ()>, text: &str| {
            let mut marks = Vec::new();
            skeletons
                .read(text.as_bytes(), |found| {
                    let text = text[found.span].to_owned();
                    marks.extend(found.mark.map(|mark| (mark, text)));
                })
                .map(|()| marks)
        };
        // The last of two equal keys counts.
        skeletons.learn(br#"{"a":"x"}"#, (), |at| (at == 5).then_some(1), WHOLE);
        skeletons.learn(
            br#"{"a":"x","a":"y"}"#,
            (),
            |at| (at == 13).then_some(1),
            WHOLE,
        );
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
