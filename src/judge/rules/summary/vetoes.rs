//! `summary/vetoes`: the veto count is less than the vetoes that direction issued.

use crate::ground::printable::brief;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::InSummary;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/vetoes",
    level: Level::Warning,
    title: "the veto count is less than the vetoes that direction issued",
    hint: "Count every veto in `veto_count`, those of direction too.",
    page: include_str!("vetoes.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let summary = ctx.summary()?;
    let (count, vetoed) = (
        summary.number(InSummary::VetoCount)?,
        summary.number(InSummary::DirectionVetoed)?,
    );
    if vetoed.exceeds(count) {
        let (count, vetoed) = (brief(count.text()), brief(vetoed.text()));
        let message = format!("`veto_count` is {count}, but `flags.direction.vetoed` is {vetoed}");
        let draft = Draft::new(Place::summary("/metrics/veto_count"), message);
        let vetoed = Place::summary("/flags/direction/vetoed");
        ctx.push(draft.related(vetoed, "the vetoes that direction issued"));
    }

    Some(Compared)
}
