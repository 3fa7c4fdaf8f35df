//! `projection/links`: the projection event and the state disagree on the links.

use super::evidence;
use crate::judge::rule::{BuiltIn, Compared, Context, Level, Rule, Subject};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/links",
    level: Level::Error,
    title: "the projection event and the state disagree on the links",
    hint: "Persist the state and emit its projection event from the same value.",
    page: include_str!("links.md"),
    check,
})
.follows_from(super::COPIES)
.applies_to(Subject::EndedRuns);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, timeline) = (ctx.state()?, ctx.whole_timeline()?);
    ctx.must_have_ended()?;
    let projection = timeline.projection_event()?;
    if let Some(draft) = evidence::links(state, projection) {
        ctx.push(draft);
    }

    Compared::when(projection.payload().is_some() && state.links().is_ok())
}
