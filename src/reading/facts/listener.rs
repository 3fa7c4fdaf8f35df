//! Differences, one at a time -> the first ones, and the number of all.

/// A listener for differences. Those beyond a limit are only counted, and not made: there may be
/// millions.
pub(crate) struct EventListener<'t, T> {
    count: usize,
    limit: usize,
    take: &'t mut dyn FnMut(T),
}

impl<'t, T> EventListener<'t, T> {
    pub(crate) fn new(limit: usize, take: &'t mut dyn FnMut(T)) -> Self {
        Self {
            count: 0,
            limit,
            take,
        }
    }

    /// Takes a difference, which is made only if it is needed.
    pub(super) fn add(&mut self, make: impl FnOnce() -> T) {
        if self.count < self.limit {
            (self.take)(make());
        }
        self.count += 1;
    }

    /// Returns the number of differences so far.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of differences that were only counted.
    pub(crate) fn rest(&self) -> usize {
        self.count.saturating_sub(self.limit)
    }
}
