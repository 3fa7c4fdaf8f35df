//! `strict/ending`: the end of the timeline contradicts the status.

use crate::ground::printable::quote;
use crate::ground::record::RunStatus;
use crate::ground::words::Words as _;
use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule, Subject,
};
use crate::reading::facts::{StateFacts, Termination};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/ending",
    level: Level::Off,
    title: "the end of the timeline contradicts the status",
    hint: "Emit one `terminate` event, with the status of the run, after all plan, act and direction events.",
    page: include_str!("ending.md"),
    check,
})
.reads(&[OnDemand::EveryEvent])
.follows_from(&["terminate", "phase"])
.applies_to(Subject::EndedRuns);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, events) = (ctx.state(), ctx.every_event());
    let has_ended = ctx.has_ended()?;
    ctx.whole_timeline()?;

    let events = events.filter(|_| has_ended)?;
    let status = state
        .and_then(StateFacts::status)
        .unwrap_or_default();
    let shown = quote(&status);
    let Some(ending) = &events.ending else {
        let message = format!(
            "the run has ended with the status {shown}, but events.jsonl has no `terminate` event"
        );
        let draft = Draft::new(Place::whole(Artifact::Events), message)
            .help(Some("Emit a `terminate` event when the run ends.".into()));
        ctx.push(draft.related(in_state(), "the status in the state"));
        return Some(Compared);
    };

    after(ending, ctx);
    if let Some(stated) = &ending.status
        && *stated != status
        && RunStatus::of_word(stated).is_some()
    {
        let (line, stated) = (ending.line.number, quote(stated));
        let message = format!(
            "the `terminate` event on line {line} has the status {stated}, but `outcomes.status` is {shown}"
        );
        let draft = Draft::new(Place::event(ending.line, "/payload/status"), message);
        ctx.push(draft.related(in_state(), "the status in the state"));
    }

    Some(Compared)
}

/// Adds findings for events after the first terminate event.
fn after(ending: &Termination, ctx: &mut Context<'_>) {
    let end = ending.line.number;
    let mut add = |line, message, besides: u64| {
        let draft = Draft::new(Place::event(line, "/phase"), message).besides(&besides);
        let first = Place::event(ending.line, "/phase");
        ctx.push(draft.related(first, "the first `terminate` event"));
    };

    if let Some(second) = ending.second {
        let (line, number) = (second.number, ending.terminates);
        let all = match number {
            2 => String::new(),
            _ => format!("; there are {number}"),
        };
        let message = format!(
            "the event on line {line} is a second `terminate` event, after line {end}{all}"
        );
        add(second, message, number);
    }

    if let Some((late, phase)) = &ending.late {
        let (line, number) = (late.number, ending.late_events);
        let all = super::in_all(number, "such events do");
        let message = format!(
            "the `{phase}` event on line {line} comes after the `terminate` event on line {end}{all}"
        );
        add(*late, message, number);
    }
}

fn in_state() -> Place {
    Place::state("/outcomes/status")
}
