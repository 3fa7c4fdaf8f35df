//! `projection/missing`: no projection event confirms the persisted state.

use crate::draft::{Compared, Findings};
use crate::facts::{Stage, StateFacts, TimelineFacts};
use crate::finding::{Level, Lifecycle};
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/missing",
    level: Level::Error,
    title: "no projection event confirms the persisted state",
    hint: "Emit an event with `phase` \"runtime\" and `event_type` \"run.state_projection\" each time a state record is persisted.",
    page: include_str!("missing.md"),
    check: Check::StateTimeline(check),
})
.needs(&[Need::WholeTimeline])
.follows_from(super::EVIDENCE)
.misses("runtime");

fn check(
    _: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    at: &Stage<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    if at.lifecycle != Lifecycle::NonTerminal && timeline.projection.is_none() {
        findings.at(
            Place::whole(Artifact::Events),
            "events.jsonl has no event with `phase` \"runtime\" and `event_type` \"run.state_projection\"",
        );
    }
    Compared::when(at.lifecycle != Lifecycle::NonTerminal)
}
