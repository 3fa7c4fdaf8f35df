//! `strict/steps`: the steps do not account for what the run did.

use std::collections::BTreeSet;

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Stage, StateFacts};
use crate::finding::Level;
use crate::printable::quote;
use crate::record::StepStatus;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place, Pointer};
use crate::words::Words as _;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/steps",
    level: Level::Off,
    title: "the steps do not account for what the run did",
    hint: "Give each action the id of a step of the plan, and settle every step before the run ends with `ok`.",
    page: include_str!("steps.md"),
    check: Check::State(check),
});

fn check(state: StateFacts<'_>, _: &Stage<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some(steps) = state.steps() else {
        return Compared::Nothing;
    };
    let ids: Option<BTreeSet<_>> = steps.clone().map(|step| step.text(&["id"])).collect();
    let mut compared = Compared::Nothing;
    // A step whose id is not known may be the one that an action names.
    if let Some(ids) = ids {
        for (index, action) in state.actions().enumerate() {
            let Some(id) = action.text(&["step_id"]) else {
                continue;
            };
            compared = Compared::Something;
            if !ids.contains(&id) {
                let place = Pointer::new("/outcomes/actions").item(index);
                let message = format!(
                    "action {} names the step {}, which the plan does not have",
                    index + 1,
                    quote(&id)
                );
                let place = Place::value(Artifact::State, place.field("step_id"));
                let draft = Draft::new(place, message);
                findings.push(draft.related(Place::state("/plan/steps"), "the steps of the plan"));
            }
        }
    }
    if state.status().as_deref() != Some("ok") {
        return compared;
    }
    for (index, step) in steps.enumerate() {
        compared = Compared::Something;
        let status = step
            .text(&["status"])
            .and_then(|status| StepStatus::of_word(&status));
        if let Some(status @ (StepStatus::Pending | StepStatus::Running | StepStatus::Failed)) =
            status
        {
            let place = Pointer::new("/plan/steps").item(index).field("status");
            let message = format!(
                "the run has the status \"ok\", but step {} is {}",
                index + 1,
                quote(status.word())
            );
            let draft = Draft::new(Place::value(Artifact::State, place), message);
            findings.push(draft.related(Place::state("/outcomes/status"), "the status of the run"));
        }
    }
    compared
}
