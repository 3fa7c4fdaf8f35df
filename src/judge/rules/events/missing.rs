//! `events/missing`: a run has no timeline.

use crate::judge::rule::{Artifact, BuiltIn, Compared, Level, Place, Rule};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/missing",
    level: Level::Error,
    title: "a run has no timeline",
    hint: "Keep events.jsonl with the records; without it, runvet can't confirm what they say.",
    page: include_str!("missing.md"),
    check: |ctx| {
        if !ctx.has(Artifact::Events) {
            ctx.at(Place::whole(Artifact::Events), "there is no events.jsonl");
        }
        Some(Compared)
    },
});
