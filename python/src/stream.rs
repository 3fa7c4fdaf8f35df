//! Long work -> what it says, from a thread of its own: the one that waits looks for Ctrl-C.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;

use crate::locked;

/// The time after which a wait looks for Ctrl-C again.
const PULSE: Duration = Duration::from_millis(50);

/// The number of messages that may wait for Python to take them.
const WAITING: usize = 256;

/// The receiving end of work on a thread of its own.
pub(crate) struct Stream<T> {
    /// `None` in a forked process, where nobody sends.
    ends: Mutex<Option<(Receiver<T>, JoinHandle<()>)>>,
    owner: u32,
}

impl<T: Send + 'static> Stream<T> {
    /// Begins work, which should stop where nobody receives any more.
    pub(crate) fn start(work: impl FnOnce(&SyncSender<T>) + Send + 'static) -> PyResult<Self> {
        let (sender, receiver) = sync_channel(WAITING);
        let thread = thread::Builder::new().spawn(move || work(&sender));
        let thread = thread.map_err(|error| {
            PyOSError::new_err(format!("the system gives no thread for this work: {error}"))
        })?;
        Ok(Self {
            ends: Mutex::new(Some((receiver, thread))),
            owner: std::process::id(),
        })
    }

    /// Returns the next message of the thread; `None` after the last one.
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<T>> {
        if self.owner != std::process::id() {
            let message = "this check belongs to the process from which this one was forked";
            return Err(PyRuntimeError::new_err(message));
        }
        loop {
            // Also where there is always something to receive.
            py.check_signals()?;
            let received = py.detach(|| {
                let ends = locked(&self.ends);
                ends.as_ref()
                    .map(|(receiver, _)| receiver.recv_timeout(PULSE))
            });
            match received {
                Some(Ok(said)) => return Ok(Some(said)),
                Some(Err(RecvTimeoutError::Timeout)) => {}
                Some(Err(RecvTimeoutError::Disconnected)) => {
                    py.detach(|| self.join());
                    return Ok(None);
                }
                None => return Ok(None),
            }
        }
    }

    /// Waits for the thread, which has ended or is about to, and passes on its panic.
    fn join(&self) {
        let thread = locked(&self.ends)
            .take()
            .map(|(_, thread)| thread);
        if let Some(Err(panic)) = thread.map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    }
}

impl<T> Drop for Stream<T> {
    fn drop(&mut self) {
        if self.owner == std::process::id() {
            return;
        }
        // In a forked process the channel may be locked for ever: by a thread that is not here.
        let ends = self
            .ends
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(ends) = ends.take() {
            std::mem::forget(ends);
        }
    }
}

/// Who waits for the result of work.
pub(crate) struct Caller(Weak<()>);

impl Caller {
    /// Returns `true` while it waits: not after Ctrl-C.
    pub(crate) fn waits(&self) -> bool {
        self.0.strong_count() > 0
    }
}

/// The result of work, which should stop where its caller does not wait any more.
pub(crate) fn patiently<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Caller) -> T + Send + 'static,
) -> PyResult<T> {
    let waiting = Arc::new(());
    let caller = Caller(Arc::downgrade(&waiting));
    let stream = Stream::start(move |sender| {
        let _ = sender.send(work(&caller));
    })?;
    let result = stream.next(py)?;
    result.ok_or_else(|| PyRuntimeError::new_err("the work ended early"))
}
