//! `events/torn-tail`: the last line of the timeline was cut off.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "events/torn-tail",
        severity: Severity::Error,
        title: "the last line of the timeline was cut off",
        hint: "Find out what stopped the writer (a crash, a full disk) and repeat the run; the event is lost.",
        page: include_str!("torn_tail.md"),
    },
    check: Check::Loading(Trouble::EventsTornTail),
    reads: &[Record::Timeline],
    needs: &[],
};
