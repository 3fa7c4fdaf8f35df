//! `plan/no-event`: the plan has steps, but the timeline has no plan event.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Stage, StateFacts, TimelineFacts, Topic};
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "plan/no-event",
    level: Level::Warning,
    title: "the plan has steps, but the timeline has no plan event",
    hint: "Emit a `plan` event each time the plan is created or changed.",
    page: include_str!("no_event.md"),
    check: Check::StateTimeline(check),
})
.needs(&[Need::WholeTimeline, Need::Reach])
.follows_from(&["plan", "phase"])
.misses("plan");

fn check(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    _: &Stage<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    let Some(reach) = timeline.reach() else {
        return Compared::Nothing;
    };
    let compared = Compared::when(state.steps().is_some_and(|mut it| it.next().is_some()));
    if !reach.may_differ(Topic::PlanEvent) {
        return compared;
    }
    let steps = timeline.steps_without_event(&reach);
    if steps > 0 {
        let range = reach.event.map_or(String::new(), |event| {
            format!(" up to the projection event on line {}", event.number)
        });
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
    compared
}
