//! `summary/verification`: the verification result contradicts the rest of the summary.

use crate::ground::printable::{count, quote};
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::{InSummary, SummaryFacts, Value};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/verification",
    level: Level::Error,
    title: "the verification result contradicts the rest of the summary",
    hint: "Set `passed` and add assertions only when assertions were provided and checked; write null and an empty list otherwise.",
    page: include_str!("verification.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let summary = ctx.summary()?;
    summary.value(InSummary::Verification)?;
    let field = |slot| {
        summary
            .fact(slot)
            .filter(|fact| !fact.is_null())
    };

    let is_absent = field(InSummary::Provided).and_then(Value::boolean) == Some(false);
    let absent = "`verification.provided` is false";
    let passed = field(InSummary::Passed);
    if let Some(passed) = passed {
        let mut reasons = Vec::from_iter(is_absent.then(|| absent.to_owned()));
        if let Some(error) = field(InSummary::VerificationError) {
            reasons.push(format!("`verification.error` is {}", error.show()));
        }

        let (reason, places) = by_outcome(ctx, summary, passed.boolean()).unzip();
        reasons.extend(reason);
        if !reasons.is_empty() {
            let reasons = reasons.join(" and ");
            let message = format!("`verification.passed` is {}, but {reasons}", passed.raw());
            let draft = Draft::new(Place::summary("/verification/passed"), message);
            let places = places.into_iter().flatten();
            ctx.push(
                draft
                    .besides(&reasons)
                    .related_to(places),
            );
        }
    }

    let is_provided = field(InSummary::Provided).and_then(Value::boolean) == Some(true);
    if is_provided && passed.is_none() {
        unverified(ctx, summary);
    }
    if !is_absent {
        return Compared::when(passed.is_some() || is_provided);
    }

    let assertions = field(InSummary::Assertions).filter(|it| !it.is_empty());
    if let Some(number @ 1..) = assertions.map(|assertions| assertions.items().count()) {
        let results = count(number as u64, "result");
        let message = format!("{absent}, but `verification.assertions` has {results}");
        ctx.at(Place::summary("/verification/assertions"), message);
    }

    Some(Compared)
}

/// Adds a finding where the outcome is a success, and assertions were given that nothing says have
/// passed.
fn unverified(ctx: &mut Context<'_>, summary: SummaryFacts<'_>) {
    let is_fact = summary
        .value(InSummary::Passed)
        .is_none_or(Value::is_fact);
    if summary.outcome().as_deref() != Some("success") || !is_fact {
        return;
    }

    let (place, passed) = match summary.value(InSummary::Passed) {
        Some(_) => ("/verification/passed", "null"),
        None => ("/verification", "absent"),
    };

    let message = format!(
        "`outcome` is \"success\" and `verification.provided` is true, but `verification.passed` is {passed}"
    );
    let draft = Draft::new(Place::summary(place), message).help(Some(
        "Write the outcome `success_unverified` where nothing was verified.".into(),
    ));
    ctx.push(draft.related(Place::summary("/outcome"), "the outcome"));
}

/// Returns why the outcome rules a result out, and the places that say so.
fn by_outcome(
    ctx: &mut Context<'_>,
    summary: SummaryFacts<'_>,
    passed: Option<bool>,
) -> Option<(String, Vec<(Place, &'static str)>)> {
    let outcome = summary.outcome()?;
    let is_ok = match (&*outcome, passed) {
        ("success_unverified", _) | ("success", Some(false)) => false,
        ("goal_not_achieved", Some(true)) if ctx.state()?.status()? == "ok" => true,
        _ => return None,
    };

    let mut reason = format!("`outcome` is {}", quote(&outcome));
    let mut places = vec![(Place::summary("/outcome"), "the outcome")];
    if is_ok {
        reason.push_str(" and the status is \"ok\"");
        places.push((Place::state("/outcomes/status"), "the status of the run"));
    }

    Some((reason, places))
}
