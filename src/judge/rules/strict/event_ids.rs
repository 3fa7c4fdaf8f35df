//! `strict/event-ids`: two events share an id.

use crate::ground::finding::{SkipKind, SkipReason};
use crate::ground::printable::quote;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule};
use crate::reading::facts::MAX_EVENT_IDS;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/event-ids",
    level: Level::Off,
    title: "two events share an id",
    hint: "Give each event an id of its own.",
    page: include_str!("event_ids.md"),
    check,
})
.reads(&[OnDemand::EveryEvent, OnDemand::EventIds]);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let ids = ctx.every_event()?.ids.as_ref()?;
    if ids.is_full {
        let text = format!("only the first {MAX_EVENT_IDS} ids of events are compared");
        ctx.skip(&SkipReason::worded(SkipKind::Limit, text));
    }

    let Some(repeated) = &ids.repeated else {
        return Compared::when(ids.has_any());
    };
    let all = super::in_all(repeated.lines, "events have the id of an earlier one");
    let (again, earlier, id) = (repeated.again, repeated.earlier, quote(&repeated.id));
    let (line, before) = (again.number, earlier.number);
    let message =
        format!("the event on line {line} has the id {id}, which line {before} already has{all}");
    let draft = Draft::new(Place::event(again, "/id"), message).besides(&repeated.lines);
    ctx.push(draft.related(Place::event(earlier, "/id"), "the first event with this id"));

    Some(Compared)
}
