//! `episode/task`: state and summary name different tasks.

use crate::facts::{StateFacts, SummaryFacts};
use crate::finding::{RuleInfo, Severity};
use crate::printable::quote;
use crate::rule::{Check, Draft, Findings, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "episode/task",
        severity: Severity::Error,
        title: "state and summary name different tasks",
        hint: "Write the task as it was first given into both records.",
        page: include_str!("task.md"),
    },
    check: Check::Records(check),
    reads: &[],
    needs: &[],
};

fn check(state: StateFacts<'_>, summary: SummaryFacts<'_>, findings: &mut Findings<'_>) {
    let (Some(ours), Some(theirs)) = (state.task(), summary.text(&["task"])) else {
        return;
    };
    if ours != theirs {
        let (ours, theirs) = (quote(&ours), quote(&theirs));
        let draft = Draft::new(
            Place::state("/goal/task"),
            format!("the state's task is {ours}, the summary's {theirs}"),
        );
        findings.push(draft.related(Place::summary("/task"), "the summary's task"));
    }
}
