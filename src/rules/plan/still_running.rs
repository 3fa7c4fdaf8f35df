//! `plan/still-running`: a run has ended, but a step of its plan is still running.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Stage, StateFacts, Value};
use crate::finding::{Level, Lifecycle};
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place, Pointer};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "plan/still-running",
    level: Level::Warning,
    title: "a run has ended, but a step of its plan is still running",
    hint: "Emit an `act` event that ends each step before the run ends, and rebuild the plan from the timeline.",
    page: include_str!("still_running.md"),
    check: Check::State(check),
});

fn check(state: StateFacts<'_>, at: &Stage<'_>, findings: &mut Findings<'_>) -> Compared {
    let status = state.status().unwrap_or_default();
    if at.lifecycle != Lifecycle::Terminal || !matches!(&*status, "ok" | "partial" | "vetoed") {
        return Compared::Nothing;
    }
    let is_running = |step: Value<'_>| step.text(&["status"]).as_deref() == Some("running");
    let steps = state.steps().into_iter().flatten().enumerate();
    let mut running = steps.filter(|(_, step)| is_running(*step));
    let Some((first, _)) = running.next() else {
        let any_step = state.steps().is_some_and(|mut it| it.next().is_some());
        return Compared::when(any_step);
    };
    let others = running.count();
    let pointer = Pointer::new("/plan/steps").item(first).field("status");
    let more = match others {
        0 => String::new(),
        1 => ", and 1 other step is running too".into(),
        others => format!(", and {others} other steps are running too"),
    };
    let message = format!(
        "`{}` is \"running\"{more}, but the run has ended with the status {}",
        pointer.dotted(),
        quote(&status)
    );
    let draft = Draft::new(Place::value(Artifact::State, pointer), message);
    let draft = draft.besides(&(others + 1));
    findings.push(draft.related(Place::state("/outcomes/status"), "the status of the run"));
    Compared::Something
}
