//! `actions/unrecorded`: an act event has the id of an action that the state does not have.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Stage, StateFacts, TimelineFacts};
use crate::finding::{Level, Lifecycle};
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::{Place, Pointer};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "actions/unrecorded",
    level: Level::Warning,
    title: "an act event has the id of an action that the state does not have",
    hint: "Record an action for each `act` event with an id, or mark an event for which nothing was done with `synthetic`.",
    page: include_str!("unrecorded.md"),
    check: Check::StateTimeline(check),
})
.needs(&[Need::WholeTimeline]);

fn check(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    at: &Stage<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    let judges = at.lifecycle == Lifecycle::Terminal && state.lists_actions();
    if !judges || timeline.lacks_an_act() {
        return Compared::Nothing;
    }
    let Some(unrecorded) = &timeline.unrecorded else {
        return Compared::when(timeline.names_actions(u64::MAX));
    };
    let more = match unrecorded.lines - 1 {
        0 => String::new(),
        1 => "; the same is true of 1 more event".into(),
        others => format!("; the same is true of {others} more events"),
    };
    let message = format!(
        "the `act` event on line {} has the id {}, but no action in the state has it{more}",
        unrecorded.first.number, unrecorded.id
    );
    let place = Pointer::new("/payload").field(unrecorded.key);
    let draft = Draft::new(Place::event(unrecorded.first, place.as_str()), message);
    let draft = draft.besides(&unrecorded.lines);
    let related = Place::state("/outcomes/actions");
    findings.push(draft.related(related, "the actions in the state"));
    Compared::Something
}
