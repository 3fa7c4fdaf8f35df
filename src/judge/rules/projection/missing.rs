//! `projection/missing`: no projection event confirms the persisted state.

use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Level, Lifecycle, Place, Rule, Subject,
};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/missing",
    level: Level::Error,
    title: "no projection event confirms the persisted state",
    hint: "Emit an event with `phase` \"runtime\" and `event_type` \"run.state_projection\" each time a state record is persisted.",
    page: include_str!("missing.md"),
    check,
})
.follows_from(super::EVIDENCE)
.misses("runtime")
.applies_to(Subject::EndedRuns);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.state()?;
    let timeline = ctx.whole_timeline()?;
    if ctx.lifecycle() == Lifecycle::NonTerminal {
        return None;
    }

    if timeline.kept.projection.is_none() {
        ctx.at(
            Place::whole(Artifact::Events),
            "events.jsonl has no event with `phase` \"runtime\" and `event_type` \"run.state_projection\"",
        );
    }

    Some(Compared)
}
