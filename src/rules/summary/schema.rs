//! `summary/schema`: the summary violates its schema.

use crate::finding::{Level, RuleInfo};
use crate::load::Trouble;
use crate::rule::{Check, Draft, Record, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "summary/schema",
        level: Level::Error,
        title: "the summary violates its schema",
        hint: "Correct the program that writes the record; `runvet schema summary` describes every field.",
        page: include_str!("schema.md"),
    },
    check: Check::Loading(word),
    reads: &[Record::SummaryShape],
    needs: &[],
};

fn word(trouble: &Trouble) -> Option<Draft> {
    if let Trouble::TooManyViolations {
        artifact: artifact @ Artifact::Summary,
        limit,
    } = trouble
    {
        let message = format!("{artifact} violates its schema in at least {limit} places");
        return Some(Draft::new(Place::whole(*artifact), message));
    }
    let (place, violation) = trouble.violation(Artifact::Summary)?;
    let slips = violation.slips(&place);
    let draft = Draft::new(place, violation.message("the summary"));
    Some(draft.help(violation.help()).causes(slips))
}
