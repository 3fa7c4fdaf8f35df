//! `summary/adherence-precision`: the plan adherence has more than 4 decimal places.

use crate::ground::printable::brief;
use crate::judge::rule::{BuiltIn, Compared, Context, Level, Place, Rule, Subject};
use crate::reading::facts::InSummary;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/adherence-precision",
    level: Level::Warning,
    title: "the plan adherence has more than 4 decimal places",
    hint: "Round `plan_adherence` to 4 decimal places.",
    page: include_str!("adherence_precision.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let adherence = ctx
        .summary()?
        .number(InSummary::PlanAdherence)?;
    if adherence.decimals() > 4 {
        let (shown, decimals) = (brief(adherence.text()), adherence.decimals());
        let message = format!("`plan_adherence` is {shown}, which has {decimals} decimal places");
        ctx.at(Place::summary("/insight/metrics/plan_adherence"), message);
    }

    Some(Compared)
}
