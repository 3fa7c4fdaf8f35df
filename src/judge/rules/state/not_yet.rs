//! `state/not-yet`: a run has no state record yet.

use crate::judge::rule::{Artifact, BuiltIn, Compared, Level, Place, Rule, Subject};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "state/not-yet",
    level: Level::Warning,
    title: "a run has no state record yet",
    hint: "Check again after the run has persisted its state. If its process died, `runvet record --resume` goes on with the run, and `runvet abandon` ends it, where runvet recorded it.",
    page: include_str!("not_yet.md"),
    check: |ctx| {
        let mut written = [Artifact::State, Artifact::Summary, Artifact::Manifest].into_iter();
        if !written.any(|artifact| ctx.has(artifact)) {
            let why = match ctx.event_count() {
                0 | 1 => "; the run has just started, or its process died".to_owned(),
                events => format!(
                    " after {events} events; the run has not persisted its state yet, or its process died"
                ),
            };
            let message = format!("there is no state.json{why}");
            ctx.at(Place::whole(Artifact::State), message);
        }
        Some(Compared)
    },
})
.applies_to(Subject::RunsInProgress);
