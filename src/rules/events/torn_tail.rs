//! `events/torn-tail`: the last line of the timeline was cut off.

use crate::draft::Draft;
use crate::finding::Level;
use crate::load::{ArrayLines, Trouble};
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::rules::examined;
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/torn-tail",
    level: Level::Error,
    title: "the last line of the timeline was cut off",
    hint: "Find out what stopped the writer (a crash, a full disk) and repeat the run; the event is lost.",
    page: include_str!("torn_tail.md"),
    check: Check::Loading(word, |loaded| examined::tail(loaded, false)),
})
.reads(&[Record::Timeline]);

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::TornTail { line, error, array } = trouble else {
        return None;
    };
    let draft = Draft::new(
        Place::line_bytes(*line, 0..line.length),
        format!("the last line ends without a newline and is not JSON: {error}"),
    );
    Some(draft.help(array.map(ArrayLines::help)))
}
