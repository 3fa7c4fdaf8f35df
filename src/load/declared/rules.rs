//! What a team's rules in the expression language find in an episode.

use crate::document::{Node, OwnedDocument, Tape};
use crate::finding::{Lifecycle, SkipKind, SkipReason};
use crate::source::Line;
use crate::team::{CountedEvents, FoundByRule, InForce, RunValues};

/// Why an event is not judged.
const UNREADABLE: SkipReason =
    SkipReason::new(SkipKind::Unreadable, "events.jsonl can't be read again");

/// The events of a run, counted.
#[derive(Default)]
pub(crate) struct Counts {
    counted: CountedEvents,
    /// Whether there were more words than are kept.
    is_full: bool,
}

impl Counts {
    pub(super) fn event(&mut self, event: Node<'_>) {
        self.is_full = self.is_full || !self.counted.add(event);
    }
}

/// Judges what is judged once all events are read: events by rules that count them, and the run.
pub(super) fn end(
    found: &mut [FoundByRule],
    counts: &Counts,
    team: &InForce,
    lifecycle: Lifecycle,
    values: RunValues<'_>,
    read_again: impl Fn(Line, &mut Vec<u8>) -> bool,
) {
    let [counts_text, tools] = counts.counted.to_json();
    let (counted, tools) = (OwnedDocument::read(counts_text), OwnedDocument::read(tools));
    let values = RunValues {
        counts: counted.as_ref().ok().map(OwnedDocument::root),
        tools: tools.as_ref().ok().map(OwnedDocument::root),
        ..values
    };
    let rules = team.team.rules.iter().zip(&team.on.rules).zip(found);
    for ((rule, _), found) in rules.filter(|((_, on), _)| **on) {
        if rule.counts_events() && counts.is_full {
            found.is_spent = true;
            continue;
        }
        if rule.each.is_none() && (lifecycle == Lifecycle::Terminal || !rule.needs_end) {
            found.run(rule, &values);
        }
        let (mut bytes, mut tape) = (Vec::new(), Tape::default());
        for line in std::mem::take(&mut found.later) {
            let is_read = read_again(line, &mut bytes);
            let document = tape.read_record(&bytes).ok().filter(|_| is_read);
            match document {
                Some(document) => found.event(rule, line, document.root(), &values),
                None => found.unmet = Some(UNREADABLE),
            }
        }
    }
}
