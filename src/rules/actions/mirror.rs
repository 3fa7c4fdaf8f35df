//! `actions/mirror`: an action does not mirror its act event.

use crate::facts::{Stage, StateFacts, TimelineFacts, Why};
use crate::finding::{Level, RuleInfo, SkipKind, SkipReason};
use crate::printable::brief;
use crate::rule::{Check, Draft, Findings, Need, Rule};
use crate::source::{Artifact, Place, Pointer};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "actions/mirror",
        level: Level::Error,
        title: "an action does not mirror its act event",
        hint: "Copy the fields of the action from the payload of its `act` event, and `timestamp` from that event.",
        page: include_str!("mirror.md"),
    },
    check: Check::StateTimeline(check),
    reads: &[],
    needs: &[Need::WholeTimeline, Need::Reach],
};

fn check(
    state: StateFacts<'_>,
    timeline: &TimelineFacts<'_>,
    at: &Stage<'_>,
    findings: &mut Findings<'_>,
) {
    let Some(reach) = at.reach else { return };
    if !timeline.names_actions(reach) {
        return;
    }
    timeline.mirror(state, reach, &mut |unlike| {
        let (action, id) = (
            Pointer::new("/outcomes/actions").item(unlike.index),
            unlike.id,
        );
        let (line, difference) = match unlike.why {
            Why::NoEvent => {
                return findings.at(
                    Place::value(Artifact::State, action.field("id")),
                    format!("the action has the id {id}, but no `act` event has it"),
                );
            }
            Why::Unread => return findings.skip(&UNREAD),
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
        findings.push(draft.related(place, "the `act` event"));
    });
}

/// Why an action may be unjudged.
const UNREAD: SkipReason = SkipReason::new(
    SkipKind::Unreadable,
    "a line of events.jsonl can't be read again",
);
