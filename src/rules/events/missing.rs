//! `events/missing`: a run has no timeline.

use crate::draft::{Compared, Findings};
use crate::facts::Run;
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/missing",
    level: Level::Error,
    title: "a run has no timeline",
    hint: "Keep events.jsonl with the records; without it, runvet can't confirm what they say.",
    page: include_str!("missing.md"),
    check: Check::Run(check),
});

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    if !run.stage.entries.has(Artifact::Events) {
        findings.at(Place::whole(Artifact::Events), "there is no events.jsonl");
    }
    Compared::Something
}
