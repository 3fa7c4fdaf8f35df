//! A place on the tape -> the value or key there, its text, and its members or items.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::parser::string_stop;
#[cfg(test)]
use super::work;
use super::{Document, Kind, Number, Token};
use crate::ground::source::Pointer;

/// A value of a document.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub(super) document: Document<'a>,
    pub(super) index: u32,
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::ground::printable::brief(self.raw()))
    }
}

/// The key of a member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    pub(super) document: Document<'a>,
    pub(super) index: u32,
}

#[expect(
    clippy::indexing_slicing,
    reason = "keys and nodes carry indices of their own document's tokens"
)]
impl<'a> Key<'a> {
    fn token(self) -> &'a Token {
        &self.document.tape.tokens[self.index as usize]
    }

    /// Returns the key, unescaped.
    #[must_use]
    pub fn name(self) -> Cow<'a, str> {
        self.token().string(self.document.text)
    }

    /// Returns the bytes of the key in the text, quotes included.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        self.token().start as usize..self.token().end as usize
    }

    /// Returns the key as it was written, quotes included.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.document
            .text
            .get(self.span())
            .unwrap_or_default()
    }

    /// Returns the value under the key.
    #[must_use]
    pub fn value(self) -> Node<'a> {
        Node {
            document: self.document,
            index: self.index + 1,
        }
    }

    /// Returns the key of the same object at an index of the tape.
    pub(super) fn sibling(self, index: u32) -> Self {
        Self { index, ..self }
    }

    /// Returns the index of the key on the tape.
    #[must_use]
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// Returns `true` if a later key of the same object repeats it.
    pub(in crate::ground) fn is_shadowed(self) -> bool {
        self.token().is_shadowed()
    }

    /// Returns `true` if it is written with escapes.
    pub(crate) fn is_escaped(self) -> bool {
        self.token().is_escaped()
    }

    /// Returns `true` if this is the key's name.
    #[inline]
    pub(crate) fn is(self, name: &str) -> bool {
        self.token()
            .is_name(name, self.document.text)
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "keys and nodes carry indices of their own document's tokens"
)]
impl<'a> Node<'a> {
    /// Returns the document.
    pub(crate) fn document(self) -> Document<'a> {
        self.document
    }

    fn token(self) -> &'a Token {
        &self.document.tape.tokens[self.index as usize]
    }

    /// Returns the kind of the value.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.token().kind()
    }

    /// Returns the index of the value on the tape; the tokens from here to `end_index` are the
    /// value.
    #[must_use]
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// Returns the pointer that leads from the value to one in it.
    pub(crate) fn pointer_to(self, inner: Node<'_>) -> Pointer {
        let (mut node, mut pointer) = (self, Pointer::default());
        let is_around = |it: Node<'_>| (it.index..it.end_index()).contains(&inner.index);
        while node.index != inner.index {
            let item = node
                .items()
                .enumerate()
                .find(|(_, item)| is_around(*item));
            let key = node
                .members()
                .find(|key| is_around(key.value()));
            (node, pointer) = match (item, key) {
                (Some((index, item)), _) => (item, pointer.item(index)),
                (None, Some(key)) => (key.value(), pointer.field(&key.name())),
                (None, None) => break,
            };
        }

        pointer
    }

    /// Returns the index on the tape after the value.
    #[must_use]
    pub(crate) fn end_index(self) -> u32 {
        self.index + self.token().size()
    }

    /// Returns the bytes of the value in the text, quotes or brackets included.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        self.token().start as usize..self.token().end as usize
    }

    /// Returns the value as it was written.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.document
            .text
            .get(self.span())
            .unwrap_or_default()
    }

    /// Returns `true` if the value is `null`.
    #[must_use]
    pub(crate) fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Returns the string, unescaped; `None` for any other value.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        (self.kind() == Kind::String).then(|| self.token().string(self.document.text))
    }

    /// Returns `true` if it is a string with escapes, which are resolved each time that it is read.
    pub(crate) fn is_escaped(self) -> bool {
        self.token().is_escaped()
    }

    /// Returns the number; `None` for any other value.
    #[must_use]
    pub fn number(self) -> Option<Number<'a>> {
        (self.kind() == Kind::Number).then(|| Number(self.raw()))
    }

    /// Returns the boolean; `None` for any other value.
    #[must_use]
    pub fn boolean(self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// Returns the value under a key of an object; `None` where the key is absent, and for any
    /// other value.
    #[must_use]
    #[inline]
    pub fn get(self, name: &str) -> Option<Node<'a>> {
        self.members()
            .find(|key| key.is(name))
            .map(Key::value)
    }

    /// Returns the value at the end of a path of keys; `None` where a key is absent.
    #[must_use]
    pub fn at(self, path: &[&str]) -> Option<Node<'a>> {
        path.iter()
            .try_fold(self, |node, key| node.get(key))
    }

    /// Returns the members of an object in the order of the text, each by its key; nothing for any
    /// other value.
    #[must_use]
    #[inline]
    pub fn members(self) -> Members<'a> {
        Members(self.all_members())
    }

    /// Returns the values of an object by their names, to be found many times.
    pub(crate) fn by_name(self) -> BTreeMap<Cow<'a, str>, Node<'a>> {
        self.members()
            .map(|key| (key.name(), key.value()))
            .collect()
    }

    /// Returns the members of an object, including those whose key a later one repeats. A map that
    /// is filled from them has the same entries as one from [`Node::members`]: the last of equal
    /// keys counts.
    #[must_use]
    pub fn all_members(self) -> AllMembers<'a> {
        let is_object = self.kind() == Kind::Object;
        AllMembers {
            document: self.document,
            next: self.index + 1,
            end: if is_object { self.end_index() } else { 0 },
        }
    }

    /// Returns the items of an array in order; nothing for any other value.
    #[must_use]
    #[inline]
    pub fn items(self) -> Items<'a> {
        let is_array = self.kind() == Kind::Array;
        Items {
            document: self.document,
            next: self.index + 1,
            end: if is_array { self.end_index() } else { 0 },
        }
    }
}

/// The members of an object.
#[derive(Debug)]
pub struct Members<'a>(AllMembers<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = Key<'a>;

    #[inline]
    fn next(&mut self) -> Option<Key<'a>> {
        self.0.find(|key| !key.is_shadowed())
    }
}

/// The members of an object, including those whose key a later one repeats.
#[derive(Debug)]
pub struct AllMembers<'a> {
    document: Document<'a>,
    next: u32,
    end: u32,
}

impl<'a> Iterator for AllMembers<'a> {
    type Item = Key<'a>;

    #[inline]
    fn next(&mut self) -> Option<Key<'a>> {
        (self.next < self.end).then(|| {
            #[cfg(test)]
            work::add(1);
            let key = Key {
                document: self.document,
                index: self.next,
            };
            self.next = key.value().end_index();
            key
        })
    }
}

/// The items of an array.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    document: Document<'a>,
    next: u32,
    end: u32,
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    #[inline]
    fn next(&mut self) -> Option<Node<'a>> {
        (self.next < self.end).then(|| {
            #[cfg(test)]
            work::add(1);
            let item = Node {
                document: self.document,
                index: self.next,
            };
            self.next = item.end_index();
            item
        })
    }
}

/// Returns the content of a string in a JSON text, unescaped.
#[inline]
pub(crate) fn unquoted(text: &str, start: usize, end: usize, escaped: bool) -> Cow<'_, str> {
    if escaped {
        return Cow::Owned(unescaped(text.get(start..end).unwrap_or_default()));
    }

    Cow::Borrowed(
        text.get(start + 1..end.saturating_sub(1))
            .unwrap_or_default(),
    )
}

/// Returns `true` if a text has ASCII characters as escapes whose first digit is in a range.
pub(crate) fn has_escaped_ascii(text: &[u8], digits: RangeInclusive<u8>) -> bool {
    static ESCAPE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(r"\u00"));
    ESCAPE
        .find_iter(text)
        .filter_map(|at| text.get(at + 4))
        .any(|digit| digits.contains(digit))
}

/// Returns the content of a string with escapes. It was read as a JSON string before.
#[cold]
fn unescaped(string: &str) -> String {
    #[cfg(test)]
    work::add(string.len());
    let bytes = string.as_bytes();
    let mut text = Vec::with_capacity(bytes.len());
    let mut at = 1;

    loop {
        let stop = string_stop(bytes, at);
        text.extend_from_slice(bytes.get(at..stop).unwrap_or_default());
        // The quote at the end stops it too.
        if bytes.get(stop) != Some(&b'\\') {
            return String::from_utf8(text).unwrap_or_default();
        }

        at = stop + 2;
        match bytes
            .get(stop + 1)
            .copied()
            .unwrap_or_default()
        {
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'u' => {
                let (character, length) = unicode(string, stop);
                text.extend_from_slice(
                    character
                        .encode_utf8(&mut [0; 4])
                        .as_bytes(),
                );
                at = stop + length;
            }
            itself => text.push(itself),
        }
    }
}

/// Returns the character that an escape by code units at a place stands for, and the length of
/// that.
fn unicode(string: &str, at: usize) -> (char, usize) {
    let unit = |at: usize| {
        let digits = string
            .get(at + 2..at + 6)
            .unwrap_or_default();
        u32::from_str_radix(digits, 16).unwrap_or_default()
    };

    let (code, length) = match unit(at) {
        // The two halves of a character.
        high @ 0xD800..=0xDBFF => (0x10000 + ((high & 0x3FF) << 10 | unit(at + 6) & 0x3FF), 12),
        code => (code, 6),
    };

    (
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
        length,
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::unquoted;

    proptest! {
        #[test]
        fn escapes_are_read_as_serde_reads_them(text in "[\u{0}-\u{20}\"\\\\/a\u{e9}\u{ffff}\u{10000}-\u{10010}]{0,12}") {
            let written = serde_json::to_string(&text).unwrap();
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04X}"));
            let in_units = format!("\"{}\"", units.collect::<String>());
            for json in [written.replace('/', "\\/"), in_units] {
                prop_assert_eq!(&*unquoted(&json, 0, json.len(), true), &text, "{}", json);
            }
        }
    }
}
