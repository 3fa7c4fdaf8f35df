//! An act event that has the id of an action -> what is kept of it until it is compared.

use std::borrow::Cow;

use super::as_of::Marks;
use super::columns::{Columns, PackedLine, Said};
use super::note::{ActNote, MIRRORED, place_among_mirrored};
use super::value::Value;
use crate::source::Line;

/// The length of the mirrored fields of one act event that are kept, at most: those of a longer one
/// are read again.
const MAX_KEPT_BYTES: usize = 4 << 10;

/// The latest act event for each action of the state that has an id.
#[derive(Debug, Default)]
pub(super) struct Acts<'a> {
    /// The ids of the actions, sorted.
    ids: Vec<Cow<'a, str>>,
    kept: Columns<KeptAct>,
}

impl<'a> Acts<'a> {
    pub(super) fn new(mut ids: Vec<Cow<'a, str>>) -> Self {
        ids.sort_unstable();
        ids.dedup();
        Self {
            ids,
            kept: Columns::default(),
        }
    }

    /// The place of an id.
    pub(super) fn position(&self, id: &str) -> Option<usize> {
        self.ids.binary_search_by(|known| (**known).cmp(id)).ok()
    }

    /// Adds the event at a line for the id at a place.
    pub(super) fn add(&mut self, position: usize, act: KeptAct, marks: Marks) {
        self.kept.set((position, self.ids.len()), act, marks);
    }

    /// The bytes that the events take, but for what is kept of each besides its line.
    pub(super) fn bytes(&self) -> usize {
        self.kept.bytes()
    }

    /// Whether there is an event for an id.
    pub(super) fn has(&self, id: &str) -> bool {
        self.position(id).is_some_and(|at| self.kept.has(at))
    }

    /// The latest event for an id up to a line.
    pub(super) fn at(&self, reach: u64, id: &str) -> Option<&KeptAct> {
        self.kept.at(self.position(id)?, reach)
    }
}

/// An act event that has the id of an action: what it takes to tell that the action repeats it word
/// for word, as most do, and to read it again if not.
#[derive(Debug, Default)]
pub(super) struct KeptAct {
    line: PackedLine,
    kept: Option<Box<Kept>>,
}

/// What is kept of an act event besides its line.
#[derive(Debug)]
struct Kept {
    /// The tokens of the event that the schema refuses, ascending: they are not facts.
    refused: Box<[u32]>,
    /// The mirrored fields as they are written, one after the other; none where they are long.
    texts: Box<[u8]>,
    /// Where each of them ends.
    ends: [u16; MIRRORED.len()],
}

/// The bytes that the acts of one timeline may still take.
#[derive(Debug)]
pub(super) struct ActBudget {
    texts: usize,
    refused: usize,
}

/// The bytes of act events that are kept of one timeline, at most: beyond that, they are read again
/// where they are needed.
const MAX_ACT_BYTES: usize = 16 << 20;

/// The bytes of act events that violate their schema, and of what is refused in them.
const MAX_REFUSED_BYTES: usize = 8 << 20;

/// The bytes of one event that is kept besides its texts and what is refused in it, with those that
/// it takes to allocate each of the three.
const KEPT_BYTES: usize = size_of::<Kept>() + 3 * 16;

impl Default for ActBudget {
    fn default() -> Self {
        Self {
            texts: MAX_ACT_BYTES,
            refused: MAX_REFUSED_BYTES,
        }
    }
}

/// There are more act events that violate their schema than are kept.
#[derive(Debug)]
pub(super) struct TooManyRefused;

impl KeptAct {
    /// Reduces an act event to what is kept, within a budget for all of them.
    pub(super) fn new(
        line: Line,
        act: &ActNote<'_>,
        text: &[u8],
        refused: &[u32],
        budget: &mut ActBudget,
    ) -> Result<Self, TooManyRefused> {
        let spans = || act.mirrored.iter().copied().flatten();
        let length: usize = spans().map(|(start, end)| (end - start) as usize).sum();
        let left = budget
            .texts
            .checked_sub(KEPT_BYTES + length)
            .filter(|_| length <= MAX_KEPT_BYTES);
        if !refused.is_empty() {
            let taken = KEPT_BYTES + size_of_val(refused);
            budget.refused = budget.refused.checked_sub(taken).ok_or(TooManyRefused)?;
        }
        if left.is_none() && refused.is_empty() {
            return Ok(Self {
                line: PackedLine::new(line, 0),
                kept: None,
            });
        }
        let mut texts = Vec::with_capacity(left.map_or(0, |_| length));
        let ends = act.mirrored.map(|span| {
            if let (Some((start, end)), Some(_)) = (span, left) {
                texts.extend_from_slice(text.get(start as usize..end as usize).unwrap_or_default());
            }
            u16::try_from(texts.len()).unwrap_or_default()
        });
        budget.texts = left.unwrap_or(budget.texts);
        let kept = Kept {
            refused: refused.into(),
            texts: texts.into(),
            ends,
        };
        Ok(Self {
            line: PackedLine::new(line, 0),
            kept: Some(Box::new(kept)),
        })
    }

    pub(super) fn line(&self) -> Line {
        let none = Line {
            number: 0,
            offset: 0,
            length: 0,
        };
        self.line.line().unwrap_or(none)
    }

    pub(super) fn refused(&self) -> &[u32] {
        self.kept.as_ref().map_or(&[], |kept| &kept.refused)
    }

    /// The text of a mirrored field; `None` where it was not kept.
    fn text(&self, index: usize) -> Option<&[u8]> {
        let kept = self.kept.as_ref()?;
        let before = index.checked_sub(1);
        let start = before
            .and_then(|before| kept.ends.get(before))
            .unwrap_or(&0);
        let end = kept.ends.get(index)?;
        let text = kept.texts.get(usize::from(*start)..usize::from(*end))?;
        (!text.is_empty()).then_some(text)
    }

    /// Whether an action equals the event word for word; if not, it may still be equal by value.
    pub(super) fn is_repeated_by(&self, action: Value<'_>) -> bool {
        let mut has_timestamp = false;
        let is_repeated = action.members().all(|(name, value)| {
            has_timestamp |= name == "timestamp";
            match place_among_mirrored(&name) {
                Some(index) => self.text(index) == Some(value.node().raw().as_bytes()),
                None => !name.starts_with("x-"),
            }
        });
        is_repeated && has_timestamp
    }
}

impl Said for KeptAct {
    fn line(&self) -> Option<u64> {
        self.line.number()
    }
}
