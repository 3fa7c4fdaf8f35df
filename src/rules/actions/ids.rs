//! `actions/ids`: two actions share an id.

use std::collections::BTreeMap;

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Stage, StateFacts, repeats};
use crate::finding::Level;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::{Artifact, Place, Pointer};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "actions/ids",
    level: Level::Warning,
    title: "two actions share an id",
    hint: "Give each action a unique id, and its `act` event the same one.",
    page: include_str!("ids.md"),
    check: Check::State(check),
});

fn check(state: StateFacts<'_>, _: &Stage<'_>, findings: &mut Findings<'_>) -> Compared {
    let ids = || state.actions().filter_map(|it| it.text(&["id"]));
    if !repeats(ids()) {
        return Compared::when(ids().next().is_some());
    }
    let mut first_with = BTreeMap::new();
    for (index, action) in state.actions().enumerate() {
        let Some(id) = action.text(&["id"]) else {
            continue;
        };
        let place = |index: usize| {
            let pointer = Pointer::new("/outcomes/actions").item(index).field("id");
            Place::value(Artifact::State, pointer)
        };
        if let Some(first) = first_with.get(&id) {
            let message = format!(
                "action {} has the id {}, which action {} already has",
                index + 1,
                quote(&id),
                first + 1
            );
            let draft = Draft::new(place(index), message);
            findings.push(draft.related(place(*first), "the first action with this id"));
        } else {
            first_with.insert(id, index);
        }
    }
    Compared::Something
}
