//! The parts of a JSON text -> tokens on a tape, with repeated keys marked.

use std::borrow::Cow;

use super::guide::Guide;
use super::node::same;
use super::parser::Sink;
use super::{Document, Key, Kind, Node, Tape, Token};

/// The number of members up to which a key is compared with all earlier keys of its object. The
/// keys of a larger object are sorted once, when the object closes, so that an object of a million
/// keys does not take quadratic time.
const SCANNED_KEYS: u32 = 64;

/// An array or object that is not closed yet.
pub(super) struct Open {
    token: u32,
    /// Bloom filters of the keys so far: a key with an unset bit in one of them is new.
    seen: [u64; 2],
    /// Whether keys beyond the first `SCANNED_KEYS` may repeat others.
    suspect: bool,
}

/// Writes the parts of a text to a tape.
pub(super) struct Builder<'t, 'a, G> {
    pub(super) tape: &'t mut Tape,
    pub(super) text: &'a str,
    pub(super) guide: G,
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "offsets and token counts are below the text's length, a u32"
)]
impl Tape {
    /// Adds a value or a key of a text.
    #[expect(
        clippy::inline_always,
        reason = "measured: a quarter of the instructions of reading a record"
    )]
    #[inline(always)]
    fn push<'t>(
        &'t mut self,
        text: &'t str,
        kind: Kind,
        start: usize,
        end: usize,
        escaped: bool,
    ) -> Node<'t> {
        let index = self.tokens.len() as u32;
        let token = Token::new(kind, start as u32, end as u32, escaped);
        self.tokens.push(token);
        let document = Document { text, tape: self };
        Node { document, index }
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
impl<G: Guide> Sink for Builder<'_, '_, G> {
    #[inline(always)]
    fn value(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        let scalar = self.tape.push(self.text, kind, start, end, escaped);
        self.guide.scalar(scalar, kind);
    }

    #[inline(always)]
    fn expected_key(&mut self, at: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(at..)?;
        let is_next = |key: &[u8]| rest.get(..key.len()).is_some_and(|next| same(next, key));
        let colon = at + self.guide.expected_key(is_next)? - 1;
        self.tape.push(self.text, Kind::String, at, colon, false);
        Some(colon)
    }

    #[inline(always)]
    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let Node { document, index } = self.tape.push(self.text, Kind::String, start, end, escaped);
        let may_repeat = if let Some(is_repeated) = self.guide.key(Key { document, index }) {
            is_repeated
        } else {
            let hash = if escaped {
                hash(&self.key_bytes(index))
            } else {
                hash(&self.text.as_bytes()[start + 1..end - 1])
            };
            self.note_hash(hash)
        };
        if may_repeat {
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
        let container = self.tape.push(self.text, kind, start, start, false);
        self.guide.open(container, kind);
        true
    }

    #[inline(always)]
    fn close(&mut self, end: usize) {
        self.guide.close();
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
impl<G: Guide> Builder<'_, '_, G> {
    /// Whether the innermost object may have a key with a hash already.
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

    /// The bytes of a key's name, unescaped.
    #[inline(always)]
    fn key_bytes(&self, key: u32) -> Cow<'_, [u8]> {
        let token = &self.tape.tokens[key as usize];
        if token.is_escaped() {
            return Cow::Owned(token.string(self.text).into_owned().into_bytes());
        }
        Cow::Borrowed(&self.text.as_bytes()[token.start as usize + 1..token.end as usize - 1])
    }
}

/// A hash of a name: of its length, and of its first and last bytes.
#[inline]
fn hash(name: &[u8]) -> u64 {
    let ends = if let (Some(head), Some(tail)) = (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        u64::from_le_bytes(*head) ^ u64::from_le_bytes(*tail).rotate_left(23)
    } else if let (Some(head), Some(tail)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*head)) << 32 | u64::from(u32::from_le_bytes(*tail))
    } else {
        name.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    (ends ^ (name.len() as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
