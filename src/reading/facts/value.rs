//! A value of a document -> a fact, where its schema allows it.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::slots::Slot;
use crate::ground::document::{
    Document, Kind, Node, Number, ReadText, Row, Span, canonical, same_as_written, unquoted,
};
use crate::ground::printable::{brief_json, quote};
use crate::ground::timestamp::Timestamp;

/// A record or an event as it was read.
#[derive(Clone, Copy)]
pub(crate) struct JsonText<'a> {
    pub(crate) text: &'a str,
    pub(crate) read: &'a ReadText,
    /// The offsets of the values that the schema refuses, ascending.
    pub(crate) refused: &'a [u32],
}

impl<'a> JsonText<'a> {
    /// Returns the document, whose tape is made when it is first asked for.
    pub(in crate::reading) fn document(self) -> Option<Document<'a>> {
        self.read.document(self.text).ok()
    }

    /// Returns the value of the whole text.
    pub(super) fn root(self) -> Value<'a> {
        let start = self.text.len() - self.text.trim_start().len();
        let end = self.text.trim_end().len();
        let root = Span::new(start, end);
        let is_escaped = || root.of(self.text).starts_with('"') && self.text.contains('\\');
        self.value(root.escaped(is_escaped()))
    }

    /// Returns the value in a slot of a row, fact or not.
    #[inline]
    pub(super) fn slot(self, row: Row, slot: impl Slot) -> Option<Value<'a>> {
        let span = self.read.slots.get(row, slot.number());
        span.is_present()
            .then(|| self.value(span))
    }

    /// Returns the other keys that are kept of a row, each with its value.
    pub(super) fn others(self, row: Row) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> {
        self.read
            .slots
            .others(row)
            .iter()
            .map(move |other| (content(other.key.of(self.text)), self.value(other.value)))
    }

    fn value(self, span: Span) -> Value<'a> {
        Value { of: self, span }
    }
}

/// A value of a record, with the schema violations in that record.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    of: JsonText<'a>,
    span: Span,
}

impl<'a> Value<'a> {
    /// Returns the value on the tape of its text, which is made for it. Rules ask for it only to
    /// explain what they find, and where few records have something to compare.
    pub(crate) fn node(self) -> Option<Node<'a>> {
        self.of
            .document()?
            .value_at(self.span.start())
    }

    /// Returns `true` if another value is written with the same strings, numbers and words,
    /// whatever the whitespace and the order of keys. Then they are equal; if not, they may still
    /// be.
    pub(crate) fn is_written_as(self, other: Self) -> bool {
        same_as_written(self.raw(), other.raw())
    }

    pub(crate) fn span(self) -> Span {
        self.span
    }

    /// Returns the value as it is written.
    pub(crate) fn raw(self) -> &'a str {
        self.span.of(self.of.text)
    }

    pub(crate) fn kind(self) -> Kind {
        Kind::of(self.raw())
    }

    pub(crate) fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Returns the content of a string; `None` for any other value.
    pub(crate) fn string(self) -> Option<Cow<'a, str>> {
        let raw = self.raw();
        let is_escaped = self.span.is_escaped();
        raw.starts_with('"')
            .then(|| unquoted(raw, 0, raw.len(), is_escaped))
    }

    /// Returns a number; `None` for any other value.
    pub(crate) fn number(self) -> Option<Number<'a>> {
        (self.kind() == Kind::Number).then(|| Number::of(self.raw()))
    }

    /// Returns `true` if it is a number above 0.
    pub(crate) fn is_above_zero(self) -> bool {
        self.number()
            .is_some_and(|it| !it.text().starts_with('-') && !it.equals(Number::of("0")))
    }

    /// Returns a boolean; `None` for any other value.
    pub(crate) fn boolean(self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// Returns `true` if nothing in the value violates its schema.
    pub(crate) fn is_fact(self) -> bool {
        let refused = self.of.refused;
        if refused.is_empty() {
            return true;
        }

        let first = refused.partition_point(|offset| *offset < self.span.start());
        refused
            .get(first)
            .is_none_or(|offset| *offset >= self.span.end())
    }

    /// Returns `true` if the value is an array or object without content.
    pub(crate) fn is_empty(self) -> bool {
        let content = self.raw().get(1..).unwrap_or_default();
        matches!(content.trim_start().as_bytes(), [b']' | b'}', ..])
    }

    /// Returns the value, if it is a fact.
    pub(crate) fn fact(self) -> Option<Self> {
        self.is_fact().then_some(self)
    }

    /// Returns the value under a key, fact or not.
    pub(crate) fn get(self, key: &str) -> Option<Self> {
        Some(self.with(self.node()?.get(key)?))
    }

    /// Returns the items of an array, facts or not.
    pub(crate) fn items(self) -> impl Iterator<Item = Self> + Clone {
        self.node()
            .into_iter()
            .flat_map(Node::items)
            .map(move |item| self.with(item))
    }

    /// Returns the members of an object, facts or not.
    pub(crate) fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Self)> {
        self.node()
            .into_iter()
            .flat_map(Node::members)
            .map(move |key| (key.name(), self.with(key.value())))
    }

    /// Returns a node of the same text as a value.
    pub(crate) fn with(self, node: Node<'a>) -> Self {
        let span = node.into();
        Self { span, ..self }
    }
}

/// An item of an array of which rules ask for values: a step, or an action.
#[derive(Clone, Copy)]
pub(crate) struct RowItem<'a> {
    of: JsonText<'a>,
    row: Row,
}

impl<'a> RowItem<'a> {
    pub(super) fn new(of: JsonText<'a>, row: Row) -> Self {
        Self { of, row }
    }

    /// Returns the whole item.
    pub(in crate::reading) fn whole(self) -> Value<'a> {
        // The first place of a row is that of the item.
        self.of
            .value(self.of.read.slots.get(self.row, 0))
    }

    /// Returns the value in a slot, fact or not.
    #[inline]
    pub(in crate::reading) fn value(self, slot: impl Slot) -> Option<Value<'a>> {
        self.of.slot(self.row, slot)
    }

    /// Returns the keys of a runtime's own, each with its value, facts or not.
    pub(super) fn extensions(self) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> {
        self.of.others(self.row)
    }

    /// Returns `true` if there is no value in a slot, or null.
    pub(crate) fn lacks(self, slot: impl Slot) -> bool {
        self.value(slot)
            .is_none_or(Value::is_null)
    }

    /// Returns the fact in a slot, if it is an instant.
    pub(crate) fn stamp(self, slot: impl Slot) -> Option<Stamp<'a>> {
        Stamp::of(self.text(slot)?)
    }

    /// Returns the fact in a slot, if it is a text.
    #[inline]
    pub(crate) fn text(self, slot: impl Slot) -> Option<Cow<'a, str>> {
        self.value(slot)?.fact()?.string()
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
    pub(in crate::reading) fn of(text: Cow<'a, str>) -> Option<Self> {
        Some(Self {
            instant: Timestamp::parse(&text)?,
            text,
        })
    }
}

/// A value of an event, which may be compared with many values of the state: what takes as long as
/// it is long is done once.
pub(crate) struct ParsedValue<'a> {
    raw: &'a str,
    canonical: OnceCell<Vec<u8>>,
    shown: OnceCell<String>,
}

impl<'a> ParsedValue<'a> {
    /// Returns a value, as it is written in a JSON text.
    pub(super) fn new(raw: &'a str) -> Self {
        Self {
            raw,
            canonical: OnceCell::new(),
            shown: OnceCell::new(),
        }
    }

    /// Returns `true` if a value of the state is equal, see [`Node::equals`].
    pub(super) fn equals(&self, written: Value<'_>) -> bool {
        self.raw == written.raw()
            || (Kind::of(self.raw) == written.kind()
                && *self
                    .canonical
                    .get_or_init(|| canonical(self.raw))
                    == canonical(written.raw()))
    }

    /// As messages show it.
    pub(super) fn shown(&self) -> &str {
        self.shown
            .get_or_init(|| show(self.raw))
    }
}

/// Returns the content of a string, given how it is written.
pub(super) fn content(written: &str) -> Cow<'_, str> {
    let is_escaped = memchr::memchr(b'\\', written.as_bytes()).is_some();
    unquoted(written, 0, written.len(), is_escaped)
}

impl Value<'_> {
    /// Returns the value as a message shows it.
    pub(crate) fn show(self) -> String {
        show(self.raw())
    }
}

/// Returns a value as a message shows it, given how it is written.
pub(crate) fn show(written: &str) -> String {
    if written.starts_with('"') {
        quote(&content(written))
    } else {
        brief_json(written)
    }
}
