//! `summary/verification`: the verification result contradicts the rest of the summary.

use crate::document::Node;
use crate::facts::{StateFacts, SummaryFacts, Value, show};
use crate::printable::{count, quote};
use crate::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/verification",
    level: Level::Error,
    title: "the verification result contradicts the rest of the summary",
    hint: "Set `passed` and add assertions only when assertions were provided and checked; write null and an empty list otherwise.",
    page: include_str!("verification.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let summary = ctx.summary()?;
    let verification = summary.get("verification")?;
    let not_provided = field(verification, "provided").and_then(Node::boolean) == Some(false);
    let passed = field(verification, "passed");
    if let Some(passed) = passed {
        result(summary, verification, passed, not_provided, ctx);
    }
    if !not_provided {
        return Compared::when(passed.is_some());
    }
    let assertions = field(verification, "assertions");
    if let Some(number @ 1..) = assertions.map(|assertions| assertions.items().count()) {
        let results = count(number as u64, "result");
        let message = format!(
            "`verification.provided` is false, but `verification.assertions` has {results}"
        );
        ctx.at(Place::summary("/verification/assertions"), message);
    }
    Some(Compared)
}

/// A field of the verification that is not null.
fn field<'a>(verification: Value<'a>, name: &str) -> Option<Node<'a>> {
    let fact = verification.fact(&[name])?.node();
    (!fact.is_null()).then_some(fact)
}

/// A result that something else in the records rules out.
fn result(
    summary: SummaryFacts<'_>,
    verification: Value<'_>,
    passed: Node<'_>,
    not_provided: bool,
    ctx: &mut Context<'_>,
) {
    let mut reasons = Vec::new();
    let mut places = Vec::new();
    if not_provided {
        reasons.push("`verification.provided` is false".to_owned());
    }
    if let Some(error) = field(verification, "error") {
        reasons.push(format!("`verification.error` is {}", show(error)));
    }
    let outcome = summary.outcome().unwrap_or_default();
    match (&*outcome, passed.boolean()) {
        ("success_unverified", _) | ("success", Some(false)) => {
            reasons.push(format!("`outcome` is {}", quote(&outcome)));
            places.push((Place::summary("/outcome"), "the outcome"));
        }
        ("goal_not_achieved", Some(true)) => {
            let status = ctx.state().and_then(StateFacts::status);
            if status.as_deref() == Some("ok") {
                reasons.push(format!(
                    "`outcome` is {} and the status is \"ok\"",
                    quote(&outcome)
                ));
                places.push((Place::summary("/outcome"), "the outcome"));
                places.push((Place::state("/outcomes/status"), "the status of the run"));
            }
        }
        _ => {}
    }
    if !reasons.is_empty() {
        let reasons = reasons.join(" and ");
        let message = format!("`verification.passed` is {}, but {reasons}", passed.raw());
        let draft = Draft::new(Place::summary("/verification/passed"), message);
        ctx.push(draft.besides(&reasons).related_to(places));
    }
}
