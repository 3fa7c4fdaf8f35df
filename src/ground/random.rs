//! A seed -> numbers for tests that try many cases.

#![cfg(test)]

/// A source of numbers that are the same in each execution.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        let Self(state) = self;
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        usize::try_from(*state >> 33).unwrap_or_default() % most
    }
}
