//! A document -> its repeated keys, each with the earlier key and its pointer.

use super::{Document, Key, Kind, Node, OwnedDocument};
use crate::ground::source::Pointer;

/// A key that repeats an earlier one of the same object.
pub(crate) struct Repeated<'p, 'a> {
    pub(crate) key: Key<'a>,
    pub(crate) earlier: Key<'a>,
    object: Path<'p>,
}

/// The path to a value as a linked list on the stack, because most walks never need a pointer.
#[derive(Clone, Copy)]
pub(crate) enum Path<'p> {
    Root,
    Field(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl Path<'_> {
    pub(crate) fn pointer(self) -> Pointer {
        match self {
            Self::Root => Pointer::default(),
            Self::Field(above, name) => above.pointer().field(name),
            Self::Item(above, index) => above.pointer().item(index),
        }
    }
}

impl Repeated<'_, '_> {
    pub(crate) fn pointer(&self) -> Pointer {
        self.object
            .pointer()
            .field(&self.key.name())
    }
}

/// The number of repeated keys that are listed: a hostile text has millions.
const MAX_DUPLICATES: usize = 10_000;

impl OwnedDocument {
    /// Returns JSON Pointers to the keys that repeat an earlier one of their object, in the order
    /// of the text; the first 10,000 of them.
    ///
    /// ```
    /// use runvet::document::OwnedDocument;
    /// let text = br#"{"a": [{"b": 1, "b": 2}], "a": 3}"#;
    /// let document = OwnedDocument::read(text.to_vec()).unwrap();
    /// assert_eq!(document.duplicates(), ["/a/0/b", "/a"]);
    /// ```
    #[must_use]
    pub fn duplicates(&self) -> Vec<String> {
        let mut pointers = Vec::new();
        self.view()
            .for_each_repeated_key(|repeated| {
                if pointers.len() < MAX_DUPLICATES {
                    pointers.push(repeated.pointer().as_str().to_owned());
                }
            });

        pointers
    }
}

impl<'a> Document<'a> {
    /// Calls `found` with every repeated key, in the order of the text, in one walk.
    pub(crate) fn for_each_repeated_key(self, mut found: impl FnMut(&Repeated<'_, 'a>)) {
        walk(self.root(), Path::Root, &mut found);
    }
}

fn walk<'a>(node: Node<'a>, at: Path<'_>, found: &mut impl FnMut(&Repeated<'_, 'a>)) {
    let duplicates = &node.document.tape.duplicates;
    let first = duplicates.partition_point(|(key, _)| *key < node.index());
    if duplicates
        .get(first)
        .is_none_or(|(key, _)| *key >= node.end_index())
    {
        return;
    }

    match node.kind() {
        Kind::Object => {
            for key in node.all_members() {
                let repeats = duplicates
                    .binary_search_by_key(&key.index(), |(key, _)| *key)
                    .ok()
                    .and_then(|at| duplicates.get(at));
                if let Some((_, earlier)) = repeats {
                    let earlier = key.sibling(*earlier);
                    let object = at;
                    found(&Repeated {
                        key,
                        earlier,
                        object,
                    });
                }

                walk(key.value(), Path::Field(&at, &key.name()), found);
            }
        }
        Kind::Array => {
            for (index, item) in node.items().enumerate() {
                walk(item, Path::Item(&at, index), found);
            }
        }
        _ => {}
    }
}
