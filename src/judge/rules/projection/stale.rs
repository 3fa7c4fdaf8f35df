//! `projection/stale`: the latest projection event of a run in progress is not that of its state.

use super::evidence;
use crate::ground::digest::Digest;
use crate::judge::rule::{
    BuiltIn, Compared, Context, Draft, Level, Lifecycle, Place, Rule, Subject,
};
use crate::reading::facts::{EventFacts, StateFacts, TimelineFacts};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/stale",
    level: Level::Warning,
    title: "the latest projection event of a run in progress is not that of its state",
    hint: "Emit a projection event with every state that is persisted; if the run has just persisted its state, check again.",
    page: include_str!("stale.md"),
    check,
})
.follows_from(super::COPIES)
.applies_to(Subject::RunsInProgress);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, timeline) = (ctx.state()?, ctx.whole_timeline()?);
    let lifecycle = ctx.lifecycle();
    if lifecycle == Lifecycle::Terminal {
        return None;
    }

    let projection = timeline
        .projection_event()
        .filter(|_| lifecycle == Lifecycle::NonTerminal);
    if let Some(projection) = projection {
        let differences = [
            outcomes(state, projection),
            evidence::links(state, projection),
        ];
        for draft in differences.into_iter().flatten() {
            ctx.push(draft);
        }
    }

    let has_reach = reach(timeline, ctx);
    Compared::when(projection.is_some() || has_reach.is_some())
}

/// Returns the first difference of the outcomes, whatever the order of keys, with the number of the
/// others.
fn outcomes(state: StateFacts<'_>, projection: EventFacts<'_>) -> Option<Draft> {
    let mut first: Option<Draft> = None;
    let mut places = Vec::new();
    let _ = evidence::outcomes(state, projection, |draft| {
        let pointer = draft.place.pointer();
        places.push(Digest::of(pointer.map(|it| it.as_str().as_bytes())));
        let is_first = |first: &Draft| pointer < first.place.pointer();
        if first.as_ref().is_none_or(is_first) {
            first = Some(draft);
        }
    });
    let mut draft = first?;

    if let others @ 1.. = places.len() - 1 {
        let keys = match others {
            1 => "key differs",
            _ => "keys differ",
        };
        draft.message = format!("{}; {others} more {keys}", draft.message);
        places.sort_unstable();
        draft = draft.besides(&Digest::of(places.iter().map(Digest::bytes)));
    }

    Some(draft)
}

/// Compares the latest projection event with the line up to which the timeline explains the plan
/// and the actions of the state.
fn reach(timeline: &TimelineFacts<'_>, ctx: &mut Context<'_>) -> Option<Compared> {
    let (latest, reach) = (timeline.kept.projection.as_ref()?.line, timeline.reach()?);
    if reach.event == Some(latest) {
        return Some(Compared);
    }

    let number = latest.number;
    let compared = "the plan and the actions in the state are compared with";
    let message = match reach.event.map(|event| event.number) {
        Some(event) if reach.is_sealed => format!(
            "the state has the `state_sha256` of the projection event on line {event}, not of the latest on line {number}"
        ),
        Some(event) => format!(
            "{compared} the timeline up to the projection event on line {event}, not up to the latest on line {number}"
        ),
        None => format!(
            "{compared} the whole timeline, not up to the latest projection event on line {number}"
        ),
    };

    let other = match reach.event {
        Some(event) => (Place::event(event, ""), "the projection event of the state"),
        None => (Place::state(""), "the state"),
    };

    ctx.push(Draft::new(Place::event(latest, ""), message).related_to([other]));
    Some(Compared)
}
