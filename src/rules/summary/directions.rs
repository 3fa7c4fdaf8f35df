//! `summary/directions`: the summary counts more directives than there are direction events.

use crate::document::Number;
use crate::facts::{SummaryFacts, TimelineFacts};
use crate::finding::{Level, RuleInfo};
use crate::printable::brief;
use crate::rule::{Check, Draft, Findings, Need, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "summary/directions",
        level: Level::Warning,
        title: "the summary counts more directives than there are direction events",
        hint: "Emit a `direction` event for each directive that is applied and for each veto.",
        page: include_str!("directions.md"),
    },
    check: Check::SummaryTimeline(check),
    reads: &[],
    needs: &[Need::WholeTimeline],
};

fn check(summary: SummaryFacts<'_>, timeline: &TimelineFacts<'_>, findings: &mut Findings<'_>) {
    let count = |name| Some((name, summary.number(&["flags", "direction", name])?));
    let told: Vec<(&str, Number<'_>)> = ["applied", "vetoed"]
        .into_iter()
        .filter_map(count)
        .collect();
    // `None` where the sum is larger than any number of events.
    let sum = told
        .iter()
        .try_fold(0_u64, |sum, (_, number)| sum.checked_add(number.whole()?));
    let counted = timeline.tally.directions;
    if sum.is_some_and(|sum| sum <= counted.number) {
        return;
    }
    let place = |name: &str| Place::summary(&format!("/flags/direction/{name}"));
    let counts: Vec<String> = told
        .iter()
        .map(|(name, number)| format!("`{name}` is {}", brief(number.text())))
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
    let mut places = told
        .iter()
        .map(|(name, _)| (place(name), format!("`{name}`")));
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
