//! An object -> its members by name, found in a time that does not grow with their number.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Node;

/// The number of members up to which trying one after the other is fastest.
const FEW: usize = 16;

/// The members of an object, to be found by name many times.
pub(crate) enum Index<'a> {
    Few(Node<'a>),
    Many(BTreeMap<Cow<'a, str>, Node<'a>>),
}

impl<'a> Node<'a> {
    /// The members of an object by name; nothing for any other value.
    pub(crate) fn index_members(self) -> Index<'a> {
        if self.members().nth(FEW).is_none() {
            return Index::Few(self);
        }
        Index::Many(
            self.members()
                .map(|key| (key.name(), key.value()))
                .collect(),
        )
    }
}

impl<'a> Index<'a> {
    /// The value under a key, as [`Node::get`] finds it.
    pub(crate) fn get(&self, name: &str) -> Option<Node<'a>> {
        match self {
            Self::Few(node) => node.get(name),
            Self::Many(members) => members.get(name).copied(),
        }
    }
}
