//! `strict/time-order`: an event is earlier than the one before it.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Run, Stamped};
use crate::finding::Level;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/time-order",
    level: Level::Off,
    title: "an event is earlier than the one before it",
    hint: "Take the timestamp of an event when it is written, from one clock for the whole run.",
    page: include_str!("time_order.md"),
    check: Check::Run(check),
})
.reads(&[Record::EveryEvent]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some(strict) = run.strict else {
        return Compared::Nothing;
    };
    let Some(disorder) = &strict.disorder else {
        return Compared::when(strict.stamped > 1);
    };
    let shown = |event: &Stamped| {
        let stamp = event.stamp.as_ref();
        quote(stamp.map(|stamp| &*stamp.text).unwrap_or_default())
    };
    let (first, before, lines) = (&disorder.first, &disorder.before, disorder.lines);
    let all = match lines {
        1 => String::new(),
        more => format!("; {more} events are earlier than the one before them"),
    };
    let message = format!(
        "the event on line {} has the timestamp {}, but line {} before it has {}{all}",
        first.line.number,
        shown(first),
        before.line.number,
        shown(before)
    );
    let draft = Draft::new(Place::event(first.line, "/timestamp"), message).besides(&lines);
    findings.push(draft.related(
        Place::event(before.line, "/timestamp"),
        "the timestamp of the event before it",
    ));
    Compared::Something
}
