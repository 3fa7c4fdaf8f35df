//! What the parts of a text should be -> a judgement of each as it is read.

use super::{Key, Kind, Node};

/// Knows the shape of a text in advance, and judges its parts in their order.
pub(crate) trait Guide {
    /// The length of the key that is expected next, with its quotes and a colon, if that is next.
    /// Then it counts as read.
    fn expected_key(&mut self, is_next: impl FnOnce(&[u8]) -> bool) -> Option<usize>;
    /// Any other key; returns whether its object had it before, if that is known.
    fn key(&mut self, key: Key<'_>) -> Option<bool>;
    /// A string, a number, a boolean or `null`.
    fn scalar(&mut self, scalar: Node<'_>, kind: Kind);
    /// An array or object opens.
    fn open(&mut self, container: Node<'_>, kind: Kind);
    /// The array or object that was opened last closes.
    fn close(&mut self);
}

/// Of a text whose shape is not known.
pub(super) struct Unguided;

#[expect(
    clippy::inline_always,
    reason = "measured: no instruction of it should remain"
)]
impl Guide for Unguided {
    #[inline(always)]
    fn expected_key(&mut self, _: impl FnOnce(&[u8]) -> bool) -> Option<usize> {
        None
    }
    #[inline(always)]
    fn key(&mut self, _: Key<'_>) -> Option<bool> {
        None
    }
    #[inline(always)]
    fn scalar(&mut self, _: Node<'_>, _: Kind) {}
    #[inline(always)]
    fn open(&mut self, _: Node<'_>, _: Kind) {}
    #[inline(always)]
    fn close(&mut self) {}
}
