//! `plan/still-running`: a run has ended, but a step of its plan is still running.

use crate::ground::printable::quote;
use crate::judge::rule::{
    BuiltIn, Compared, Context, Draft, Level, Lifecycle, Place, Pointer, Rule, Subject,
};
use crate::reading::facts::{InStep, RowItem};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "plan/still-running",
    level: Level::Warning,
    title: "a run has ended, but a step of its plan is still running",
    hint: "Emit an `act` event that ends each step before the run ends, and rebuild the plan from the timeline.",
    page: include_str!("still_running.md"),
    check,
})
.applies_to(Subject::EndedRuns);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let state = ctx.state()?;
    let status = state.status().unwrap_or_default();
    if ctx.lifecycle() != Lifecycle::Terminal || !matches!(&*status, "ok" | "partial" | "vetoed") {
        return None;
    }

    let is_running = |step: RowItem<'_>| step.text(InStep::Status).as_deref() == Some("running");
    let mut running = state
        .steps()
        .into_iter()
        .flatten()
        .enumerate()
        .filter(|(_, step)| is_running(*step));
    let Some((first, _)) = running.next() else {
        let any_step = state
            .steps()
            .is_some_and(|mut it| it.next().is_some());
        return Compared::when(any_step);
    };

    let others = running.count();
    let pointer = Pointer::new("/plan/steps")
        .item(first)
        .field("status");
    let more = match others {
        0 => String::new(),
        1 => ", and 1 other step is running too".into(),
        others => format!(", and {others} other steps are running too"),
    };

    let (name, status) = (pointer.dotted(), quote(&status));
    let message =
        format!("`{name}` is \"running\"{more}, but the run has ended with the status {status}");
    let draft = Draft::new(Place::state(pointer), message).besides(&(others + 1));
    ctx.push(draft.related(Place::state("/outcomes/status"), "the status of the run"));

    Some(Compared)
}
