//! `projection/digest`: the state of a run that has ended was changed after its projection event.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Stage, StateFacts, TimelineFacts};
use crate::finding::{Level, Lifecycle};
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/digest",
    level: Level::Error,
    title: "the state of a run that has ended was changed after its projection event",
    hint: "Restore the state.json that the run wrote; if the run wrote it again, let it emit another projection event.",
    page: include_str!("digest.md"),
    check: Check::StateTimeline(check),
})
.needs(&[Need::WholeTimeline])
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
    let Some(projection) = timeline.projection_event() else {
        return Compared::Nothing;
    };
    let Some(in_event) = projection.state_sha256() else {
        return Compared::Nothing;
    };
    let actual = state.sha256();
    if in_event != actual {
        let message = format!(
            "`payload.state_sha256` is {in_event} in the projection event on line {}, but the SHA-256 of state.json is {actual}",
            projection.line.number
        );
        let place = Place::event(projection.line, "/payload/state_sha256");
        let draft = Draft::new(place, message).besides(&actual);
        findings.push(draft.related(Place::whole(Artifact::State), "the state"));
    }
    Compared::Something
}
