//! `episode/task`: the state and the summary have different tasks.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{StateFacts, SummaryFacts};
use crate::finding::Level;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "episode/task",
    level: Level::Error,
    title: "the state and the summary have different tasks",
    hint: "Write the original task to both records.",
    page: include_str!("task.md"),
    check: Check::Records(check),
});

fn check(
    state: StateFacts<'_>,
    summary: SummaryFacts<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    let (Some(in_state), Some(in_summary)) = (state.task(), summary.text(&["task"])) else {
        return Compared::Nothing;
    };
    if in_state != in_summary {
        let message = format!(
            "the task is {} in the state, but {} in the summary",
            quote(&in_state),
            quote(&in_summary)
        );
        let draft = Draft::new(Place::state("/goal/task"), message);
        findings.push(draft.related(Place::summary("/task"), "the task in the summary"));
    }
    Compared::Something
}
