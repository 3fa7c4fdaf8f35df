//! `summary/branching-factor`: the branching factor is not the number of direction events.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{SummaryFacts, TimelineFacts};
use crate::finding::Level;
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/branching-factor",
    level: Level::Error,
    title: "the branching factor is not the number of direction events",
    hint: "Set `branching_factor` to the number of `direction` events in the timeline.",
    page: include_str!("branching_factor.md"),
    check: Check::SummaryTimeline(check),
})
.needs(&[Need::WholeTimeline])
.follows_from(&["direction", "phase"]);

fn check(
    summary: SummaryFacts<'_>,
    timeline: &TimelineFacts<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    let Some(factor) = summary.number(&["insight", "metrics", "branching_factor"]) else {
        return Compared::Nothing;
    };
    let counted = timeline.tally.directions.number;
    if factor.whole() != Some(counted) {
        let events = if counted == 1 { "event" } else { "events" };
        let message = format!(
            "`branching_factor` is {}, but the timeline has {counted} `direction` {events}",
            brief(factor.text())
        );
        let draft = Draft::new(Place::summary("/insight/metrics/branching_factor"), message)
            .besides(&counted);
        findings.push(match timeline.tally.directions.first {
            Some(line) => {
                draft.related(Place::event(line, "/phase"), "the first `direction` event")
            }
            None => draft,
        });
    }
    Compared::Something
}
