//! What selectors want of the values of an event -> the parts of its text that are looked for.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::{EventKey, EventView, KeyTest};
use crate::ground::document::has_escaped_ascii;
use crate::ground::select::{KeyPath, Named, SelectorValue, Wanted};
use crate::reading::facts::event_slot;

impl KeyTest {
    /// Returns whether it names an event by the values at any depth that a path leads to.
    pub(super) fn names_deep(&self, path: &KeyPath, event: &EventView<'_>) -> Named {
        if let Some(sieve) = &self.sieve
            && !event.has_shortened
            && !sieve.may_pass(event.event.text())
        {
            return Named::No;
        }

        // Nobody can tell where there is no memory for the tape.
        event
            .root()
            .map_or(Named::Unjudged, |root| self.wanted.names_deep(path, root).0)
    }
}

/// Parts of texts: an event whose values at any depth include such a text has one of them in its
/// own text, unless it is written with escapes.
#[derive(Debug)]
pub(super) struct Sieve(Vec<Finder<'static>>);

impl Sieve {
    pub(super) fn new(wanted: &Wanted) -> Option<Self> {
        let Wanted::OneOf(values) = wanted else {
            return None;
        };
        let finder = |value: &SelectorValue| match value {
            SelectorValue::Text(glob) => {
                let part = glob.longest_part();
                let may_be_other = |c: char| !c.is_ascii() || c.is_control() || "\"\\/".contains(c);
                let is_plain = !part.is_empty() && !part.contains(may_be_other);
                is_plain.then(|| Finder::new(part).into_owned())
            }
            SelectorValue::Number(_) | SelectorValue::Boolean(_) => None,
        };

        values
            .items
            .iter()
            .map(finder)
            .collect::<Option<_>>()
            .map(Self)
    }

    /// Returns `false` if no value of an event without shortened ones is named.
    pub(super) fn may_pass(&self, event: &str) -> bool {
        let event = event.as_bytes();
        self.0
            .iter()
            .any(|part| part.find(event).is_some())
            || has_escaped_ascii(event, b'2'..=b'7')
    }
}

impl EventKey {
    pub(super) fn new(path: &KeyPath) -> Self {
        let tokens = path.tokens();
        let kept = (1..=tokens.len())
            .rev()
            .find_map(|length| {
                let slot = event_slot(path.first(length).pointer().as_str())?;
                Some((length, slot))
            });
        let length = kept.map_or(0, |(length, _)| length);
        // The index of an item is no key.
        let is_plain_key = |key: &&str| {
            let may_be_other = |c: char| c.is_control() || "\"\\/".contains(c);
            !key.contains(may_be_other) && key.contains(|c: char| !c.is_ascii_digit())
        };

        let next = tokens
            .get(length)
            .map(|key| &**key)
            .filter(is_plain_key);

        Self {
            next: next.map(|key| Finder::new(&format!("\"{key}\"")).into_owned()),
            is_plain: path.first(length).pointer().as_str() == "/payload",
            is_deep: path.is_deep(),
            path: path.clone(),
            kept,
            is_at_hand: kept.is_some_and(|_| length == tokens.len()),
        }
    }

    /// Returns `false` if the value that is kept surely has no member with the next token.
    pub(super) fn may_lead_into(&self, kept: &[u8]) -> bool {
        self.next.as_ref().is_none_or(|next| {
            static ESCAPE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(r"\u"));
            let may_be_escaped = || !self.is_plain && ESCAPE.find(kept).is_some();
            next.find(kept).is_some() || may_be_escaped()
        })
    }
}
