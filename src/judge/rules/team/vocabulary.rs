//! `team/vocabulary`: a value of an event is outside of the vocabulary.

use std::borrow::Cow;

use crate::ground::finding::RuleInfo;
use crate::judge::rule::{Check, Level, Rule, Subject, TeamCheck};

pub(in crate::judge) static RULE: Rule = Rule::with_info(
    RuleInfo {
        id: Cow::Borrowed("team/vocabulary"),
        level: Level::Warning,
        title: Cow::Borrowed("a value of an event is outside of the vocabulary"),
        hint: Cow::Borrowed(
            "Correct the program that writes the value, or add the value to `[vocabulary]`.",
        ),
        page: Cow::Borrowed(include_str!("vocabulary.md")),
        url: None,
        tags: Vec::new(),
        holds: Some(crate::ground::finding::Holds::End),
    },
    Check::Team(TeamCheck::Vocabulary),
)
.applies_to(Subject::Vocabularies);
