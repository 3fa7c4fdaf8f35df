//! Items of the state -> a finding for each that has the id of an earlier one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::facts::{Value, repeats};
use crate::printable::quote;
use crate::rule::{Compared, Context, Draft, Place, Pointer};

/// Reports the items of a list, each a `what`, whose ids are not unique.
pub(super) fn report<'a>(
    ctx: &mut Context<'_>,
    what: &str,
    list: &str,
    items: impl Iterator<Item = Value<'a>> + Clone,
) -> Option<Compared> {
    let items = items.enumerate();
    let mut ids = items.filter_map(|(index, item)| Some((index, item.text(&["id"])?)));
    if !repeats(ids.clone().map(|(_, id)| id)) {
        return Compared::when(ids.next().is_some());
    }
    let place = |index| Place::state(Pointer::new(list).item(index).field("id"));
    let mut first_with = BTreeMap::new();
    for (index, id) in ids {
        match first_with.entry(id) {
            Entry::Vacant(first) => {
                first.insert(index);
            }
            Entry::Occupied(first) => {
                let shown = quote(first.key());
                let message = format!(
                    "{what} {} has the id {shown}, which {what} {} already has",
                    index + 1,
                    first.get() + 1
                );
                let draft = Draft::new(place(index), message);
                let related = format!("the first {what} with this id");
                ctx.push(draft.related(place(*first.get()), related));
            }
        }
    }
    Some(Compared)
}
