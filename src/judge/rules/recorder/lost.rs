//! `recorder/lost`: something was to be recorded and is not in the run.

use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::reading::facts::SummaryFacts;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "recorder/lost",
    level: Level::Warning,
    title: "something was to be recorded and is not in the run",
    hint: "Look at the answers of the recorder, or at its log: they say what was refused, and why.",
    page: include_str!("lost.md"),
    check,
})
.follows_from(&["terminate", "phase"]);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (summary, timeline) = (ctx.summary(), ctx.timeline());
    if let Some(refused) = summary.and_then(SummaryFacts::refused) {
        let place = Place::summary("/metrics/x-refused");
        ctx.push(draft(place, "metrics.x-refused", &refused.show()));
    }

    for (line, refused) in timeline
        .iter()
        .flat_map(|timeline| &timeline.kept.lost)
    {
        let place = Place::event(*line, "/payload/x-refused");
        ctx.push(draft(place, "payload.x-refused", refused));
    }

    let has_ended = timeline.is_some_and(|timeline| timeline.kept.terminates > 0);
    Compared::when(summary.is_some() || has_ended)
}

fn draft(place: Place, name: &str, refused: &str) -> Draft {
    let message =
        format!("`{name}` is {refused}: that much was to be recorded and is not in the run");
    Draft::new(place, message)
}
