//! `strict/assertions`: the verification did not pass as its assertions did.

use crate::document::Kind;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::SummaryFacts;
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place, Pointer};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/assertions",
    level: Level::Off,
    title: "the verification did not pass as its assertions did",
    hint: "Compute `verification.passed` from the results of all assertions.",
    page: include_str!("assertions.md"),
    check: Check::Summary(check),
});

fn check(summary: SummaryFacts<'_>, findings: &mut Findings<'_>) -> Compared {
    let passed = summary.fact(&["verification", "passed"]);
    let Some(passed) = passed.and_then(|passed| passed.node().boolean()) else {
        return Compared::Nothing;
    };
    let Some(assertions) = summary
        .fact(&["verification", "assertions"])
        .filter(|assertions| assertions.node().kind() == Kind::Array)
    else {
        return Compared::Nothing;
    };
    let results = assertions
        .items()
        .map(|item| item.get("passed")?.node().boolean());
    let Some(results) = results.collect::<Option<Vec<bool>>>() else {
        return Compared::Nothing;
    };
    let failed = results.iter().position(|result| !result);
    if passed == failed.is_none() {
        return Compared::Something;
    }
    let all = Pointer::new("/verification/assertions");
    let (message, other, what) = match failed {
        Some(index) => (
            format!(
                "`verification.passed` is true, but assertion {} did not pass",
                index + 1
            ),
            all.item(index).field("passed"),
            "the first assertion that did not pass",
        ),
        None => (
            format!(
                "`verification.passed` is false, but none of the {} assertions failed",
                results.len()
            ),
            all,
            "the assertions",
        ),
    };
    let draft = Draft::new(Place::summary("/verification/passed"), message);
    findings.push(draft.related(Place::value(Artifact::Summary, other), what));
    Compared::Something
}
