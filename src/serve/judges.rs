//! Posted records -> the report on them, by checks that keep their buffers from one request to the
//! next.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::MAX_THREADS;
use crate::check::{Check, Session};
use crate::finding::EpisodeReport;
use crate::gate::Gate;
use crate::source::Artifact;

/// Those who are free, and what it takes to make another one.
pub(super) struct Judges {
    check: Check,
    gate: Gate,
    free: Mutex<Vec<Judge>>,
}

struct Judge {
    session: Session,
    gate: Gate,
}

impl fmt::Debug for Judges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judges").finish_non_exhaustive()
    }
}

impl Judges {
    pub(super) fn new(check: &Check, gate: Gate) -> Self {
        Self {
            check: check.clone(),
            gate,
            free: Mutex::default(),
        }
    }

    pub(super) fn records(&self, id: &str, records: &[(Artifact, &[u8])]) -> EpisodeReport {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let known = free().pop();
        let mut judge = known.unwrap_or_else(|| Judge {
            session: self.gate.prepare(&self.check).session(),
            gate: self.gate.clone(),
        });
        let mut report = judge.session.records(id, records);
        judge.gate.judge(&self.check, &mut report);
        let mut free = free();
        if free.len() < MAX_THREADS {
            free.push(judge);
        }
        report
    }
}
