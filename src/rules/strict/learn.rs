//! `strict/learn`: a line of `learn.jsonl` is not a JSON object.

use crate::draft::Draft;
use crate::finding::Level;
use crate::load::Trouble;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::rules::examined;
use crate::source::{Artifact, Place, Target};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/learn",
    level: Level::Off,
    title: "a line of `learn.jsonl` is not a JSON object",
    hint: "Write each record as one JSON object on its own line.",
    page: include_str!("learn.md"),
    check: Check::Loading(word, examined::learn),
})
.reads(&[Record::LearnLines]);

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::NotALearnRecord {
        line,
        span,
        why,
        content,
        lines,
    } = trouble
    else {
        return None;
    };
    let all = match lines {
        1 => String::new(),
        more => format!("; {more} lines are not JSON objects"),
    };
    let message = format!("line {} {why}{all}", line.number);
    let place = Place {
        artifact: Artifact::Learn,
        line: Some(*line),
        target: Target::Bytes(span.clone()),
        elsewhere: None,
    };
    Some(Draft::new(place, message).besides(&format!("{lines} {content}")))
}
