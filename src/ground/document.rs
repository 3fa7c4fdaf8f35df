//! The bytes of one JSON text -> a tape: a flat array of tokens with the span of every key and
//! value.
//!
//! One pass checks the whole grammar of RFC 8259, including values that nobody reads, finds
//! duplicate keys, and allocates nothing once its buffers are warm. Nesting uses an explicit stack,
//! so no input can overflow the call stack. Where a key repeats in an object, the last one counts.
//!
//! A walk over the tape turns a text into the values of another language, without a tree between:
//!
//! ```
//! use runvet::document::{Key, Kind, Node, OwnedDocument};
//!
//! /// A value as Lisp writes it. The nesting of a text is limited, so the recursion is too.
//! fn lisp(node: Node<'_>) -> String {
//!     let each = |parts: Vec<String>| format!("({})", parts.join(" "));
//!     match node.kind() {
//!         Kind::Null | Kind::False => "nil".into(),
//!         Kind::True => "t".into(),
//!         Kind::Number => node.number().unwrap().text().into(), // as written, any number of digits
//!         Kind::String => format!("{:?}", node.text().unwrap()), // borrowed unless it has escapes
//!         Kind::Array => each(node.items().map(lisp).collect()),
//!         Kind::Object => {
//!             let pair = |key: Key<'_>| format!("({} . {})", key.name(), lisp(key.value()));
//!             each(node.members().map(pair).collect())
//!         }
//!     }
//! }
//!
//! let document = OwnedDocument::read(br#"{"a": [1.50, true], "b": "x"}"#.to_vec()).unwrap();
//! assert_eq!(lisp(document.root()), r#"((a . (1.50 t)) (b . "x"))"#);
//! ```

mod builder;
mod canonical;
mod essence;
mod limit;
mod meaning;
mod node;
mod number;
mod owned;
mod parser;
mod pieces;
mod read_text;
mod repeated;
mod resolve;
mod same;
mod slots;
mod sum;
mod syntax;
mod token;
mod value;
pub(crate) mod work;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::str::Utf8Error;

use builder::{Builder, Open};
pub(crate) use canonical::{canonical, push_canonical};
pub(crate) use essence::digests;
pub(crate) use limit::{LEAST_BYTES_BEYOND, Refused};
pub use node::{AllMembers, Items, Key, Members, Node};
pub(crate) use node::{has_escaped_ascii, unquoted};
pub use number::Number;
pub use owned::OwnedDocument;
pub(crate) use parser::{
    Parser, ReadValue, Sink, after_blank, end_of_string, number, skip, skip_whitespace, walk,
};
pub(crate) use pieces::{PieceProgress, Pieces};
pub(crate) use read_text::ReadText;
pub(crate) use repeated::Path;
pub(crate) use resolve::Resolved;
pub(crate) use same::{
    WrittenMember, distinct_members, same_as_written, written_items, written_members,
};
pub(crate) use slots::{EXTENSION, Layout, NearWords, Row, Slots, Span};
pub(crate) use sum::{compare_sum, is_sum_positive};
pub(crate) use syntax::SyntaxErrorKind;
use token::{MAX_TOKENS, Token};

/// The maximum nesting depth of arrays and objects.
///
/// Records of agent runs are about a dozen levels deep. The limit bounds the recursion of every
/// later walk over a record.
pub const MAX_DEPTH: usize = 128;

/// The maximum number of keys and values of a record, counted together, containers too.
///
/// Records of agent runs have hundreds. The limit bounds the memory that a tape takes.
pub(crate) const MAX_VALUES: usize = 1_000_000;

/// The kind of a JSON value.
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
    /// Returns the kind of a value, by how it is written.
    pub(crate) fn of(written: &str) -> Self {
        match written.as_bytes().first() {
            Some(b'n') => Self::Null,
            Some(b'f') => Self::False,
            Some(b't') => Self::True,
            Some(b'"') => Self::String,
            Some(b'[') => Self::Array,
            Some(b'{') => Self::Object,
            _ => Self::Number,
        }
    }

    /// Returns the kind with its article, as messages name it.
    pub(crate) fn with_article(self) -> &'static str {
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

/// The place at which a text stops being JSON, and the reason.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{kind}")]
#[non_exhaustive]
pub struct SyntaxError {
    /// Byte offset of the first byte that can't belong to a JSON text.
    pub offset: usize,
    /// The kind of the error.
    pub(crate) kind: SyntaxErrorKind,
}

impl SyntaxError {
    /// Returns the bytes of the character at which the text stops being JSON; empty where the text
    /// ends too early.
    pub(crate) fn span(self, bytes: &[u8]) -> Range<usize> {
        let continued = bytes
            .get(self.offset + 1..)
            .unwrap_or_default()
            .iter()
            .take(3)
            .take_while(|byte| **byte & 0xC0 == 0x80)
            .count();

        self.offset..(self.offset + 1 + continued).min(bytes.len())
    }
}

fn fail<T>(offset: usize, kind: SyntaxErrorKind) -> Result<T, SyntaxError> {
    Err(SyntaxError { offset, kind })
}

/// Returns the text that bytes are.
#[inline]
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    // The fast way says no more than whether there is an error.
    simdutf8::basic::from_utf8(bytes).or_else(|_| std::str::from_utf8(bytes))
}

/// The buffers of a parse, which can be reused for the next text.
#[derive(Clone, Default)]
pub(crate) struct Tape {
    tokens: Vec<Token>,
    /// Key tokens that repeat an earlier key of their object, each with the latest one that it
    /// repeats, in the order of the text.
    duplicates: Vec<(u32, u32)>,
    open: Vec<Open>,
}

/// A JSON text with its tape.
#[derive(Clone, Copy)]
pub(crate) struct Document<'a> {
    text: &'a str,
    tape: &'a Tape,
}

/// The number of tokens for which a tape keeps its memory: real records have fewer.
const KEPT_TOKENS: usize = 1 << 16;

/// Returns the number of tokens for which a tape has room from the start: too many rather than too
/// few, as records have one in about every eleven bytes.
fn likely_tokens(bytes: &[u8]) -> usize {
    (bytes.len() / 8).min(MAX_VALUES)
}

impl Tape {
    /// Frees the memory that a large text needed.
    pub(crate) fn release(&mut self) {
        if self.tokens.capacity() > KEPT_TOKENS {
            *self = Self::default();
        }
    }

    fn clear(&mut self) {
        self.tokens.clear();
        self.duplicates.clear();
        self.open.clear();
    }

    /// Reads a JSON text.
    ///
    /// # Errors
    ///
    /// The first place where the bytes are not UTF-8 or not one JSON text, or nest deeper than
    /// [`MAX_DEPTH`].
    pub(crate) fn read<'a>(&'a mut self, bytes: &'a [u8]) -> Result<Document<'a>, SyntaxError> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            return fail(0, SyntaxErrorKind::ByteOrderMark);
        }
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return fail(0, SyntaxErrorKind::Utf16);
        }

        let text = utf8(bytes).map_err(|error| SyntaxError {
            offset: error.valid_up_to(),
            kind: SyntaxErrorKind::NotUtf8,
        })?;
        if u32::try_from(text.len()).is_err() {
            return fail(0, SyntaxErrorKind::TooLong);
        }
        // Sizes of arrays and objects beyond that would be wrong. Most tokens take two bytes.
        if text.len() >= 2 * (MAX_TOKENS - MAX_DEPTH) && limit::count(bytes) > MAX_TOKENS {
            return fail(0, SyntaxErrorKind::TooManyTokens);
        }

        #[cfg(test)]
        work::add(text.len());
        self.clear();
        self.tokens
            .reserve(likely_tokens(bytes));

        let builder = Builder { tape: self, text };
        let read = Parser::new(bytes, builder).text();
        if read.is_err() && syntax::is_utf16(bytes) {
            return fail(0, SyntaxErrorKind::Utf16);
        }

        read?;
        self.duplicates.sort_unstable();
        Ok(Document { text, tape: self })
    }
}

impl fmt::Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tape")
            .finish_non_exhaustive()
    }
}

impl Token {
    /// Returns the content of a string or key, unescaped.
    #[inline]
    fn string<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let (start, end) = (self.start as usize, self.end as usize);
        unquoted(text, start, end, self.is_escaped())
    }

    /// Returns `true` if the content of a key is this name.
    #[expect(
        clippy::inline_always,
        reason = "measured: most calls end at the comparison of lengths"
    )]
    #[inline(always)]
    fn is_name(&self, name: &str, text: &str) -> bool {
        let (start, end) = (self.start as usize, self.end as usize);
        if end - start != name.len() + 2 {
            return self.is_escaped() && self.is_escaped_name(name, text);
        }
        !self.is_escaped() && text.as_bytes().get(start + 1..end - 1) == Some(name.as_bytes())
    }

    #[cold]
    fn is_escaped_name(&self, name: &str, text: &str) -> bool {
        // An escape takes six bytes for each byte of the name, at most.
        let is_longer = (self.end - self.start) as usize > 6 * name.len() + 2;
        !is_longer && self.string(text) == name
    }
}

impl<'a> Document<'a> {
    /// Returns the value that the whole text is.
    #[must_use]
    pub(crate) fn root(self) -> Node<'a> {
        Node {
            document: self,
            index: 0,
        }
    }

    /// Returns the text.
    #[must_use]
    pub(crate) fn text(self) -> &'a str {
        self.text
    }

    /// Returns the bytes of the token at an index of the tape.
    pub(crate) fn span_of(self, index: u32) -> Option<Range<usize>> {
        self.tape
            .tokens
            .get(index as usize)
            .map(|token| token.start as usize..token.end as usize)
    }

    /// Returns the value that starts at an offset of the text.
    pub(crate) fn value_at(self, start: u32) -> Option<Node<'a>> {
        let index = self
            .tape
            .tokens
            .binary_search_by_key(&start, |token| token.start);

        Some(Node {
            document: self,
            index: u32::try_from(index.ok()?).ok()?,
        })
    }

    /// Returns `true` if any object has the same key twice.
    #[must_use]
    pub(crate) fn repeats_keys(self) -> bool {
        !self.tape.duplicates.is_empty()
    }
}

impl fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root().fmt(f)
    }
}
