//! `events/schema`: an event violates its schema.

use crate::draft::Draft;
use crate::finding::Level;
use crate::load::Trouble;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::rules::examined;
use crate::source::Artifact;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/schema",
    level: Level::Error,
    title: "an event violates its schema",
    hint: "Correct the program that writes the event; `runvet schema event` describes every field.",
    page: include_str!("schema.md"),
    check: Check::Loading(word, examined::events),
})
.reads(&[Record::Timeline]);

fn word(trouble: &Trouble) -> Option<Draft> {
    let (place, violation) = trouble.violation(Artifact::Events)?;
    let slips = violation.slips(&place);
    let draft = Draft::new(place, violation.message("the event"));
    Some(draft.help(violation.help()).causes(slips))
}
