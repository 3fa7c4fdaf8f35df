//! An act event that has the id of an action -> what is kept of it until it is compared.

use super::note::{ActNote, MIRRORED, place_among_mirrored};
use super::value::Value;
use crate::source::Line;

/// The length of the mirrored fields of one act event that are kept, at most: those of a longer one
/// are read again.
const MAX_KEPT_BYTES: usize = 4 << 10;

/// An act event that has the id of an action: what it takes to tell that the action repeats it word
/// for word, as most do, and to read it again if not.
#[derive(Debug)]
pub(super) struct KeptAct {
    line: Line,
    /// The tokens of the event that the schema refuses, ascending: they are not facts.
    refused: Box<[u32]>,
    /// The mirrored fields as they are written, one after the other; none where they are long.
    texts: Box<[u8]>,
    /// Where each of them ends.
    ends: [u16; MIRRORED.len()],
}

impl KeptAct {
    /// Reduces an act event to what is kept, within a budget of bytes for all of them.
    pub(super) fn new(
        line: Line,
        act: &ActNote<'_>,
        text: &[u8],
        refused: &[u32],
        budget: &mut usize,
    ) -> Self {
        let spans = || act.mirrored.iter().copied().flatten();
        let length: usize = spans().map(|(start, end)| (end - start) as usize).sum();
        let left = budget
            .checked_sub(length)
            .filter(|_| length <= MAX_KEPT_BYTES);
        let mut texts = Vec::with_capacity(left.map_or(0, |_| length));
        let ends = act.mirrored.map(|span| {
            if let (Some((start, end)), Some(_)) = (span, left) {
                texts.extend_from_slice(text.get(start as usize..end as usize).unwrap_or_default());
            }
            u16::try_from(texts.len()).unwrap_or_default()
        });
        *budget = left.unwrap_or(*budget);
        Self {
            line,
            refused: refused.into(),
            texts: texts.into(),
            ends,
        }
    }

    pub(super) fn line(&self) -> Line {
        self.line
    }

    pub(super) fn refused(&self) -> &[u32] {
        &self.refused
    }

    /// The text of a mirrored field; `None` where it was not kept.
    fn text(&self, index: usize) -> Option<&[u8]> {
        let before = index.checked_sub(1);
        let start = before
            .and_then(|before| self.ends.get(before))
            .unwrap_or(&0);
        let end = self.ends.get(index)?;
        let text = self.texts.get(usize::from(*start)..usize::from(*end))?;
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
