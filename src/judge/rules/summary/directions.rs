//! `summary/directions`: the summary counts more directives than there are direction events.

use crate::ground::printable::brief;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::InSummary;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/directions",
    level: Level::Warning,
    title: "the summary counts more directives than there are direction events",
    hint: "Emit a `direction` event for each directive that is applied and for each veto.",
    page: include_str!("directions.md"),
    check,
})
.follows_from(&["direction", "phase"])
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (summary, timeline) = (ctx.summary()?, ctx.whole_timeline()?);
    let counted = timeline.kept.tally.directions;
    let stated = [
        ("applied", InSummary::DirectionApplied),
        ("vetoed", InSummary::DirectionVetoed),
    ]
    .map(|(name, slot)| Some((name, summary.number(slot)?)));
    let stated = || stated.iter().flatten();
    // A number that is larger than any number of events is none here.
    let sum = stated().try_fold(0_u64, |sum, (_, count)| sum.checked_add(count.whole()?));
    if sum.is_none_or(|sum| sum > counted.number) {
        let counts: Vec<String> = stated()
            .map(|(name, count)| format!("`{name}` is {}", brief(count.text())))
            .collect();
        let (counts, events) = (counts.join(" and "), super::directions_in_timeline(counted));
        let message = format!("{counts} in `flags.direction`, but {events}");
        let place = |name| Place::summary(format!("/flags/direction/{name}"));
        let mut names = stated().map(|(name, _)| *name);
        let draft = Draft::new(place(names.next()?), message)
            .besides(&counted.number)
            .related_to(names.map(|name| (place(name), format!("`{name}`"))));
        ctx.push(draft.related_to(super::first_direction(counted)));
    }

    Compared::when(stated().next().is_some())
}
