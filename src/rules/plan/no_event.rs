//! `plan/no-event`: a plan has steps, and no event tells of it.

use crate::facts::{Stage, StateFacts, TimelineFacts};
use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Draft, Findings, Need, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "plan/no-event",
        severity: Severity::Warning,
        title: "a plan has steps, and no event tells of it",
        hint: "Emit a `plan` event whenever the plan is made or changed.",
        page: include_str!("no_event.md"),
    },
    check: Check::StateTimeline(check),
    reads: &[],
    needs: &[Need::WholeTimeline, Need::Reach],
};

fn check(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    at: &Stage<'_>,
    findings: &mut Findings<'_>,
) {
    let Some(reach) = at.reach else { return };
    let steps = state.steps().map_or(0, |steps| steps.len());
    if steps > 0 && timeline.plan_event(reach).is_none() {
        let reached = if reach == u64::MAX {
            ""
        } else {
            " up to its latest projection"
        };
        let message = format!(
            "events.jsonl has no `plan` event{reached}, and the state has a plan (steps: {steps})"
        );
        let draft = Draft::new(Place::whole(Artifact::Events), message);
        findings.push(draft.related(Place::state("/plan/steps"), "the steps"));
    }
}
