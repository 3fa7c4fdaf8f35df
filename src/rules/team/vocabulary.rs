//! `team/vocabulary`: a value of an event is outside of the vocabulary.

use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Rule, TeamCheck};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "team/vocabulary",
    level: Level::Warning,
    title: "a value of an event is outside of the vocabulary",
    hint: "Correct the program that writes the value, or add the value to `[vocabulary]`.",
    page: include_str!("vocabulary.md"),
    check: Check::Team(TeamCheck::Vocabulary),
});
