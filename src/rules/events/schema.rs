//! `events/schema`: an event violates its schema.

use crate::finding::{RuleInfo, Severity};
use crate::rule::{Check, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "events/schema",
        severity: Severity::Error,
        title: "an event violates its schema",
        hint: "Mend what writes the event; `runvet schema event` describes every field.",
        page: include_str!("schema.md"),
    },
    check: Check::Loading(Trouble::EventsSchema),
    reads: &[Record::Timeline],
    needs: &[],
};
