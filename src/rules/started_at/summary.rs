//! `started-at/summary`: the state and the summary disagree on when the run started.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{StateFacts, SummaryFacts};
use crate::finding::Level;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "started-at/summary",
    level: Level::Error,
    title: "the state and the summary disagree on when the run started",
    hint: "Copy `episode.started_at` from the state to `started_at` in the summary.",
    page: include_str!("summary.md"),
    check: Check::Records(check),
});

fn check(
    state: StateFacts<'_>,
    summary: SummaryFacts<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    let in_summary = summary.stamp(&["started_at"]);
    let (Some(in_state), Some(in_summary)) = (state.started_at(), in_summary) else {
        return Compared::Nothing;
    };
    if in_state.instant != in_summary.instant {
        let message = format!(
            "`started_at` is {} in the summary, but {} in the state",
            quote(&in_summary.text),
            quote(&in_state.text)
        );
        let draft = Draft::new(Place::summary("/started_at"), message);
        findings.push(draft.related(
            Place::state("/episode/started_at"),
            "`started_at` in the state",
        ));
    }
    Compared::Something
}
