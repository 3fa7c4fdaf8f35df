//! `summary/newer-version`: the summary has a newer version than runvet supports.

use crate::judge::rule::{Artifact, BuiltIn, Level, Rule, Subject};
use crate::judge::rules::record_rules;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/newer-version",
    level: Level::Warning,
    title: "the summary has a newer version than runvet supports",
    hint: record_rules::UPGRADE,
    page: include_str!("newer_version.md"),
    check: |ctx| record_rules::version(ctx, Artifact::Summary, true),
})
.applies_to(Subject::Summaries);
