//! `projection/not-yet`: no projection event confirms the state of a run in progress yet.

use crate::ground::finding::SkipReason;
use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Level, Lifecycle, Place, Rule, Subject,
};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/not-yet",
    level: Level::Warning,
    title: "no projection event confirms the state of a run in progress yet",
    hint: "Emit a projection event with every state that is persisted; if the run has just persisted its first state, check again.",
    page: include_str!("not_yet.md"),
    check,
})
.follows_from(super::EVIDENCE)
.applies_to(Subject::RunsInProgress);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.state()?;
    let timeline = ctx.whole_timeline()?;
    if ctx.lifecycle() != Lifecycle::NonTerminal {
        return None;
    }

    if timeline.kept.projection.is_none() {
        if let Some(line) = timeline.kept.unfinished_line {
            ctx.skip(&SkipReason::no_event(line.number));
            return None;
        }
        ctx.at(
            Place::whole(Artifact::Events),
            "there is a state, but events.jsonl has no event with `phase` \"runtime\" and `event_type` \"run.state_projection\" yet",
        );
    }

    Some(Compared)
}
