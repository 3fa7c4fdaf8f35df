//! The keys of a table, in the order in which a writer puts them -> the place of the next one.

use wide::u8x16;

use super::{Expectation, MAX_KEYS};
use crate::ground::spelling::is_near;

/// The number of bytes of a key that are compared at once.
const HEAD: usize = 16;

/// A key of an object.
pub(in crate::reading::schema::reader) struct KnownKey {
    /// As it is written, with its quotes and a colon.
    pub(super) written: Box<[u8]>,
    /// The first bytes of that, and a bit for each of them that is beyond its end.
    pub(super) head: [u8; HEAD],
    pub(super) beyond: u32,
    /// The keys of the schema that it is near to, a bit each.
    pub(in crate::reading::schema::reader) near: u64,
    pub(in crate::reading::schema::reader) step: Expectation,
}

impl KnownKey {
    fn new(name: &str, near: u64, step: Expectation) -> Self {
        let written = ["\"", name, "\":"]
            .concat()
            .into_bytes();
        let mut head = [0; HEAD];
        for (to, from) in head.iter_mut().zip(&written) {
            *to = *from;
        }

        let beyond = u32::try_from(written.len()).unwrap_or(u32::MAX);
        Self {
            head,
            beyond: 0xFFFF
                & u32::MAX
                    .checked_shl(beyond)
                    .unwrap_or(0),
            written: written.into(),
            near,
            step,
        }
    }

    pub(in crate::reading::schema::reader) fn name(&self) -> &[u8] {
        let end = self.written.len() - 2;
        self.written
            .get(1..end)
            .unwrap_or_default()
    }

    /// Returns the place of its value's earliest byte, if the key is next in a text.
    #[expect(clippy::inline_always, reason = "measured: most keys are expected")]
    #[inline(always)]
    pub(in crate::reading::schema::reader) fn end_if_next(
        &self,
        bytes: &[u8],
        at: usize,
    ) -> Option<usize> {
        let end = at + self.written.len();
        let Some(head) = bytes
            .get(at..)
            .and_then(|rest| rest.first_chunk::<HEAD>())
        else {
            return (bytes.get(at..end)? == &*self.written).then_some(end);
        };

        let is_next = u8x16::new(*head)
            .simd_eq(u8x16::new(self.head))
            .to_bitmask()
            | self.beyond
            == 0xFFFF
            && (self.written.len() <= HEAD
                || bytes.get(at + HEAD..end) == self.written.get(HEAD..));

        is_next.then_some(end)
    }
}

/// The keys of the objects with one table.
#[derive(Default)]
pub(in crate::reading::schema::reader) struct KnownKeys {
    /// The keys of the schema, and then the others that were met.
    pub(in crate::reading::schema::reader) all: Vec<KnownKey>,
    /// The number of keys that the schema has.
    pub(super) known: usize,
    /// The number of keys that made room for others.
    pub(super) displaced: usize,
    /// The places of keys that were met out of order, by a hash of their first bytes.
    pub(super) places: Vec<u8>,
}

/// The number of places by hashes, which have ten bits.
const PLACES: usize = 1 << 10;

impl KnownKeys {
    /// Adds a key that was met in an object with some others. Where there is no room, another one
    /// that was met makes room.
    pub(in crate::reading::schema::reader) fn learn(
        &mut self,
        name: &str,
        near: u64,
        step: Expectation,
        present: u64,
    ) -> Option<usize> {
        if name.len() > MAX_LEARNED {
            return None;
        }

        let key = KnownKey::new(name, near, step);
        let place = self.all.len();
        if place < MAX_KEYS {
            self.all.push(key);
            return Some(place);
        }

        self.displaced += 1;
        let place = (self.known..MAX_KEYS)
            .cycle()
            .skip(self.displaced % MAX_KEYS)
            .take(MAX_KEYS)
            .find(|place| present >> place & 1 == 0)?;
        *self.all.get_mut(place)? = key;

        Some(place)
    }

    /// Ends the keys of the schema.
    pub(super) fn close(&mut self) {
        self.known = self.all.len();
        self.places = vec![u8::MAX; PLACES];
        for (next, key) in (1..).zip(&mut self.all) {
            key.step.next = next;
        }
    }

    /// Returns the key at a place of a text that was met before, and the end of its colon.
    #[inline]
    pub(in crate::reading::schema::reader) fn guess(
        &self,
        bytes: &[u8],
        at: usize,
    ) -> Option<(usize, usize)> {
        let place = usize::from(*self.places.get(hash(bytes, at))?);
        let end = self
            .all
            .get(place)?
            .end_if_next(bytes, at)?;

        Some((place, end))
    }

    /// Remembers the key at a place of a text.
    pub(in crate::reading::schema::reader) fn remember(
        &mut self,
        bytes: &[u8],
        at: usize,
        place: usize,
    ) {
        if let (Some(of), Ok(place)) = (self.places.get_mut(hash(bytes, at)), u8::try_from(place)) {
            *of = place;
        }
    }

    pub(in crate::reading::schema::reader) fn find(&self, name: &str) -> Option<usize> {
        self.all
            .iter()
            .position(|key| key.name() == name.as_bytes())
    }

    /// Returns the keys of the schema that a name is near to, a bit each.
    pub(in crate::reading::schema::reader) fn near(&self, name: &str) -> u64 {
        self.all
            .iter()
            .take(self.known)
            .enumerate()
            .filter(|(_, key)| {
                std::str::from_utf8(key.name()).is_ok_and(|known| is_near(name, known))
            })
            .fold(0, |bits, (place, _)| bits | 1 << place)
    }
}

/// The length of the longest key that is learned.
const MAX_LEARNED: usize = 256;

/// Returns a hash of ten bits of the first eight bytes of the key at a place, up to its end.
#[inline]
fn hash(bytes: &[u8], at: usize) -> usize {
    let head = bytes
        .get(at + 1..)
        .and_then(|rest| rest.first_chunk());
    let word = u64::from_le_bytes(head.copied().unwrap_or([0; 8]));
    // The lowest mark is that of the first quote; no byte before it is marked.
    let quotes = word ^ 0x2222_2222_2222_2222;
    let quotes = quotes.wrapping_sub(0x0101_0101_0101_0101) & !quotes & 0x8080_8080_8080_8080;
    let before = if quotes == 0 {
        u64::MAX
    } else {
        (quotes & quotes.wrapping_neg()) - 1
    };

    let mixed = (word & before).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54;
    usize::try_from(mixed).unwrap_or_default()
}
