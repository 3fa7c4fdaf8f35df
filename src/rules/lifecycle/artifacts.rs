//! `lifecycle/artifacts`: a run that has ended lacks an artifact.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Run, StateFacts};
use crate::finding::{Level, Lifecycle};
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/artifacts",
    level: Level::Error,
    title: "a run that has ended lacks an artifact",
    hint: "Write both summary.json and manifest.json when the run ends.",
    page: include_str!("artifacts.md"),
    check: Check::Run(check),
})
.needs(&[Need::Lifecycle]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    if run.stage.lifecycle != Lifecycle::Terminal {
        return Compared::Nothing;
    }
    let status = run
        .state
        .read()
        .and_then(StateFacts::status)
        .unwrap_or_default();
    for artifact in [Artifact::Summary, Artifact::Manifest]
        .into_iter()
        .filter(|artifact| !run.stage.entries.has(*artifact))
    {
        let draft = Draft::new(
            Place::whole(artifact),
            format!(
                "the run has ended with the status {}, but there is no {artifact}",
                quote(&status)
            ),
        );
        let help = format!("Write {artifact} when the run ends.");
        let status = Place::state("/outcomes/status");
        findings.push(
            draft
                .related(status, "the status of the run")
                .help(Some(help)),
        );
    }
    Compared::Something
}
