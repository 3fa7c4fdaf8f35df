//! The differences of the plan that are for one of two rules: what labels say, or all else.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::plan::PlanMismatch;
use crate::facts::{Listener, StateFacts, TimelineFacts, Topic};
use crate::source::{Artifact, Place};

/// Adds the differences that belong to a topic: the plan, or labels.
pub(super) fn report(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    topic: Topic,
    findings: &mut Findings<'_>,
) -> Compared {
    let Some(reach) = timeline.reach() else {
        return Compared::Nothing;
    };
    let by_label = matches!(topic, Topic::Labels);
    timeline.with_plan(&reach, |plan| {
        let Some(plan) = plan else {
            return Compared::Nothing;
        };
        let compared = Compared::when(plan.has_to_compare(state, by_label));
        if !reach.may_differ(topic) {
            return compared;
        }
        let left = findings.left_to_list();
        let mut push = |difference| findings.push(draft(difference));
        let mut differences = Listener::new(left, &mut push);
        plan.differences(state, by_label, &mut differences);
        let rest = differences.rest();
        findings.more(rest);
        compared
    })
}

fn draft(difference: PlanMismatch) -> Draft {
    let event = Place::event(difference.line, difference.event_pointer.as_str());
    let event_says = format!("the event has {}", difference.event_says);
    let message = difference.to_string();
    let draft = Draft::new(Place::value(Artifact::State, difference.pointer), message);
    draft.related(event, event_says)
}
