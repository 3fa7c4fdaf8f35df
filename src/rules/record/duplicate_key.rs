//! `record/duplicate-key`: an object names a key twice.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "record/duplicate-key",
        severity: Severity::Error,
        title: "an object names a key twice",
        hint: "Keep one of the two; readers differ on which one counts.",
        page: include_str!("duplicate_key.md"),
    },
    check: Check::Loading(Trouble::DuplicateKey),
    reads: &[Record::State, Record::Summary],
    needs: &[],
};
