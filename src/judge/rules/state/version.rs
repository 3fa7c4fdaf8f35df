//! `state/version`: the state has a version that runvet does not support.

use crate::judge::rule::{Artifact, BuiltIn, Level, Rule};
use crate::judge::rules::record_rules;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "state/version",
    level: Level::Error,
    title: "the state has a version that runvet does not support",
    hint: record_rules::CONVERT,
    page: include_str!("version.md"),
    check: |ctx| record_rules::version(ctx, Artifact::State, false),
});
