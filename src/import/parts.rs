//! The conversations of several files -> those that nobody began, each with the ones that it began.

use std::collections::{BTreeMap, BTreeSet};

use super::conversation::Conversation;

/// The conversation of one file.
pub(super) struct Part {
    pub(super) conversation: Conversation,
    /// The id of the conversation that began it.
    pub(super) parent: Option<String>,
}

/// Puts each conversation that another one began into the first of all that began it. One whose
/// beginner is not there stands alone, with the tag `parent`.
pub(super) fn joined(parts: impl Iterator<Item = Part>) -> Vec<Conversation> {
    let parts: Vec<Part> = parts.collect();
    let ids: BTreeSet<String> = parts
        .iter()
        .map(|part| part.conversation.id.clone())
        .collect();
    let is_begun = |part: &Part| {
        part.parent
            .as_ref()
            .is_some_and(|it| ids.contains(it))
    };

    let (parts, roots): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(is_begun);
    let parents: BTreeMap<String, Option<String>> = parts
        .iter()
        .map(|part| (part.conversation.id.clone(), part.parent.clone()))
        .collect();
    let mut roots: Vec<Conversation> = roots.into_iter().map(alone).collect();

    for part in parts {
        let mut first = part.parent;
        for _ in 0..parents.len() {
            let above = first
                .as_ref()
                .and_then(|first| parents.get(first))
                .cloned();
            first = above.unwrap_or(first);
        }

        let Some(root) = roots
            .iter_mut()
            .find(|it| Some(&it.id) == first.as_ref())
        else {
            continue;
        };

        let id = part.conversation.id.clone();
        root.absorb(&id, part.conversation);
        if !root.parents.contains_key(&id) {
            let call = root.call_that_began(&id);
            root.parents
                .extend(call.map(|call| (id, call)));
        }
    }

    roots
}

fn alone(part: Part) -> Conversation {
    let mut conversation = part.conversation;
    conversation.tag("parent", part.parent.unwrap_or_default());
    conversation
}
