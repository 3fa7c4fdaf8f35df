//! `summary/version`: the summary is of a version that can't be judged.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "summary/version",
        severity: Severity::Error,
        title: "the summary is of a version that can't be judged",
        hint: "Write records of the current version, or vet old ones with the runvet of their time.",
        page: include_str!("version.md"),
    },
    check: Check::Loading(Trouble::SummaryVersion),
    reads: &[Record::Summary],
    needs: &[],
};
