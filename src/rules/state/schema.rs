//! `state/schema`: the state violates its schema.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "state/schema",
        severity: Severity::Error,
        title: "the state violates its schema",
        hint: "Mend what writes the record; `runvet schema state` describes every field.",
        page: include_str!("schema.md"),
    },
    check: Check::Loading(Trouble::StateSchema),
    reads: &[Record::State],
    needs: &[],
};
