//! The differences of the plan that are for one of two rules: what labels say, or all else.

use crate::facts::{StateFacts, TimelineFacts};
use crate::rule::{Draft, Findings};
use crate::source::{Artifact, Place};

pub(super) fn report(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    by_label: bool,
    findings: &mut Findings<'_>,
) {
    let Some(plan) = timeline.plan.as_ref() else {
        return;
    };
    plan.differences(state, by_label, &mut |difference| {
        let event = Place::event(difference.line, difference.event_pointer.as_str());
        let event_says = format!("the event has {}", difference.event_says);
        let message = difference.to_string();
        let draft = Draft::new(Place::value(Artifact::State, difference.pointer), message);
        findings.push(draft.related(event, event_says));
    });
}
