//! `record/unreadable`: an artifact is there but can't be read.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "record/unreadable",
        severity: Severity::Error,
        title: "an artifact is there but can't be read",
        hint: "Make it a regular file that the user running runvet may read, or take it away.",
        page: include_str!("unreadable.md"),
    },
    check: Check::Loading(Trouble::Unreadable),
    reads: &[],
    needs: &[],
};
