//! `plan/step-ids`: two steps of the plan share an id.

use crate::judge::rule::{BuiltIn, Compared, Context, Level, Rule};
use crate::judge::rules::unique_ids;
use crate::reading::facts::InStep;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "plan/step-ids",
    level: Level::Error,
    title: "two steps of the plan share an id",
    hint: "Give each step a unique id.",
    page: include_str!("step_ids.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let steps = ctx.state()?.steps()?;
    unique_ids::report(ctx, "step", "/plan/steps", (steps, InStep::Id))
}
