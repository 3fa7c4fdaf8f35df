//! `strict/steps`: the steps do not account for what the run did.

use std::collections::BTreeSet;

use crate::printable::quote;
use crate::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Pointer, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
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
    let ids: Option<BTreeSet<_>> = steps.clone().map(|step| step.text(&["id"])).collect();
    let mut compared = None;
    // A step whose id is not known may be the one that an action names.
    if let Some(ids) = ids {
        for (index, action) in state.actions().enumerate() {
            let Some(id) = action.text(&["step_id"]) else {
                continue;
            };
            compared = Some(Compared);
            if !ids.contains(&id) {
                let (number, id) = (index + 1, quote(&id));
                let message =
                    format!("action {number} names the step {id}, which the plan does not have");
                let place = Pointer::new("/outcomes/actions")
                    .item(index)
                    .field("step_id");
                let draft = Draft::new(Place::state(place), message);
                ctx.push(draft.related(Place::state("/plan/steps"), "the steps of the plan"));
            }
        }
    }
    if state.status().as_deref() != Some("ok") {
        return compared;
    }
    for (index, step) in steps.enumerate() {
        compared = Some(Compared);
        let status = step.text(&["status"]).unwrap_or_default();
        if matches!(&*status, "pending" | "running" | "failed") {
            let place = Pointer::new("/plan/steps").item(index).field("status");
            let (number, status) = (index + 1, quote(&status));
            let message = format!("the run has the status \"ok\", but step {number} is {status}");
            let draft = Draft::new(Place::state(place), message);
            ctx.push(draft.related(Place::state("/outcomes/status"), "the status of the run"));
        }
    }
    compared
}
