//! `record/duplicate-key`: an object has the same key twice.

use crate::draft::Draft;
use crate::finding::Level;
use crate::load::Trouble;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::rules::examined;
use crate::source::{Place, Target};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "record/duplicate-key",
    level: Level::Error,
    title: "an object has the same key twice",
    hint: "Keep one of the two; readers differ on which one counts.",
    page: include_str!("duplicate_key.md"),
    check: Check::Loading(word, examined::records),
})
.reads(&[Record::State, Record::Summary]);

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::RepeatedKey {
        artifact,
        name,
        pointer,
        key,
        earlier,
    } = trouble
    else {
        return None;
    };
    let place = |token: u32| Place {
        artifact: *artifact,
        line: None,
        target: Target::Token(token, pointer.clone()),
        elsewhere: None,
    };
    let message = format!("the key `{name}` appears twice in one object");
    Some(Draft::new(place(*key), message).related(place(*earlier), "the first occurrence"))
}
