//! JSON text -> tokens: the grammar of RFC 8259, read in one pass without recursion.

use std::borrow::Cow;

use super::{Kind, MAX_DEPTH, Open, SCANNED_KEYS, SyntaxError, Tape, Token, fail, string_value};

/// How far a value was read.
enum Read {
    /// To its end, which is here.
    Whole(usize),
    /// A container, up to its first value, which starts here.
    Opened(usize),
}

/// Reads one text onto a tape.
pub(super) struct Parser<'t, 'a> {
    pub(super) tape: &'t mut Tape,
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
}

#[expect(clippy::inline_always, reason = "measured: a quarter of the instructions of reading a timeline")]
#[expect(clippy::cast_possible_truncation, reason = "offsets and token counts are below the text's length, a u32")]
#[expect(clippy::indexing_slicing, reason = "tokens are addressed by indices that this parser handed out")]
impl Parser<'_, '_> {
    pub(super) fn run(&mut self) -> Result<(), SyntaxError> {
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
