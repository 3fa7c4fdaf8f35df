//! `record/json-syntax`: a record is not JSON.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "record/json-syntax",
        severity: Severity::Error,
        title: "a record is not JSON",
        hint: "Mend the text at the place shown; where it was cut off, have the writer replace the file in one step (write a temporary file, then rename it).",
        page: include_str!("json_syntax.md"),
    },
    check: Check::Loading(Trouble::JsonSyntax),
    reads: &[],
    needs: &[],
};
