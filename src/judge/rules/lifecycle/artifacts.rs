//! `lifecycle/artifacts`: a run that has ended lacks an artifact.

use crate::ground::printable::quote;
use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject,
};
use crate::reading::facts::StateFacts;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/artifacts",
    level: Level::Error,
    title: "a run that has ended lacks an artifact",
    hint: "Write both summary.json and manifest.json when the run ends.",
    page: include_str!("artifacts.md"),
    check,
})
.applies_to(Subject::EndedRuns);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.must_have_ended()?;
    for artifact in [Artifact::Summary, Artifact::Manifest] {
        if !ctx.has(artifact) {
            let status = ctx
                .loaded()
                .run
                .state
                .read()
                .and_then(StateFacts::status);
            let status = quote(&status.unwrap_or_default());
            let message =
                format!("the run has ended with the status {status}, but there is no {artifact}");
            let draft = Draft::new(Place::whole(artifact), message)
                .related(Place::state("/outcomes/status"), "the status of the run");
            ctx.push(draft.help(Some(format!("Write {artifact} when the run ends."))));
        }
    }

    Some(Compared)
}
