//! What selectors want of the values of an event -> the parts of its text that are looked for.

use std::sync::{LazyLock, OnceLock};

use memchr::memmem::Finder;
use regex::{Regex, escape};

use super::{EventKey, EventView, Kept, KeyTest};
use crate::ground::document::EXTENSION;
use crate::ground::select::{KeyPath, Named, SelectorValue, Wanted, key_words};
use crate::reading::facts::{EventFacts, Value, event_slot};

impl KeyTest {
    /// Returns whether it names an event by the values at any depth that a path leads to.
    pub(super) fn names_deep(&self, path: &KeyPath, event: &EventView<'_>) -> Named {
        if self.has_suspects && !event.is_suspect {
            return Named::No;
        }

        // Nobody can tell where there is no memory for the tape.
        event
            .root()
            .map_or(Named::Unjudged, |root| self.wanted.names_deep(path, root).0)
    }
}

/// Parts of texts that few events have, all of which are looked for in one pass.
///
/// An event without them has no shortened values, and none at any depth that a selector names by
/// texts.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    /// The parts, as patterns.
    parts: Vec<String>,
    pattern: OnceLock<Option<Regex>>,
}

impl Suspects {
    /// Adds what events have in them that are named by values at any depth; returns `false` if
    /// that is not known.
    pub(super) fn add(&mut self, wanted: &Wanted) -> bool {
        let Wanted::OneOf(values) = wanted else {
            return false;
        };
        let part = |value: &SelectorValue| match value {
            SelectorValue::Text(glob) => {
                let part = glob.longest_part();
                let may_be_other = |c: char| !c.is_ascii() || c.is_control() || "\"\\/".contains(c);
                let is_plain = !part.is_empty() && !part.contains(may_be_other);
                is_plain.then(|| escape(part))
            }
            SelectorValue::Number(_) | SelectorValue::Boolean(_) => None,
        };

        let parts: Option<Vec<String>> = values.items.iter().map(part).collect();
        let are_known = parts.is_some();
        self.parts
            .extend(parts.unwrap_or_default());
        are_known
    }

    /// Returns `false` if an event has none of them.
    pub(super) fn may_be_in(&self, event: &str) -> bool {
        let pattern = self.pattern.get_or_init(|| {
            // A key of each shortened value, and escapes that stand for ASCII characters.
            let parts = [r#""excerpt""#, r"\\u00[2-7]"];
            let parts: Vec<&str> = self
                .parts
                .iter()
                .map(String::as_str)
                .chain(parts)
                .collect();
            Regex::new(&parts.join("|")).ok()
        });

        pattern
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(event))
    }
}

impl EventKey {
    pub(super) fn new(path: &KeyPath) -> Self {
        let tokens = path.tokens();
        let kept = (1..=tokens.len())
            .rev()
            .find_map(|length| {
                let slot = event_slot(path.first(length).pointer().as_str())?;
                Some((length, Kept::Slot(slot)))
            });
        let kept = match tokens {
            [payload, key, ..] if &**payload == "payload" && key.starts_with(EXTENSION) => {
                Some((2, Kept::Extension))
            }
            _ => kept,
        };
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
            is_word: key_words(false).any(|(_, word)| path.pointer().as_str() == word),
            path: path.clone(),
            kept,
        }
    }

    /// Returns `true` if the values that it leads to are kept.
    pub(super) fn is_at_hand(&self) -> bool {
        self.kept
            .is_some_and(|(length, _)| length == self.path.tokens().len())
    }

    /// Returns the value that is kept of an event.
    pub(super) fn kept_of<'a>(&self, event: EventFacts<'a>, kept: Kept) -> Option<Value<'a>> {
        match kept {
            Kept::Slot(slot) => event.value(slot),
            Kept::Extension => event.extension(self.path.tokens().get(1)?),
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
