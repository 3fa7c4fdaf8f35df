//! `plan/projection`: the persisted plan differs from the plan rebuilt from the timeline.

use super::difference;
use crate::judge::rule::{BuiltIn, Level, Rule};
use crate::reading::facts::Topic;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "plan/projection",
    level: Level::Error,
    title: "the persisted plan differs from the plan rebuilt from the timeline",
    hint: "Rebuild the plan from the timeline before you persist it; `runvet explain plan/projection` lists the steps.",
    page: include_str!("projection.md"),
    check: |ctx| difference::report(ctx, Topic::Plan),
})
.follows_from(super::PLAN);
