//! `events/schema`: an event violates its schema.

use crate::finding::Severity;
use crate::rule::{Check, Meta, Record, Rule, Trouble};

pub(crate) static RULE: Rule = Rule {
    meta: Meta {
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
