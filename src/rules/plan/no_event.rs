//! `plan/no-event`: the plan has steps, but the timeline has no plan event.

use crate::facts::{Stage, StateFacts, TimelineFacts};
use crate::finding::{Level, RuleInfo};
use crate::rule::{Check, Draft, Findings, Need, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "plan/no-event",
        level: Level::Warning,
        title: "the plan has steps, but the timeline has no plan event",
        hint: "Emit a `plan` event each time the plan is created or changed.",
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
    let steps = state.steps().map_or(0, Iterator::count);
    if steps > 0 && timeline.plan_event(reach).is_none() {
        let range = if reach == u64::MAX {
            String::new()
        } else {
            format!(" up to the projection event on line {reach}")
        };
        let has = if steps == 1 {
            "1 step".into()
        } else {
            format!("{steps} steps")
        };
        let message =
            format!("events.jsonl has no `plan` event{range}, but the plan in the state has {has}");
        let draft = Draft::new(Place::whole(Artifact::Events), message);
        findings.push(draft.related(Place::state("/plan/steps"), "the steps in the state"));
    }
}
