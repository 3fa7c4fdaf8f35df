//! The bytes of one JSON text -> a tape: a flat array of tokens with the span of every key and
//! value.
//!
//! One pass checks the whole grammar of RFC 8259, including values that nobody reads, finds
//! duplicate keys, and allocates nothing once its buffers are warm. Nesting uses an explicit stack,
//! so no input can overflow the call stack. Where a key repeats in an object, the last one counts.

mod builder;
mod essence;
mod number;
mod parser;
mod repeated;
mod resolve;
mod skeleton;
mod value;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use builder::{Builder, Open};
pub(crate) use essence::digests;
pub use number::Number;
pub(crate) use parser::{Parser, Sink};
pub(crate) use resolve::Found;
pub(crate) use skeleton::Skeletons;

/// The maximum nesting depth of arrays and objects.
///
/// Records of agent runs are about a dozen levels deep. The limit bounds the recursion of every
/// later walk over a record.
pub const MAX_DEPTH: usize = 128;

/// What a token stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `false`
    False,
    /// `true`
    True,
    /// A number
    Number,
    /// A string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

impl Kind {
    /// The kind with its article, as messages name it.
    #[must_use]
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::False | Self::True => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// A value or a key: its span in the text, and the number of its tokens on the tape, itself
/// included.
#[derive(Clone, Copy, Debug)]
struct Token {
    start: u32,
    end: u32,
    size: u32,
    kind: Kind,
    /// A string or key with backslashes in it.
    escaped: bool,
    /// A key that a later one of the same object repeats.
    shadowed: bool,
}

/// Where and why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
#[non_exhaustive]
pub struct SyntaxError {
    /// Byte offset of the first byte that can't belong to a JSON text.
    pub offset: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl SyntaxError {
    /// The bytes of the character at which the text stops being JSON; empty where the text ends too
    /// early.
    pub(crate) fn span(self, bytes: &[u8]) -> Range<usize> {
        let rest = bytes.get(self.offset + 1..).unwrap_or_default();
        let continued = rest
            .iter()
            .take(3)
            .take_while(|byte| **byte & 0xC0 == 0x80)
            .count();
        self.offset..(self.offset + 1 + continued).min(bytes.len())
    }
}

fn fail<T>(offset: usize, what: &'static str) -> Result<T, SyntaxError> {
    Err(SyntaxError { offset, what })
}

/// The buffers of a parse, which can be reused for the next text.
#[derive(Default)]
pub struct Tape {
    tokens: Vec<Token>,
    /// Key tokens that repeat an earlier key of their object, in the order of the text.
    duplicates: Vec<u32>,
    open: Vec<Open>,
}

/// A JSON text with its tape.
#[derive(Clone, Copy)]
pub struct Document<'a> {
    text: &'a str,
    tape: &'a Tape,
}

impl Tape {
    /// Reads a JSON text.
    ///
    /// # Errors
    ///
    /// The first place where the bytes are not UTF-8 or not one JSON text, or nest deeper than
    /// [`MAX_DEPTH`].
    ///
    /// ```
    /// use runvet::document::Tape;
    /// let mut tape = Tape::default();
    /// let document = tape.read(br#"{"status": "ok"}"#).unwrap();
    /// assert_eq!(document.root().get("status").unwrap().text().unwrap(), "ok");
    /// assert_eq!(tape.read(b"[1,]").unwrap_err().offset, 3);
    /// ```
    pub fn read<'a>(&'a mut self, bytes: &'a [u8]) -> Result<Document<'a>, SyntaxError> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            return fail(0, "the text starts with a byte order mark");
        }
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return fail(0, "the text is UTF-16, not UTF-8");
        }
        let text = std::str::from_utf8(bytes).map_err(|error| SyntaxError {
            offset: error.valid_up_to(),
            what: "the text has a byte that is not UTF-8",
        })?;
        if u32::try_from(text.len()).is_err() {
            return fail(0, "the text is longer than 4 GiB");
        }
        self.tokens.clear();
        // Too many rather than too few: records have a token in about every eleven bytes.
        self.tokens.reserve(text.len() / 8);
        self.duplicates.clear();
        self.open.clear();
        Parser::new(bytes, Builder { tape: self, text }).text()?;
        self.duplicates.sort_unstable();
        Ok(Document { text, tape: self })
    }
}

/// A JSON text that owns its buffers. Nothing of the text is lost: it keeps unknown fields, the
/// texts of numbers and the order of keys.
///
/// ```
/// use runvet::document::OwnedDocument;
/// let stored = OwnedDocument::read(br#"{"b": 1.50, "a": null}"#.to_vec()).unwrap();
/// assert_eq!(stored.root().get("b").unwrap().raw(), "1.50");
/// assert_eq!(stored.root().members().next().unwrap().name(), "b");
/// ```
#[derive(Default)]
pub struct OwnedDocument {
    text: String,
    tape: Tape,
}

impl OwnedDocument {
    /// Reads a JSON text, see [`Tape::read`].
    ///
    /// # Errors
    ///
    /// Those of [`Tape::read`].
    pub fn read(bytes: Vec<u8>) -> Result<Self, SyntaxError> {
        Self::read_or_return(bytes).map_err(|(error, _)| error)
    }

    /// The same; an error comes with the bytes, in which it can be located.
    pub(crate) fn read_or_return(bytes: Vec<u8>) -> Result<Self, (SyntaxError, Vec<u8>)> {
        let mut tape = Tape::default();
        if let Err(error) = tape.read(&bytes) {
            return Err((error, bytes));
        }
        // The tape has checked that the bytes are UTF-8.
        Ok(Self {
            text: String::from_utf8(bytes).unwrap_or_default(),
            tape,
        })
    }

    /// The document.
    #[must_use]
    pub fn view(&self) -> Document<'_> {
        Document {
            text: &self.text,
            tape: &self.tape,
        }
    }

    /// The value that the whole text is.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.view().root()
    }
}

impl fmt::Debug for OwnedDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

/// The content of a string in a JSON text, unescaped.
#[inline]
pub(crate) fn unquoted(text: &str, start: usize, end: usize, escaped: bool) -> Cow<'_, str> {
    if escaped {
        // It was read as a JSON string before, so this does not fail.
        Cow::Owned(
            serde_json::from_str(text.get(start..end).unwrap_or_default()).unwrap_or_default(),
        )
    } else {
        Cow::Borrowed(
            text.get(start + 1..end.saturating_sub(1))
                .unwrap_or_default(),
        )
    }
}

/// Whether two texts of one length are equal.
#[expect(
    clippy::inline_always,
    reason = "measured: most are short, and a call costs more than this"
)]
#[inline(always)]
fn same(a: &[u8], b: &[u8]) -> bool {
    /// Compares the first and the last `N` bytes, which overlap.
    #[inline(always)]
    fn ends<const N: usize>(a: &[u8], b: &[u8]) -> bool {
        a.first_chunk::<N>() == b.first_chunk::<N>() && a.last_chunk::<N>() == b.last_chunk::<N>()
    }
    match a.len() {
        8..=16 => ends::<8>(a, b),
        17..=32 => ends::<16>(a, b),
        4..=7 => ends::<4>(a, b),
        _ => a == b,
    }
}

impl Token {
    /// The content of a string or key, unescaped.
    #[inline]
    fn string<'a>(&self, text: &'a str) -> Cow<'a, str> {
        unquoted(text, self.start as usize, self.end as usize, self.escaped)
    }
}

impl<'a> Document<'a> {
    /// The value that the whole text is.
    #[must_use]
    pub fn root(self) -> Node<'a> {
        Node {
            document: self,
            index: 0,
        }
    }

    /// The text.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.text
    }

    /// The bytes of the token at an index of the tape.
    pub(crate) fn span_of(self, index: u32) -> Option<Range<usize>> {
        self.tape
            .tokens
            .get(index as usize)
            .map(|token| token.start as usize..token.end as usize)
    }

    /// Whether any object has the same key twice.
    #[must_use]
    pub fn repeats_keys(self) -> bool {
        !self.tape.duplicates.is_empty()
    }
}

impl fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root().fmt(f)
    }
}

/// A value of a document.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    document: Document<'a>,
    index: u32,
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::printable::brief(self.raw()))
    }
}

/// The key of a member of an object.
#[derive(Clone, Copy)]
pub struct Key<'a> {
    document: Document<'a>,
    index: u32,
}

#[expect(
    clippy::indexing_slicing,
    reason = "keys and nodes carry indices of their own document's tokens"
)]
impl<'a> Key<'a> {
    fn token(self) -> &'a Token {
        &self.document.tape.tokens[self.index as usize]
    }

    /// The key, unescaped.
    #[must_use]
    pub fn name(self) -> Cow<'a, str> {
        self.token().string(self.document.text)
    }

    /// The bytes of the key in the text, quotes included.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        self.token().start as usize..self.token().end as usize
    }

    /// The key as it was written, quotes included.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.document.text.get(self.span()).unwrap_or_default()
    }

    /// The value under the key.
    #[must_use]
    pub fn value(self) -> Node<'a> {
        Node {
            document: self.document,
            index: self.index + 1,
        }
    }

    /// The index of the key on the tape.
    #[must_use]
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    fn is_shadowed(self) -> bool {
        self.token().shadowed
    }

    /// The length of the name in bytes, if it is written without escapes.
    #[inline]
    pub(crate) fn plain_len(self) -> Option<usize> {
        let token = self.token();
        (!token.escaped).then(|| (token.end - token.start - 2) as usize)
    }

    /// Whether this is the key's name.
    #[expect(
        clippy::inline_always,
        reason = "measured: most calls end at the comparison of lengths"
    )]
    #[inline(always)]
    pub(crate) fn is(self, name: &str) -> bool {
        let token = self.token();
        let quoted = (token.start as usize, token.end as usize);
        // Most names differ in length.
        if quoted.1 - quoted.0 != name.len() + 2 {
            return token.escaped && self.name() == name;
        }
        let written = self
            .document
            .text
            .as_bytes()
            .get(quoted.0 + 1..quoted.1 - 1)
            .unwrap_or_default();
        !token.escaped && same(written, name.as_bytes())
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "keys and nodes carry indices of their own document's tokens"
)]
impl<'a> Node<'a> {
    fn token(self) -> &'a Token {
        &self.document.tape.tokens[self.index as usize]
    }

    /// What kind of value it is.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.token().kind
    }

    /// The index of the value on the tape; the tokens from here to `end_index` are the value.
    #[must_use]
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// The index on the tape after the value.
    #[must_use]
    pub(crate) fn end_index(self) -> u32 {
        self.index + self.token().size
    }

    /// The bytes of the value in the text, quotes or brackets included.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        self.token().start as usize..self.token().end as usize
    }

    /// The value as it was written.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.document.text.get(self.span()).unwrap_or_default()
    }

    /// Whether the value is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The string, unescaped; `None` for any other value.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        (self.kind() == Kind::String).then(|| self.token().string(self.document.text))
    }

    /// The number; `None` for any other value.
    #[must_use]
    pub fn number(self) -> Option<Number<'a>> {
        (self.kind() == Kind::Number).then(|| Number(self.raw()))
    }

    /// The boolean; `None` for any other value.
    #[must_use]
    pub fn boolean(self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// The value under a key of an object; `None` where the key is absent, and for any other value.
    #[must_use]
    #[inline]
    pub fn get(self, name: &str) -> Option<Node<'a>> {
        self.members().find(|key| key.is(name)).map(Key::value)
    }

    /// The value at the end of a path of keys; `None` where a key is absent.
    #[must_use]
    pub fn at(self, path: &[&str]) -> Option<Node<'a>> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The members of an object in the order of the text, each by its key; nothing for any other
    /// value.
    #[must_use]
    #[inline]
    pub fn members(self) -> Members<'a> {
        Members(self.all_members())
    }

    /// The members of an object, including those whose key a later one repeats.
    pub(crate) fn all_members(self) -> AllMembers<'a> {
        let is_object = self.kind() == Kind::Object;
        AllMembers {
            document: self.document,
            next: self.index + 1,
            end: if is_object { self.end_index() } else { 0 },
        }
    }

    /// The items of an array in order; nothing for any other value.
    #[must_use]
    #[inline]
    pub fn items(self) -> Items<'a> {
        let is_array = self.kind() == Kind::Array;
        Items {
            document: self.document,
            next: self.index + 1,
            end: if is_array { self.end_index() } else { 0 },
        }
    }

    /// Whether two values are equal: numbers by exact value, strings unescaped, objects in any
    /// order of keys.
    #[must_use]
    pub fn equals(self, other: Node<'_>) -> bool {
        if self.raw() == other.raw() {
            return true;
        }
        match (self.kind(), other.kind()) {
            (Kind::Number, Kind::Number) => Number(self.raw()).equals(Number(other.raw())),
            (Kind::String, Kind::String) => self.text() == other.text(),
            (Kind::Array, Kind::Array) => {
                let (mut items, mut others) = (self.items(), other.items());
                loop {
                    match (items.next(), others.next()) {
                        (None, None) => return true,
                        (Some(a), Some(b)) if a.equals(b) => {}
                        _ => return false,
                    }
                }
            }
            (Kind::Object, Kind::Object) => {
                let by_name = |key: Key<'_>| key.name().into_owned();
                let (mut members, mut others): (Vec<_>, Vec<_>) =
                    (self.members().collect(), other.members().collect());
                if members.len() != others.len() {
                    return false;
                }
                members.sort_by_cached_key(|key| by_name(*key));
                others.sort_by_cached_key(|key| by_name(*key));
                members
                    .iter()
                    .zip(others)
                    .all(|(a, b)| a.name() == b.name() && a.value().equals(b.value()))
            }
            _ => false,
        }
    }
}

/// The members of an object.
#[derive(Clone)]
pub struct Members<'a>(AllMembers<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = Key<'a>;

    #[inline]
    fn next(&mut self) -> Option<Key<'a>> {
        self.0.find(|key| !key.is_shadowed())
    }
}

#[derive(Clone)]
pub(crate) struct AllMembers<'a> {
    document: Document<'a>,
    next: u32,
    end: u32,
}

impl<'a> Iterator for AllMembers<'a> {
    type Item = Key<'a>;

    #[inline]
    fn next(&mut self) -> Option<Key<'a>> {
        (self.next < self.end).then(|| {
            let key = Key {
                document: self.document,
                index: self.next,
            };
            self.next = key.value().end_index();
            key
        })
    }
}

/// The items of an array.
#[derive(Clone)]
pub struct Items<'a> {
    document: Document<'a>,
    next: u32,
    end: u32,
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    #[inline]
    fn next(&mut self) -> Option<Node<'a>> {
        (self.next < self.end).then(|| {
            let item = Node {
                document: self.document,
                index: self.next,
            };
            self.next = item.end_index();
            item
        })
    }
}
