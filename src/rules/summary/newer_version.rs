//! `summary/newer-version`: the summary is of a newer version than runvet knows.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "summary/newer-version",
        severity: Severity::Warning,
        title: "the summary is of a newer version than runvet knows",
        hint: "Use a runvet that knows this version.",
        page: include_str!("newer_version.md"),
    },
    check: Check::Loading(Trouble::SummaryNewerVersion),
    reads: &[Record::Summary],
    needs: &[],
};
