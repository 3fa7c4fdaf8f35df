//! `events/unfinished-line`: the last line of the timeline is not finished.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "events/unfinished-line",
        severity: Severity::Warning,
        title: "the last line of the timeline is not finished",
        hint: "Check again when the run has written on.",
        page: include_str!("unfinished_line.md"),
    },
    check: Check::Loading(Trouble::EventsUnfinishedLine),
    reads: &[Record::Timeline],
    needs: &[],
};
