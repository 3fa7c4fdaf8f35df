//! `summary/schema`: the summary violates its schema.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "summary/schema",
        severity: Severity::Error,
        title: "the summary violates its schema",
        hint: "Mend what writes the record; `runvet schema summary` describes every field.",
        page: include_str!("schema.md"),
    },
    check: Check::Loading(Trouble::SummarySchema),
    reads: &[Record::Summary],
    needs: &[],
};
