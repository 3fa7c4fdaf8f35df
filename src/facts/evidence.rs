//! Act events that name steps of a plan -> the latest for each step, as of each line that a
//! snapshot may be as old as.

use std::collections::BTreeMap;

use super::as_of::{AsOf, Marks};
use super::columns::{Columns, PackedLine, Said};
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

/// What act events say about the steps of one plan event.
#[derive(Debug)]
pub(super) enum Evidence {
    /// Of a short plan event: for each step that the plan event or the state has.
    Few(BTreeMap<String, AsOf<StepEvidence>>),
    /// Of a long one, which may have millions of steps.
    Many(StepIds, Columns<Packed>),
}

/// The number of steps of a short plan event with evidence from which only those count that it has
/// a record of. The state may have millions of others.
const MANY_STEPS: usize = 4096;

impl Default for Evidence {
    fn default() -> Self {
        Self::Few(BTreeMap::new())
    }
}

impl Evidence {
    /// Of the steps with these ids.
    pub(super) fn many(ids: StepIds) -> Self {
        Self::Many(ids, Columns::default())
    }

    /// Adds what an act event says about a step, if the plan event or the state has it.
    pub(super) fn add(
        &mut self,
        id: &str,
        said: StepEvidence,
        marks: Marks,
        is_of_state: bool,
        is_of_plan: impl FnOnce() -> bool,
    ) {
        let line = said.line.number;
        let few = match self {
            Self::Many(ids, columns) => {
                if let Some(index) = ids.position(id) {
                    columns.set((index, ids.0.len()), Packed::new(said), marks);
                }
                return;
            }
            Self::Few(few) => few,
        };
        if let Some(of_step) = few.get_mut(id) {
            of_step.set(line, said, marks);
        } else if (is_of_state && few.len() < MANY_STEPS) || is_of_plan() {
            few.insert(id.to_owned(), AsOf::new(line, said));
        }
    }

    /// The latest up to a line, which is the end or one of the marks.
    pub(super) fn at(&self, line: u64, id: &str) -> Option<StepEvidence> {
        match self {
            Self::Few(few) => few.get(id)?.at(line).copied(),
            Self::Many(ids, columns) => columns.at(ids.position(id)?, line)?.said(),
        }
    }

    /// Forgets what counted at lines that are marks no more.
    pub(super) fn forget_all_but(&mut self, marks: Marks) {
        if let Self::Many(_, columns) = self {
            columns.forget_all_but(marks);
        }
    }

    /// The bytes that the evidence for many steps takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Few(_) => 0,
            Self::Many(ids, columns) => size_of_val(&*ids.0) + columns.bytes(),
        }
    }
}

/// The ids of the step records of a plan event, sorted, as digests: there may be millions.
#[derive(Debug)]
pub(super) struct StepIds(Box<[Digest]>);

impl StepIds {
    pub(super) fn of(text: &[u8], tape: &mut Tape) -> Self {
        let document = tape.read_record(text).ok();
        let records = document.and_then(|event| event.root().at(&["payload", "step_records"]));
        let records = records.into_iter().flat_map(Node::items);
        let ids = records.filter_map(|record| record.get("id")?.text());
        let mut ids: Vec<Digest> = ids.map(|id| Digest::of([id.as_bytes()])).collect();
        tape.release();
        ids.sort_unstable();
        ids.dedup();
        Self(ids.into())
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.position(id).is_some()
    }

    fn position(&self, id: &str) -> Option<usize> {
        // Most plan events of one kind have no records at all.
        if self.0.is_empty() {
            return None;
        }
        self.0.binary_search(&Digest::of([id.as_bytes()])).ok()
    }
}

/// Evidence, or none: its line, tagged with the place of the status in the vocabulary, counted from
/// one.
#[derive(Debug, Default)]
pub(super) struct Packed(PackedLine);

impl Packed {
    fn new(said: StepEvidence) -> Self {
        let place = |status| StepStatus::ALL.iter().position(|known| *known == status);
        let tag = said.status.and_then(place).map_or(0, |place| place + 1);
        Self(PackedLine::new(said.line, u8::try_from(tag).unwrap_or(0)))
    }

    fn said(&self) -> Option<StepEvidence> {
        let place = usize::from(self.0.tag()).checked_sub(1);
        Some(StepEvidence {
            line: self.0.line()?,
            status: place.and_then(|place| StepStatus::ALL.get(place).copied()),
        })
    }
}

impl Said for Packed {
    fn line(&self) -> Option<u64> {
        self.0.number()
    }
}
