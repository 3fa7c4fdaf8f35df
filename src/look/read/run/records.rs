//! The records of a run, as far as they can be read.

use std::borrow::Cow;

use super::super::{Error, RunEntry};
use super::RunReader;
use crate::ground::document::{Layout, Node, OwnedDocument, ReadText, Slots};
use crate::ground::finding::Lifecycle;
use crate::ground::source::{Artifact, Entries};
use crate::judge::load;
use crate::reading::facts::{self, JsonText, StateFacts, SummaryFacts};
use crate::reading::schema::{self, CompiledSchema};
use crate::store::{Artifacts as _, display};

/// The records of a run, each as it was stored, or why it can't be read. The timeline is not read.
#[derive(Debug)]
pub(crate) struct Records {
    /// The run as an entry of a list.
    pub(crate) entry: RunEntry,
    /// The artifacts that the directory lists.
    pub(in crate::look) entries: Entries,
    pub(in crate::look) state: Result<OwnedDocument, Error>,
    pub(in crate::look) summary: Result<OwnedDocument, Error>,
}

impl Records {
    pub(super) fn of(
        run: &RunReader,
        state: Result<OwnedDocument, Error>,
        summary: Result<OwnedDocument, Error>,
    ) -> Self {
        let (in_state, in_summary) = (state.as_ref().ok(), summary.as_ref().ok());
        let state_read =
            in_state.and_then(|it| read_record(it, &schema::STATE, &facts::LISTED_STATE));
        // Only a run whose directory gives no id may have that of its summary.
        let summary_read = in_summary
            .filter(|_| run.dir.id.is_none())
            .and_then(|it| read_record(it, &schema::SUMMARY, &facts::SUMMARY));
        let state_facts = state_read
            .as_ref()
            .map(|it| StateFacts::new(facts_of(it)));
        let summary_facts = summary_read
            .as_ref()
            .map(|it| SummaryFacts::new(facts_of(it)));
        let entries = run.dir.entries;
        let id = facts::id(run.dir.id.as_deref(), state_facts, summary_facts);
        let id = id.map_or(Cow::from(&run.dir.name), |(id, _)| id);
        let lifecycle = facts::lifecycle(state_facts, entries);
        let entry = RunEntry::named(&id, &display(&run.dir.path), lifecycle);
        let roots = [in_state, in_summary].map(|record| record.map(OwnedDocument::root));
        let mut entry = entry.with_records(roots[0], roots[1]);

        if lifecycle == Lifecycle::NonTerminal {
            let timeline = match run.memory.as_deref() {
                Some(memory) => memory
                    .artifacts
                    .open(Artifact::Events)
                    .ok(),
                None => run.stream(Artifact::Events).ok(),
            };
            entry = load::with_progress(entry, entries, timeline.as_ref());
        }

        Self {
            entry,
            entries,
            state,
            summary,
        }
    }

    /// Returns a value of the state; its root for an empty path.
    pub(crate) fn in_state(&self, path: &[&str]) -> Option<Node<'_>> {
        self.state
            .as_ref()
            .ok()?
            .root()
            .at(path)
    }

    /// Returns a value of the summary, in the same way.
    pub(crate) fn in_summary(&self, path: &[&str]) -> Option<Node<'_>> {
        self.summary
            .as_ref()
            .ok()?
            .root()
            .at(path)
    }
}

/// Reads a record for its facts; returns its text, and the places that its schema refuses.
pub(super) fn read_record<'r>(
    record: &'r OwnedDocument,
    schema: &CompiledSchema,
    layout: &Layout,
) -> Option<(&'r str, ReadText, Vec<u32>)> {
    let document = record.view();
    let violations = schema.violations(document).ok()?;
    let mut slots = Slots::default();
    slots.fill(document, layout);
    let refused = schema::offsets(document, &violations);
    Some((document.text(), ReadText::of(slots), refused))
}

pub(super) fn facts_of<'r>(
    (text, read, refused): &'r (&'r str, ReadText, Vec<u32>),
) -> JsonText<'r> {
    JsonText {
        text,
        read,
        refused,
    }
}
