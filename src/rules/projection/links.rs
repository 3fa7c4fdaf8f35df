//! `projection/links`: the projection event and the state disagree on the links.

use super::evidence;
use crate::draft::{Compared, Findings};
use crate::facts::{Stage, StateFacts, TimelineFacts};
use crate::finding::{Level, Lifecycle};
use crate::rule::{BuiltIn, Check, Need, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/links",
    level: Level::Error,
    title: "the projection event and the state disagree on the links",
    hint: "Persist the state and emit its projection event from the same value.",
    page: include_str!("links.md"),
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
    let projection = timeline.projection_event();
    if let Some(draft) = projection.and_then(|event| evidence::links(state, event)) {
        findings.push(draft);
    }
    let has_both =
        projection.is_some_and(|event| event.payload().is_some()) && state.links().is_ok();
    Compared::when(has_both)
}
