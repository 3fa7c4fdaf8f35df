//! `actions/mirror`: an action does not mirror its act event.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Listener, Stage, StateFacts, TimelineFacts, Topic, Unlike, Why};
use crate::finding::Level;
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::{Artifact, Place, Pointer};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "actions/mirror",
    level: Level::Error,
    title: "an action does not mirror its act event",
    hint: "Copy the fields of the action from the payload of its `act` event, and `timestamp` from that event.",
    page: include_str!("mirror.md"),
    check: Check::StateTimeline(check),
})
.needs(&[Need::WholeTimeline, Need::Reach])
.follows_from(&["act", "phase", "action_id", "step_id", "timestamp"]);

fn check(
    _: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    _: &Stage<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    let Some(reach) = timeline.reach() else {
        return Compared::Nothing;
    };
    let compared = Compared::when(timeline.has_mirrored(&reach));
    if !reach.may_differ(Topic::Actions) {
        return compared;
    }
    let left = findings.left_to_list();
    let mut push = |unlike| findings.push(draft(unlike));
    let mut differences = Listener::new(left, &mut push);
    timeline.mirror(&reach, &mut differences);
    let rest = differences.rest();
    findings.more(rest);
    compared
}

fn draft(unlike: Unlike) -> Draft {
    let (place, id) = (
        Pointer::new("/outcomes/actions").item(unlike.index),
        unlike.id,
    );
    let (line, difference) = match unlike.why {
        Why::NoEvent => {
            return Draft::new(
                Place::value(Artifact::State, place.field("id")),
                format!("the action has the id {id}, but no `act` event has it"),
            );
        }
        Why::Differs(line, difference) => (line, difference),
    };
    let (action, event) = (difference.action, difference.event);
    let message = format!(
        "`{}` of the action {id} is {}, but {} in its `act` event on line {}",
        brief(&difference.field),
        action.shown,
        event.shown,
        line.number
    );
    let draft = Draft::new(Place::value(Artifact::State, action.pointer), message);
    let place = Place::event(line, event.pointer.as_str());
    draft.related(place, "the `act` event")
}
