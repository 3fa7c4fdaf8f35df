//! `state/not-yet`: a run has no state record yet.

use crate::rule::{Artifact, BuiltIn, Compared, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "state/not-yet",
    level: Level::Warning,
    title: "a run has no state record yet",
    hint: "Check again after the run has persisted its state.",
    page: include_str!("not_yet.md"),
    check: |ctx| {
        let mut written = [Artifact::State, Artifact::Summary, Artifact::Manifest].into_iter();
        if !written.any(|artifact| ctx.has(artifact)) {
            ctx.at(
                Place::whole(Artifact::State),
                "there is no state.json; the run may have just started",
            );
        }
        Some(Compared)
    },
});
