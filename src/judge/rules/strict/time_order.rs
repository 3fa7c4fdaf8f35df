//! `strict/time-order`: an event is earlier than the one before it.

use crate::ground::printable::quote;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule};
use crate::reading::facts::Stamped;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/time-order",
    level: Level::Off,
    title: "an event is earlier than the one before it",
    hint: "Take the timestamp of an event when it is written, from one clock for the whole run.",
    page: include_str!("time_order.md"),
    check,
})
.reads(&[OnDemand::EveryEvent]);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let events = ctx.every_event()?;
    let Some(disorder) = &events.disorder else {
        return Compared::when(events.stamped > 1);
    };
    let shown = |event: &Stamped| {
        let stamp = event.stamp.as_ref();
        quote(
            stamp
                .map(|stamp| &*stamp.text)
                .unwrap_or_default(),
        )
    };

    let (first, before, lines) = (&disorder.first, &disorder.before, disorder.lines);
    let all = super::in_all(lines, "events are earlier than the one before them");
    let message = format!(
        "the event on line {} has the timestamp {}, but line {} before it has {}{all}",
        first.line.number,
        shown(first),
        before.line.number,
        shown(before)
    );
    let draft = Draft::new(Place::event(first.line, "/timestamp"), message).besides(&lines);
    let before = Place::event(before.line, "/timestamp");
    ctx.push(draft.related(before, "the timestamp of the event before it"));

    Some(Compared)
}
