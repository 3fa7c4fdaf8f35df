//! `actions/mirror`: an action does not mirror its act event.

use super::unlike;
use crate::judge::rule::{BuiltIn, Compared, Context, Level, Rule};
use crate::reading::facts::Topic;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "actions/mirror",
    level: Level::Error,
    title: "an action does not mirror its act event",
    hint: "Copy the fields of the action from the payload of its `act` event, and `timestamp` from that event.",
    page: include_str!("mirror.md"),
    check,
})
.follows_from(&["act", "phase", "action_id", "step_id", "timestamp"]);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.state()?;
    let (timeline, reach) = ctx.reach()?;
    if reach.may_differ(Topic::Actions) {
        ctx.differences(unlike, |differences| timeline.mirror(&reach, differences));
    }

    Compared::when(timeline.has_mirrored(&reach))
}
