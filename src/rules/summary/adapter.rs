//! `summary/adapter`: a run that its adapter did not complete is called a success.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::SummaryFacts;
use crate::finding::Level;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/adapter",
    level: Level::Warning,
    title: "a run that its adapter did not complete is called a success",
    hint: "Write the outcome `error` or `goal_not_achieved` where the adapter failed or did not run.",
    page: include_str!("adapter.md"),
    check: Check::Summary(check),
});

fn check(summary: SummaryFacts<'_>, findings: &mut Findings<'_>) -> Compared {
    let (Some(adapter), Some(outcome)) = (summary.text(&["adapter_result"]), summary.outcome())
    else {
        return Compared::Nothing;
    };
    if matches!(&*adapter, "error" | "skipped")
        && matches!(&*outcome, "success" | "success_unverified")
    {
        let message = format!(
            "`adapter_result` is {}, but `outcome` is {}",
            quote(&adapter),
            quote(&outcome)
        );
        let draft = Draft::new(Place::summary("/adapter_result"), message);
        findings.push(draft.related(Place::summary("/outcome"), "the outcome"));
    }
    Compared::Something
}
