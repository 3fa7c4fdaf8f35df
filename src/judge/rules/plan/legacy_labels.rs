//! `plan/legacy-labels`: the steps differ from the labels of the plan event.

use super::difference;
use crate::judge::rule::{BuiltIn, Level, Rule};
use crate::reading::facts::Topic;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "plan/legacy-labels",
    level: Level::Warning,
    title: "the steps differ from the labels of the plan event",
    hint: "Emit `step_records` in the `plan` event; labels have too little information to rebuild a plan.",
    page: include_str!("legacy_labels.md"),
    check: |ctx| difference::report(ctx, Topic::Labels),
})
.follows_from(super::PLAN);
