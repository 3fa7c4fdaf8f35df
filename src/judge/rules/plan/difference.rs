//! The plan in the state and in the timeline -> the differences that are for one of two rules:
//! those of labels, or all others.

use crate::judge::rule::{Compared, Context, Draft, Place};
use crate::reading::facts::Topic;
use crate::reading::facts::plan::PlanMismatch;

/// Adds the differences that belong to a topic: the plan, or labels.
pub(super) fn report(ctx: &mut Context<'_>, topic: Topic) -> Option<Compared> {
    let state = ctx.state()?;
    let (timeline, reach) = ctx.reach()?;
    let by_label = topic == Topic::Labels;
    let plan = timeline.plan(&reach)?;

    if reach.may_differ(topic) {
        ctx.differences(draft, |differences| {
            plan.differences(state, by_label, differences);
        });
    }

    Compared::when(plan.has_to_compare(state, by_label))
}

fn draft(difference: PlanMismatch) -> Draft {
    let draft = Draft::new(Place::state(difference.pointer.clone()), difference.message);
    let event = Place::event(difference.line, difference.event_pointer);
    draft.related(event, format!("the event has {}", difference.event_shown))
}
