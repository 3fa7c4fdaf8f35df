//! The findings of an episode -> whether there is room for one more.
//!
//! Each takes its messages, its pointers and the path of its file, which the author of the records
//! can make as long as the system allows. The estimate is coarse and the same on every machine.

use super::Draft;
use crate::finding::MAX_FINDINGS_PER_RULE;
use crate::source::Place;

/// The bytes that the findings of one episode take, at most.
const MAX_FINDING_BYTES: usize = 24 << 20;

/// The number of findings that each rule lists in any case.
const MIN_LISTED: usize = 20;

/// The bytes that a finding, and each place of one, takes in addition to its texts.
const FINDING_BYTES: usize = 900;
const PLACE_BYTES: usize = 500;

/// The memory that is left for the findings of an episode.
pub(crate) struct FindingMemory {
    left: usize,
    /// The length of the path of a file in the episode.
    path: usize,
}

impl FindingMemory {
    /// Returns the memory for an episode in a directory.
    pub(crate) fn new(dir: &str) -> Self {
        let longest_name = "summary.json".len();
        Self {
            left: MAX_FINDING_BYTES,
            path: dir.len() + 1 + longest_name,
        }
    }

    /// Takes memory for a finding of a rule that lists a number of findings already; returns
    /// whether there was some.
    pub(super) fn take(&mut self, draft: &Draft, listed: usize) -> bool {
        if listed >= MAX_FINDINGS_PER_RULE {
            return false;
        }
        // Once there is no room for one, there is none for a shorter one: the first are listed.
        let left = self.left.checked_sub(self.bytes(draft));
        self.left = left.unwrap_or(0);
        left.is_some() || listed < MIN_LISTED
    }

    fn bytes(&self, draft: &Draft) -> usize {
        let place = |place: &Place| {
            let pointer = place.pointer().map_or(0, |pointer| pointer.as_str().len());
            PLACE_BYTES + self.path + pointer
        };
        let related = draft.related.iter();
        let related = related.map(|(at, message)| place(at) + message.len());
        let help = draft.help.as_ref().map_or(0, String::len);
        FINDING_BYTES
            + draft.message.len()
            + help
            + draft.besides.len()
            + place(&draft.place)
            + related.sum::<usize>()
    }
}
