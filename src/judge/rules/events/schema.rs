//! `events/schema`: an event violates its schema.

use crate::judge::rule::{Artifact, BuiltIn, Compared, Context, Level, Rule};
use crate::judge::rules::record_rules;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/schema",
    level: Level::Error,
    title: "an event violates its schema",
    hint: "Correct the program that writes the event; `runvet schema event` describes every field.",
    page: include_str!("schema.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.troubles(|trouble| record_rules::violation(trouble, Artifact::Events, "the event"));
    Compared::when(ctx.timeline()?.kept.tally.events > 0)
}
