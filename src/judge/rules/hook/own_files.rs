//! `hook/own-files`: a call changes what the hook works by.

use std::borrow::Cow;

use crate::ground::finding::{Holds, RuleInfo};
use crate::judge::rule::{Check, Level, Rule, Subject};

pub(in crate::judge) static RULE: Rule = Rule::with_info(
    RuleInfo {
        id: Cow::Borrowed("hook/own-files"),
        level: Level::Ask,
        title: Cow::Borrowed("a call changes what the hook works by"),
        hint: Cow::Borrowed("Let a person make the change, outside of the session."),
        page: Cow::Borrowed(include_str!("own_files.md")),
        url: None,
        tags: Vec::new(),
        holds: Some(Holds::Before),
    },
    Check::Hook,
)
.applies_to(Subject::NoRuns);
