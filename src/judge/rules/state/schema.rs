//! `state/schema`: the state violates its schema.

use crate::judge::rule::{Artifact, BuiltIn, Level, Rule};
use crate::judge::rules::record_rules;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "state/schema",
    level: Level::Error,
    title: "the state violates its schema",
    hint: "Correct the program that writes the record; `runvet schema state` describes every field.",
    page: include_str!("schema.md"),
    check: |ctx| record_rules::schema(ctx, Artifact::State, "the state"),
});
