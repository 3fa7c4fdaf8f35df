//! `summary/success`: a run that did not achieve its goal is counted as a success.

use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/success",
    level: Level::Warning,
    title: "a run that did not achieve its goal is counted as a success",
    hint: "Write `metrics.success` 1 only where the goal was achieved.",
    page: include_str!("success.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let summary = ctx.summary()?;
    let (outcome, is_success) = (summary.outcome()?, summary.success()?);
    if outcome == "goal_not_achieved" && is_success {
        let message = "`metrics.success` is 1, but `outcome` is \"goal_not_achieved\"";
        let draft = Draft::new(Place::summary("/metrics/success"), message);
        ctx.push(draft.related(Place::summary("/outcome"), "the outcome"));
    }

    Some(Compared)
}
