//! An object or array -> its members or items by name, found in a time that does not grow with
//! their number, and in little memory: there may be millions.

use std::borrow::Cow;

use super::{Document, Key, Kind, Node};

/// The number of members up to which trying one after the other is fastest.
const FEW: usize = 16;

/// The members of an object, to be found by name many times.
pub(crate) enum Index<'a> {
    Few(Node<'a>),
    /// With their keys, sorted.
    Many(Node<'a>, Box<[u32]>),
}

impl<'a> Node<'a> {
    /// The members of an object by name; nothing for any other value.
    pub(crate) fn index_members(self) -> Index<'a> {
        if self.members().nth(FEW).is_none() {
            return Index::Few(self);
        }
        Index::Many(self, self.sorted_keys())
    }

    /// The keys of an object, sorted by name: their indices on the tape.
    pub(super) fn sorted_keys(self) -> Box<[u32]> {
        let mut keys: Box<[u32]> = self.members().map(Key::index).collect();
        keys.sort_unstable_by(|a, b| self.key_at(*a).name().cmp(&self.key_at(*b).name()));
        keys
    }
}

impl<'a> Index<'a> {
    /// The value under a key, as [`Node::get`] finds it.
    pub(crate) fn get(&self, name: &str) -> Option<Node<'a>> {
        match self {
            Self::Few(node) => node.get(name),
            Self::Many(node, keys) => {
                let found = keys.binary_search_by(|key| (*node.key_at(*key).name()).cmp(name));
                let key = keys.get(found.ok()?)?;
                Some(node.key_at(*key).value())
            }
        }
    }
}

/// Items that have a name, sorted by it.
pub(crate) struct Named<'a> {
    document: Option<Document<'a>>,
    items: Box<[NamedItem]>,
}

/// An item by its place, and where it and its name are on the tape.
#[derive(Clone, Copy)]
struct NamedItem {
    place: u32,
    item: u32,
    name: u32,
}

impl<'a> Named<'a> {
    /// Sorts items, each with its name, that are in the order of their places. One whose name is
    /// not a text is left out.
    pub(crate) fn new(items: impl Iterator<Item = (Node<'a>, Option<Node<'a>>)>) -> Self {
        let mut document = None;
        let items = (0..).zip(items).filter_map(|(place, (item, name))| {
            document = Some(item.document());
            Some(NamedItem {
                place,
                item: item.index(),
                name: name.filter(|name| name.kind() == Kind::String)?.index(),
            })
        });
        let items = items.collect();
        let mut named = Self { document, items };
        let mut items = std::mem::take(&mut named.items);
        items.sort_unstable_by(|a, b| {
            let by_name = named.name(*a).cmp(&named.name(*b));
            by_name.then(a.place.cmp(&b.place))
        });
        Self { items, ..named }
    }

    fn name(&self, item: NamedItem) -> Cow<'a, str> {
        let node = self
            .document
            .and_then(|document| document.node_at(item.name));
        node.and_then(Node::text).unwrap_or_default()
    }

    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = Cow<'a, str>> {
        self.items.iter().map(|item| self.name(*item))
    }

    /// The items by name, and those of one name by place: each with its name and its place.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Cow<'a, str>, usize, Node<'a>)> {
        self.items.iter().filter_map(|item| {
            let node = self.document?.node_at(item.item)?;
            Some((self.name(*item), item.place as usize, node))
        })
    }
}
