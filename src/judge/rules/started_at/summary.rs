//! `started-at/summary`: the state and the summary disagree on when the run started.

use crate::ground::printable::quote;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::InSummary;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "started-at/summary",
    level: Level::Error,
    title: "the state and the summary disagree on when the run started",
    hint: "Copy `episode.started_at` from the state to `started_at` in the summary.",
    page: include_str!("summary.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, summary) = (ctx.state()?, ctx.summary()?);
    let (in_state, in_summary) = (state.started_at()?, summary.stamp(InSummary::StartedAt)?);
    if in_state.instant != in_summary.instant {
        let (in_state, in_summary) = (quote(&in_state.text), quote(&in_summary.text));
        let message =
            format!("`started_at` is {in_summary} in the summary, but {in_state} in the state");
        let draft = Draft::new(Place::summary("/started_at"), message);
        let other = Place::state("/episode/started_at");
        ctx.push(draft.related(other, "`started_at` in the state"));
    }

    Some(Compared)
}
