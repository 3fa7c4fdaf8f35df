//! `actions/mirror`: an action does not mirror its act event.

use crate::ground::printable::brief;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Pointer, Rule};
use crate::reading::facts::{Topic, Unlike};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "actions/mirror",
    level: Level::Error,
    title: "an action does not mirror its act event",
    hint: "Copy the fields of the action from the payload of its `act` event, and `timestamp` from that event.",
    page: include_str!("mirror.md"),
    check,
})
.follows_from(&["act", "phase", "action_id", "step_id", "timestamp"]);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.state()?;
    let (timeline, reach) = ctx.reach()?;
    if reach.may_differ(Topic::Actions) {
        ctx.differences(draft, |differences| timeline.mirror(&reach, differences));
    }
    Compared::when(timeline.has_mirrored(&reach))
}

fn draft(unlike: Unlike) -> Draft {
    let Unlike {
        index,
        id,
        difference,
    } = unlike;
    let Some(difference) = difference else {
        let id_at = Pointer::new("/outcomes/actions").item(index).field("id");
        let message = format!("the action has the id {id}, but no `act` event has it");
        return Draft::new(Place::state(id_at), message);
    };
    let ((at, in_action), (event_at, in_event)) = (difference.action, difference.event);
    let (field, line) = (brief(&difference.field), difference.line);
    let message = format!(
        "`{field}` of the action {id} is {in_action}, but {in_event} in its `act` event on line {}",
        line.number
    );
    let draft = Draft::new(Place::state(at), message);
    draft.related(Place::event(line, event_at), "the `act` event")
}
