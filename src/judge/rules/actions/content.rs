//! `actions/content`: an action does not have the input or the result of its act event.

use super::unlike;
use crate::judge::rule::{BuiltIn, Compared, Context, Level, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "actions/content",
    level: Level::Warning,
    title: "an action does not have the input or the result of its act event",
    hint: "Copy `input`, `output` and `duration_ms` of the action from the payload of its `act` event, and shorten them before both are written.",
    page: include_str!("content.md"),
    check,
})
.follows_from(&["act", "phase", "action_id", "step_id", "timestamp"]);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.state()?;
    let (timeline, reach) = ctx.reach()?;
    ctx.differences(unlike, |differences| timeline.contents(&reach, differences));
    Compared::when(timeline.has_contents(&reach))
}
