//! `lifecycle/unended`: a run has not ended.

use crate::ground::printable::quote;
use crate::judge::rule::{Artifact, BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::reading::facts::StateFacts;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/unended",
    level: Level::Off,
    title: "a run has not ended",
    hint: "Wait until the run ends. One whose program died never will: `runvet abandon` ends it.",
    page: include_str!("unended.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    if ctx.has_ended()? {
        return Some(Compared);
    }

    let status = ctx
        .loaded()
        .run
        .state
        .read()
        .and_then(StateFacts::status);
    let (place, message) = match status {
        Some(status) => (
            Place::state("/outcomes/status"),
            format!("the run has not ended: its status is {}", quote(&status)),
        ),
        None => (
            Place::whole(Artifact::Events),
            "the run has not ended: it has only a timeline so far".to_owned(),
        ),
    };

    ctx.push(Draft::new(place, message));
    Some(Compared)
}
