//! A judge of one declaration -> what it found in a run, within the limits that all judges have.

use super::RunFacts;
use super::events::EventSelector;
use crate::ground::draft::{Compared, Draft, Findings};
use crate::ground::finding::MAX_FINDINGS_PER_RULE;

/// A judge of one declaration, which knows what it found in a run so far.
pub(crate) trait Judge {
    /// Reports what it found: in a whole run, or in what is about to be written. `None` where it
    /// could not judge.
    fn report(&self, run: Option<&RunFacts<'_>>, findings: &mut Findings<'_>) -> Option<Compared>;

    /// Returns its selectors of events, each with its key, and `true` if it may want no event that
    /// the selector names.
    fn selectors(&self) -> Vec<(&'static str, &EventSelector, bool)> {
        Vec::new()
    }

    /// Returns `true` if what it finds in an act may depend on the end of that.
    fn depends_on_outcome(&self) -> bool {
        false
    }

    /// Returns `true` if it only counts, sums up, needs or bans events, so that it is the same in
    /// which order others come.
    fn is_simple(&self) -> bool {
        true
    }

    /// Returns the room that its groups take.
    fn room(&self) -> usize {
        0
    }

    /// Stops it, as there is no room for its groups.
    fn stop(&mut self) {}
}

/// The room that all orders and rules of a run have for groups and waiting events. A group takes
/// 0.3 KB, so these are less than 256 MiB.
pub(super) const MAX_ROOM: usize = 640_000;

/// Lets a judge do its work, and stops it where all groups of the run take more than [`MAX_ROOM`]
/// then.
pub(super) fn within_room<J: Judge>(taken: &mut usize, judge: &mut J, work: impl FnOnce(&mut J)) {
    let others = taken.saturating_sub(judge.room());
    work(judge);
    if others + judge.room() > MAX_ROOM {
        judge.stop();
    }

    *taken = others + judge.room();
}

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
