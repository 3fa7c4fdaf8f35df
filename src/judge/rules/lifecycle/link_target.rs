//! `lifecycle/link-target`: a link does not lead to its artifact.

use std::borrow::Cow;

use crate::ground::printable::{brief, quote};
use crate::ground::source::{leads_to, resolve};
use crate::judge::rule::{Artifact, BuiltIn, Compared, Context, Level, Place, Pointer, Rule};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/link-target",
    level: Level::Error,
    title: "a link does not lead to its artifact",
    hint: "Use the artifact's own relative path, such as `events.jsonl`; keep other links inside the episode's directory.",
    page: include_str!("link_target.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let state = ctx.state()?;
    let links = state
        .known_links()
        .filter_map(|(key, link)| Some((Cow::Borrowed(key), link?)))
        .chain(state.other_links());
    let mut compared = None;

    for (key, link) in links.filter(|(_, link)| link.is_fact()) {
        let Some(target) = link.string() else {
            continue;
        };
        compared = Some(Compared);

        let mut artifacts = Artifact::ALL.into_iter();
        let wrong = match artifacts.find(|artifact| artifact.link_key() == Some(&*key)) {
            Some(artifact) if !leads_to(&target, artifact.file_name()) => {
                format!(", not to {artifact}")
            }
            None if resolve(&target).is_none_or(|path| path.is_empty()) => {
                ", which is not a path inside the episode's directory".to_owned()
            }
            _ => continue,
        };

        let (name, target) = (brief(&key), quote(&target));
        let message = format!("the link `{name}` leads to {target}{wrong}");
        ctx.at(Place::state(Pointer::new("/links").field(&key)), message);
    }

    compared
}
