//! A list and an index that its owner gave out -> the item there.

/// A list whose owner gives out the indices of its items. That there is no item at one is a mistake
/// of runvet, and a panic: what falls back to nothing would judge nothing, and say nothing.
pub(crate) trait Own<T> {
    fn own(&self, index: usize) -> &T;

    fn own_mut(&mut self, index: usize) -> &mut T;
}

#[expect(
    clippy::indexing_slicing,
    reason = "the one place where an index must be right"
)]
impl<T> Own<T> for [T] {
    #[inline]
    #[track_caller]
    fn own(&self, index: usize) -> &T {
        &self[index]
    }

    #[inline]
    #[track_caller]
    fn own_mut(&mut self, index: usize) -> &mut T {
        &mut self[index]
    }
}
