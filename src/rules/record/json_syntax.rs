//! `record/json-syntax`: a record is not JSON.

use crate::draft::Draft;
use crate::finding::Level;
use crate::load::Trouble;
use crate::rule::{BuiltIn, Check, Rule};
use crate::rules::examined;
use crate::source::{Place, Target};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "record/json-syntax",
    level: Level::Error,
    title: "a record is not JSON",
    hint: "Fix the text at this position. If it was cut off, replace the file in one step: write a temporary file, then rename it.",
    page: include_str!("json_syntax.md"),
    check: Check::Loading(word, examined::texts),
});

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::NotJson {
        artifact,
        error,
        span,
        content,
    } = trouble
    else {
        return None;
    };
    let place = Place {
        artifact: *artifact,
        line: None,
        target: Target::Bytes(span.clone()),
        elsewhere: None,
    };
    let message = format!("{artifact} is not JSON: {error}");
    let help = error.kind.advice().map(str::to_owned);
    Some(Draft::new(place, message).besides(content).help(help))
}
