//! Items -> results in order, computed in parallel, with a bounded number of them waiting.

mod ordered;

use std::cell::OnceCell;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

pub(crate) use ordered::in_order;

/// Returns the number of threads that the machine runs at a time, as far as this process may use
/// it. The system is asked once: it takes as long as a small episode.
pub(crate) fn cores() -> NonZeroUsize {
    static CORES: OnceLock<NonZeroUsize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// Goes on with the next result as long as nothing has failed.
pub(crate) fn while_ok<E>(so_far: &Result<(), E>) -> ControlFlow<()> {
    match so_far {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

/// Locks a mutex, also one in whose lock a thread panicked: what is kept in one here is whole at
/// any time.
pub(crate) fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

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
