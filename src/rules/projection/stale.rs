//! `projection/stale`: the projection event of a run in progress is older than its state.

use super::evidence;
use crate::facts::{Stage, StateFacts, TimelineFacts};
use crate::finding::{Level, Lifecycle, RuleInfo};
use crate::rule::{Check, Findings, Need, Rule};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "projection/stale",
        level: Level::Warning,
        title: "the projection event of a run in progress is older than its state",
        hint: "Emit a projection event with every state that is persisted; if the run has just persisted its state, check again.",
        page: include_str!("stale.md"),
    },
    check: Check::StateTimeline(check),
    reads: &[],
    needs: &[Need::WholeTimeline, Need::Lifecycle],
};

fn check(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    at: &Stage<'_>,
    findings: &mut Findings<'_>,
) {
    if at.lifecycle == Lifecycle::NonTerminal
        && let Some(projection) = &timeline.projection
    {
        evidence::outcomes(state, projection, |draft| findings.push(draft));
        if let Some(draft) = evidence::links(state, projection) {
            findings.push(draft);
        }
    }
}
