//! `lifecycle/ending`: a run that was vetoed or aborted is called a success.

use crate::ground::printable::quote;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/ending",
    level: Level::Warning,
    title: "a run that was vetoed or aborted is called a success",
    hint: "Write `metrics.success` 0 and another outcome than `success` for a run that was stopped.",
    page: include_str!("ending.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, summary) = (ctx.state()?, ctx.summary()?);
    let status = state.status()?;
    if !matches!(&*status, "vetoed" | "aborted") {
        return None;
    }

    let (success, outcome) = (summary.success(), summary.outcome());
    let mut claims = Vec::new();
    let mut places = Vec::new();

    if success == Some(true) {
        claims.push("`metrics.success` is 1");
        places.push((Place::summary("/metrics/success"), "the success flag"));
    }

    if outcome.as_deref() == Some("success") {
        claims.push("the outcome in the summary is \"success\"");
        places.push((Place::summary("/outcome"), "the outcome in the summary"));
    }

    if !claims.is_empty() {
        let claims = claims.join(" and ");
        let message = format!("the status is {}, but {claims}", quote(&status));
        let draft = Draft::new(Place::state("/outcomes/status"), message);
        ctx.push(draft.related_to(places));
    }

    Compared::when(success.is_some() || outcome.is_some())
}
