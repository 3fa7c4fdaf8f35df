//! `summary/verification`: a verification has a result that it can't have.

use crate::facts::{SummaryFacts, Value, show};
use crate::finding::{RuleInfo, Severity};
use crate::printable::quote;
use crate::rule::{Check, Findings, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "summary/verification",
        severity: Severity::Error,
        title: "a verification has a result that it can't have",
        hint: "Set `passed` only when assertions were given and could be checked.",
        page: include_str!("verification.md"),
    },
    check: Check::Summary(check),
    reads: &[],
    needs: &[],
};

fn check(summary: SummaryFacts<'_>, findings: &mut Findings<'_>) {
    let field = |name: &str| {
        summary
            .fact(&["verification", name])
            .map(Value::node)
            .filter(|node| !node.is_null())
    };
    let not_provided = field("provided").and_then(crate::document::Node::boolean) == Some(false);
    if let Some(passed) = field("passed") {
        let error = field("error").map(|error| format!("`verification.error` is {}", show(error)));
        let unverified = summary
            .outcome()
            .filter(|outcome| outcome == "success_unverified");
        let reasons: Vec<String> = [
            not_provided.then(|| "no assertions were provided".to_owned()),
            error,
            unverified.map(|outcome| format!("the outcome is {}", quote(&outcome))),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !reasons.is_empty() {
            let message = format!(
                "`verification.passed` is {}, and {}",
                passed.raw(),
                reasons.join(", and ")
            );
            findings.at(Place::summary("/verification/passed"), message);
        }
    }
    if let Some(assertions) = field("assertions").filter(|_| not_provided) {
        let count = assertions.items().count();
        if count > 0 {
            let results = if count == 1 {
                "is 1 result".into()
            } else {
                format!("are {count} results")
            };
            let message = format!("no assertions were provided, and there {results}");
            findings.at(Place::summary("/verification/assertions"), message);
        }
    }
}
