//! `strict/event-ids`: two events share an id.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{MAX_EVENT_IDS, Run};
use crate::finding::{Level, SkipKind, SkipReason};
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/event-ids",
    level: Level::Off,
    title: "two events share an id",
    hint: "Give each event an id of its own.",
    page: include_str!("event_ids.md"),
    check: Check::Run(check),
})
.reads(&[Record::EveryEvent, Record::EventIds]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some(ids) = run.strict.and_then(|strict| strict.ids.as_ref()) else {
        return Compared::Nothing;
    };
    if ids.is_full {
        let text = format!("only the first {MAX_EVENT_IDS} ids of events are compared");
        findings.skip(&SkipReason::worded(SkipKind::Limit, text));
    }
    let Some(repeated) = &ids.repeated else {
        return Compared::when(ids.has_any());
    };
    let all = match repeated.lines {
        1 => String::new(),
        more => format!("; {more} events have the id of an earlier one"),
    };
    let message = format!(
        "the event on line {} has the id {}, which line {} already has{all}",
        repeated.again.number,
        quote(&repeated.id),
        repeated.earlier.number
    );
    let draft = Draft::new(Place::event(repeated.again, "/id"), message).besides(&repeated.lines);
    findings.push(draft.related(
        Place::event(repeated.earlier, "/id"),
        "the first event with this id",
    ));
    Compared::Something
}
