//! Rules of the group `actions`: actions and their `act` events belong together.

pub(super) mod content;
pub(super) mod ids;
pub(super) mod mirror;
pub(super) mod unrecorded;

use crate::ground::printable::brief;
use crate::judge::rule::{Draft, Place, Pointer};
use crate::reading::facts::Unlike;

/// Words a difference between an action and its act event.
fn unlike(unlike: Unlike) -> Draft {
    let Unlike {
        index,
        id,
        difference,
    } = unlike;
    let Some(difference) = difference else {
        let id_at = Pointer::new("/outcomes/actions")
            .item(index)
            .field("id");
        let message = format!("the action has the id {id}, but no `act` event has it");
        return Draft::new(Place::state(id_at), message);
    };

    let ((at, in_action), (event_at, in_event)) = (difference.action, difference.event);
    let (field, line) = (brief(&difference.field), difference.line);
    let message = format!(
        "`{field}` of the action {id} is {in_action}, but {in_event} in its `act` event on line {}",
        line.number
    );

    Draft::new(Place::state(at), message).related(Place::event(line, event_at), "the `act` event")
}
