//! `events/syntax`: a line of the timeline is not a JSON object.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "events/syntax",
        severity: Severity::Error,
        title: "a line of the timeline is not a JSON object",
        hint: "Write each event as one JSON object on one line of its own.",
        page: include_str!("syntax.md"),
    },
    check: Check::Loading(Trouble::EventsSyntax),
    reads: &[Record::Timeline],
    needs: &[],
};
