//! `summary/directions`: the summary counts more directives than there are direction events.

use crate::document::Number;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::{SummaryFacts, TimelineFacts};
use crate::finding::Level;
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/directions",
    level: Level::Warning,
    title: "the summary counts more directives than there are direction events",
    hint: "Emit a `direction` event for each directive that is applied and for each veto.",
    page: include_str!("directions.md"),
    check: Check::SummaryTimeline(check),
})
.needs(&[Need::WholeTimeline])
.follows_from(&["direction", "phase"]);

fn check(
    summary: SummaryFacts<'_>,
    timeline: &TimelineFacts<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    let (applied, vetoed) = (summary.direction("applied"), summary.direction("vetoed"));
    let counted = timeline.tally.directions.number;
    // A number that is larger than any number of events is none here.
    let value = |count: Option<Number<'_>>| count.map_or(Some(0), Number::whole);
    let sum = value(applied)
        .zip(value(vetoed))
        .and_then(|(applied, vetoed)| applied.checked_add(vetoed));
    if sum.is_none_or(|sum| sum > counted) {
        tell(applied, vetoed, timeline, findings);
    }
    Compared::when(applied.is_some() || vetoed.is_some())
}

fn tell(
    applied: Option<Number<'_>>,
    vetoed: Option<Number<'_>>,
    timeline: &TimelineFacts<'_>,
    findings: &mut Findings<'_>,
) {
    let counted = timeline.tally.directions;
    let told = [("applied", applied), ("vetoed", vetoed)];
    let told = told
        .into_iter()
        .filter_map(|(name, count)| Some((name, count?)));
    let counts: Vec<String> = told
        .clone()
        .map(|(name, count)| format!("`{name}` is {}", brief(count.text())))
        .collect();
    let message = format!(
        "{} in `flags.direction`, but the timeline has {} `direction` {}",
        counts.join(" and "),
        counted.number,
        if counted.number == 1 {
            "event"
        } else {
            "events"
        }
    );
    let mut places = told.map(|(name, _)| {
        let place = Place::summary(&format!("/flags/direction/{name}"));
        (place, format!("`{name}`"))
    });
    let Some((first, _)) = places.next() else {
        return;
    };
    let draft = Draft::new(first, message).besides(&counted.number);
    let events = counted.first.map(|line| {
        let place = Place::event(line, "/phase");
        (place, "the first `direction` event".to_owned())
    });
    findings.push(
        places
            .chain(events)
            .fold(draft, |draft, (place, what)| draft.related(place, what)),
    );
}
