//! A plan event -> what later act events say about its steps.

use std::collections::{BTreeMap, BTreeSet};

use super::as_of::{AsOf, AsOfMarks};
use super::event::{EventFacts, KeptEvent};
use super::slots::InStep;
use crate::ground::digest::Digest;
use crate::ground::record::StepStatus;
use crate::ground::source::Line;

/// The evidence of an act event about a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepEvidence {
    pub(crate) line: Line,
    /// The status; `None` where the event has an unknown status, so that of the step is unknown.
    pub(crate) status: Option<StepStatus>,
}

/// A plan event, and what later act events say about its steps.
pub(super) struct PlanTrace {
    pub(super) event: KeptEvent,
    /// The ids of its step records, as digests; computed on first use.
    step_ids: Option<BTreeSet<Digest>>,
    /// For each step that the event or the state has.
    evidence: BTreeMap<String, AsOf<StepEvidence>>,
    /// The bytes that all of it takes.
    pub(super) bytes: usize,
}

/// The bytes that the id of a step record takes, and those of the evidence for a step besides its
/// id, with its share of a map and as of three lines.
const STEP_ID_BYTES: usize = 32;
const EVIDENCE_BYTES: usize = 320;

impl PlanTrace {
    pub(super) fn new(event: EventFacts<'_>) -> Self {
        let event = KeptEvent::new(event);
        Self {
            bytes: event.bytes(),
            event,
            step_ids: None,
            evidence: BTreeMap::new(),
        }
    }

    /// Adds what an act event says about a step, if the plan event or the state has it.
    pub(super) fn add(
        &mut self,
        (id, is_of_state): (&str, bool),
        said: StepEvidence,
        marks: AsOfMarks,
    ) {
        let line = said.line.number;
        if let Some(of_step) = self.evidence.get_mut(id) {
            of_step.set(line, said, marks);
        } else if is_of_state || self.has_step(id) {
            self.bytes += EVIDENCE_BYTES + id.len();
            self.evidence
                .insert(id.to_owned(), AsOf::new(line, said));
        }
    }

    /// Returns `true` if the plan event has a record of a step.
    fn has_step(&mut self, id: &str) -> bool {
        let (event, bytes) = (&self.event, &mut self.bytes);
        let ids = self.step_ids.get_or_insert_with(|| {
            let ids: BTreeSet<Digest> = event
                .facts()
                .records()
                .filter_map(|record| record.value(InStep::Id)?.string())
                .map(|id| Digest::of([id.as_bytes()]))
                .collect();
            *bytes += ids.len() * STEP_ID_BYTES;
            ids
        });

        // Most plan events of one kind have no records at all.
        !ids.is_empty() && ids.contains(&Digest::of([id.as_bytes()]))
    }

    /// Returns what is said about a step up to a line, which is the end or one of the marks.
    pub(super) fn at(&self, line: u64, id: &str) -> Option<StepEvidence> {
        self.evidence.get(id)?.at(line).copied()
    }
}
