//! `events/syntax`: a line of the timeline is not a JSON object.

use crate::finding::Severity;
use crate::rule::{Check, Meta, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    meta: Meta {
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
