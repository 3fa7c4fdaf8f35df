//! `strict/assertions`: the verification did not pass as its assertions did.

use crate::ground::document::Kind;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Pointer, Rule, Subject};
use crate::reading::facts::InSummary;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/assertions",
    level: Level::Off,
    title: "the verification did not pass as its assertions did",
    hint: "Compute `verification.passed` from the results of all assertions.",
    page: include_str!("assertions.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let summary = ctx.summary()?;
    let passed = summary
        .fact(InSummary::Passed)?
        .boolean()?;
    let assertions = summary.fact(InSummary::Assertions)?;
    if assertions.kind() != Kind::Array {
        return None;
    }

    let results: Vec<bool> = assertions
        .items()
        .map(|item| item.get("passed")?.boolean())
        .collect::<Option<_>>()?;
    let failed = results
        .iter()
        .position(|result| !result);
    if passed == failed.is_none() {
        return Some(Compared);
    }

    let all = Pointer::new("/verification/assertions");
    let (message, other, what) = if let Some(index) = failed {
        let number = index + 1;
        let message = format!("`verification.passed` is true, but assertion {number} did not pass");
        let other = all.item(index).field("passed");
        (message, other, "the first assertion that did not pass")
    } else {
        let count = results.len();
        let message =
            format!("`verification.passed` is false, but none of the {count} assertions failed");
        (message, all, "the assertions")
    };

    let draft = Draft::new(Place::summary("/verification/passed"), message);
    ctx.push(draft.related(Place::summary(other), what));
    Some(Compared)
}
