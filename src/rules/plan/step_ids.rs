//! `plan/step-ids`: two steps of the plan share an id.

use std::collections::BTreeMap;

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Stage, StateFacts, repeats};
use crate::finding::Level;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place, Pointer};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "plan/step-ids",
    level: Level::Error,
    title: "two steps of the plan share an id",
    hint: "Give each step a unique id.",
    page: include_str!("step_ids.md"),
    check: Check::State(check),
});

fn check(state: StateFacts<'_>, _: &Stage<'_>, findings: &mut Findings<'_>) -> Compared {
    let steps = || state.steps().into_iter().flatten();
    let ids = || steps().filter_map(|it| it.text(&["id"]));
    if !repeats(ids()) {
        return Compared::when(ids().next().is_some());
    }
    let mut first_with = BTreeMap::new();
    for (index, step) in state.steps().into_iter().flatten().enumerate() {
        let Some(id) = step.text(&["id"]) else {
            continue;
        };
        let place = |index: usize| {
            Place::value(
                Artifact::State,
                Pointer::new("/plan/steps").item(index).field("id"),
            )
        };
        if let Some(first) = first_with.get(&id) {
            let message = format!(
                "step {} has the id {}, which step {} already has",
                index + 1,
                quote(&id),
                first + 1
            );
            findings.push(
                Draft::new(place(index), message)
                    .related(place(*first), "the first step with this id"),
            );
        } else {
            first_with.insert(id, index);
        }
    }
    Compared::Something
}
