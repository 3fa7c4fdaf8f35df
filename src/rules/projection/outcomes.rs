//! `projection/outcomes`: the projection event and the state disagree on the outcomes.

use super::evidence;
use crate::draft::{Compared, Findings};
use crate::facts::{Stage, StateFacts, TimelineFacts};
use crate::finding::{Level, Lifecycle};
use crate::rule::{BuiltIn, Check, Need, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/outcomes",
    level: Level::Error,
    title: "the projection event and the state disagree on the outcomes",
    hint: "Persist the state and emit its projection event from the same value.",
    page: include_str!("outcomes.md"),
    check: Check::StateTimeline(check),
})
.needs(&[Need::WholeTimeline, Need::Lifecycle])
.follows_from(super::COPIES);

fn check(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    at: &Stage<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    if at.lifecycle != Lifecycle::Terminal {
        return Compared::Nothing;
    }
    timeline
        .projection_event()
        .map_or(Compared::Nothing, |projection| {
            evidence::outcomes(state, projection, |draft| findings.push(draft))
        })
}
