//! Work that takes much memory -> one at a time in the process.

use std::cell::OnceCell;
use std::sync::{Mutex, MutexGuard};

use super::locked;

/// Held by the work that is on its own.
static ALONE: Mutex<()> = Mutex::new(());

/// A lock under which work goes on alone once it turns out to take much memory, until this is
/// dropped. Its holder waits for no other work.
#[derive(Debug, Default)]
pub(crate) struct Alone(OnceCell<MutexGuard<'static, ()>>);

impl Alone {
    /// Waits until no other such work goes on; once for all calls.
    pub(crate) fn enter(&self) {
        self.0.get_or_init(|| locked(&ALONE));
    }
}
