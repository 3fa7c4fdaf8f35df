//! A document -> its repeated keys, each with the earlier key and its pointer.

use std::borrow::Cow;

use super::{Document, Key, Kind, Node, OwnedDocument};
use crate::source::Pointer;

/// A key that repeats an earlier one of the same object.
pub(crate) struct Repeated<'p, 'a> {
    pub(crate) key: Key<'a>,
    pub(crate) earlier: Key<'a>,
    path: &'p [RepeatStep<'a>],
}

enum RepeatStep<'a> {
    Field(Cow<'a, str>),
    Item(usize),
}

impl Repeated<'_, '_> {
    pub(crate) fn pointer(&self) -> Pointer {
        let to_the_object = self
            .path
            .iter()
            .fold(Pointer::default(), |pointer, step| match step {
                RepeatStep::Field(name) => pointer.field(name),
                RepeatStep::Item(index) => pointer.item(*index),
            });
        to_the_object.field(&self.key.name())
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
        self.view().for_each_repeated_key(|repeated| {
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
        walk(self.root(), &mut Vec::new(), &mut found);
    }
}

fn walk<'a>(
    node: Node<'a>,
    path: &mut Vec<RepeatStep<'a>>,
    found: &mut impl FnMut(&Repeated<'_, 'a>),
) {
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
                let repeats = duplicates.binary_search_by_key(&key.index(), |(key, _)| *key);
                let repeats = repeats.ok().and_then(|at| duplicates.get(at));
                if let Some((_, earlier)) = repeats {
                    let earlier = key.sibling(*earlier);
                    found(&Repeated { key, earlier, path });
                }
                path.push(RepeatStep::Field(key.name()));
                walk(key.value(), path, found);
                path.pop();
            }
        }
        Kind::Array => {
            for (index, item) in node.items().enumerate() {
                path.push(RepeatStep::Item(index));
                walk(item, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}
