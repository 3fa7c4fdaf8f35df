//! What an order of a team finds -> findings.

use super::unjudged;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::UNKNOWN_LIFECYCLE;
use crate::finding::{Lifecycle, SkipReason};
use crate::load::{Declared, FoundByOrder, Loaded};
use crate::source::{Artifact, Place};
use crate::team::{Offence, Pattern, Team, TeamOrder, TooMany, Why, Word};

/// Words the offences of an order; `None` where it could not be judged.
pub(super) fn judge(
    index: usize,
    loaded: &Loaded<'_, '_>,
    findings: &mut Findings<'_>,
) -> Option<Compared> {
    let team = loaded.team;
    let (order, found) = (
        team.orders.get(index)?,
        loaded.declared.by_order.get(index)?,
    );
    if let Some(reason) = unmet(order, loaded) {
        findings.skip(&reason);
        return None;
    }
    let lifecycle = loaded.run.stage.lifecycle;
    if order.pattern.is_of_the_end() && lifecycle != Lifecycle::Terminal {
        return None;
    }
    let (offences, more) = found.offences(order.pattern.is_of_the_end());
    for offence in &offences {
        findings.push(draft(order, found, offence));
    }
    findings.more(more);
    if found.is_full {
        findings.skip(&SkipReason::bound(&TooMany));
    }
    // `never` compares all events with its selector, all else is about events that are there.
    let timeline = loaded.run.timeline.read();
    let has_events = timeline.is_some_and(|timeline| timeline.tally.events > 0);
    let is_examined = found.examined || (order.pattern == Pattern::Never && has_events);
    Compared::when(is_examined || !offences.is_empty())
}

/// Words the offences that one event causes, at the moment of its writing.
pub(super) fn at_once(index: usize, team: &Team, declared: &Declared, findings: &mut Findings<'_>) {
    let Some((order, found)) = team.orders.get(index).zip(declared.by_order.get(index)) else {
        return;
    };
    let (offences, more) = found.offences(false);
    for offence in &offences {
        findings.push(draft(order, found, offence));
    }
    findings.more(more);
    if found.is_full {
        findings.skip(&SkipReason::bound(&TooMany));
    }
}

/// Why an order can't be judged.
fn unmet(order: &TeamOrder, loaded: &Loaded<'_, '_>) -> Option<SkipReason> {
    if let Some(reason) = unjudged(Artifact::Events, loaded) {
        return Some(reason);
    }
    if order.pattern.is_of_the_end() && loaded.run.stage.lifecycle == Lifecycle::Unknown {
        return Some(UNKNOWN_LIFECYCLE);
    }
    let broken = loaded
        .run
        .timeline
        .read()
        .and_then(|timeline| timeline.broken_line);
    let broken = broken.filter(|_| order.pattern.needs_every_event());
    broken.map(|line| SkipReason::no_event(line.number))
}

fn draft(order: &TeamOrder, found: &FoundByOrder, offence: &Offence) -> Draft {
    let place = match offence.line {
        Some(line) => Place::event(line, ""),
        None => Place::whole(Artifact::Events),
    };
    let message = match offence.why {
        Why::Pattern(count) => order.message.with(|word| match word {
            Word::Same => found.shown(offence.same),
            Word::Count => Some(count.to_string()),
            Word::Limit => order.pattern.limit().map(|limit| limit.to_string()),
            Word::Value => None,
        }),
        Why::NoValue => {
            let pointer = order
                .same
                .as_ref()
                .map(|same| same.pointer().as_str().to_owned());
            let pointer = pointer.unwrap_or_default();
            format!("the event has no value at `{pointer}`, by which the order groups events")
        }
        Why::NoInstant => {
            "the event has no instant, so no other event is within the time of the order".to_owned()
        }
    };
    let draft = Draft::new(place, message);
    let draft = match offence.why {
        // How many events there are is what a baseline accepts.
        Why::Pattern(count) if offence.line.is_none() => {
            let same = found.shown(offence.same);
            draft.besides(&format!("{count} {}", same.unwrap_or_default()))
        }
        _ => draft,
    };
    match offence.other {
        Some(other) => draft.related(Place::event(other, ""), "the other event"),
        None => draft,
    }
}
