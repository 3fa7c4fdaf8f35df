//! `lifecycle/outcome`: the records disagree on how the run ended.

use crate::facts::{StateFacts, SummaryFacts, Value, show};
use crate::printable::quote;
use crate::rule::{Artifact, BuiltIn, Compared, Context, Draft, Level, Place, Pointer, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/outcome",
    level: Level::Error,
    title: "the records disagree on how the run ended",
    hint: "Derive the status, the outcome, the success flag and the veto count from the same result.",
    page: include_str!("outcome.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, summary) = (ctx.state(), ctx.summary());
    let status = state.and_then(StateFacts::status);
    let outcome = summary.and_then(SummaryFacts::outcome);
    let success = summary.and_then(SummaryFacts::success);
    let (status, outcome) = (status.as_deref(), outcome.as_deref());
    let no_vetoes = summary.is_some_and(SummaryFacts::no_vetoes);
    let of_ok = state.filter(|_| status == Some("ok"));
    let drafts = [
        status_and_outcome(status, outcome),
        of_ok.and_then(error_of_ok),
        success_flag(status, outcome, success),
        no_vetoes.then(|| vetoes(status, state)).flatten(),
    ];
    for draft in drafts.into_iter().flatten() {
        ctx.push(draft);
    }
    let said = [status.is_some(), outcome.is_some(), success.is_some()];
    let are_two = said.into_iter().filter(|it| *it).count() > 1;
    Compared::when(are_two || (no_vetoes && state.is_some()) || of_ok.is_some())
}

fn status_and_outcome(status: Option<&str>, outcome: Option<&str>) -> Option<Draft> {
    let (status, outcome) = (status?, outcome?);
    let is_wrong = match status {
        "error" => outcome != "error",
        "ok" => outcome == "error",
        _ => false,
    };
    if !is_wrong {
        return None;
    }
    let outcome = quote(outcome);
    let message =
        format!("the status is \"{status}\", but the outcome in the summary is {outcome}");
    let other = Place::summary("/outcome");
    Some(Draft::new(in_state(), message).related(other, "the outcome in the summary"))
}

fn success_flag(
    status: Option<&str>,
    outcome: Option<&str>,
    success: Option<bool>,
) -> Option<Draft> {
    let outcome_is = |word: &str| (Place::summary("/outcome"), format!("outcome is \"{word}\""));
    let flag = u8::from(success?);
    let (place, message) = match (status, outcome, flag) {
        (Some("error"), _, 1) => (in_state(), "status is \"error\"".to_owned()),
        (_, Some("error"), 1) => outcome_is("error"),
        (_, Some("success"), 0) => outcome_is("success"),
        _ => return None,
    };
    let message = format!("the {message}, but `metrics.success` is {flag}");
    let flag = Place::summary("/metrics/success");
    Some(Draft::new(place, message).related(flag, "the success flag"))
}

fn in_state() -> Place {
    Place::state("/outcomes/status")
}

fn error_of_ok(state: StateFacts<'_>) -> Option<Draft> {
    let error = state.fact(&["outcomes", "error"])?.node();
    if error.is_null() {
        return None;
    }
    let error = show(error);
    let message = format!("the status is \"ok\", but `outcomes.error` is {error}");
    Some(Draft::new(in_state(), message).related(Place::state("/outcomes/error"), "the error"))
}

/// Words that there is a veto, where nothing was vetoed by the summary's count.
fn vetoes(status: Option<&str>, state: Option<StateFacts<'_>>) -> Option<Draft> {
    let is_vetoed = |step: Value<'_>| step.text(&["status"]).as_deref() == Some("vetoed");
    let (place, name) = if status == Some("vetoed") {
        (in_state(), "the status".to_owned())
    } else {
        let index = state?.steps()?.position(is_vetoed)?;
        let pointer = Pointer::new("/plan/steps").item(index).field("status");
        let name = format!("`{}`", pointer.dotted());
        (Place::value(Artifact::State, pointer), name)
    };
    let message = format!("{name} is \"vetoed\", but `metrics.veto_count` is 0");
    let count = Place::summary("/metrics/veto_count");
    Some(Draft::new(place, message).related(count, "the veto count"))
}
