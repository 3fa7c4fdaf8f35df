//! `projection/not-yet`: no projection event confirms the state of a run in progress yet.

use crate::draft::{Compared, Findings};
use crate::facts::{Stage, StateFacts, TimelineFacts};
use crate::finding::{Level, Lifecycle, SkipReason};
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/not-yet",
    level: Level::Warning,
    title: "no projection event confirms the state of a run in progress yet",
    hint: "Emit a projection event with every state that is persisted; if the run has just persisted its first state, check again.",
    page: include_str!("not_yet.md"),
    check: Check::StateTimeline(check),
})
.needs(&[Need::WholeTimeline])
.follows_from(super::EVIDENCE);

fn check(
    _: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    at: &Stage<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    if at.lifecycle != Lifecycle::NonTerminal {
        return Compared::Nothing;
    }
    if timeline.projection.is_some() {
        return Compared::Something;
    }
    if let Some(line) = timeline.unfinished_line {
        findings.skip(&SkipReason::no_event(line.number));
        return Compared::Nothing;
    }
    findings.at(
        Place::whole(Artifact::Events),
        "there is a state, but events.jsonl has no event with `phase` \"runtime\" and `event_type` \"run.state_projection\" yet",
    );
    Compared::Something
}
