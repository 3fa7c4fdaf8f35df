//! An array or object of which nothing is kept -> its end, if no key repeats in it.

use super::Kind;
use super::builder::hash;
use super::parser::{Sink, walk};

/// The keys of the objects that are open.
#[derive(Default)]
pub(crate) struct UniqueKeys {
    names: Vec<(u32, u32)>,
    /// For each open object, where its keys start, and a Bloom filter of them.
    open: Vec<(usize, u64)>,
    /// `true` if a key repeats, or may do so.
    may_repeat: bool,
}

/// The number of keys of one object that are compared with each other.
const MAX_KEYS: usize = 64;

/// Returns the end of the array or object that starts at a place; `None` where it is not JSON, and
/// where a key may repeat.
#[inline]
pub(crate) fn skip_unique(
    bytes: &[u8],
    start: usize,
    depth: usize,
    keys: &mut UniqueKeys,
) -> Option<usize> {
    keys.names.clear();
    keys.open.clear();
    keys.may_repeat = false;
    let sink = Unique { keys, bytes };
    let end = walk(bytes, start, depth, sink)?;
    (!keys.may_repeat).then_some(end)
}

struct Unique<'k, 'a> {
    keys: &'k mut UniqueKeys,
    bytes: &'a [u8],
}

#[expect(
    clippy::inline_always,
    reason = "measured: the parser and its sink should compile to one function"
)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a text has at most u32::MAX bytes"
)]
impl Sink for Unique<'_, '_> {
    #[inline(always)]
    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let name = |start: usize, end: usize| self.bytes.get(start + 1..end - 1);
        let written = name(start, end).unwrap_or_default();
        let Some((first, seen)) = self.keys.open.last_mut() else {
            return;
        };
        let bit = 1 << (hash(written) >> 58);
        if *seen & bit != 0 || escaped {
            let before = self.keys.names.get(*first..).unwrap_or_default();
            let mut same = before
                .iter()
                .filter(|(start, end)| name(*start as usize, *end as usize) == Some(written));
            self.keys.may_repeat |= escaped || before.len() > MAX_KEYS || same.next().is_some();
        }
        *seen |= bit;
        self.keys.names.push((start as u32, end as u32));
    }

    #[inline(always)]
    fn open(&mut self, _: Kind, _: usize) -> bool {
        self.keys.open.push((self.keys.names.len(), 0));
        true
    }

    #[inline(always)]
    fn close(&mut self, _: usize) {
        if let Some((first, _)) = self.keys.open.pop() {
            self.keys.names.truncate(first);
        }
    }
}
