//! `strict/outcome-metrics`: the outcomes count other steps than the plan has.

use crate::ground::printable::{brief, count};
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::reading::facts::InStep;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/outcome-metrics",
    level: Level::Off,
    title: "the outcomes count other steps than the plan has",
    hint: "Count the steps of the plan, and those that are done, when the outcomes are written.",
    page: include_str!("outcome_metrics.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let state = ctx.state()?;
    let steps = state.steps()?;
    let metrics = state.outcomes()?.get("metrics")?;
    let total = steps.len() as u64;
    let done = steps
        .map(|step| step.text(InStep::Status))
        .collect::<Option<Vec<_>>>()
        .map(|statuses| {
            statuses
                .iter()
                .filter(|status| **status == "done")
                .count() as u64
        });
    let mut compared = None;

    for (name, number, what) in [
        ("steps_total", Some(total), "step"),
        ("steps_completed", done, "step that is done"),
    ] {
        let stated = metrics
            .get(name)
            .and_then(|stated| stated.fact()?.number());
        let (Some(stated), Some(number)) = (stated, number) else {
            continue;
        };
        compared = Some(Compared);
        if stated.whole() != Some(number) {
            let (stated, has) = (brief(stated.text()), count(number, what));
            let message = format!("`{name}` is {stated}, but the plan has {has}");
            let place = Place::state(format!("/outcomes/metrics/{name}"));
            let draft = Draft::new(place, message).besides(&number);
            ctx.push(draft.related(Place::state("/plan/steps"), "the steps of the plan"));
        }
    }

    compared
}
