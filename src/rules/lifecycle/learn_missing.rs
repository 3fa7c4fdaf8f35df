//! `lifecycle/learn-missing`: the state links a learning timeline that does not exist.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Stage, StateFacts};
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place, leads_to};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/learn-missing",
    level: Level::Warning,
    title: "the state links a learning timeline that does not exist",
    hint: "Write learn.jsonl before the state links it; leave the file empty if nothing was learned.",
    page: include_str!("learn_missing.md"),
    check: Check::State(check),
});

fn check(state: StateFacts<'_>, at: &Stage<'_>, findings: &mut Findings<'_>) -> Compared {
    let links_it = state
        .text(&["links", "learn"])
        .is_some_and(|link| leads_to(&link, Artifact::Learn.file_name()));
    if links_it && !at.entries.has(Artifact::Learn) {
        let draft = Draft::new(
            Place::whole(Artifact::Learn),
            "the state links learn.jsonl, but there is no such file",
        );
        findings.push(draft.related(Place::state("/links/learn"), "the link in the state"));
    }
    Compared::when(links_it)
}
