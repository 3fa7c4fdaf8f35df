//! `state/missing`: a run has no state record.

use crate::draft::{Compared, Findings};
use crate::facts::Run;
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "state/missing",
    level: Level::Error,
    title: "a run has no state record",
    hint: "Persist the state before the summary and the manifest.",
    page: include_str!("missing.md"),
    check: Check::Run(check),
});

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    if run.stage.entries.has(Artifact::State) {
        return Compared::Something;
    }
    let later = [Artifact::Summary, Artifact::Manifest]
        .into_iter()
        .filter(|artifact| run.stage.entries.has(*artifact));
    let later: Vec<&str> = later.map(Artifact::file_name).collect();
    if !later.is_empty() {
        findings.at(
            Place::whole(Artifact::State),
            format!(
                "there is no state.json, but the episode has {}",
                later.join(" and ")
            ),
        );
    }
    Compared::when(!later.is_empty())
}
