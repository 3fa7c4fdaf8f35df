//! `summary/schema`: the summary violates its schema.

use crate::judge::rule::{Artifact, BuiltIn, Level, Rule, Subject};
use crate::judge::rules::record_rules;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/schema",
    level: Level::Error,
    title: "the summary violates its schema",
    hint: "Correct the program that writes the record; `runvet schema summary` describes every field.",
    page: include_str!("schema.md"),
    check: |ctx| record_rules::schema(ctx, Artifact::Summary, "the summary"),
})
.applies_to(Subject::Summaries);
