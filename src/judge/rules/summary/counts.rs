//! `summary/counts`: a counter of the summary is not the number of events.

use crate::ground::document::{Kind, Number};
use crate::ground::printable::brief;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::{Counted, InState, InSummary};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/counts",
    level: Level::Warning,
    title: "a counter of the summary is not the number of events",
    hint: "Count `plan` and `act` events without the synthetic ones, and `reflect` events, when the summary is written.",
    page: include_str!("counts.md"),
    check,
})
.follows_from(&["plan", "reflect", "act", "phase"])
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (summary, timeline) = (ctx.summary(), ctx.whole_timeline());
    let (summary, tally) = (summary?, &timeline?.kept.tally);
    let mut compared = None;

    for (name, slot, phase, counted) in [
        ("plan_count", InSummary::PlanCount, "plan", tally.plans),
        (
            "reflect_count",
            InSummary::ReflectCount,
            "reflect",
            tally.reflects,
        ),
    ] {
        let Some(stated) = summary.number(slot) else {
            continue;
        };
        compared = Some(Compared);
        if stated.whole() != Some(counted.number) {
            let events = events(phase, counted.number);
            let stated = brief(stated.text());
            let message = format!("`{name}` is {stated}, but the timeline has {events}");
            ctx.push(draft(name, message, phase, counted).besides(&counted.number));
        }
    }

    summary
        .number(InSummary::ActCount)
        .and_then(|stated| act_count(stated, tally.acts, ctx))
        .or(compared)
}

/// Compares the number of acts with the actions in the state, or with the events.
fn act_count(stated: Number<'_>, acts: Counted, ctx: &mut Context<'_>) -> Option<Compared> {
    let state = ctx.state()?;
    state.outcomes()?;
    let actions = state.value(InState::Actions);
    if actions.is_some_and(|actions| actions.kind() != Kind::Array) {
        return None;
    }

    let actions = actions.map(|_| state.actions().len());
    let counted = acts.number;
    let is = |number| stated.whole() == Some(number);
    let is_right = match actions {
        Some(actions) => is(actions as u64) || is(counted),
        None => stated
            .whole()
            .is_some_and(|stated| stated <= counted),
    };

    if is_right {
        return Some(Compared);
    }

    let (shown, events) = (brief(stated.text()), events("act", counted));
    let message = match actions {
        None => format!("`act_count` is {shown}, but the timeline has {events}"),
        Some(actions) => format!(
            "`act_count` is {shown}, but the state has {actions} {} and the timeline {events}",
            if actions == 1 { "action" } else { "actions" }
        ),
    };

    let besides = format!("{actions:?} {counted}");
    ctx.push(draft("act_count", message, "act", acts).besides(&besides));
    Some(Compared)
}

/// Returns a number of events of a phase, as a message has it.
fn events(phase: &str, number: u64) -> String {
    let events = if number == 1 { "event" } else { "events" };
    match (phase, number) {
        ("reflect", number) => format!("{number} `reflect` {events}"),
        (phase, 1) => format!("1 `{phase}` event that is not synthetic"),
        (phase, number) => format!("{number} `{phase}` events that are not synthetic"),
    }
}

fn draft(name: &str, message: String, phase: &str, counted: Counted) -> Draft {
    let first = counted.first.map(|line| {
        let which = format!("the first of these `{phase}` events");
        (Place::event(line, "/phase"), which)
    });
    Draft::new(Place::summary(format!("/metrics/{name}")), message).related_to(first)
}
