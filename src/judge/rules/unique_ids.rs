//! Items of the state -> a finding for each that has the id of an earlier one.

use std::collections::BTreeMap;

use crate::ground::printable::quote;
use crate::judge::rule::{Compared, Context, Draft, Place, Pointer};
use crate::reading::facts::{RowItem, Slot, repeats};

/// Reports the items of a list, each a `what`, whose ids are not unique.
pub(super) fn report<'a>(
    ctx: &mut Context<'_>,
    what: &str,
    list: &str,
    (items, id): (impl Iterator<Item = RowItem<'a>> + Clone, impl Slot),
) -> Option<Compared> {
    let mut ids = items
        .enumerate()
        .filter_map(|(index, item)| Some((index, item.text(id)?)));
    if !repeats(ids.clone().map(|(_, id)| id)) {
        return Compared::when(ids.next().is_some());
    }

    let place = |index| {
        Place::state(
            Pointer::new(list)
                .item(index)
                .field("id"),
        )
    };

    let mut first_with = BTreeMap::new();
    for (index, id) in ids {
        let first = *first_with
            .entry(id.clone())
            .or_insert(index);
        if first != index {
            let (number, earlier, shown) = (index + 1, first + 1, quote(&id));
            let message =
                format!("{what} {number} has the id {shown}, which {what} {earlier} already has");
            let related = format!("the first {what} with this id");
            ctx.push(Draft::new(place(index), message).related(place(first), related));
        }
    }

    Some(Compared)
}
