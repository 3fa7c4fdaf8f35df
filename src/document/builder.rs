//! The parts of a JSON text -> tokens on a tape, with repeated keys marked.

use std::borrow::Cow;

use super::parser::Sink;
use super::{Kind, Tape, Token};

/// The number of members up to which a key is compared with all earlier keys of its object. The
/// keys of a larger object are sorted once, when the object closes, so that an object of a million
/// keys does not take quadratic time.
const SCANNED_KEYS: u32 = 64;

/// An array or object that is not closed yet.
pub(super) struct Open {
    token: u32,
    /// Bloom filters of the keys so far: a key with an unset bit in one of them is new.
    seen: [u64; 2],
    /// `true` if keys beyond the first `SCANNED_KEYS` may repeat others.
    suspect: bool,
}

/// A writer of the parts of a text to a tape.
pub(super) struct Builder<'t, 'a> {
    pub(super) tape: &'t mut Tape,
    pub(super) text: &'a str,
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "offsets and token counts are below the text's length, a u32"
)]
impl Tape {
    /// Adds a value or a key; returns its index.
    #[expect(
        clippy::inline_always,
        reason = "measured: a quarter of the instructions of reading a record"
    )]
    #[inline(always)]
    fn push(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) -> u32 {
        let index = self.tokens.len() as u32;
        let token = Token::new(kind, start as u32, end as u32, escaped);
        self.tokens.push(token);
        index
    }
}

#[expect(
    clippy::inline_always,
    reason = "measured: a quarter of the instructions of reading a record"
)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "token counts are below the text's length, a u32"
)]
#[expect(
    clippy::indexing_slicing,
    reason = "tokens are addressed by indices that were handed out here"
)]
impl Sink for Builder<'_, '_> {
    #[inline(always)]
    fn value(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        self.tape.push(kind, start, end, escaped);
    }

    #[inline(always)]
    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let index = self.tape.push(Kind::String, start, end, escaped);
        let hash = if escaped {
            hash(&self.key_bytes(index))
        } else {
            hash(&self.text.as_bytes()[start + 1..end - 1])
        };
        if self.note_hash(hash) {
            self.note_repeated(index);
        }
    }

    #[inline(always)]
    fn open(&mut self, kind: Kind, start: usize) -> bool {
        self.tape.open.push(Open {
            token: self.tape.tokens.len() as u32,
            seen: [0; 2],
            suspect: false,
        });
        self.tape.push(kind, start, start, false);
        true
    }

    #[inline(always)]
    fn close(&mut self, end: usize) {
        let Some(open) = self.tape.open.pop() else {
            return;
        };
        if open.suspect {
            self.repeated_among_many(open.token);
        }
        let size = self.tape.tokens.len() as u32 - open.token;
        self.tape.tokens[open.token as usize].close(end as u32, size);
    }
}

#[expect(
    clippy::inline_always,
    reason = "measured: a quarter of the instructions of reading a record"
)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "token counts are below the text's length, a u32"
)]
#[expect(
    clippy::indexing_slicing,
    reason = "tokens are addressed by indices that were handed out here"
)]
impl Builder<'_, '_> {
    /// Returns `true` if the innermost object may have a key with a hash already.
    #[inline(always)]
    fn note_hash(&mut self, hash: u64) -> bool {
        let [first, second] = [hash >> 58, hash >> 52 & 63];
        let Some(open) = self.tape.open.last_mut() else {
            return false;
        };
        let [a, b] = open.seen;
        open.seen = [a | 1 << first, b | 1 << second];
        a >> first & b >> second & 1 != 0
    }

    /// Compares a key that may repeat another with the earlier keys of its object, unless they are
    /// many.
    #[inline(never)]
    fn note_repeated(&mut self, key: u32) {
        let Some(&Open { token, suspect, .. }) = self.tape.open.last() else {
            return;
        };
        if suspect {
            return;
        }
        let name = self.key_bytes(key);
        let mut sibling = token + 1;
        let mut shadowed = None;
        for _ in 1..SCANNED_KEYS {
            if sibling == key {
                break;
            }
            if self.key_bytes(sibling) == name {
                shadowed = Some(sibling);
            }
            sibling += 1 + self.tape.tokens[sibling as usize + 1].size();
        }
        if sibling < key {
            if let Some(open) = self.tape.open.last_mut() {
                open.suspect = true;
            }
        } else if let Some(earlier) = shadowed {
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
            key += 1 + self.tape.tokens[key as usize + 1].size();
        }
        // The first keys were compared when they were read.
        let first_unscanned = keys.get(SCANNED_KEYS as usize).copied().unwrap_or(end);
        keys.sort_by(|a, b| self.key_bytes(*a).cmp(&self.key_bytes(*b)).then(a.cmp(b)));
        for pair in keys.windows(2) {
            if pair[1] >= first_unscanned && self.key_bytes(pair[0]) == self.key_bytes(pair[1]) {
                self.shadow(pair[0], pair[1]);
            }
        }
    }

    fn shadow(&mut self, earlier: u32, later: u32) {
        self.tape.tokens[earlier as usize].shadow();
        self.tape.duplicates.push((later, earlier));
    }

    /// Returns the bytes of a key's name, unescaped.
    #[inline(always)]
    fn key_bytes(&self, key: u32) -> Cow<'_, [u8]> {
        let token = &self.tape.tokens[key as usize];
        if token.is_escaped() {
            return Cow::Owned(token.string(self.text).into_owned().into_bytes());
        }
        Cow::Borrowed(&self.text.as_bytes()[token.start as usize + 1..token.end as usize - 1])
    }
}

/// Returns a hash of a name: of its length, and of its first and last bytes.
#[inline]
pub(super) fn hash(name: &[u8]) -> u64 {
    let ends = if let (Some(head), Some(tail)) = (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        u64::from_le_bytes(*head) ^ u64::from_le_bytes(*tail).rotate_left(23)
    } else if let (Some(head), Some(tail)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*head)) << 32 | u64::from(u32::from_le_bytes(*tail))
    } else {
        name.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    (ends ^ (name.len() as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
