//! An event, and the keys that declarations ask for -> the values there.

use std::sync::atomic::Ordering;

use super::{EventKey, EventText, EventView};
use crate::ground::Own;
use crate::ground::digest::Digest;
use crate::ground::document::{Node, OwnedDocument, Span, push_canonical};
use crate::ground::select::{KeyPath, Look, Named, Written};
use crate::ground::shortened::{Mark, shortened_in};
use crate::ground::timestamp::{Instant, Timestamp};
use crate::policy::expression::Record;

/// The length of an event in bytes from which its tape is made at once: there may be no memory for
/// it.
pub(super) const LARGE: usize = 1 << 16;

/// The number of values that are searched for in the text of an event.
pub(super) const MAX_SEARCHES: usize = 16;

impl<'a> EventText<'a> {
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Parsed(root) => root.document().text(),
            Self::Read(event) => event.written(),
        }
    }
}

impl<'a> EventView<'a> {
    /// Returns the value that a key leads to, unless it is shortened, or in one that is.
    pub(in crate::policy::team) fn value(&self, key: usize) -> Option<Written<'a>> {
        match self.look(key) {
            Look::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Returns what a key leads to.
    pub(in crate::policy::team) fn look(&self, key: usize) -> Look<Written<'a>> {
        if !self.has_shortened {
            return self
                .written(key)
                .map_or(Look::Nowhere, Look::Value);
        }

        let path = &self.index.keys.own(key).path;
        let text = self.event.text();

        self.root()
            .map_or(Look::Nowhere, |root| {
                path.look(root).map(|node| Written {
                    text,
                    span: node.into(),
                })
            })
    }

    /// Returns the value that a key leads to, in an event without shortened values.
    pub(super) fn written(&self, key: usize) -> Option<Written<'a>> {
        let text = self.event.text();
        let key = self.index.keys.own(key);
        let span = match (self.event, key.kept) {
            (EventText::Read(event), Some((_, kept))) if key.is_at_hand() => {
                key.kept_of(event, kept)?.span()
            }
            (EventText::Read(event), kept) => {
                let (length, around) = match kept {
                    Some((length, kept)) => (length, key.kept_of(event, kept)?),
                    None => (0, event.root()),
                };
                if !key.may_lead_into(around.raw().as_bytes()) {
                    return None;
                }
                self.search(key, length, around.span().start() as usize)?
            }
            (EventText::Parsed(root), _) => key.path.of(root)?.into(),
        };

        span.is_present()
            .then_some(Written { text, span })
    }

    /// Returns where the value is that the tokens of a key after some lead to, in the value that
    /// starts at a place. Where many are searched for, a tape takes less time.
    pub(super) fn search(&self, key: &EventKey, after: usize, start: usize) -> Option<Span> {
        if self
            .searches
            .fetch_add(1, Ordering::Relaxed)
            < MAX_SEARCHES
        {
            return Some(
                key.path
                    .in_text(after, self.event.text(), start),
            );
        }

        Some(key.path.of(self.root()?)?.into())
    }

    /// Returns the same on the tape, also where it is shortened, or else the shortened value that
    /// it is in, with the number of tokens that lead there.
    pub(in crate::policy::team) fn node_at(&self, key: usize) -> Option<(Node<'a>, usize)> {
        let path = &self.index.keys.own(key).path;
        let passed = match self.look(key) {
            Look::Nowhere => return None,
            Look::Shortened { passed } => passed,
            Look::Value(_) => path.tokens().len(),
        };

        Some((path.first(passed).of(self.root()?)?, passed))
    }

    /// Returns `true` if a selector may name it.
    pub(in crate::policy::team) fn is_named_at_all(&self) -> bool {
        self.named
            .iter()
            .any(|named| *named != Named::No)
    }

    /// Returns `true` if it can be judged as it is: there is memory for its tape, and no file has
    /// more of its values.
    pub(crate) fn is_readable(&self) -> bool {
        !self.has_shortened && (self.text().len() < LARGE || self.root().is_some())
    }

    /// Returns the whole event; `None` where there is no memory for its tape.
    pub(in crate::policy::team) fn root(&self) -> Option<Node<'a>> {
        match self.event {
            EventText::Parsed(root) => Some(root),
            EventText::Read(event) => event.node(),
        }
    }

    /// Returns the digest of the values by which events are grouped; `None` where one is absent.
    /// Two events have the same one only if their values are equal, one by one.
    pub(in crate::policy::team) fn group(&self, place: usize) -> Option<Digest> {
        let (known, group) = self
            .group
            .get_or_init(|| (place, self.grouped(place)));
        if *known == place {
            *group
        } else {
            self.grouped(place)
        }
    }

    pub(super) fn grouped(&self, place: usize) -> Option<Digest> {
        let keys = self.index.groups.own(place);
        if keys.is_empty() {
            return None;
        }

        let mut form = Vec::with_capacity(256);

        for key in keys {
            if self.has_shortened {
                let text = self.with_digests(*key)?;
                push_canonical(&text, 0, &mut form)?;
            } else {
                let start = self.value(*key)?.span.start() as usize;
                push_canonical(self.event.text(), start, &mut form)?;
            }
            form.push(b',');
        }

        Some(Digest::by_secret(&form))
    }

    /// Returns the value that a key leads to, with the digests of the shortened values in it in
    /// place of these; `None` where there is none, or it is in a shortened one.
    pub(super) fn with_digests(&self, key: usize) -> Option<String> {
        let (value, passed) = self.node_at(key)?;
        if passed
            < self
                .index
                .keys
                .own(key)
                .path
                .tokens()
                .len()
        {
            return None;
        }

        let (start, mut end) = (value.span().start, value.span().start);
        let mut text = String::new();
        for shortened in shortened_in(value) {
            let span = shortened.span();
            text.push_str(
                value
                    .raw()
                    .get(end - start..span.start - start)?,
            );

            // No record has this value in its place: a key that is a control character.
            let digest = Mark::of(shortened)?
                .sha256
                .to_ascii_lowercase();
            text.extend([r#"{"\u0000":""#, &digest, r#""}"#]);
            end = span.end;
        }

        text.push_str(value.raw().get(end - start..)?);
        Some(text)
    }

    /// Returns the digest of what the values by which events are grouped mean, as findings keep it;
    /// `None` where one is absent.
    pub(in crate::policy::team) fn meaning(&self, place: usize) -> Option<Digest> {
        let mut digests = self
            .index
            .groups
            .own(place)
            .iter()
            .map(|key| {
                if self.has_shortened {
                    let text = OwnedDocument::read(self.with_digests(*key)?.into_bytes()).ok()?;
                    return Some(text.root().meaning());
                }
                Some(self.node_at(*key)?.0.meaning())
            });
        let first = digests.next()??;

        digests.try_fold(first, |before, next| {
            Some(Digest::of([before.bytes(), next?.bytes()]))
        })
    }

    /// Returns whether the keys of a selector name it.
    pub(super) fn named(&self, selector: usize) -> Named {
        *self.named.own(selector)
    }

    /// Returns the instant at which it happened; the key is that of its timestamp.
    pub(in crate::policy::team) fn time(&self, key: usize) -> Option<Instant> {
        let read = || Some(Timestamp::parse(&self.value(key)?.string()?)?.exact());
        self.time.get_or_init(read).clone()
    }

    /// Returns the text that it stands in.
    pub(in crate::policy::team) fn text(&self) -> &'a [u8] {
        self.event.text().as_bytes()
    }
}

impl EventView<'_> {
    /// Returns the value at a path, if it is a word.
    pub(super) fn word(&self, path: &KeyPath) -> Option<Written<'_>> {
        let key = *self.index.places.get(path)?;
        let is_word = self.index.keys.get(key)?.is_word;
        self.value(key).filter(|_| is_word)
    }
}

impl Record for EventView<'_> {
    fn node(&self) -> Option<Node<'_>> {
        self.root()
    }

    fn value(&self, path: &KeyPath) -> Option<Written<'_>> {
        self.value(*self.index.places.get(path)?)
    }

    fn bytes(&self) -> usize {
        self.event.text().len()
    }
}
