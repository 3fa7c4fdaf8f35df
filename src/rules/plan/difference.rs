//! Differences between the persisted plan and the rebuilt one, as findings.

use crate::facts::plan::Form;
use crate::facts::{Run, StateFacts, Timeline};
use crate::rule::{Draft, Findings};
use crate::source::{Artifact, Place};

/// Tells the differences that stand in labels, or those that stand in records and act events.
pub(super) fn tell(
    state: StateFacts<'_>,
    timeline: &Timeline,
    run: &Run<'_>,
    by_label: bool,
    findings: &mut Findings<'_>,
) {
    let (Some(plan), Some(reach)) = (&run.plan, run.reach()) else {
        return;
    };
    if by_label && plan.form != Form::Labels {
        return;
    }
    for difference in plan
        .differences(state, timeline, reach)
        .into_iter()
        .filter(|found| found.by_label == by_label)
    {
        let event = Place::event(difference.line, difference.event_pointer.as_str());
        let draft = Draft::new(
            Place::value(Artifact::State, difference.pointer),
            difference.message,
        );
        findings.push(draft.related(event, format!("the event says {}", difference.event_says)));
    }
}
