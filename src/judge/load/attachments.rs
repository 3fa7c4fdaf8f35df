//! The files of an episode that have what is shortened in its records -> the whole records.

use std::cell::Cell;

use crate::ground::document::{Node, OwnedDocument, Tape};
use crate::ground::shortened::with_whole_values;
use crate::policy::team::{Judged, TeamJudges};
use crate::store::Artifacts;

/// The bytes of such files that are read for one run: each time that an event names one, it is
/// read.
const MAX_ATTACHED_BYTES: u64 = 1 << 30;

/// The attachments of an episode.
pub(in crate::judge) struct Attachments<'f> {
    files: &'f dyn Artifacts,
    /// The number of bytes that may still be read; none where nobody judges what they have.
    left: Cell<u64>,
}

impl<'f> Attachments<'f> {
    pub(in crate::judge) fn new(files: &'f dyn Artifacts, judges: &TeamJudges) -> Self {
        let is_asked_for = !judges.judges_no_event() || judges.has_schema_of(Judged::Action);
        Self {
            files,
            left: Cell::new(if is_asked_for { MAX_ATTACHED_BYTES } else { 0 }),
        }
    }

    /// Returns a record with the whole values in place of those of which it has a part; `None`
    /// where it has all.
    pub(in crate::judge) fn whole(&self, record: Node<'_>) -> Option<OwnedDocument> {
        if self.left.get() == 0 {
            return None;
        }
        let whole = with_whole_values(record, &mut |name| self.read(name))?;
        OwnedDocument::read_record(whole.into_bytes()).ok()
    }

    /// Puts the whole values into the text of a record.
    pub(in crate::judge) fn complete(&self, bytes: &mut Vec<u8>) {
        let whole = Tape::default()
            .read_record(bytes)
            .ok()
            .and_then(|document| self.whole(document.root()));
        if let Some(whole) = whole {
            *bytes = whole.text().as_bytes().to_vec();
        }
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let opened = self.files.open_named(name).ok()?;
        let size = opened.size().unwrap_or_default();
        let left = self.left.get().checked_sub(size)?;
        let mut content = Vec::new();
        opened.read_record(&mut content).ok()?;
        let more = (content.len() as u64).saturating_sub(size);
        self.left.set(left.saturating_sub(more));

        Some(content)
    }
}
