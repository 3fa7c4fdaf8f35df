//! Posted records -> the report on them, by gates that keep their buffers from one request to the
//! next.

use std::sync::{Mutex, PoisonError};

use super::MAX_THREADS;
use crate::finding::EpisodeReport;
use crate::gate::Gate;
use crate::source::Artifact;
use crate::store::LARGE_BYTES;

/// A pool of gates.
pub(super) struct Judges {
    gate: Gate,
    free: Mutex<Vec<Gate>>,
}

impl Judges {
    pub(super) fn new(gate: Gate) -> Self {
        Self {
            gate,
            free: Mutex::default(),
        }
    }

    pub(super) fn records(&self, id: &str, records: &[(Artifact, &[u8])]) -> EpisodeReport {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let known = free().pop();
        let mut gate = known.unwrap_or_else(|| self.gate.clone());
        let report = gate.records(id, records);
        let mut free = free();
        let bytes: usize = records.iter().map(|(_, text)| text.len()).sum();
        // Buffers grow with the records.
        if free.len() < MAX_THREADS && bytes <= LARGE_BYTES {
            free.push(gate);
        }
        report
    }
}
