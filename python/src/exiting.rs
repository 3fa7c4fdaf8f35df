//! The end of the interpreter -> no thread that it unwinds within a call of this module.
//!
//! Up to Python 3.13, an interpreter that ends unwinds the stack of any other thread that goes on
//! with Python code. Where calls of this module are on that stack, this aborts the process. A
//! thread that comes back from Rust waits instead. What Rust calls and Python executes is called
//! here: such calls have returned before the interpreter ends, and none begins afterwards.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The thread that ends the interpreter, and since when, once it does.
static ENDS: OnceLock<(ThreadId, Instant)> = OnceLock::new();

/// `true` once other threads wait.
static PARKS: AtomicBool = AtomicBool::new(false);

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
    if PARKS.load(Ordering::SeqCst) && ends_elsewhere() {
        drop(begun);
        py.detach(|| {
            loop {
                thread::park();
            }
        });
    }
    call()
}

/// Returns `true` if another thread ends the interpreter, and this one with it.
pub(crate) fn ends_elsewhere() -> bool {
    let this = thread::current().id();
    ENDS.get()
        .is_some_and(|(ends, _)| *ends != this)
}

/// Returns until when what a thread holds is waited for, once the interpreter ends: it may wait for
/// ever.
pub(crate) fn deadline() -> Option<Instant> {
    ENDS.get()
        .map(|(_, since)| *since + MAX_WAIT)
}

/// Has other threads begin no more acts.
#[pyfunction]
pub(crate) fn begin_end() {
    ENDS.get_or_init(|| (thread::current().id(), Instant::now()));
}

/// Has other threads begin no more calls, and waits for those that they have begun.
#[pyfunction]
pub(crate) fn end(py: Python<'_>) {
    begin_end();
    PARKS.store(true, Ordering::SeqCst);
    let deadline = deadline();
    while CALLS.load(Ordering::SeqCst) > 0 && deadline > Some(Instant::now()) {
        py.detach(|| thread::sleep(Duration::from_millis(1)));
    }
}
