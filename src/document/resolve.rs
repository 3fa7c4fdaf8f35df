//! JSON Pointers -> the values and keys that they point to, in one walk over the document.

use std::collections::BTreeMap;

use super::{Document, Key, Kind, Node};
use crate::source::Pointer;

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
                at = at.below.entry(token.into_owned()).or_default();
            }
            at.here.push(index);
            count = index + 1;
        }
        let mut found = vec![None; count];
        walk(
            Resolved {
                value: self.root(),
                key: None,
            },
            &targets,
            &mut found,
        );
        found
    }
}

fn walk<'a>(at: Resolved<'a>, targets: &PointerTrie, found: &mut [Option<Resolved<'a>>]) {
    for index in &targets.here {
        if let Some(slot) = found.get_mut(*index) {
            *slot = Some(at);
        }
    }
    match at.value.kind() {
        _ if targets.below.is_empty() => {}
        Kind::Object => {
            for key in at.value.members() {
                if let Some(below) = targets.below.get(&*key.name()) {
                    walk(
                        Resolved {
                            value: key.value(),
                            key: Some(key),
                        },
                        below,
                        found,
                    );
                }
            }
        }
        Kind::Array => {
            let mut indices: Vec<(usize, &PointerTrie)> = targets
                .below
                .iter()
                .filter_map(|(token, below)| Some((token.parse().ok()?, below)))
                .collect();
            indices.sort_by_key(|(index, _)| *index);
            let mut indices = indices.into_iter().peekable();
            for (index, item) in at.value.items().enumerate() {
                while let Some((_, below)) = indices.next_if(|(targets, _)| *targets == index) {
                    walk(
                        Resolved {
                            value: item,
                            key: None,
                        },
                        below,
                        found,
                    );
                }
                if indices.peek().is_none() {
                    break;
                }
            }
        }
        _ => {}
    }
}
