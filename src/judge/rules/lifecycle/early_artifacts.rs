//! `lifecycle/early-artifacts`: a run in progress has an artifact of a run that has ended.

use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject,
};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/early-artifacts",
    level: Level::Warning,
    title: "a run in progress has an artifact of a run that has ended",
    hint: "Write summary.json and manifest.json only when the run has ended.",
    page: include_str!("early_artifacts.md"),
    check,
})
.applies_to(Subject::RunsInProgress);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    if ctx.has_ended()? {
        return None;
    }

    for artifact in [Artifact::Summary, Artifact::Manifest] {
        if ctx.has(artifact) {
            let message =
                format!("the status of the run is \"pending\", but there is a {artifact}");
            let draft = Draft::new(Place::whole(artifact), message);
            ctx.push(draft.related(Place::state("/outcomes/status"), "the status of the run"));
        }
    }

    Some(Compared)
}
