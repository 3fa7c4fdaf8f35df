//! `summary/learning`: the learning counts contradict each other or the learning timeline.

use crate::ground::document::Number;
use crate::ground::printable::brief;
use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject,
};
use crate::reading::facts::InSummary;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/learning",
    level: Level::Warning,
    title: "the learning counts contradict each other or the learning timeline",
    hint: "Count each proposal when it is written to learn.jsonl, and an applied one in both counts.",
    page: include_str!("learning.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let summary = ctx.summary()?;
    let proposals = summary.number(InSummary::LearnProposals)?;
    let place = || Place::summary("/metrics/learn_proposals");
    let shown = || brief(proposals.text());

    if let Some(applied) = summary.number(InSummary::LearnApplied)
        && applied.exceeds(proposals)
    {
        let (applied, shown) = (brief(applied.text()), shown());
        let message = format!("`learn_applied` is {applied}, but `learn_proposals` is {shown}");
        let draft = Draft::new(Place::summary("/metrics/learn_applied"), message);
        ctx.push(draft.related(place(), "the number of proposals"));
    }

    if ctx.loaded().run.has_learned == Some(false) && !proposals.equals(Number::of("0")) {
        let why = if ctx.has(Artifact::Learn) {
            "learn.jsonl is empty"
        } else {
            "there is no learn.jsonl"
        };
        let message = format!("`learn_proposals` is {}, but {why}", shown());
        let draft = Draft::new(place(), message).besides(why);
        ctx.push(draft.related(Place::whole(Artifact::Learn), "the learning timeline"));
    }

    Some(Compared)
}
