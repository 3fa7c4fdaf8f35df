//! `lifecycle/link-target`: a link does not lead to its artifact.

use crate::draft::{Compared, Findings};
use crate::facts::{Stage, StateFacts, Value};
use crate::finding::Level;
use crate::printable::{brief, quote};
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place, Pointer, leads_to, resolve};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/link-target",
    level: Level::Error,
    title: "a link does not lead to its artifact",
    hint: "Use the artifact's own relative path, such as `events.jsonl`; keep other links inside the episode's directory.",
    page: include_str!("link_target.md"),
    check: Check::State(check),
});

fn check(state: StateFacts<'_>, _: &Stage<'_>, findings: &mut Findings<'_>) -> Compared {
    let mut compared = Compared::Nothing;
    for (key, link) in state
        .get("links")
        .into_iter()
        .flat_map(Value::members)
        .filter(|(_, link)| link.is_fact())
    {
        let Some(target) = link.node().text() else {
            continue;
        };
        compared = Compared::Something;
        let place = || Place::value(Artifact::State, Pointer::new("/links").field(&key));
        match Artifact::ALL
            .into_iter()
            .find(|artifact| artifact.link_key() == Some(&*key))
        {
            Some(artifact) if !leads_to(&target, artifact.file_name()) => {
                findings.at(
                    place(),
                    format!(
                        "the link `{}` leads to {}, not to {artifact}",
                        brief(&key),
                        quote(&target)
                    ),
                );
            }
            None if resolve(&target).is_none_or(|path| path.is_empty()) => {
                findings.at(
                    place(),
                    format!(
                        "the link `{}` leads to {}, which is not a path inside the episode's directory",
                        brief(&key),
                        quote(&target)
                    ),
                );
            }
            _ => {}
        }
    }
    compared
}
