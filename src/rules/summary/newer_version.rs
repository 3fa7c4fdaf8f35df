//! `summary/newer-version`: the summary is of a newer version than runvet knows.

use crate::finding::Severity;
use crate::rule::{Check, Meta, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    meta: Meta {
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
