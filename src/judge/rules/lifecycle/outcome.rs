//! `lifecycle/outcome`: the records disagree on how the run ended.

use crate::ground::printable::quote;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Pointer, Rule, Subject};
use crate::reading::facts::{InState, InStep, RowItem, StateFacts, SummaryFacts};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/outcome",
    level: Level::Error,
    title: "the records disagree on how the run ended",
    hint: "Derive the status, the outcome, the success flag and the veto count from the same result.",
    page: include_str!("outcome.md"),
    check,
})
.applies_to(Subject::Summaries);

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
        no_vetoes
            .then(|| vetoes(status, state))
            .flatten(),
    ];
    for draft in drafts.into_iter().flatten() {
        ctx.push(draft);
    }

    let are_two = [status.is_some(), outcome.is_some(), success.is_some()]
        .into_iter()
        .filter(|it| *it)
        .count()
        > 1;

    Compared::when(are_two || (no_vetoes && state.is_some()) || of_ok.is_some())
}

fn of_status(message: String) -> Draft {
    Draft::new(Place::state("/outcomes/status"), message)
}

fn status_and_outcome(status: Option<&str>, outcome: Option<&str>) -> Option<Draft> {
    let (status, outcome) = (status?, outcome?);
    if !matches!(
        (status, outcome == "error"),
        ("error", false) | ("ok", true)
    ) {
        return None;
    }

    let shown = quote(outcome);
    let message = format!("the status is \"{status}\", but the outcome in the summary is {shown}");
    Some(of_status(message).related(Place::summary("/outcome"), "the outcome in the summary"))
}

fn error_of_ok(state: StateFacts<'_>) -> Option<Draft> {
    let error = state.fact(InState::Error)?;
    if error.is_null() {
        return None;
    }

    let message = format!(
        "the status is \"ok\", but `outcomes.error` is {}",
        error.show()
    );

    Some(of_status(message).related(Place::state("/outcomes/error"), "the error"))
}

fn success_flag(
    status: Option<&str>,
    outcome: Option<&str>,
    success: Option<bool>,
) -> Option<Draft> {
    let (place, name, word) = match (status, outcome, success?) {
        (Some("error"), _, true) => (Place::state("/outcomes/status"), "status", "error"),
        (_, Some("error"), true) => (Place::summary("/outcome"), "outcome", "error"),
        (_, Some("success"), false) => (Place::summary("/outcome"), "outcome", "success"),
        _ => return None,
    };

    let flag = u8::from(success?);
    let message = format!("the {name} is \"{word}\", but `metrics.success` is {flag}");
    let flag = Place::summary("/metrics/success");
    Some(Draft::new(place, message).related(flag, "the success flag"))
}

/// Returns a finding for a veto, where nothing was vetoed by the summary's count.
fn vetoes(status: Option<&str>, state: Option<StateFacts<'_>>) -> Option<Draft> {
    let is_vetoed = |step: RowItem<'_>| step.text(InStep::Status).as_deref() == Some("vetoed");
    let (pointer, name) = if status == Some("vetoed") {
        (Pointer::new("/outcomes/status"), "the status".to_owned())
    } else {
        let index = state?.steps()?.position(is_vetoed)?;
        let pointer = Pointer::new("/plan/steps")
            .item(index)
            .field("status");
        let name = format!("`{}`", pointer.dotted());
        (pointer, name)
    };

    let message = format!("{name} is \"vetoed\", but `metrics.veto_count` is 0");
    let count = Place::summary("/metrics/veto_count");
    Some(Draft::new(Place::state(pointer), message).related(count, "the veto count"))
}
