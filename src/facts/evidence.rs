//! A plan event -> what later act events say about its steps.

use std::collections::{BTreeMap, BTreeSet};

use super::as_of::{AsOf, Marks};
use super::event::KeptEvent;
use crate::digest::Digest;
use crate::document::{Node, Tape};
use crate::record::StepStatus;
use crate::source::Line;

/// What an act event says about a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepEvidence {
    pub(crate) line: Line,
    /// The status; `None` where the event has an unknown status, so that of the step is unknown.
    pub(crate) status: Option<StepStatus>,
}

/// A plan event, and what later act events say about its steps.
#[derive(Debug)]
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
    pub(super) fn new(line: Line, text: &[u8]) -> Self {
        Self {
            event: KeptEvent::new(line, text),
            step_ids: None,
            evidence: BTreeMap::new(),
            bytes: text.len(),
        }
    }

    /// Adds what an act event says about a step, if the plan event or the state has it.
    pub(super) fn add(
        &mut self,
        (id, is_of_state): (&str, bool),
        said: StepEvidence,
        marks: Marks,
        tape: &mut Tape,
    ) {
        let line = said.line.number;
        if let Some(of_step) = self.evidence.get_mut(id) {
            of_step.set(line, said, marks);
        } else if is_of_state || self.has_step(id, tape) {
            self.bytes += EVIDENCE_BYTES + id.len();
            self.evidence.insert(id.to_owned(), AsOf::new(line, said));
        }
    }

    /// Whether the plan event has a record of a step.
    fn has_step(&mut self, id: &str, tape: &mut Tape) -> bool {
        let (event, bytes) = (&self.event, &mut self.bytes);
        let ids = self.step_ids.get_or_insert_with(|| {
            let ids = step_ids(&event.text, tape);
            *bytes += ids.len() * STEP_ID_BYTES;
            ids
        });
        // Most plan events of one kind have no records at all.
        !ids.is_empty() && ids.contains(&Digest::of([id.as_bytes()]))
    }

    /// What is said about a step up to a line, which is the end or one of the marks.
    pub(super) fn at(&self, line: u64, id: &str) -> Option<StepEvidence> {
        self.evidence.get(id)?.at(line).copied()
    }
}

/// The ids of the step records of a plan event.
fn step_ids(event: &[u8], tape: &mut Tape) -> BTreeSet<Digest> {
    let document = tape.read_record(event).ok();
    let records = document.and_then(|event| event.root().at(&["payload", "step_records"]));
    let records = records.into_iter().flat_map(Node::items);
    let ids = records.filter_map(|record| record.get("id")?.text());
    let ids = ids.map(|id| Digest::of([id.as_bytes()])).collect();
    tape.release();
    ids
}
