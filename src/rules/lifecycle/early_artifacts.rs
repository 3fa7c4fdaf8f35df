//! `lifecycle/early-artifacts`: a run in progress has an artifact of a run that has ended.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::Run;
use crate::finding::{Level, Lifecycle};
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/early-artifacts",
    level: Level::Warning,
    title: "a run in progress has an artifact of a run that has ended",
    hint: "Write summary.json and manifest.json only when the run has ended.",
    page: include_str!("early_artifacts.md"),
    check: Check::Run(check),
})
.needs(&[Need::Lifecycle]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    if run.stage.lifecycle != Lifecycle::NonTerminal {
        return Compared::Nothing;
    }
    for artifact in [Artifact::Summary, Artifact::Manifest]
        .into_iter()
        .filter(|artifact| run.stage.entries.has(*artifact))
    {
        let draft = Draft::new(
            Place::whole(artifact),
            format!("the status of the run is \"pending\", but there is a {artifact}"),
        );
        findings.push(draft.related(Place::state("/outcomes/status"), "the status of the run"));
    }
    Compared::Something
}
