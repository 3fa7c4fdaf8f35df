//! A JSON text -> its parts, by the grammar of RFC 8259, in one pass without recursion.

use wide::u8x16;

use super::{Kind, MAX_DEPTH, SyntaxError, SyntaxErrorKind, fail};

/// A receiver of the parts of a text as they are read, in the order of the text (a push parser).
#[expect(
    clippy::inline_always,
    reason = "measured: no instruction of a part that is ignored should remain"
)]
pub(crate) trait Sink {
    /// Receives a complete value: a scalar, or an array or object whose content was not wanted.
    #[inline(always)]
    fn value(&mut self, _kind: Kind, _start: usize, _end: usize, _escaped: bool) {}
    /// Receives the key of the next value.
    #[inline(always)]
    fn key(&mut self, _start: usize, _end: usize, _escaped: bool) {}
    /// Opens an array or object; returns whether its content is wanted.
    #[inline(always)]
    fn open(&mut self, _kind: Kind, _start: usize) -> bool {
        true
    }
    /// Closes the array or object that was opened last.
    #[inline(always)]
    fn close(&mut self, _end: usize) {}
}

/// A sink that ignores everything: the text is only checked to be JSON.
pub(super) struct SkipSink;

impl Sink for SkipSink {}

/// A parser of one value.
pub(crate) struct Parser<'a, S> {
    pub(super) bytes: &'a [u8],
    pub(super) sink: S,
    /// A bit for each open array or object, the innermost lowest: whether it is an object.
    pub(super) objects: u128,
    pub(super) depth: usize,
}

const _: () = assert!(
    MAX_DEPTH <= u128::BITS as usize,
    "each open array or object needs a bit"
);

#[expect(
    clippy::inline_always,
    reason = "measured: a quarter of the instructions of reading a timeline"
)]
impl<'a, S: Sink> Parser<'a, S> {
    pub(crate) fn new(bytes: &'a [u8], sink: S) -> Self {
        Self {
            bytes,
            sink,
            objects: 0,
            depth: 0,
        }
    }

    /// Reads a text that is one value, or the rest of the arrays and objects that are open.
    pub(crate) fn text(&mut self) -> Result<(), SyntaxError> {
        let at = self.skip_whitespace(0);
        if at == self.bytes.len() {
            return fail(at, SyntaxErrorKind::Empty);
        }

        let end = self.value(at, 0)?;
        let end = self.skip_whitespace(end);
        if end == self.bytes.len() {
            Ok(())
        } else {
            let found = self
                .bytes
                .get(end)
                .copied()
                .unwrap_or_default();
            fail(end, misplaced(found, SyntaxErrorKind::MoreText))
        }
    }

    /// Reads from a value that starts at `at` to where no more than a number of arrays and objects
    /// are open; returns the end.
    pub(super) fn value(&mut self, mut at: usize, outside: usize) -> Result<usize, SyntaxError> {
        loop {
            // A value starts here; most values are strings.
            at = if self.bytes.get(at) == Some(&b'"') {
                let (end, escaped) = string(self.bytes, at)?;
                self.sink
                    .value(Kind::String, at, end, escaped);
                end
            } else {
                match self.bytes.get(at) {
                    Some(bracket @ (b'{' | b'[')) => {
                        let is_object = *bracket == b'{';
                        let (next, is_whole) = self.open(is_object, at)?;
                        if !is_whole {
                            at = if is_object { self.key(next)? } else { next };
                            continue;
                        }
                        next
                    }
                    Some(b'-' | b'0'..=b'9') => {
                        let end = number(self.bytes, at)?;
                        self.sink
                            .value(Kind::Number, at, end, false);
                        end
                    }
                    Some(b't') => self.literal(at, b"true", Kind::True)?,
                    Some(b'f') => self.literal(at, b"false", Kind::False)?,
                    Some(b'n') => self.literal(at, b"null", Kind::Null)?,
                    _ => return fail(at, no_value(self.bytes.get(at..).unwrap_or_default())),
                }
            };
            // A value ended here: close the arrays and objects that end with it.
            loop {
                if self.depth == outside {
                    return Ok(at);
                }

                let found = after_blank(self.bytes, at);
                at = found.map_or(self.bytes.len(), |(_, at)| at);
                let found = found.map(|(byte, _)| byte);
                let in_object = self.objects & 1 == 1;
                match (found, in_object) {
                    (Some(b','), _) => {
                        at = self.skip_whitespace(at + 1);
                        if in_object {
                            at = self.key(at)?;
                        }
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        at += 1;
                        self.close(at);
                    }
                    (found, _) => return fail(at, no_separator(found, in_object)),
                }
            }
        }
    }

    /// Opens an array or object; returns its end, if it is empty or not wanted, or else where its
    /// first key or item starts, and which of the two that is.
    #[inline(always)]
    fn open(&mut self, is_object: bool, start: usize) -> Result<(usize, bool), SyntaxError> {
        let (kind, closing) = if is_object {
            (Kind::Object, b'}')
        } else {
            (Kind::Array, b']')
        };

        if self.depth == MAX_DEPTH {
            return fail(start, SyntaxErrorKind::TooDeep);
        }

        if !self.sink.open(kind, start) {
            let end = walk(self.bytes, start, self.depth, SkipSink)?;
            self.sink.value(kind, start, end, false);
            return Ok((end, true));
        }

        self.depth += 1;
        self.objects = self.objects << 1 | u128::from(is_object);
        let at = self.skip_whitespace(start + 1);
        let is_empty = self.bytes.get(at) == Some(&closing);
        if is_empty {
            self.close(at + 1);
        }

        Ok((at + usize::from(is_empty), is_empty))
    }

    #[inline(always)]
    fn close(&mut self, end: usize) {
        self.depth -= 1;
        self.objects >>= 1;
        self.sink.close(end);
    }

    /// Reads a key and its colon; returns the start of its value.
    #[inline(always)]
    fn key(&mut self, at: usize) -> Result<usize, SyntaxError> {
        if self.bytes.get(at) != Some(&b'"') {
            return fail(at, no_key(self.bytes.get(at)));
        }

        let (end, escaped) = string(self.bytes, at)?;
        self.sink.key(at, end, escaped);
        let colon = match self.bytes.get(end) {
            Some(b':') => end,
            _ => self.distant_colon(end)?,
        };

        Ok(self.skip_whitespace(colon + 1))
    }

    /// Returns the colon after a key that ends at a place, with whitespace between them.
    #[cold]
    fn distant_colon(&self, end: usize) -> Result<usize, SyntaxError> {
        let colon = skip_whitespace(self.bytes, end);
        if self.bytes.get(colon) == Some(&b':') {
            Ok(colon)
        } else {
            fail(colon, SyntaxErrorKind::NoColon)
        }
    }

    #[inline(always)]
    fn literal(&mut self, start: usize, word: &[u8], kind: Kind) -> Result<usize, SyntaxError> {
        let end = start + word.len();
        if self.bytes.get(start..end) != Some(word) {
            return fail(
                start,
                no_value(
                    self.bytes
                        .get(start..)
                        .unwrap_or_default(),
                ),
            );
        }

        self.sink.value(kind, start, end, false);
        Ok(end)
    }

    /// Returns the place of the first byte at or after `at` that is not whitespace.
    #[inline(always)]
    fn skip_whitespace(&self, at: usize) -> usize {
        after_blank(self.bytes, at).map_or(self.bytes.len(), |(_, at)| at)
    }
}

/// Returns the first byte at or after a place that is not whitespace, and its place.
#[expect(clippy::inline_always, reason = "measured: most texts have none")]
#[inline(always)]
pub(crate) fn after_blank(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    match bytes.get(at) {
        Some(byte) if *byte > b' ' => Some((*byte, at)),
        _ => {
            let at = skip_whitespace(bytes, at);
            Some((*bytes.get(at)?, at))
        }
    }
}

/// Returns the first place at or after another that is not whitespace.
#[inline(never)]
pub(crate) fn skip_whitespace(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte @ (b' ' | b'\n' | b'\r' | b'\t')) = bytes.get(at) {
        at += 1;
        // The indentation of a line.
        while *byte == b'\n' && bytes.get(at..at + 4) == Some(b"    ") {
            at += 4;
        }
    }
    at
}

/// Returns the end of the array or object that starts at a place, inside of a number of others;
/// `None` where it is not JSON.
pub(crate) fn skip(bytes: &[u8], start: usize, depth: usize) -> Option<usize> {
    walk(bytes, start, depth, SkipSink).ok()
}

/// Reads the value that starts at a place, inside of a number of arrays and objects, into a sink;
/// returns its end.
pub(crate) fn walk(
    bytes: &[u8],
    start: usize,
    depth: usize,
    sink: impl Sink,
) -> Result<usize, SyntaxError> {
    let mut parser = Parser {
        bytes,
        sink,
        objects: 0,
        depth,
    };

    parser.value(start, depth)
}

/// A value that was read.
#[derive(Clone, Copy)]
pub(crate) struct ReadValue {
    pub(crate) end: usize,
    /// `true` if it is a string with escapes.
    pub(crate) is_escaped: bool,
}

/// Reads the string that starts at a quote.
#[expect(clippy::inline_always, reason = "measured")]
#[inline(always)]
pub(crate) fn end_of_string(bytes: &[u8], start: usize) -> Option<ReadValue> {
    let stop = string_stop(bytes, start + 1);
    // Most strings have no escapes.
    if bytes.get(stop) == Some(&b'"') {
        return Some(ReadValue {
            end: stop + 1,
            is_escaped: false,
        });
    }

    Some(ReadValue {
        end: string_end(bytes, stop).ok()?,
        is_escaped: true,
    })
}

/// Returns why no value starts with the rest of a text.
#[cold]
fn no_value(rest: &[u8]) -> SyntaxErrorKind {
    match rest {
        [0, ..] => SyntaxErrorKind::NulBytes,
        [b'N', b'o', ..] => SyntaxErrorKind::PythonNone,
        [b'T' | b'F', ..] => SyntaxErrorKind::PythonBoolean,
        [b'N' | b'I', ..] | [b'n', b'a', b'n', ..] => SyntaxErrorKind::NotFinite,
        [b't' | b'f' | b'n', ..] => SyntaxErrorKind::NoLiteral,
        [b'\'', ..] => SyntaxErrorKind::SingleQuotes,
        [b'/' | b'#', ..] => SyntaxErrorKind::Comment,
        [b']' | b'}', ..] => SyntaxErrorKind::MissingValue,
        [_, ..] => SyntaxErrorKind::NoValue,
        [] => SyntaxErrorKind::EndsBeforeValue,
    }
}

/// Returns why no key starts at a place.
#[cold]
fn no_key(found: Option<&u8>) -> SyntaxErrorKind {
    match found {
        Some(b'}') => SyntaxErrorKind::TrailingComma,
        Some(found) => misplaced(*found, SyntaxErrorKind::NoKey),
        None => SyntaxErrorKind::EndsBeforeKey,
    }
}

/// Returns the error where neither a comma nor the closing bracket follows a value.
#[cold]
fn no_separator(found: Option<u8>, in_object: bool) -> SyntaxErrorKind {
    match (found, in_object) {
        (Some(found), true) => misplaced(found, SyntaxErrorKind::NoSeparatorInObject),
        (Some(found), false) => misplaced(found, SyntaxErrorKind::NoSeparatorInArray),
        (None, true) => SyntaxErrorKind::EndsInObject,
        (None, false) => SyntaxErrorKind::EndsInArray,
    }
}

/// Returns the error for a byte that is not the expected one, by the text that other languages
/// write there.
#[cold]
fn misplaced(found: u8, expected: SyntaxErrorKind) -> SyntaxErrorKind {
    match found {
        0 => SyntaxErrorKind::NulBytes,
        b'\'' => SyntaxErrorKind::SingleQuotes,
        b'/' | b'#' => SyntaxErrorKind::Comment,
        _ => expected,
    }
}

/// Reads a string; returns its end and whether it has escapes.
#[expect(clippy::inline_always, reason = "measured")]
#[inline(always)]
pub(super) fn string(bytes: &[u8], start: usize) -> Result<(usize, bool), SyntaxError> {
    let stop = string_stop(bytes, start + 1);
    // Most strings have no escapes.
    if bytes.get(stop) == Some(&b'"') {
        return Ok((stop + 1, false));
    }

    Ok((string_end(bytes, stop)?, true))
}

/// Returns the end of a string that has a backslash at a place, or stops being a string there.
#[cold]
fn string_end(bytes: &[u8], mut at: usize) -> Result<usize, SyntaxError> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = string_stop(bytes, escape_end(bytes, at)?),
            Some(_) => return fail(at, SyntaxErrorKind::ControlCharacter),
            None => return fail(at, SyntaxErrorKind::EndsInString),
        }
    }
}

/// Reads a number; returns its end.
pub(crate) fn number(bytes: &[u8], start: usize) -> Result<usize, SyntaxError> {
    let digits = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        at + rest
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };

    let some_digits = |at: usize| match digits(at) {
        end if end == at => fail(at, SyntaxErrorKind::NoDigit),
        end => Ok(end),
    };

    let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
    match bytes.get(at) {
        Some(b'0') => {
            at += 1;
            if bytes
                .get(at)
                .is_some_and(u8::is_ascii_digit)
            {
                return fail(at, SyntaxErrorKind::LeadingZero);
            }
        }
        Some(b'1'..=b'9') => at = digits(at),
        Some(b'I') => return fail(at, SyntaxErrorKind::NotFinite),
        _ => return fail(at, SyntaxErrorKind::NoDigit),
    }

    if bytes.get(at) == Some(&b'.') {
        at = some_digits(at + 1)?;
    }

    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = some_digits(at + 1 + sign)?;
    }

    Ok(at)
}

/// Returns the first quote, backslash or control character at or after `at`, found sixteen bytes at
/// a time.
#[expect(clippy::inline_always, reason = "measured")]
#[inline(always)]
pub(super) fn string_stop(bytes: &[u8], at: usize) -> usize {
    let Some(mut rest) = bytes.get(at..) else {
        return bytes.len();
    };
    while let Some((chunk, after)) = rest.split_first_chunk::<16>() {
        let chunk = u8x16::new(*chunk);
        // The quote changes places with the blank, so that it follows the control characters.
        let swapped = chunk ^ u8x16::splat(b'"' ^ b' ');
        let is_low = swapped
            .min(u8x16::splat(b' '))
            .simd_eq(swapped);
        let stops = (is_low | chunk.simd_eq(u8x16::splat(b'\\'))).to_bitmask();
        if stops != 0 {
            return bytes.len() - rest.len() + stops.trailing_zeros() as usize;
        }

        rest = after;
    }

    let is_stop = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    let stop = rest
        .iter()
        .position(is_stop)
        .unwrap_or(rest.len());

    bytes.len() - rest.len() + stop
}

/// Returns the end of the escape that starts at `at`; surrogates must come in pairs.
fn escape_end(bytes: &[u8], at: usize) -> Result<usize, SyntaxError> {
    let unit = |at: usize| {
        bytes
            .get(at..at + 4)?
            .iter()
            .try_fold(0, |sum, byte| {
                Some(sum << 4 | char::from(*byte).to_digit(16)?)
            })
    };

    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match unit(at + 2) {
            Some(0xD800..=0xDBFF) => match (bytes.get(at + 6..at + 8), unit(at + 8)) {
                (Some(b"\\u"), Some(0xDC00..=0xDFFF)) => Ok(at + 12),
                _ => fail(at, SyntaxErrorKind::LoneSurrogate),
            },
            Some(0xDC00..=0xDFFF) => fail(at, SyntaxErrorKind::LoneSurrogate),
            Some(_) => Ok(at + 6),
            None => fail(at, SyntaxErrorKind::ShortEscape),
        },
        _ => fail(at, SyntaxErrorKind::UnknownEscape),
    }
}
