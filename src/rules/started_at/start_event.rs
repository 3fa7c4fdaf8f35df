//! `started-at/start-event`: the start event does not confirm when the run started.

use crate::document::Kind;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Stage, StateFacts, TimelineFacts};
use crate::finding::{Level, SkipReason};
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "started-at/start-event",
    level: Level::Error,
    title: "the start event does not confirm when the run started",
    hint: "Copy `episode.started_at` from the timestamp of the `start` event, and keep it when the run is continued.",
    page: include_str!("start_event.md"),
    check: Check::StateTimeline(check),
})
.follows_from(&["start", "phase", "timestamp"])
.misses("start");

fn check(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    _: &Stage<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    let Some(start) = &timeline.start else {
        // A value that is not an object is not a state record.
        if state.node().kind() != Kind::Object {
            return Compared::Nothing;
        }
        if let Some(line) = timeline.broken_line.or(timeline.unfinished_line) {
            findings.skip(&SkipReason::no_event(line.number));
            return Compared::Nothing;
        }
        let draft = Draft::new(
            Place::whole(Artifact::Events),
            "events.jsonl has no `start` event",
        );
        let help = "Emit a `start` event first, before any other, with the time of `episode.started_at` as its timestamp.";
        findings.push(draft.help(Some(help.into())));
        return Compared::Something;
    };
    let (Some(in_state), Some(in_event)) = (state.started_at(), &start.timestamp) else {
        return Compared::Nothing;
    };
    if in_state.instant != in_event.instant {
        let message = format!(
            "`episode.started_at` is {}, but the `start` event on line {} has the timestamp {}",
            quote(&in_state.text),
            start.line.number,
            quote(&in_event.text)
        );
        let draft = Draft::new(Place::state("/episode/started_at"), message);
        findings.push(draft.related(
            Place::event(start.line, "/timestamp"),
            "the timestamp of the `start` event",
        ));
    }
    Compared::Something
}
