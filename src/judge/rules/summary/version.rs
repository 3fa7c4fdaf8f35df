//! `summary/version`: the summary has a version that runvet does not support.

use crate::judge::rule::{Artifact, BuiltIn, Level, Rule, Subject};
use crate::judge::rules::record_rules;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/version",
    level: Level::Error,
    title: "the summary has a version that runvet does not support",
    hint: record_rules::CONVERT,
    page: include_str!("version.md"),
    check: |ctx| record_rules::version(ctx, Artifact::Summary, false),
})
.applies_to(Subject::Summaries);
