//! `state/schema`: the state violates its schema.

use crate::finding::{Level, RuleInfo};
use crate::load::Trouble;
use crate::rule::{Check, Draft, Record, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "state/schema",
        level: Level::Error,
        title: "the state violates its schema",
        hint: "Correct the program that writes the record; `runvet schema state` describes every field.",
        page: include_str!("schema.md"),
    },
    check: Check::Loading(word),
    reads: &[Record::StateShape],
    needs: &[],
};

fn word(trouble: &Trouble) -> Option<Draft> {
    if let Trouble::TooManyViolations {
        artifact: artifact @ Artifact::State,
        limit,
    } = trouble
    {
        let message = format!("{artifact} violates its schema in at least {limit} places");
        return Some(Draft::new(Place::whole(*artifact), message));
    }
    let (place, violation) = trouble.violation(Artifact::State)?;
    let slips = violation.slips(&place);
    let draft = Draft::new(place, violation.message("the state"));
    Some(draft.help(violation.help()).causes(slips))
}
