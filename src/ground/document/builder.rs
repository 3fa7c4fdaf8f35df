//! The parts of a JSON text -> tokens on a tape, with repeated keys marked.

use std::borrow::Cow;

use super::parser::{Sink, walk};
use super::{Kind, Tape, Token};

/// An array or object that is not closed yet.
#[derive(Clone)]
pub(super) struct Open {
    token: u32,
    /// Bloom filters of the keys so far: a key with an unset bit in one of them is new.
    seen: [u64; 2],
    /// `true` if a key may repeat another: then all are sorted, once the object closes.
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

impl Tape {
    /// Returns the end of the array or object that starts at a place of a text, inside of a number
    /// of others; `None` where it is not JSON, or a key repeats in it. Then the tape is that of no
    /// text.
    pub(crate) fn skip_unique(&mut self, text: &str, start: usize, depth: usize) -> Option<usize> {
        self.clear();
        let builder = Builder { tape: self, text };
        let end = walk(text.as_bytes(), start, depth, builder).ok()?;

        self.duplicates
            .is_empty()
            .then_some(end)
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
        self.tape
            .push(kind, start, end, escaped);
    }

    #[inline(always)]
    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let index = self
            .tape
            .push(Kind::String, start, end, escaped);
        let hash = if escaped {
            hash(&self.key_bytes(index))
        } else {
            hash(&self.text.as_bytes()[start + 1..end - 1])
        };

        self.note_hash(hash);
    }

    #[inline(always)]
    fn open(&mut self, kind: Kind, start: usize) -> bool {
        self.tape.open.push(Open {
            token: self.tape.tokens.len() as u32,
            seen: [0; 2],
            suspect: false,
        });
        self.tape
            .push(kind, start, start, false);

        true
    }

    #[inline(always)]
    fn close(&mut self, end: usize) {
        let Some(open) = self.tape.open.pop() else {
            return;
        };
        if open.suspect {
            self.note_repeated(open.token);
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
    /// Adds the hash of a key to those of the innermost object.
    #[inline(always)]
    fn note_hash(&mut self, hash: u64) {
        let [first, second] = [hash >> 58, hash >> 52 & 63];
        if let Some(open) = self.tape.open.last_mut() {
            let [a, b] = open.seen;
            open.seen = [a | 1 << first, b | 1 << second];
            open.suspect |= a >> first & b >> second & 1 != 0;
        }
    }

    /// Marks the keys of an object that a later one repeats.
    #[cold]
    fn note_repeated(&mut self, object: u32) {
        let end = self.tape.tokens.len() as u32;
        let mut keys = Vec::new();
        let mut key = object + 1;
        while key < end {
            keys.push(key);
            key += 1 + self.tape.tokens[key as usize + 1].size();
        }

        keys.sort_by(|a, b| {
            self.key_bytes(*a)
                .cmp(&self.key_bytes(*b))
        });

        for pair in keys.windows(2) {
            if self.key_bytes(pair[0]) == self.key_bytes(pair[1]) {
                self.tape.tokens[pair[0] as usize].shadow();
                self.tape
                    .duplicates
                    .push((pair[1], pair[0]));
            }
        }
    }

    /// Returns the bytes of a key's name, unescaped.
    #[inline(always)]
    fn key_bytes(&self, key: u32) -> Cow<'_, [u8]> {
        let token = &self.tape.tokens[key as usize];
        if token.is_escaped() {
            return Cow::Owned(
                token
                    .string(self.text)
                    .into_owned()
                    .into_bytes(),
            );
        }

        Cow::Borrowed(&self.text.as_bytes()[token.start as usize + 1..token.end as usize - 1])
    }
}

/// Returns a hash of a name: of its length, and of its first and last bytes.
#[inline]
fn hash(name: &[u8]) -> u64 {
    let ends = if let (Some(head), Some(tail)) = (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        u64::from_le_bytes(*head) ^ u64::from_le_bytes(*tail).rotate_left(23)
    } else if let (Some(head), Some(tail)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*head)) << 32 | u64::from(u32::from_le_bytes(*tail))
    } else {
        name.iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };

    (ends ^ (name.len() as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
