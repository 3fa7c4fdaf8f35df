//! `record/misspelled-field`: a field is probably misspelled.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "record/misspelled-field",
        severity: Severity::Warning,
        title: "a field is probably misspelled",
        hint: "Spell the field as the schema does, or rename it to something less alike.",
        page: include_str!("misspelled_field.md"),
    },
    check: Check::Loading(Trouble::MisspelledField),
    reads: &[Record::State, Record::Summary],
    needs: &[],
};
