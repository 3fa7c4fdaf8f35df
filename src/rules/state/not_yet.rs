//! `state/not-yet`: a run has no state record yet.

use crate::draft::{Compared, Findings};
use crate::facts::Run;
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "state/not-yet",
    level: Level::Warning,
    title: "a run has no state record yet",
    hint: "Check again after the run has persisted its state.",
    page: include_str!("not_yet.md"),
    check: Check::Run(check),
});

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let written = [Artifact::State, Artifact::Summary, Artifact::Manifest];
    if !written
        .into_iter()
        .any(|artifact| run.stage.entries.has(artifact))
    {
        findings.at(
            Place::whole(Artifact::State),
            "there is no state.json; the run may have just started",
        );
    }
    Compared::Something
}
