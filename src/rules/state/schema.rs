//! `state/schema`: the state violates its schema.

use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::rules::examined;
use crate::rules::twins;
use crate::source::Artifact;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "state/schema",
    level: Level::Error,
    title: "the state violates its schema",
    hint: "Correct the program that writes the record; `runvet schema state` describes every field.",
    page: include_str!("schema.md"),
    check: Check::Loading(|trouble| twins::violation(trouble, Artifact::State, "the state"), |loaded| examined::shape(loaded.state)),
})
.reads(&[Record::StateShape]);
