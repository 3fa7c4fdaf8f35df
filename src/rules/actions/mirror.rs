//! `actions/mirror`: an action does not mirror its act event.

use crate::document::Tape;
use crate::facts::{Stage, StateFacts, TimelineFacts, Value, show};
use crate::finding::{RuleInfo, Severity};
use crate::printable::brief;
use crate::rule::{Check, Draft, Findings, Need, Rule};
use crate::source::{Artifact, Place, Pointer};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "actions/mirror",
        severity: Severity::Error,
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
    let mut tape = Tape::default();
    for (index, action) in state.actions().enumerate() {
        let Some(id) = action.get("id").map(Value::node).filter(|id| !id.is_null()) else {
            continue;
        };
        let Some(mirror) = timeline.mirror(reach, index, action, &mut tape) else {
            let pointer = Pointer::new("/outcomes/actions").item(index).field("id");
            findings.at(
                Place::value(Artifact::State, pointer),
                format!(
                    "the action has the id {}, but no `act` event has it",
                    show(id)
                ),
            );
            continue;
        };
        for difference in &mirror.differences {
            let (field, action, event) = (&difference.field, &difference.action, &difference.event);
            let message = format!(
                "`{}` of the action {} is {}, but {} in its `act` event on line {}",
                brief(field),
                show(id),
                action.shown,
                event.shown,
                mirror.line.number
            );
            let draft = Draft::new(
                Place::value(Artifact::State, action.pointer.clone()),
                message,
            );
            findings.push(draft.related(
                Place::event(mirror.line, event.pointer.as_str()),
                "the `act` event",
            ));
        }
    }
}
