//! The findings of a declaration in a run -> those that are listed, and the number of the rest.

use crate::draft::{Compared, Draft, Findings};
use crate::finding::MAX_FINDINGS_PER_RULE;

/// The bytes of the messages of one declaration that are kept; the first finding is in any case.
const MAX_MESSAGE_BYTES: usize = 2 << 20;

/// The findings of one declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    drafts: Vec<Draft>,
    message_bytes: usize,
    /// `true` if anything was judged.
    pub(super) examined: bool,
    /// The number of findings beyond those that are listed.
    more: usize,
}

impl Found {
    /// Adds a finding, which is worded only where it is listed.
    pub(super) fn add(&mut self, draft: impl FnOnce() -> Draft) {
        self.examined = true;
        let has_room = self.message_bytes < MAX_MESSAGE_BYTES;
        if has_room && self.drafts.len() < MAX_FINDINGS_PER_RULE {
            let draft = draft();
            self.message_bytes += draft.message.len();
            self.drafts.push(draft);
        } else {
            self.more += 1;
        }
    }

    /// Reports all of them.
    pub(super) fn report(&self, findings: &mut Findings<'_>) -> Option<Compared> {
        for draft in &self.drafts {
            findings.push(draft.clone());
        }
        findings.more(self.more);
        Compared::when(self.examined)
    }
}
