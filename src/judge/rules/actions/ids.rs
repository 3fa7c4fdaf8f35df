//! `actions/ids`: two actions share an id.

use crate::judge::rule::{BuiltIn, Compared, Context, Level, Rule};
use crate::judge::rules::unique_ids;
use crate::reading::facts::InAction;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "actions/ids",
    level: Level::Warning,
    title: "two actions share an id",
    hint: "Give each action a unique id, and its `act` event the same one.",
    page: include_str!("ids.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let actions = ctx.state()?.actions();
    unique_ids::report(ctx, "action", "/outcomes/actions", (actions, InAction::Id))
}
