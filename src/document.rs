//! The bytes of one JSON text -> a tape: a flat array of tokens with the span of every key and value.
//!
//! One pass checks the whole grammar of RFC 8259 (what nobody looks at included), finds duplicate keys, and allocates
//! nothing once its buffers are warm. Nesting costs a stack entry, not a call: no input can overflow the call stack.
//! Where an object names a key twice, the last one counts and the earlier ones are passed over.

mod number;
mod repeated;
mod resolve;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

pub use number::Number;
pub(crate) use resolve::Found;

/// How deep arrays and objects may be nested.
///
/// Records of agent runs are a dozen levels deep; the limit keeps every later walk over a record shallow.
pub const MAX_DEPTH: usize = 128;

/// Members of an object up to which a repeated key is looked for by scanning; beyond that the keys are sorted once, when
/// the object closes, so that an object of a million keys takes no quadratic time.
const SCANNED_KEYS: u32 = 64;

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

/// A value or a key: where it stands in the text, and how many tokens it spans on the tape, itself included.
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
pub struct SyntaxError {
    /// Byte offset of the first byte that can't belong to a JSON text.
    pub offset: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl SyntaxError {
    /// The bytes of the character at which the text stops being JSON; none where the text ends too early.
    pub(crate) fn span(self, bytes: &[u8]) -> Range<usize> {
        let rest = bytes.get(self.offset + 1..).unwrap_or_default();
        let continued = rest.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
        self.offset..(self.offset + 1 + continued).min(bytes.len())
    }
}

fn fail<T>(offset: usize, what: &'static str) -> Result<T, SyntaxError> {
    Err(SyntaxError { offset, what })
}

/// The buffers of a parse, to be used again for the next text.
#[derive(Default)]
pub struct Tape {
    tokens: Vec<Token>,
    /// Key tokens that repeat an earlier key of their object, in the order of the text.
    duplicates: Vec<u32>,
    open: Vec<Open>,
}

/// An array or object that is not closed yet.
struct Open {
    token: u32,
    is_object: bool,
    keys: u32,
    /// A Bloom filter of the keys so far: a key whose bit is unset was not seen yet.
    seen: u64,
    /// Whether keys beyond the scanned ones may repeat others.
    suspect: bool,
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
    /// The first place where the bytes are not UTF-8 or not one JSON text, or nest deeper than [`MAX_DEPTH`].
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
            return fail(0, "a byte order mark stands before the JSON text");
        }
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return fail(0, "the text is UTF-16, not UTF-8");
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| SyntaxError { offset: error.valid_up_to(), what: "a byte that is not UTF-8" })?;
        if u32::try_from(text.len()).is_err() {
            return fail(0, "the text is longer than 4 GiB");
        }
        self.tokens.clear();
        self.duplicates.clear();
        self.open.clear();
        Parser { tape: self, text, bytes }.run()?;
        self.duplicates.sort_unstable();
        Ok(Document { text, tape: self })
    }
}

/// A JSON text that owns itself: nothing of what was stored is lost, neither unknown fields nor the texts of numbers nor
/// the order of keys.
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
        let mut tape = Tape::default();
        tape.read(&bytes)?;
        // Read as UTF-8 before.
        Ok(Self { text: String::from_utf8(bytes).unwrap_or_default(), tape })
    }

    /// The document.
    #[must_use]
    pub fn view(&self) -> Document<'_> {
        Document { text: &self.text, tape: &self.tape }
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

/// How far a value was read.
enum Read {
    /// To its end, which is here.
    Whole(usize),
    /// A container, up to its first value, which starts here.
    Opened(usize),
}

struct Parser<'t, 'a> {
    tape: &'t mut Tape,
    text: &'a str,
    bytes: &'a [u8],
}

#[expect(clippy::inline_always, reason = "measured: a quarter of the instructions of reading a timeline")]
#[expect(clippy::cast_possible_truncation, reason = "offsets and token counts are below the text's length, a u32")]
#[expect(clippy::indexing_slicing, reason = "tokens are addressed by indices that this parser handed out")]
impl Parser<'_, '_> {
    fn run(&mut self) -> Result<(), SyntaxError> {
        let mut at = self.blank(0);
        if at == self.bytes.len() {
            return fail(at, "the text is empty");
        }
        loop {
            // A value starts here.
            at = match self.value(at)? {
                Read::Whole(end) => end,
                Read::Opened(member) => {
                    at = member;
                    continue;
                }
            };
            // A value ended here: close what ends with it.
            loop {
                at = self.blank(at);
                let Some(open) = self.tape.open.last() else {
                    return if at == self.bytes.len() { Ok(()) } else { fail(at, "more text after the JSON value") };
                };
                match (self.bytes.get(at), open.is_object) {
                    (Some(b','), true) => {
                        at = self.blank(at + 1);
                        at = self.key(at)?;
                        break;
                    }
                    (Some(b','), false) => {
                        at = self.blank(at + 1);
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        at += 1;
                        self.close(at);
                    }
                    (Some(_), true) => return fail(at, "expected `,` or `}`"),
                    (Some(_), false) => return fail(at, "expected `,` or `]`"),
                    (None, _) => return fail(at, "the text ends before its value does"),
                }
            }
        }
    }

    /// Reads a scalar whole, and of a container its opening bracket (with its first key, or its closing bracket).
    #[inline(always)]
    fn value(&mut self, at: usize) -> Result<Read, SyntaxError> {
        match self.bytes.get(at) {
            Some(b'"') => self.string(at).map(Read::Whole),
            Some(b'{') => self.container(at, Kind::Object),
            Some(b'[') => self.container(at, Kind::Array),
            Some(b'-' | b'0'..=b'9') => self.number(at).map(Read::Whole),
            Some(b't') => self.literal(at, b"true", Kind::True).map(Read::Whole),
            Some(b'f') => self.literal(at, b"false", Kind::False).map(Read::Whole),
            Some(b'n') => self.literal(at, b"null", Kind::Null).map(Read::Whole),
            Some(b'N' | b'I') => fail(at, "NaN and Infinity are not JSON"),
            Some(b'\'') => fail(at, "strings stand in double quotes"),
            Some(b'/' | b'#') => fail(at, "JSON has no comments"),
            Some(b']' | b'}') => fail(at, "a value is missing before the closing bracket"),
            Some(_) => fail(at, "expected a value"),
            None => fail(at, "the text ends where a value is expected"),
        }
    }

    #[inline(always)]
    fn push(&mut self, start: usize, end: usize, kind: Kind, escaped: bool) {
        self.tape.tokens.push(Token { start: start as u32, end: end as u32, size: 1, kind, escaped, shadowed: false });
    }

    #[inline(always)]
    fn container(&mut self, start: usize, kind: Kind) -> Result<Read, SyntaxError> {
        if self.tape.open.len() == MAX_DEPTH {
            return fail(start, "arrays and objects are nested deeper than 128 levels");
        }
        let is_object = kind == Kind::Object;
        self.tape.open.push(Open { token: self.tape.tokens.len() as u32, is_object, keys: 0, seen: 0, suspect: false });
        self.push(start, start, kind, false);
        let at = self.blank(start + 1);
        match (kind, self.bytes.get(at)) {
            (Kind::Object, Some(b'}')) | (Kind::Array, Some(b']')) => {
                self.close(at + 1);
                Ok(Read::Whole(at + 1))
            }
            (Kind::Object, _) => self.key(at).map(Read::Opened),
            _ => Ok(Read::Opened(at)),
        }
    }

    #[inline(always)]
    fn close(&mut self, end: usize) {
        let Some(open) = self.tape.open.pop() else { return };
        if open.suspect {
            self.repeated_among_many(open.token);
        }
        let size = self.tape.tokens.len() as u32 - open.token;
        let token = &mut self.tape.tokens[open.token as usize];
        token.end = end as u32;
        token.size = size;
    }

    /// Reads a key and its colon; the value comes next.
    #[inline(always)]
    fn key(&mut self, at: usize) -> Result<usize, SyntaxError> {
        match self.bytes.get(at) {
            Some(b'"') => {}
            Some(b'}') => return fail(at, "a comma stands before the closing bracket"),
            Some(_) => return fail(at, "expected a key in double quotes"),
            None => return fail(at, "the text ends where a key is expected"),
        }
        let key = self.tape.tokens.len() as u32;
        let after = self.string(at)?;
        self.note_key(key);
        let colon = self.blank(after);
        if self.bytes.get(colon) != Some(&b':') {
            return fail(colon, "expected `:` after the key");
        }
        Ok(self.blank(colon + 1))
    }

    #[inline(always)]
    fn note_key(&mut self, key: u32) {
        let name = self.key_bytes(key);
        let ends = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
            (Some(head), Some(tail)) => u64::from_le_bytes(*head) ^ u64::from_le_bytes(*tail).rotate_left(23),
            _ => name.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        };
        let hash = (ends ^ (name.len() as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let bit = 1 << (hash >> 58);
        let Some(open) = self.tape.open.last_mut() else { return };
        let maybe_seen = open.seen & bit != 0;
        open.seen |= bit;
        open.keys += 1;
        if maybe_seen {
            if open.keys > SCANNED_KEYS {
                open.suspect = true;
            } else {
                let object = open.token;
                self.repeated_among_few(object, key);
            }
        }
    }

    #[inline(never)]
    fn repeated_among_few(&mut self, object: u32, key: u32) {
        let name = self.key_bytes(key);
        let mut sibling = object + 1;
        let mut shadowed = None;
        while sibling < key {
            if self.key_bytes(sibling) == name {
                shadowed = Some(sibling);
            }
            sibling += 1 + self.tape.tokens[sibling as usize + 1].size;
        }
        if let Some(earlier) = shadowed {
            self.shadow(earlier, key);
        }
    }

    #[cold]
    fn repeated_among_many(&mut self, object: u32) {
        let end = self.tape.tokens.len() as u32;
        let mut keys = Vec::new();
        let mut key = object + 1;
        while key < end {
            keys.push(key);
            key += 1 + self.tape.tokens[key as usize + 1].size;
        }
        // Keys among the first few were compared as they came.
        let first_unscanned = keys.get(SCANNED_KEYS as usize).copied().unwrap_or(end);
        keys.sort_by(|a, b| self.key_bytes(*a).cmp(&self.key_bytes(*b)).then(a.cmp(b)));
        for pair in keys.windows(2) {
            if pair[1] >= first_unscanned && self.key_bytes(pair[0]) == self.key_bytes(pair[1]) {
                self.shadow(pair[0], pair[1]);
            }
        }
    }

    fn shadow(&mut self, earlier: u32, later: u32) {
        self.tape.tokens[earlier as usize].shadowed = true;
        self.tape.duplicates.push(later);
    }

    /// The bytes of a key's name, unescaped.
    #[inline(always)]
    fn key_bytes(&self, key: u32) -> Cow<'_, [u8]> {
        let token = &self.tape.tokens[key as usize];
        if token.escaped {
            return Cow::Owned(string_value(self.text, token).into_owned().into_bytes());
        }
        Cow::Borrowed(&self.bytes[token.start as usize + 1..token.end as usize - 1])
    }

    #[inline(always)]
    fn string(&mut self, start: usize) -> Result<usize, SyntaxError> {
        let mut at = start + 1;
        let mut escaped = false;
        loop {
            at = string_stop(self.bytes, at);
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    at = escape_end(self.bytes, at)?;
                }
                Some(_) => return fail(at, "a control character stands unescaped in a string"),
                None => return fail(at, "the text ends inside a string"),
            }
        }
        self.push(start, at + 1, Kind::String, escaped);
        Ok(at + 1)
    }

    #[inline(always)]
    fn number(&mut self, start: usize) -> Result<usize, SyntaxError> {
        let mut at = start + usize::from(self.bytes[start] == b'-');
        match self.bytes.get(at) {
            Some(b'0') => {
                at += 1;
                if self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
                    return fail(at, "a number can't start with 0 and go on with digits");
                }
            }
            Some(b'1'..=b'9') => at = self.digits(at),
            _ => return fail(at, "expected a digit"),
        }
        if self.bytes.get(at) == Some(&b'.') {
            at = self.some_digits(at + 1)?;
        }
        if matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.bytes.get(at + 1), Some(b'+' | b'-')));
            at = self.some_digits(at + 1 + sign)?;
        }
        self.push(start, at, Kind::Number, false);
        Ok(at)
    }

    fn some_digits(&self, at: usize) -> Result<usize, SyntaxError> {
        let end = self.digits(at);
        if end == at { fail(at, "expected a digit") } else { Ok(end) }
    }

    #[inline(always)]
    fn digits(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    }

    fn literal(&mut self, start: usize, word: &[u8], kind: Kind) -> Result<usize, SyntaxError> {
        let end = start + word.len();
        if self.bytes.get(start..end) != Some(word) {
            return fail(start, "expected `true`, `false` or `null`");
        }
        self.push(start, end, kind, false);
        Ok(end)
    }

    #[inline(always)]
    fn blank(&self, mut at: usize) -> usize {
        while matches!(self.bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            at += 1;
        }
        at
    }
}

/// The first quote, backslash or control character at or after `at`; eight bytes at a time.
#[inline(always)]
fn string_stop(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let quotes = zeros(word ^ (ONES * u64::from(b'"')));
        let backslashes = zeros(word ^ (ONES * u64::from(b'\\')));
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let stops = quotes | backslashes | controls;
        if stops != 0 {
            return at + (stops.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)) {
        at += 1;
    }
    at
}

/// The index after the escape that starts at `at`; surrogates must come in pairs.
fn escape_end(bytes: &[u8], at: usize) -> Result<usize, SyntaxError> {
    let unit = |at: usize| {
        bytes.get(at..at + 4)?.iter().try_fold(0, |sum, byte| Some(sum << 4 | char::from(*byte).to_digit(16)?))
    };
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match unit(at + 2) {
            Some(0xD800..=0xDBFF) => match (bytes.get(at + 6..at + 8), unit(at + 8)) {
                (Some(b"\\u"), Some(0xDC00..=0xDFFF)) => Ok(at + 12),
                _ => fail(at, "half a surrogate pair"),
            },
            Some(0xDC00..=0xDFFF) => fail(at, "half a surrogate pair"),
            Some(_) => Ok(at + 6),
            None => fail(at, "`\\u` needs four hexadecimal digits"),
        },
        _ => fail(at, "an escape that JSON does not know"),
    }
}

/// What a string or key token says, unescaped.
#[inline]
fn string_value<'a>(text: &'a str, token: &Token) -> Cow<'a, str> {
    let quoted = text.get(token.start as usize..token.end as usize).unwrap_or_default();
    if token.escaped {
        // Read before as a JSON string, so it reads again.
        Cow::Owned(serde_json::from_str(quoted).unwrap_or_default())
    } else {
        Cow::Borrowed(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default())
    }
}

impl<'a> Document<'a> {
    /// The value that the whole text is.
    #[must_use]
    pub fn root(self) -> Node<'a> {
        Node { document: self, index: 0 }
    }

    /// The text.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.text
    }

    /// The bytes of the token at a place on the tape.
    pub(crate) fn span_of(self, index: u32) -> Option<Range<usize>> {
        self.tape.tokens.get(index as usize).map(|token| token.start as usize..token.end as usize)
    }

    /// Whether any object names a key twice.
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

#[expect(clippy::indexing_slicing, reason = "keys and nodes carry indices of their own document's tokens")]
impl<'a> Key<'a> {
    fn token(self) -> &'a Token {
        &self.document.tape.tokens[self.index as usize]
    }

    /// The key, unescaped.
    #[must_use]
    pub fn name(self) -> Cow<'a, str> {
        string_value(self.document.text, self.token())
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
        Node { document: self.document, index: self.index + 1 }
    }

    /// The key's place on the tape.
    #[must_use]
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    fn is_shadowed(self) -> bool {
        self.token().shadowed
    }

    /// How many bytes the name takes, where it is written without escapes.
    #[inline]
    pub(crate) fn plain_len(self) -> Option<usize> {
        let token = self.token();
        (!token.escaped).then(|| (token.end - token.start - 2) as usize)
    }

    /// Whether this is the key's name.
    #[expect(clippy::inline_always, reason = "measured: most calls end at the comparison of lengths")]
    #[inline(always)]
    pub(crate) fn is(self, name: &str) -> bool {
        let token = self.token();
        let quoted = (token.start as usize, token.end as usize);
        // Most names differ in length.
        if quoted.1 - quoted.0 != name.len() + 2 {
            return token.escaped && self.name() == name;
        }
        !token.escaped && self.document.text.as_bytes().get(quoted.0 + 1..quoted.1 - 1) == Some(name.as_bytes())
    }
}

#[expect(clippy::indexing_slicing, reason = "keys and nodes carry indices of their own document's tokens")]
impl<'a> Node<'a> {
    fn token(self) -> &'a Token {
        &self.document.tape.tokens[self.index as usize]
    }

    /// What kind of value it is.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.token().kind
    }

    /// The value's place on the tape; the tokens from it up to `end_index` are the value.
    #[must_use]
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// The place on the tape behind the value.
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
        (self.kind() == Kind::String).then(|| string_value(self.document.text, self.token()))
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

    /// The value under a key of an object; `None` where there is none, and for any other value.
    #[must_use]
    #[inline]
    pub fn get(self, name: &str) -> Option<Node<'a>> {
        self.members().find(|key| key.is(name)).map(Key::value)
    }

    /// The members of an object in the order of the text, each by its key; nothing for any other value.
    #[must_use]
    #[inline]
    pub fn members(self) -> Members<'a> {
        Members(self.all_members())
    }

    /// The members of an object, those included that a later one repeats.
    fn all_members(self) -> AllMembers<'a> {
        let is_object = self.kind() == Kind::Object;
        AllMembers { document: self.document, next: self.index + 1, end: if is_object { self.end_index() } else { 0 } }
    }

    /// The items of an array in order; nothing for any other value.
    #[must_use]
    #[inline]
    pub fn items(self) -> Items<'a> {
        let is_array = self.kind() == Kind::Array;
        Items { document: self.document, next: self.index + 1, end: if is_array { self.end_index() } else { 0 } }
    }

    /// Whether two values are equal: numbers by value and exactly, strings unescaped, objects whatever the order of keys.
    #[must_use]
    pub fn equals(self, other: Node<'_>) -> bool {
        if self.raw() == other.raw() {
            return true;
        }
        match (self.kind(), other.kind()) {
            (Kind::Number, Kind::Number) => Number(self.raw()).equals(Number(other.raw())),
            (Kind::String, Kind::String) => self.text() == other.text(),
            (Kind::Array, Kind::Array) => {
                let (mut ours, mut theirs) = (self.items(), other.items());
                loop {
                    match (ours.next(), theirs.next()) {
                        (None, None) => return true,
                        (Some(a), Some(b)) if a.equals(b) => {}
                        _ => return false,
                    }
                }
            }
            (Kind::Object, Kind::Object) => {
                let by_name = |key: Key<'_>| key.name().into_owned();
                let (mut ours, mut theirs): (Vec<_>, Vec<_>) = (self.members().collect(), other.members().collect());
                if ours.len() != theirs.len() {
                    return false;
                }
                ours.sort_by_cached_key(|key| by_name(*key));
                theirs.sort_by_cached_key(|key| by_name(*key));
                ours.iter().zip(theirs).all(|(a, b)| a.name() == b.name() && a.value().equals(b.value()))
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
struct AllMembers<'a> {
    document: Document<'a>,
    next: u32,
    end: u32,
}

impl<'a> Iterator for AllMembers<'a> {
    type Item = Key<'a>;

    #[inline]
    fn next(&mut self) -> Option<Key<'a>> {
        (self.next < self.end).then(|| {
            let key = Key { document: self.document, index: self.next };
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
            let item = Node { document: self.document, index: self.next };
            self.next = item.end_index();
            item
        })
    }
}
