//! `summary/adapter`: a run that its adapter did not complete is called a success.

use crate::ground::printable::quote;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::InSummary;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/adapter",
    level: Level::Warning,
    title: "a run that its adapter did not complete is called a success",
    hint: "Write the outcome `error` or `goal_not_achieved` where the adapter failed or did not run.",
    page: include_str!("adapter.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let summary = ctx.summary()?;
    let (adapter, outcome) = (summary.text(InSummary::AdapterResult)?, summary.outcome()?);
    if matches!(&*adapter, "error" | "skipped")
        && matches!(&*outcome, "success" | "success_unverified")
    {
        let (adapter, outcome) = (quote(&adapter), quote(&outcome));
        let message = format!("`adapter_result` is {adapter}, but `outcome` is {outcome}");
        let draft = Draft::new(Place::summary("/adapter_result"), message);
        ctx.push(draft.related(Place::summary("/outcome"), "the outcome"));
    }

    Some(Compared)
}
