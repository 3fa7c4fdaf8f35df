//! `lifecycle/learn-missing`: the state links a learning timeline that does not exist.

use crate::ground::source::leads_to;
use crate::judge::rule::{Artifact, BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::reading::facts::InState;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/learn-missing",
    level: Level::Warning,
    title: "the state links a learning timeline that does not exist",
    hint: "Write learn.jsonl before the state links it; leave the file empty if nothing was learned.",
    page: include_str!("learn_missing.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let link = ctx.state()?.text(InState::LinkLearn)?;
    if !leads_to(&link, Artifact::Learn.file_name()) {
        return None;
    }

    if !ctx.has(Artifact::Learn) {
        let message = "the state links learn.jsonl, but there is no such file";
        let draft = Draft::new(Place::whole(Artifact::Learn), message);
        ctx.push(draft.related(Place::state("/links/learn"), "the link in the state"));
    }

    Some(Compared)
}
