//! `summary/verification`: the verification result contradicts the rest of the summary.

use crate::document::Node;
use crate::facts::{SummaryFacts, Value, show};
use crate::finding::{Level, RuleInfo};
use crate::printable::quote;
use crate::rule::{Check, Draft, Findings, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "summary/verification",
        level: Level::Error,
        title: "the verification result contradicts the rest of the summary",
        hint: "Set `passed` and add assertions only when assertions were provided and checked; write null and an empty list otherwise.",
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
    let not_provided = field("provided").and_then(Node::boolean) == Some(false);
    if let Some(passed) = field("passed") {
        let error = field("error").map(|error| format!("`verification.error` is {}", show(error)));
        let unverified = summary
            .outcome()
            .filter(|outcome| outcome == "success_unverified")
            .map(|outcome| format!("`outcome` is {}", quote(&outcome)));
        let reasons: Vec<String> = [
            not_provided.then(|| "`verification.provided` is false".to_owned()),
            error,
            unverified,
        ]
        .into_iter()
        .flatten()
        .collect();
        if !reasons.is_empty() {
            let message = format!(
                "`verification.passed` is {}, but {}",
                passed.raw(),
                reasons.join(" and ")
            );
            let draft = Draft::new(Place::summary("/verification/passed"), message);
            findings.push(draft.besides(&reasons.join(" and ")));
        }
    }
    if let Some(assertions) = field("assertions").filter(|_| not_provided) {
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
}
