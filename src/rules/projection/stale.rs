//! `projection/stale`: the latest projection event of a run in progress is not that of its state.

use super::evidence;
use crate::digest::Digest;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::{EventFacts, Stage, StateFacts, TimelineFacts};
use crate::finding::{Level, Lifecycle};
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::{Line, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/stale",
    level: Level::Warning,
    title: "the latest projection event of a run in progress is not that of its state",
    hint: "Emit a projection event with every state that is persisted; if the run has just persisted its state, check again.",
    page: include_str!("stale.md"),
    check: Check::StateTimeline(check),
})
.needs(&[Need::WholeTimeline])
.follows_from(super::COPIES);

fn check(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    at: &Stage<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    if at.lifecycle == Lifecycle::Terminal {
        return Compared::Nothing;
    }
    let mut compared = Compared::Nothing;
    if at.lifecycle == Lifecycle::NonTerminal
        && let Some(projection) = timeline.projection_event()
    {
        let drafts = [
            outcomes(state, projection),
            evidence::links(state, projection),
        ];
        drafts
            .into_iter()
            .flatten()
            .for_each(|draft| findings.push(draft));
        compared = Compared::Something;
    }
    if reach(timeline, findings) {
        compared = Compared::Something;
    }
    compared
}

/// The first difference of the outcomes, whatever the order of keys, with the number of the others.
fn outcomes(state: StateFacts<'_>, projection: &EventFacts<'_>) -> Option<Draft> {
    let mut first: Option<Draft> = None;
    let (mut count, mut places) = (0, Vec::new());
    let _ = evidence::outcomes(state, projection, |draft| {
        let pointer = |draft: &Draft| draft.place.pointer().cloned();
        places.push(Digest::of(
            pointer(&draft)
                .iter()
                .map(|pointer| pointer.as_str().as_bytes()),
        ));
        count += 1;
        if first
            .as_ref()
            .is_none_or(|first| pointer(&draft) < pointer(first))
        {
            first = Some(draft);
        }
    });
    let mut draft = first?;
    if count > 1 {
        let others = count - 1;
        let keys = if others == 1 {
            "key differs"
        } else {
            "keys differ"
        };
        draft.message = format!("{}; {others} more {keys}", draft.message);
        places.sort_unstable();
        draft = draft.besides(&Digest::of(places.iter().map(Digest::bytes)));
    }
    Some(draft)
}

/// The plan and the actions of the state are those of another line than the latest projection
/// event. Returns whether there is one to compare with.
fn reach(timeline: &TimelineFacts<'_>, findings: &mut Findings<'_>) -> bool {
    let latest = timeline.projection.as_ref().map(|event| event.line);
    let (Some(latest), Some(reach)) = (latest, timeline.reach()) else {
        return false;
    };
    if reach.event == Some(latest) {
        return true;
    }
    let place = Place::event(latest, "");
    let number = |line: Line| line.number;
    let draft = match reach.event {
        Some(event) if reach.is_sealed => Draft::new(
            place,
            format!(
                "the state has the `state_sha256` of the projection event on line {}, not of the latest on line {}",
                number(event),
                number(latest)
            ),
        ),
        Some(event) => Draft::new(
            place,
            format!(
                "the plan and the actions in the state are compared with the timeline up to the projection event on line {}, not up to the latest on line {}",
                number(event),
                number(latest)
            ),
        ),
        None => Draft::new(
            place,
            format!(
                "the plan and the actions in the state are compared with the whole timeline, not up to the latest projection event on line {}",
                number(latest)
            ),
        ),
    };
    let other = reach.event.map(|event| Place::event(event, ""));
    findings.push(match other {
        Some(other) => draft.related(other, "the projection event of the state"),
        None => draft.related(Place::state(""), "the state"),
    });
    true
}
