//! `record/misspelled-field`: a field is probably misspelled.

use crate::draft::Draft;
use crate::finding::Level;
use crate::load::Trouble;
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::rules::examined;
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "record/misspelled-field",
    level: Level::Warning,
    title: "a field is probably misspelled",
    hint: "Spell the field as the schema does, or give it a name that is less similar.",
    page: include_str!("misspelled_field.md"),
    check: Check::Loading(word, examined::shapes),
})
.reads(&[Record::StateShape, Record::SummaryShape]);

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::Misspelled {
        artifact,
        key,
        pointer,
        known,
    } = trouble
    else {
        return None;
    };
    let message = format!(
        "`{}` is not a known field, and `{known}` is absent",
        brief(key)
    );
    let help = format!("Rename the field to `{known}`, if that is what it means.");
    let draft = Draft::new(Place::key(*artifact, pointer.clone()), message);
    Some(draft.besides(known).help(Some(help)))
}
