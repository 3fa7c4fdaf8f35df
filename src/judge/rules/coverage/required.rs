//! `coverage/required`: a rule that is required has not judged the run.

use crate::judge::rule::{BuiltIn, Level, Rule, Subject};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "coverage/required",
    level: Level::Error,
    title: "a rule that is required has not judged the run",
    hint: "Give the rule what it compares, or take it out of `require`.",
    page: include_str!("required.md"),
    // Its findings come when all rules have answered.
    check: |_| None,
})
.applies_to(Subject::EndedRuns);
