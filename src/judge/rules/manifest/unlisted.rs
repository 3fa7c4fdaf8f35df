//! `manifest/unlisted`: a file of the run is not in its manifest.

use crate::ground::printable::quote;
use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule, Subject,
};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "manifest/unlisted",
    level: Level::Off,
    title: "a file of the run is not in its manifest",
    hint: "Write the manifest last, and list every file of the run in it; move other files elsewhere.",
    page: include_str!("unlisted.md"),
    check,
})
.reads(&[OnDemand::AllFiles])
.applies_to(Subject::EndedRuns);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.must_have_ended()?;
    let manifest = ctx.loaded().manifest;
    for name in ctx.usable(&manifest.unlisted.as_ref())? {
        let message = format!("manifest.json does not list the file {}", quote(name));
        let draft = Draft::new(Place::whole(Artifact::Manifest), message);
        ctx.push(draft.besides(name));
    }

    Some(Compared)
}
