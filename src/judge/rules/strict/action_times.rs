//! `strict/action-times`: an action or an act event without an id has no counterpart of its time.

use std::collections::BTreeSet;

use crate::ground::finding::{SkipKind, SkipReason};
use crate::ground::printable::quote;
use crate::judge::rule::{
    BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule, Subject,
};
use crate::reading::facts::{InAction, MAX_EVENT_IDS};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/action-times",
    level: Level::Off,
    title: "an action or an act event without an id has no counterpart of its time",
    hint: "Record an action for each `act` event, with the timestamp of the event; best give both an id.",
    page: include_str!("action_times.md"),
    check,
})
.reads(&[OnDemand::EveryEvent, OnDemand::DatedActs])
.follows_from(&["act", "phase", "timestamp", "action_id"])
.applies_to(Subject::EndedRuns);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, events) = (ctx.state(), ctx.every_event());
    ctx.whole_timeline()?;
    let (state, acts) = (state?, events?.acts.as_ref()?);
    ctx.must_have_ended()?;
    if !state.lists_actions() {
        return None;
    }

    if acts.is_full {
        let text = format!("only {MAX_EVENT_IDS} act events are compared");
        ctx.skip(&SkipReason::worded(SkipKind::Limit, text));
        return None;
    }

    let mut instants = BTreeSet::new();
    let mut compared = !acts.without_id.is_empty();
    for (index, action) in state.actions().enumerate() {
        let Some(at) = action.stamp(InAction::Timestamp) else {
            continue;
        };
        if action.lacks(InAction::Id) {
            compared = true;
            if !acts.instants.contains(&at.instant) {
                let (number, text) = (index + 1, quote(&at.text));
                let message = format!(
                    "action {number} has no id and is from {text}, but no `act` event is from then"
                );
                let place = format!("/outcomes/actions/{index}/timestamp");
                ctx.at(Place::state(place), message);
            }
        }

        instants.insert(at.instant);
    }

    for (line, _) in acts
        .without_id
        .iter()
        .filter(|(_, instant)| !instants.contains(instant))
    {
        let number = line.number;
        let message =
            format!("the `act` event on line {number} has no id, and no action has its timestamp");
        let draft = Draft::new(Place::event(*line, "/timestamp"), message);
        let actions = Place::state("/outcomes/actions");
        ctx.push(draft.related(actions, "the actions in the state"));
    }

    Compared::when(compared)
}
