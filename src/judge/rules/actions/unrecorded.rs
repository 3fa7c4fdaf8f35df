//! `actions/unrecorded`: an act event has the id of an action that the state does not have.

use crate::ground::printable::count;
use crate::judge::rule::{
    BuiltIn, Compared, Context, Draft, Level, Lifecycle, Place, Rule, Subject,
};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "actions/unrecorded",
    level: Level::Warning,
    title: "an act event has the id of an action that the state does not have",
    hint: "Record an action for each `act` event with an id, or mark an event for which nothing was done with `synthetic`.",
    page: include_str!("unrecorded.md"),
    check,
})
.applies_to(Subject::EndedRuns);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, timeline) = (ctx.state()?, ctx.whole_timeline()?);
    let judges = ctx.lifecycle() == Lifecycle::Terminal && state.lists_actions();
    if !judges || timeline.kept.lacks_an_act() {
        return None;
    }

    let Some(unrecorded) = &timeline.kept.unrecorded else {
        return Compared::when(timeline.kept.names_actions(u64::MAX));
    };
    let more = match unrecorded.lines - 1 {
        0 => String::new(),
        others => format!("; the same is true of {}", count(others, "more event")),
    };

    let (first, id) = (unrecorded.first, &unrecorded.id);
    let line = first.number;
    let message = format!(
        "the `act` event on line {line} has the id {id}, but no action in the state has it{more}"
    );
    let place = Place::event(first, format!("/payload/{}", unrecorded.key));
    let draft = Draft::new(place, message).besides(&unrecorded.lines);
    let related = Place::state("/outcomes/actions");
    ctx.push(draft.related(related, "the actions in the state"));

    Some(Compared)
}
