//! The events of a timeline, one at a time -> those that a page shows: the first and the last, and
//! between them some that matter.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::ground::source::Line;
use crate::reading::dashboard::TimelineRow;

/// The number of events at the beginning of a timeline that a page keeps.
const FIRST_EVENTS: usize = 200;

/// The number of events at the end of a timeline that a page keeps.
const LAST_EVENTS: usize = 100;

/// The maximum number of events between them that a page keeps: those in which something failed or
/// was vetoed, and those that findings name.
const MARKED_EVENTS: usize = 200;

/// The maximum number of steps whose opening a page pairs with the next event of the step.
const MAX_OPENED: usize = 10_000;

/// Events on their way to a track. Memory does not grow with their number.
pub(super) struct Track<'n> {
    /// The lines that findings name.
    named: &'n BTreeSet<u64>,
    items: Vec<Tracked>,
    marked: usize,
    last: VecDeque<(bool, Line)>,
    open_steps: BTreeMap<String, u64>,
    ends: BTreeMap<u64, f64>,
}

/// A part of a track: an event and, where it began a step, the time of the next event of that step;
/// or the number of events that are left out.
pub(crate) type Tracked = TimelineRow<(Line, Option<f64>), u64>;

impl<'n> Track<'n> {
    pub(super) fn new(named: &'n BTreeSet<u64>) -> Self {
        Self {
            named,
            items: Vec::new(),
            marked: 0,
            last: VecDeque::new(),
            open_steps: BTreeMap::new(),
            ends: BTreeMap::new(),
        }
    }

    /// Adds an event; something may have failed or been vetoed in it.
    pub(super) fn add(&mut self, line: Line, is_marked: bool) {
        if self.items.len() < FIRST_EVENTS && self.last.is_empty() {
            self.items
                .push(Tracked::Event((line, None)));
            return;
        }

        let matters = is_marked || self.named.contains(&line.number);
        self.last.push_back((matters, line));
        if self.last.len() <= LAST_EVENTS {
            return;
        }

        let Some((matters, oldest)) = self.last.pop_front() else {
            return;
        };

        if matters && self.marked < MARKED_EVENTS {
            self.marked += 1;
            self.items
                .push(Tracked::Event((oldest, None)));
        } else if let Some(Tracked::Folded(number)) = self.items.last_mut() {
            *number += 1;
        } else {
            self.items.push(Tracked::Folded(1));
        }
    }

    /// Notes that an event of a step happened at a time, and whether it began the step.
    pub(super) fn step(&mut self, line: u64, step: String, at: f64, is_begun: bool) {
        if let Some(opened) = self.open_steps.remove(&step) {
            self.ends.insert(opened, at);
        }
        if is_begun && self.open_steps.len() + self.ends.len() < MAX_OPENED {
            self.open_steps.insert(step, line);
        }
    }

    pub(super) fn finish(self) -> Vec<Tracked> {
        let last = self
            .last
            .into_iter()
            .map(|(_, line)| Tracked::Event((line, None)));
        let with_end = |item| match item {
            Tracked::Event((line, _)) => {
                Tracked::Event((line, self.ends.get(&line.number).copied()))
            }
            folded @ Tracked::Folded(_) => folded,
        };

        self.items
            .into_iter()
            .chain(last)
            .map(with_end)
            .collect()
    }
}
