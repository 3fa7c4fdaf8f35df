//! `summary/mode`: a run in minimal mode has data that only meta mode writes.

use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::InSummary;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/mode",
    level: Level::Warning,
    title: "a run in minimal mode has data that only meta mode writes",
    hint: "Set `flags.mode` to `meta`, or remove the direction and insight data.",
    page: include_str!("mode.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (summary, timeline) = (ctx.summary(), ctx.timeline());
    let summary = summary?;
    if summary.text(InSummary::Mode)? != "minimal" {
        return None;
    }

    let direction = summary
        .fact(InSummary::Direction)
        .map(|_| (Place::summary("/flags/direction"), "`flags.direction`"));
    let insight = summary
        .fact(InSummary::Insight)
        .map(|_| (Place::summary("/insight"), "`insight`"));
    let event = timeline
        .and_then(|timeline| timeline.kept.tally.directions.first)
        .map(|line| (Place::event(line, "/phase"), "`direction` events"));
    let present: Vec<_> = [direction, insight, event]
        .into_iter()
        .flatten()
        .collect();
    if !present.is_empty() {
        let names = present
            .iter()
            .map(|(_, name)| *name)
            .collect::<Vec<&str>>()
            .join(" and ");
        let message = format!("`flags.mode` is \"minimal\", but the run has {names}");
        let draft = Draft::new(Place::summary("/flags/mode"), message);
        ctx.push(draft.related_to(present));
    }

    Some(Compared)
}
