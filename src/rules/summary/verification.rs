//! `summary/verification`: the verification result contradicts the rest of the summary.

use crate::document::Node;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Run, SummaryFacts, Usable, Value, show};
use crate::finding::Level;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/verification",
    level: Level::Error,
    title: "the verification result contradicts the rest of the summary",
    hint: "Set `passed` and add assertions only when assertions were provided and checked; write null and an empty list otherwise.",
    page: include_str!("verification.md"),
    check: Check::Run(check),
})
.reads(&[Record::Summary]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some(summary) = run.summary.read() else {
        return Compared::Nothing;
    };
    let Some(verification) = summary.get("verification") else {
        return Compared::Nothing;
    };
    let not_provided = field(verification, "provided").and_then(Node::boolean) == Some(false);
    let passed = field(verification, "passed");
    let compared = Compared::when(not_provided || passed.is_some());
    if let Some(passed) = passed {
        result(run, summary, passed, not_provided, findings);
    }
    if !not_provided {
        return compared;
    }
    if let Some(assertions) = field(verification, "assertions") {
        let count = assertions.items().count();
        if count > 0 {
            let results = if count == 1 {
                "1 result".into()
            } else {
                format!("{count} results")
            };
            let message = format!(
                "`verification.provided` is false, but `verification.assertions` has {results}"
            );
            findings.at(Place::summary("/verification/assertions"), message);
        }
    }
    compared
}

/// A field of the verification that is not null.
fn field<'a>(verification: Value<'a>, name: &str) -> Option<Node<'a>> {
    let fact = verification.fact(&[name])?.node();
    (!fact.is_null()).then_some(fact)
}

/// A result that something else in the records rules out.
fn result(
    run: &Run<'_>,
    summary: SummaryFacts<'_>,
    passed: Node<'_>,
    not_provided: bool,
    findings: &mut Findings<'_>,
) {
    let mut reasons = Vec::new();
    let mut places = Vec::new();
    if not_provided {
        reasons.push("`verification.provided` is false".to_owned());
    }
    let verification = summary.get("verification");
    if let Some(error) = verification.and_then(|verification| field(verification, "error")) {
        reasons.push(format!("`verification.error` is {}", show(error)));
    }
    let outcome = summary.outcome().unwrap_or_default();
    match (&*outcome, passed.boolean()) {
        ("success_unverified", _) | ("success", Some(false)) => {
            reasons.push(format!("`outcome` is {}", quote(&outcome)));
            places.push((Place::summary("/outcome"), "the outcome"));
        }
        ("goal_not_achieved", Some(true)) => match &run.state {
            Usable::Read(state) if state.status().as_deref() == Some("ok") => {
                reasons.push(format!(
                    "`outcome` is {} and the status is \"ok\"",
                    quote(&outcome)
                ));
                places.push((Place::summary("/outcome"), "the outcome"));
                places.push((Place::state("/outcomes/status"), "the status of the run"));
            }
            Usable::Unjudged(reason) => findings.skip(reason),
            _ => {}
        },
        _ => {}
    }
    if reasons.is_empty() {
        return;
    }
    let reasons = reasons.join(" and ");
    let message = format!("`verification.passed` is {}, but {reasons}", passed.raw());
    let draft = Draft::new(Place::summary("/verification/passed"), message).besides(&reasons);
    findings.push(
        places
            .into_iter()
            .fold(draft, |draft, (place, what)| draft.related(place, what)),
    );
}
