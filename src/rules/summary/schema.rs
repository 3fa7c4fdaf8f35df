//! `summary/schema`: the summary violates its schema.

use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::rules::examined;
use crate::rules::twins;
use crate::source::Artifact;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/schema",
    level: Level::Error,
    title: "the summary violates its schema",
    hint: "Correct the program that writes the record; `runvet schema summary` describes every field.",
    page: include_str!("schema.md"),
    check: Check::Loading(|trouble| twins::violation(trouble, Artifact::Summary, "the summary"), |loaded| examined::shape(loaded.summary)),
})
.reads(&[Record::SummaryShape]);
