//! `state/newer-version`: the state is of a newer version than runvet knows.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "state/newer-version",
        severity: Severity::Warning,
        title: "the state is of a newer version than runvet knows",
        hint: "Use a runvet that knows this version.",
        page: include_str!("newer_version.md"),
    },
    check: Check::Loading(Trouble::StateNewerVersion),
    reads: &[Record::State],
    needs: &[],
};
