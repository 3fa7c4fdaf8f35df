//! `summary/counts`: a counter of the summary is not the number of events.

use crate::document::{Kind, Node, Number};
use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Counted, NotAFact, Run, Usable, Value};
use crate::finding::Level;
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Need, Record, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/counts",
    level: Level::Warning,
    title: "a counter of the summary is not the number of events",
    hint: "Count `plan` and `act` events without the synthetic ones, and `reflect` events, when the summary is written.",
    page: include_str!("counts.md"),
    check: Check::Run(check),
})
.reads(&[Record::Summary, Record::Timeline])
.needs(&[Need::WholeTimeline])
.follows_from(&["plan", "reflect", "act", "phase"]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let (Some(summary), Some(timeline)) = (run.summary.read(), run.timeline.read()) else {
        return Compared::Nothing;
    };
    let count = |name| summary.metric(name);
    let tally = &timeline.tally;
    let mut compared =
        Compared::when(count("plan_count").is_some() || count("reflect_count").is_some());
    for (name, phase, counted) in [
        ("plan_count", "plan", tally.plans),
        ("reflect_count", "reflect", tally.reflects),
    ] {
        if let Some(told) = count(name).filter(|told| !is(*told, counted.number)) {
            let events = events(phase, counted.number);
            let message = format!(
                "`{name}` is {}, but the timeline has {events}",
                brief(told.text())
            );
            findings.push(draft(name, message, phase, counted).besides(&counted.number));
        }
    }
    let Some(told) = count("act_count") else {
        return compared;
    };
    match &run.state {
        Usable::Unjudged(reason) => findings.skip(reason),
        Usable::NotDue => {}
        Usable::Read(state) => {
            let Some(outcomes) = state.outcomes() else {
                return compared;
            };
            let Ok(actions) = actions(outcomes.get("actions").map(Value::node)) else {
                return compared;
            };
            act_count(told, actions, tally.acts, findings);
            compared = Compared::Something;
        }
    }
    compared
}

/// The number of actions; an error where there is something else in their place.
fn actions(actions: Option<Node<'_>>) -> Result<Option<usize>, NotAFact> {
    match actions {
        None => Ok(None),
        Some(actions) if actions.kind() == Kind::Array => Ok(Some(actions.items().count())),
        Some(_) => Err(NotAFact),
    }
}

fn act_count(told: Number<'_>, actions: Option<usize>, acts: Counted, findings: &mut Findings<'_>) {
    let counted = acts.number;
    let is_right = match actions {
        Some(actions) => is(told, actions as u64) || is(told, counted),
        None => told.whole().is_some_and(|told| told <= counted),
    };
    if is_right {
        return;
    }
    let (shown, events) = (brief(told.text()), events("act", counted));
    let message = match actions {
        None => format!("`act_count` is {shown}, but the timeline has {events}"),
        Some(actions) => format!(
            "`act_count` is {shown}, but the state has {actions} {} and the timeline {events}",
            if actions == 1 { "action" } else { "actions" }
        ),
    };
    let besides = format!("{actions:?} {counted}");
    findings.push(draft("act_count", message, "act", acts).besides(&besides));
}

fn is(told: Number<'_>, counted: u64) -> bool {
    told.whole() == Some(counted)
}

/// A number of events of a phase, as a message has it.
fn events(phase: &str, number: u64) -> String {
    let events = if number == 1 { "event" } else { "events" };
    match (phase, number) {
        ("reflect", number) => format!("{number} `reflect` {events}"),
        (phase, 1) => format!("1 `{phase}` event that is not synthetic"),
        (phase, number) => format!("{number} `{phase}` events that are not synthetic"),
    }
}

fn draft(name: &str, message: String, phase: &str, counted: Counted) -> Draft {
    let draft = Draft::new(Place::summary(&format!("/metrics/{name}")), message);
    match counted.first {
        Some(line) => {
            let which = format!("the first of these `{phase}` events");
            draft.related(Place::event(line, "/phase"), which)
        }
        None => draft,
    }
}
