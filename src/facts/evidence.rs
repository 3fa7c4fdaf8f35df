//! Act events that name steps of a plan -> the latest for each step, as of each line that a snapshot
//! may be as old as.

use std::collections::BTreeMap;

use super::as_of::{AsOf, Marks};
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
    Many(Columns),
}

/// The number of steps of a short plan event that have evidence, from which only those count that it
/// has a record of. The state may have millions of others.
const MANY_STEPS: usize = 4096;

impl Evidence {
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
            Self::Many(columns) => return columns.add(id, said, marks),
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
            Self::Many(columns) => columns.at(line, id),
        }
    }

    /// Forgets what counted at lines that are marks no more.
    pub(super) fn forget_all_but(&mut self, marks: Marks) {
        if let Self::Many(columns) = self {
            columns.earlier.retain(|(mark, _)| marks.has(*mark));
        }
    }

    /// The bytes that the evidence for many steps takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Few(_) => 0,
            Self::Many(columns) => columns.bytes(),
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

/// The evidence for each step of a plan event, in the order of its ids: the latest, and the latest
/// at each mark after which there was more.
#[derive(Debug)]
pub(super) struct Columns {
    ids: StepIds,
    current: Box<[Packed]>,
    earlier: Vec<(u64, Box<[Packed]>)>,
}

impl Columns {
    pub(super) fn new(ids: StepIds) -> Self {
        Self {
            ids,
            current: Box::default(),
            earlier: Vec::new(),
        }
    }

    fn empty(&self) -> Box<[Packed]> {
        vec![Packed::default(); self.ids.0.len()].into()
    }

    fn add(&mut self, id: &str, said: StepEvidence, marks: Marks) {
        let Some(position) = self.ids.position(id) else {
            return;
        };
        if self.current.is_empty() {
            self.current = self.empty();
        }
        let Some(current) = self.current.get_mut(position) else {
            return;
        };
        let before = std::mem::replace(current, Packed::new(said));
        let Some(before_said) = before.said() else {
            return;
        };
        let (from, to) = (before_said.line.number, said.line.number);
        for mark in marks.lines().filter(|mark| (from..to).contains(mark)) {
            if !self.earlier.iter().any(|(of, _)| *of == mark) {
                self.earlier.retain(|(of, _)| marks.has(*of));
                let column = self.empty();
                self.earlier.push((mark, column));
            }
            let column = self.earlier.iter_mut().find(|(of, _)| *of == mark);
            if let Some(place) = column.and_then(|(_, column)| column.get_mut(position)) {
                *place = before;
            }
        }
    }

    fn at(&self, line: u64, id: &str) -> Option<StepEvidence> {
        let position = self.ids.position(id)?;
        let said = self.current.get(position)?.said()?;
        if said.line.number <= line {
            return Some(said);
        }
        let (_, column) = self.earlier.iter().find(|(mark, _)| *mark == line)?;
        column.get(position)?.said()
    }

    fn bytes(&self) -> usize {
        let columns = usize::from(!self.current.is_empty()) + self.earlier.len();
        self.ids.0.len() * (size_of::<Digest>() + columns * size_of::<Packed>())
    }
}

/// Evidence in sixteen bytes, or none: a line of a timeline has a number and an offset below 2^35
/// and a length below 2^27.
#[derive(Clone, Copy, Debug, Default)]
struct Packed([u64; 2]);

const LENGTH_BITS: u32 = 28;
const STATUS_BITS: u32 = 8;

impl Packed {
    fn new(said: StepEvidence) -> Self {
        let line = said.line;
        // Zero is for no evidence, one for an unknown status.
        let status = said.status.map_or(1, |status| status as u64 + 2);
        Self([
            line.number << LENGTH_BITS | line.length as u64,
            line.offset << STATUS_BITS | status,
        ])
    }

    fn said(self) -> Option<StepEvidence> {
        let Self([first, second]) = self;
        let split = |of: u64, bits: u32| (of >> bits, (of & ((1 << bits) - 1)) as usize);
        let ((number, length), (offset, status)) =
            (split(first, LENGTH_BITS), split(second, STATUS_BITS));
        let status = status.checked_sub(1)?.checked_sub(1);
        Some(StepEvidence {
            line: Line {
                number,
                offset,
                length,
            },
            status: status.and_then(|index| StepStatus::ALL.get(index).copied()),
        })
    }
}
