//! `strict/steps`: the steps do not account for what the run did.

use std::collections::BTreeSet;

use crate::ground::printable::quote;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::reading::facts::{InAction, InStep};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/steps",
    level: Level::Off,
    title: "the steps do not account for what the run did",
    hint: "Give each action the id of a step of the plan, and settle every step before the run ends with `ok`.",
    page: include_str!("steps.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let state = ctx.state()?;
    let steps = state.steps()?;
    let ids: Option<BTreeSet<_>> = steps
        .clone()
        .map(|step| step.text(InStep::Id))
        .collect();
    let mut compared = None;
    // A step whose id is not known may be the one that an action names.
    let actions = state
        .actions()
        .enumerate()
        .filter(|_| ids.is_some());
    for (index, action) in actions {
        let Some(id) = action.text(InAction::StepId) else {
            continue;
        };
        compared = Some(Compared);
        if ids
            .as_ref()
            .is_some_and(|ids| !ids.contains(&id))
        {
            let (number, id) = (index + 1, quote(&id));
            let message =
                format!("action {number} names the step {id}, which the plan does not have");
            let place = Place::state(format!("/outcomes/actions/{index}/step_id"));
            let steps = Place::state("/plan/steps");
            ctx.push(Draft::new(place, message).related(steps, "the steps of the plan"));
        }
    }

    if state.status().as_deref() != Some("ok") {
        return compared;
    }

    for (index, step) in steps.enumerate() {
        compared = Some(Compared);
        let status = step
            .text(InStep::Status)
            .unwrap_or_default();
        if matches!(&*status, "pending" | "running" | "failed") {
            let (number, status) = (index + 1, quote(&status));
            let message = format!("the run has the status \"ok\", but step {number} is {status}");
            let place = Place::state(format!("/plan/steps/{index}/status"));
            let draft = Draft::new(place, message);
            ctx.push(draft.related(Place::state("/outcomes/status"), "the status of the run"));
        }
    }

    compared
}
