//! What a team's rules in the expression language find in an episode.

use super::Declared;
use crate::document::{Node, OwnedDocument, Tape};
use crate::finding::{Lifecycle, SkipKind, SkipReason};
use crate::source::Line;
use crate::team::{CountedEvents, InForce, RunValues, Spent, Team, TeamRule};

/// Why an event is not judged.
const UNREADABLE: SkipReason =
    SkipReason::new(SkipKind::Unreadable, "events.jsonl can't be read again");

impl Declared {
    /// Shows an event to the rules that judge it.
    pub(super) fn by_rules(
        &mut self,
        team: &Team,
        rules: impl Iterator<Item = usize>,
        line: Line,
        event: Node<'_>,
        values: &RunValues<'_>,
    ) {
        for index in rules {
            if let (Some(rule), Some(found)) = (team.rules.get(index), self.by_rule.get_mut(index))
            {
                found.event(rule, line, event, values);
            }
        }
    }

    /// Judges the next event, with numbers of events that include it.
    pub(super) fn by_rules_of_next(
        &mut self,
        before: &CountedEvents,
        team: &Team,
        rules: &[usize],
        line: Line,
        event: Node<'_>,
        values: RunValues<'_>,
    ) {
        let counting = |index: &&usize| {
            let rule = team.rules.get(**index);
            rule.is_some_and(TeamRule::counts_events)
        };
        let mut documents = None;
        if rules.iter().any(|index| counting(&index)) {
            let mut counts = before.clone();
            counts.add(event);
            for index in rules.iter().filter(counting) {
                if let Some(found) = self.by_rule.get_mut(*index) {
                    found.spent = counts.is_full.then_some(Spent::Words);
                }
            }
            documents = Some(counts.documents());
        }
        let values = with_counts(values, documents.as_ref());
        self.by_rules(team, rules.iter().copied(), line, event, &values);
    }

    /// Judges what is judged once all events are read: events by rules that count them, and the
    /// run.
    pub(in crate::load) fn end(
        &mut self,
        team: &InForce,
        lifecycle: Lifecycle,
        values: RunValues<'_>,
        read_again: impl Fn(Line, &mut Vec<u8>) -> bool,
    ) {
        let counts = &self.counts;
        let documents = team.events.are_counted.then(|| counts.documents());
        let values = with_counts(values, documents.as_ref());
        let rules = team.team.rules.iter().zip(&team.on.rules);
        let rules = rules.zip(&mut self.by_rule);
        for ((rule, _), found) in rules.filter(|((_, on), _)| **on) {
            if rule.counts_events() && counts.is_full {
                found.spent = Some(Spent::Words);
                continue;
            }
            if rule.judges_run(lifecycle == Lifecycle::Terminal) {
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
}

/// Values with the numbers of events, if these were made.
fn with_counts<'a>(
    values: RunValues<'a>,
    documents: Option<&'a [Option<OwnedDocument>; 2]>,
) -> RunValues<'a> {
    let Some([counts, tools]) = documents else {
        return values;
    };
    RunValues {
        counts: counts.as_ref().map(OwnedDocument::root),
        tools: tools.as_ref().map(OwnedDocument::root),
        ..values
    }
}
