//! `started-at/summary`: state and summary disagree on when the run started.

use crate::facts::{StateFacts, SummaryFacts};
use crate::finding::{RuleInfo, Severity};
use crate::printable::quote;
use crate::rule::{Check, Draft, Findings, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "started-at/summary",
        severity: Severity::Error,
        title: "state and summary disagree on when the run started",
        hint: "Copy `episode.started_at` of the state into the summary.",
        page: include_str!("summary.md"),
    },
    check: Check::Records(check),
    reads: &[],
    needs: &[],
};

fn check(state: StateFacts<'_>, summary: SummaryFacts<'_>, findings: &mut Findings<'_>) {
    let (Some(theirs), Some(ours)) = (state.started_at(), summary.stamp(&["started_at"])) else {
        return;
    };
    if ours.instant != theirs.instant {
        let (ours, theirs) = (quote(&ours.text), quote(&theirs.text));
        let draft = Draft::new(
            Place::summary("/started_at"),
            format!("the summary says the run started at {ours}, the state {theirs}"),
        );
        findings.push(draft.related(Place::state("/episode/started_at"), "the state's start"));
    }
}
