//! `started-at/start-event`: the start event does not confirm when the run started.

use crate::ground::document::Kind;
use crate::ground::finding::SkipReason;
use crate::ground::printable::quote;
use crate::judge::rule::{Artifact, BuiltIn, Compared, Context, Draft, Level, Place, Rule};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "started-at/start-event",
    level: Level::Error,
    title: "the start event does not confirm when the run started",
    hint: "Copy `episode.started_at` from the timestamp of the `start` event, and keep it when the run is continued.",
    page: include_str!("start_event.md"),
    check,
})
.follows_from(&["start", "phase", "timestamp"])
.misses("start");

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, timeline) = (ctx.state()?, ctx.timeline()?);
    let Some(start) = &timeline.kept.start else {
        // A value that is not an object is not a state record.
        if state.root().kind() != Kind::Object {
            return None;
        }

        if let Some(line) = timeline
            .kept
            .broken_line
            .or(timeline.kept.unfinished_line)
        {
            ctx.skip(&SkipReason::no_event(line.number));
            return None;
        }

        let message = "events.jsonl has no `start` event";
        let draft = Draft::new(Place::whole(Artifact::Events), message);
        let help = "Emit a `start` event first, before any other, with the time of `episode.started_at` as its timestamp.";
        ctx.push(draft.help(Some(help.into())));
        return Some(Compared);
    };

    let (in_state, in_event) = (state.started_at()?, start.stamp.as_ref()?);
    if in_state.instant != in_event.instant {
        let (in_state, in_event) = (quote(&in_state.text), quote(&in_event.text));
        let line = start.line.number;
        let message = format!(
            "`episode.started_at` is {in_state}, but the `start` event on line {line} has the timestamp {in_event}"
        );
        let draft = Draft::new(Place::state("/episode/started_at"), message);
        let event = Place::event(start.line, "/timestamp");
        ctx.push(draft.related(event, "the timestamp of the `start` event"));
    }

    Some(Compared)
}
