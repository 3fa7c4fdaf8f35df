//! The end of the interpreter -> no thread that it unwinds within a call of this module.
//!
//! Up to Python 3.13, an interpreter that ends unwinds the stack of any other thread that goes on
//! with Python code. Where calls of this module are on that stack, this aborts the process. A
//! thread that comes back from Rust waits instead. What Rust calls and Python executes is called
//! here: such calls have returned before the interpreter ends, and none begins afterwards.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The thread that ends the interpreter, once it does.
static ENDS: OnceLock<ThreadId> = OnceLock::new();

/// The number of calls that have not returned.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// The longest time that the interpreter waits for calls: a policy may take long.
const MAX_WAIT: Duration = Duration::from_secs(2);

thread_local! {
    /// `true` while this thread is within a call.
    static IS_WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// A call that has not returned.
struct Call;

impl Call {
    fn begin() -> Self {
        CALLS.fetch_add(1, Ordering::SeqCst);
        IS_WITHIN.set(true);
        Self
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        IS_WITHIN.set(false);
        CALLS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Calls what may execute Python code, each time: only there may another thread go on. Once the
/// interpreter ends, other threads wait here, but not within a call, which the end waits for.
pub(crate) fn calling<T>(py: Python<'_>, call: impl FnOnce() -> T) -> T {
    if IS_WITHIN.get() {
        return call();
    }
    let begun = Call::begin();
    if ENDS
        .get()
        .is_some_and(|ends| *ends != thread::current().id())
    {
        drop(begun);
        py.detach(|| {
            loop {
                thread::park();
            }
        });
    }
    call()
}

/// Has other threads begin no more calls, and waits for those that they have begun.
#[pyfunction]
pub(crate) fn end(py: Python<'_>) {
    let _ = ENDS.set(thread::current().id());
    let start = Instant::now();
    while CALLS.load(Ordering::SeqCst) > 0 && start.elapsed() < MAX_WAIT {
        py.detach(|| thread::sleep(Duration::from_millis(1)));
    }
}
