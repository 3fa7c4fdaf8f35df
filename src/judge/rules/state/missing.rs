//! `state/missing`: a run has no state record.

use crate::judge::rule::{Artifact, BuiltIn, Compared, Context, Level, Place, Rule};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "state/missing",
    level: Level::Error,
    title: "a run has no state record",
    hint: "Persist the state before the summary and the manifest.",
    page: include_str!("missing.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    if ctx.has(Artifact::State) {
        return Some(Compared);
    }

    let mut later = vec![Artifact::Summary, Artifact::Manifest];
    later.retain(|artifact| ctx.has(*artifact));
    let later: Vec<&str> = later
        .into_iter()
        .map(Artifact::file_name)
        .collect();
    if later.is_empty() {
        return None;
    }

    let later = later.join(" and ");
    let message = format!("there is no state.json, but the episode has {later}");
    ctx.at(Place::whole(Artifact::State), message);

    Some(Compared)
}
