//! The threads of Python -> one at a time that calls a run.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use runvet::finding::Finding;
use runvet::recorder::{Error, Run};

use crate::exiting::deadline;
use crate::locked;

/// A run, for one thread at a time.
pub(super) struct Turns {
    /// The run; `None` once it is paused or has ended.
    run: Mutex<Option<Box<Run>>>,
    /// The thread that has it.
    busy: Mutex<Option<ThreadId>>,
    owner: u32,
}

/// The reason why a call failed.
pub(super) enum Failed {
    Recorder(Error),
    /// The run is paused or has ended.
    Over,
    /// The caller is itself called by the run: it is a policy.
    Within,
    /// The interpreter ends, and another thread has the run.
    Held,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Recorder(error)
    }
}

/// The turn of a thread, until it is dropped, also where a call panics.
pub(super) struct Turn<'t> {
    of: &'t Turns,
    pub(super) run: MutexGuard<'t, Option<Box<Run>>>,
    /// The findings in the run that is paused or has ended.
    pub(super) found: Vec<Finding>,
}

impl Turn<'_> {
    /// Returns the run, unless it is over.
    pub(super) fn run(&mut self) -> Result<&mut Run, Failed> {
        self.run
            .as_deref_mut()
            .ok_or(Failed::Over)
    }

    /// Returns the findings in this turn.
    pub(super) fn take_findings(&mut self) -> Vec<Finding> {
        let mut found = std::mem::take(&mut self.found);
        found.extend(
            self.run
                .iter_mut()
                .flat_map(|run| run.take_findings()),
        );
        found
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *locked(&self.of.busy) = None;
    }
}

impl Turns {
    pub(super) fn new(run: Run) -> Self {
        Self {
            run: Mutex::new(Some(Box::new(run))),
            busy: Mutex::default(),
            owner: std::process::id(),
        }
    }

    /// Returns `true` if the run is paused or has ended, whether or not a thread has its turn.
    pub(super) fn are_over(&self) -> bool {
        self.run
            .try_lock()
            .is_ok_and(|run| run.is_none())
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
        let this = Some(thread::current().id());
        if *locked(&self.busy) == this {
            return Err(Failed::Within);
        }
        let run = match deadline() {
            None => locked(&self.run),
            Some(deadline) => self
                .taken_before(deadline)
                .ok_or(Failed::Held)?,
        };
        self.run.clear_poison();
        *locked(&self.busy) = this;
        Ok(Turn {
            of: self,
            run,
            found: Vec::new(),
        })
    }

    /// Waits for the run as long as there is time.
    fn taken_before(&self, deadline: Instant) -> Option<MutexGuard<'_, Option<Box<Run>>>> {
        loop {
            match self.run.try_lock() {
                Ok(run) => return Some(run),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}
