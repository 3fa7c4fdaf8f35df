//! The events of a run -> their numbers by phase and by tool.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::ground::document::OwnedDocument;

/// The bytes of the words that events are counted by.
pub(super) const MAX_COUNTED_BYTES: usize = 4 << 20;

/// The numbers of events by phase, and by tool.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::team) struct CountedEvents {
    pub(super) phases: BTreeMap<String, u64>,
    pub(super) tools: BTreeMap<String, u64>,
    pub(super) bytes: usize,
    /// `true` if there were more words than are kept.
    pub(in crate::policy::team) is_full: bool,
}

impl CountedEvents {
    /// Counts an event by its phase and its tool, unless there was no room for the words of an
    /// earlier one.
    pub(in crate::policy::team) fn add(&mut self, [phase, tool]: [Option<Cow<'_, str>>; 2]) {
        let Some(phase) = phase.filter(|_| !self.is_full) else {
            return;
        };
        let tool = tool.filter(|_| phase == "act");

        for (counts, word) in [(&mut self.phases, Some(phase)), (&mut self.tools, tool)] {
            let Some(word) = word else { continue };
            if let Some(count) = counts.get_mut(&*word) {
                *count += 1;
            } else {
                self.bytes += word.len() + 64;
                if self.bytes > MAX_COUNTED_BYTES {
                    self.is_full = true;
                    return;
                }
                counts.insert(word.into_owned(), 1);
            }
        }
    }

    /// Returns the numbers by phase, and by tool.
    pub(in crate::policy::team) fn documents(&self) -> [Option<OwnedDocument>; 2] {
        [&self.phases, &self.tools].map(|counts| {
            let text = serde_json::to_vec(counts).unwrap_or_default();
            OwnedDocument::read(text).ok()
        })
    }
}
