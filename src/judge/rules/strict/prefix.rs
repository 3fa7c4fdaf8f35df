//! `strict/prefix`: the timeline before a projection event was changed.

use crate::ground::finding::{SkipKind, SkipReason};
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule};
use crate::reading::facts::MAX_EVENT_IDS;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/prefix",
    level: Level::Off,
    title: "the timeline before a projection event was changed",
    hint: "Restore the lines that the run wrote; only append to a timeline.",
    page: include_str!("prefix.md"),
    check,
})
.reads(&[OnDemand::EveryEvent, OnDemand::Prefixes]);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let prefixes = ctx.every_event()?.prefixes.as_ref()?;
    if prefixes.len() == MAX_EVENT_IDS {
        let text = format!("only the first {MAX_EVENT_IDS} digests of the timeline are compared");
        ctx.skip(&SkipReason::worded(SkipKind::Limit, text));
    }

    if prefixes
        .iter()
        .any(|prefix| prefix.actual.is_none())
    {
        let why = "events.jsonl could not be read again";
        ctx.skip(&SkipReason::new(SkipKind::Unreadable, why));
    }

    for prefix in prefixes {
        let (line, claimed) = (prefix.line, prefix.claimed);
        let differs = prefix
            .actual
            .filter(|actual| *actual != claimed);
        if let Some(actual) = differs {
            let message = format!(
                "`payload.prefix_sha256` is {claimed} in the projection event on line {}, but the SHA-256 of the lines before it is {actual}",
                line.number
            );
            let place = Place::event(line, "/payload/prefix_sha256");
            ctx.push(Draft::new(place, message).besides(&actual));
        }
    }

    Compared::when(!prefixes.is_empty())
}
