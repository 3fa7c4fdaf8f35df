//! `plan/projection`: the persisted plan differs from the plan rebuilt from the timeline.

use super::difference;
use crate::draft::{Compared, Findings};
use crate::facts::{Stage, StateFacts, TimelineFacts, Topic};
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Need, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "plan/projection",
    level: Level::Error,
    title: "the persisted plan differs from the plan rebuilt from the timeline",
    hint: "Rebuild the plan from the timeline before you persist it; `runvet explain plan/projection` lists the steps.",
    page: include_str!("projection.md"),
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
    difference::report(state, timeline, Topic::Plan, findings)
}
