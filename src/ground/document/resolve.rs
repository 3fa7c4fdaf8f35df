//! JSON Pointers -> the values and keys that they point to, in one walk over the document.

use std::collections::BTreeMap;

use super::{Document, Key, Node};
use crate::ground::Own;
use crate::ground::source::Pointer;

/// The target of a pointer.
#[derive(Clone, Copy)]
pub(crate) struct Resolved<'a> {
    /// The value.
    pub(crate) value: Node<'a>,
    /// The key of the value, if the value is a member of an object.
    pub(crate) key: Option<Key<'a>>,
}

/// A trie of pointers: those that end at a value, and those that continue below it.
#[derive(Default)]
struct PointerTrie {
    here: Vec<usize>,
    below: BTreeMap<String, PointerTrie>,
}

impl<'a> Document<'a> {
    /// Follows all pointers at once: each object and array on their way is visited once, however
    /// many pointers pass through it. `None` for a pointer to nothing.
    pub(crate) fn resolve<'p>(
        self,
        pointers: impl IntoIterator<Item = &'p Pointer>,
    ) -> Vec<Option<Resolved<'a>>> {
        let mut targets = PointerTrie::default();
        let mut count = 0;
        for (index, pointer) in pointers.into_iter().enumerate() {
            let mut at = &mut targets;
            for token in pointer.tokens() {
                at = at
                    .below
                    .entry(token.into_owned())
                    .or_default();
            }

            at.here.push(index);
            count = index + 1;
        }

        let mut found = vec![None; count];
        targets.walk(self.root(), None, &mut found);
        found
    }
}

impl PointerTrie {
    /// Finds the targets of all pointers at and below a value, which may have a key.
    fn walk<'a>(&self, value: Node<'a>, key: Option<Key<'a>>, found: &mut [Option<Resolved<'a>>]) {
        for index in &self.here {
            *found.own_mut(*index) = Some(Resolved { value, key });
        }

        if self.below.is_empty() {
            return;
        }

        for key in value.members() {
            if let Some(below) = self.below.get(&*key.name()) {
                below.walk(key.value(), Some(key), found);
            }
        }

        let mut left = self.below.len();
        for (index, item) in value.items().enumerate() {
            if left == 0 {
                return;
            }
            if let Some(below) = self.below.get(&index.to_string()) {
                left -= 1;
                below.walk(item, None, found);
            }
        }
    }
}
