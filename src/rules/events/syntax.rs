//! `events/syntax`: a line of the timeline is not a JSON object.

use crate::finding::{Level, RuleInfo};
use crate::load::{NotAnEvent, Trouble};
use crate::rule::{Check, Draft, Record, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "events/syntax",
        level: Level::Error,
        title: "a line of the timeline is not a JSON object",
        hint: "Write each event as one JSON object on its own line.",
        page: include_str!("syntax.md"),
    },
    check: Check::Loading(word),
    reads: &[Record::Timeline],
    needs: &[],
};

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::NotAnEvent { line, span, why } = trouble else {
        return None;
    };
    let number = line.number;
    let message = match why {
        NotAnEvent::NotJson(error) => format!("line {number} is not JSON: {error}"),
        NotAnEvent::NotAnObject(kind) => {
            format!("line {number} is {}, not an object", kind.with_article())
        }
    };
    Some(Draft::new(Place::line_bytes(*line, span.clone()), message))
}
