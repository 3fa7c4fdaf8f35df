//! The work that reading documents takes -> a number, for tests that it grows no faster than they.

#![cfg(test)]

use std::cell::Cell;

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
    static TAPES: Cell<u64> = const { Cell::new(0) };
}

/// Counts tokens that are visited, or bytes that are read.
pub(in crate::ground) fn add(steps: usize) {
    DONE.with(|done| done.set(done.get() + steps as u64));
}

/// Returns the work that a function does on this thread.
pub(crate) fn of<R>(function: impl FnOnce() -> R) -> (R, u64) {
    let before = DONE.get();
    let result = function();
    (result, DONE.get() - before)
}

/// Counts a text that is parsed after a reader accepted it.
pub(in crate::ground) fn add_tape() {
    TAPES.with(|tapes| tapes.set(tapes.get() + 1));
}

/// Returns the number of texts that are parsed though a reader accepts them, while a function runs
/// on this thread.
pub(crate) fn tapes_of<R>(function: impl FnOnce() -> R) -> (R, u64) {
    let before = TAPES.get();
    let result = function();
    (result, TAPES.get() - before)
}
