//! A value of a document -> a fact, where its schema allows it.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::digest::Digest;
use crate::document::{Document, Kind, Node, Number, Tape};
use crate::printable::{brief_json, quote};
use crate::timestamp::Timestamp;

/// A value of a record, with the schema violations in that record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    node: Node<'a>,
    /// The tokens that the schema refuses, ascending.
    refused: &'a [u32],
}

impl<'a> Value<'a> {
    pub(crate) fn root(document: Document<'a>, refused: &'a [u32]) -> Self {
        Self {
            node: document.root(),
            refused,
        }
    }

    /// The value itself, fact or not.
    pub(crate) fn node(self) -> Node<'a> {
        self.node
    }

    /// Whether nothing in the value violates its schema.
    pub(crate) fn is_fact(self) -> bool {
        if self.refused.is_empty() {
            return true;
        }
        let first = self
            .refused
            .partition_point(|token| *token < self.node.index());
        self.refused
            .get(first)
            .is_none_or(|token| *token >= self.node.end_index())
    }

    /// The value under a key, fact or not.
    pub(crate) fn get(self, key: &str) -> Option<Self> {
        Some(self.with(self.node.get(key)?))
    }

    /// The value at the end of a path of keys, fact or not.
    pub(crate) fn at(self, path: &[&str]) -> Option<Self> {
        Some(self.with(self.node.at(path)?))
    }

    /// The fact at the end of a path of keys.
    pub(crate) fn fact(self, path: &[&str]) -> Option<Self> {
        self.at(path).filter(|value| value.is_fact())
    }

    /// The fact at the end of a path, if it is a text.
    pub(crate) fn text(self, path: &[&str]) -> Option<Cow<'a, str>> {
        self.fact(path)?.node.text()
    }

    /// The fact at the end of a path, if it is a number.
    pub(crate) fn number(self, path: &[&str]) -> Option<Number<'a>> {
        self.fact(path)?.node.number()
    }

    /// The fact at the end of a path, if it is an instant.
    pub(crate) fn stamp(self, path: &[&str]) -> Option<Stamp<'a>> {
        Stamp::of(self.text(path)?)
    }

    /// The items of an array, facts or not.
    pub(crate) fn items(self) -> impl Iterator<Item = Self> + Clone {
        self.node.items().map(move |item| self.with(item))
    }

    /// The members of an object, facts or not.
    pub(crate) fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Self)> {
        self.node
            .members()
            .map(move |key| (key.name(), self.with(key.value())))
    }

    /// The value at an index of the same tape.
    pub(crate) fn at_index(self, index: u32) -> Self {
        self.with(self.node.at_index(index))
    }

    /// A node of the same document as a value.
    pub(crate) fn with(self, node: Node<'a>) -> Self {
        Self {
            node,
            refused: self.refused,
        }
    }
}

/// The value exists, but its schema does not allow it.
#[derive(Debug)]
pub(crate) struct NotAFact;

/// An instant, with the text that the record has for it.
#[derive(Clone, Debug)]
pub(crate) struct Stamp<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) instant: Timestamp,
}

impl Stamp<'_> {
    pub(super) fn into_owned(self) -> Stamp<'static> {
        Stamp {
            text: Cow::Owned(self.text.into_owned()),
            instant: self.instant,
        }
    }
}

impl<'a> Stamp<'a> {
    pub(crate) fn of(text: Cow<'a, str>) -> Option<Self> {
        Some(Self {
            instant: Timestamp::parse(&text)?,
            text,
        })
    }
}

/// A value of an event, which may be compared with many values of the state: what takes as long as
/// it is long is done once.
pub(crate) struct Heard<'a> {
    kind: Kind,
    raw: &'a str,
    /// `None` inside where there is no memory to parse it.
    meaning: OnceCell<Option<Digest>>,
    shown: OnceCell<String>,
}

impl<'a> Heard<'a> {
    /// A value of a kind, as it is written in a JSON text.
    pub(super) fn new(kind: Kind, raw: &'a str) -> Self {
        Self {
            kind,
            raw,
            meaning: OnceCell::new(),
            shown: OnceCell::new(),
        }
    }

    fn parsed<R>(&self, look: impl FnOnce(Document<'_>) -> R) -> Option<R> {
        let mut tape = Tape::default();
        tape.read_record(self.raw.as_bytes()).ok().map(look)
    }

    /// Whether a value of the state is equal, see [`Node::equals`].
    pub(super) fn equals(&self, written: Node<'_>) -> bool {
        let meaning = || {
            self.meaning
                .get_or_init(|| self.parsed(|value| value.root().meaning()))
        };
        self.raw == written.raw()
            || (self.kind == written.kind()
                && meaning().is_none_or(|meaning| meaning == written.meaning()))
    }

    /// As messages show it.
    pub(super) fn shown(&self) -> &str {
        let show = || self.parsed(|value| show(value.root()));
        self.shown.get_or_init(|| show().unwrap_or_default())
    }
}

/// A value as a message shows it.
pub(crate) fn show(node: Node<'_>) -> String {
    node.text()
        .map_or_else(|| brief_json(node.raw()), |text| quote(&text))
}
