//! The threads of Python -> one at a time that calls a run.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use runvet::finding::Finding;
use runvet::recorder::{Error, Run};

/// A run, for one thread at a time.
pub(super) struct Turns {
    slot: Mutex<Slot>,
    freed: Condvar,
    owner: u32,
}

/// Where a run is.
enum Slot {
    Idle(Box<Run>),
    /// A thread has it.
    Busy(ThreadId),
    /// The run is paused or has ended.
    Over,
}

/// The reason why a call failed.
pub(super) enum Failed {
    Recorder(Error),
    /// The run is paused or has ended.
    Over,
    /// The caller is itself called by the run: it is a policy.
    Within,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Recorder(error)
    }
}

/// Puts a run back when its turn is over, also where a call panics.
pub(super) struct Turn<'t> {
    of: &'t Turns,
    pub(super) run: Option<Box<Run>>,
    /// The findings in the run that is paused or has ended.
    pub(super) found: Vec<Finding>,
}

impl Turn<'_> {
    /// Calls the run, unless it is over.
    pub(super) fn call<T>(
        &mut self,
        call: impl FnOnce(&mut Run) -> Result<T, Error>,
    ) -> Result<T, Failed> {
        match &mut self.run {
            Some(run) => Ok(call(run)?),
            None => Err(Failed::Over),
        }
    }

    /// Returns the findings in this turn.
    pub(super) fn take_findings(&mut self) -> Vec<Finding> {
        let mut found = std::mem::take(&mut self.found);
        found.extend(self.run.iter_mut().flat_map(|run| run.take_findings()));
        found
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.of.slot() = self.run.take().map_or(Slot::Over, Slot::Idle);
        self.of.freed.notify_one();
    }
}

impl Turns {
    pub(super) fn new(run: Run) -> Self {
        Self {
            slot: Mutex::new(Slot::Idle(Box::new(run))),
            freed: Condvar::new(),
            owner: std::process::id(),
        }
    }

    pub(super) fn are_over(&self) -> bool {
        matches!(*self.slot(), Slot::Over)
    }

    /// Fails in a process that was forked from the one that records the run.
    pub(super) fn hold_here(&self) -> Result<(), Error> {
        let owner = self.owner;
        (owner == std::process::id())
            .then_some(())
            .ok_or(Error::Forked { owner })
    }

    /// Waits until no other thread has the run.
    pub(super) fn take(&self) -> Result<Turn<'_>, Failed> {
        let this = thread::current().id();
        let mut slot = self.slot();
        loop {
            match std::mem::replace(&mut *slot, Slot::Busy(this)) {
                Slot::Idle(run) => {
                    let run = Some(run);
                    let found = Vec::new();
                    return Ok(Turn {
                        of: self,
                        run,
                        found,
                    });
                }
                Slot::Busy(by) if by == this => return Err(Failed::Within),
                Slot::Busy(by) => {
                    *slot = Slot::Busy(by);
                    slot = self
                        .freed
                        .wait(slot)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Slot::Over => {
                    *slot = Slot::Over;
                    self.freed.notify_one();
                    return Err(Failed::Over);
                }
            }
        }
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
