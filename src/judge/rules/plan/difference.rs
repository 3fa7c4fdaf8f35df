//! The plan in the state and in the timeline -> the differences that are for one of two rules:
//! those of labels, or all others.

use crate::ground::printable::quote;
use crate::judge::rule::{Compared, Context, Draft, Place};
use crate::reading::facts::Topic;
use crate::reading::facts::plan::{MismatchKind, PlanMismatch, Surplus};

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
    let message = plan_difference(&difference);
    let event = Place::event(difference.line, difference.in_event.pointer);

    Draft::new(Place::state(difference.in_state.pointer), message).related(
        event,
        format!("the event has {}", difference.in_event.shown),
    )
}

/// Returns a difference in a sentence.
pub(crate) fn plan_difference(difference: &PlanMismatch) -> String {
    let (state, event) = (&difference.in_state.shown, &difference.in_event.shown);
    let line = difference.line.number;
    match &difference.kind {
        MismatchKind::Source => {
            format!("`plan.source` is {state}, but {event} in the plan event on line {line}")
        }
        MismatchKind::UpdatedAt => {
            format!(
                "`plan.updated_at` is {state}, but the plan event on line {line} is from {event}"
            )
        }
        MismatchKind::LabelCount => {
            format!(
                "the plan has {state}, but the plan event on line {line} has labels for {event}"
            )
        }
        MismatchKind::StepCount(surplus) => {
            let only = match surplus {
                None => String::new(),
                Some(Surplus::InState(id)) => format!("; only the state has {}", quote(id)),
                Some(Surplus::InEvent(id)) => format!("; the state lacks {}", quote(id)),
            };
            format!("the plan has {state}, but the rebuilt plan has {event}{only}")
        }
        MismatchKind::Order => {
            format!("the steps are in another order: {state} is where the rebuilt plan has {event}")
        }
        MismatchKind::Field { path, is_of_label } => {
            let (path, source) = (
                path.dotted(),
                if *is_of_label { "label" } else { "step record" },
            );
            format!(
                "`{path}` is {state}, but {event} in the {source} of the plan event on line {line}"
            )
        }
        MismatchKind::Status => {
            let path = difference.in_state.pointer.dotted();
            format!("`{path}` is {state}, but the act event on line {line} set it to {event}")
        }
    }
}
