//! `projection/outcomes`: the projection event and the state disagree on the outcomes.

use super::evidence;
use crate::judge::rule::{BuiltIn, Compared, Context, Level, Rule, Subject};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/outcomes",
    level: Level::Error,
    title: "the projection event and the state disagree on the outcomes",
    hint: "Persist the state and emit its projection event from the same value.",
    page: include_str!("outcomes.md"),
    check,
})
.follows_from(super::COPIES)
.applies_to(Subject::EndedRuns);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, timeline) = (ctx.state()?, ctx.whole_timeline()?);
    ctx.must_have_ended()?;
    evidence::outcomes(state, timeline.projection_event()?, |draft| ctx.push(draft))
}
