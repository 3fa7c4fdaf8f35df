//! `plan/legacy-labels`: the steps differ from the labels of the plan event.

use super::difference;
use crate::draft::{Compared, Findings};
use crate::facts::{Stage, StateFacts, TimelineFacts, Topic};
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Need, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "plan/legacy-labels",
    level: Level::Warning,
    title: "the steps differ from the labels of the plan event",
    hint: "Emit `step_records` in the `plan` event; labels have too little information to rebuild a plan.",
    page: include_str!("legacy_labels.md"),
    check: Check::StateTimeline(check),
})
.needs(&[Need::WholeTimeline, Need::Reach])
.follows_from(super::PLAN);

fn check(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    _: &Stage<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    difference::report(state, timeline, Topic::Labels, findings)
}
