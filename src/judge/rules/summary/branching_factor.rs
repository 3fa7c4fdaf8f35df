//! `summary/branching-factor`: the branching factor is not the number of direction events.

use crate::ground::printable::brief;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::InSummary;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/branching-factor",
    level: Level::Error,
    title: "the branching factor is not the number of direction events",
    hint: "Set `branching_factor` to the number of `direction` events in the timeline.",
    page: include_str!("branching_factor.md"),
    check,
})
.follows_from(&["direction", "phase"])
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (summary, timeline) = (ctx.summary()?, ctx.whole_timeline()?);
    let factor = summary.number(InSummary::BranchingFactor)?;
    let counted = timeline.kept.tally.directions;
    if factor.whole() != Some(counted.number) {
        let (factor, events) = (brief(factor.text()), super::directions_in_timeline(counted));
        let message = format!("`branching_factor` is {factor}, but {events}");
        let place = Place::summary("/insight/metrics/branching_factor");
        let draft = Draft::new(place, message).besides(&counted.number);
        ctx.push(draft.related_to(super::first_direction(counted)));
    }

    Some(Compared)
}
