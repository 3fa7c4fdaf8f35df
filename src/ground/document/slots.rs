//! The places of a text that are asked for by number -> the spans of the values there.

use std::ops::Range;

use super::{Document, Node};

use crate::ground::Own;

/// The bytes of a value in its text. The value is absent where the span is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    /// Its highest bit says whether it is a string with escapes. Texts are shorter than 2 GiB.
    end: u32,
}

const ESCAPED: u32 = 1 << 31;

impl Span {
    /// Returns the span between two offsets of a text.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a text has at most u32::MAX bytes"
    )]
    #[inline]
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self {
            start: start as u32,
            end: end as u32,
        }
    }

    /// Returns the same span, of a string with escapes or without.
    #[inline]
    pub(crate) fn escaped(self, is_escaped: bool) -> Self {
        let mark = if is_escaped { ESCAPED } else { 0 };
        Self {
            end: self.end | mark,
            ..self
        }
    }

    /// Returns `true` if it is the span of a string with escapes.
    #[inline]
    pub(crate) fn is_escaped(self) -> bool {
        self.end & ESCAPED != 0
    }

    #[inline]
    pub(crate) fn start(self) -> u32 {
        self.start
    }

    #[inline]
    pub(crate) fn end(self) -> u32 {
        self.end & !ESCAPED
    }

    /// Returns the number of bytes.
    #[inline]
    pub(crate) fn len(self) -> usize {
        (self.end() - self.start) as usize
    }

    /// Returns `true` if there is a value.
    #[inline]
    pub(crate) fn is_present(self) -> bool {
        self.end != 0
    }

    /// Returns the value as it is written in its text; an empty text where it is absent.
    #[inline]
    pub(crate) fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end() as usize)
            .unwrap_or_default()
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

impl From<Node<'_>> for Span {
    fn from(value: Node<'_>) -> Self {
        Self::from(value.span()).escaped(value.is_escaped())
    }
}

/// The prefix of the keys of a runtime's own.
pub(crate) const EXTENSION: &str = "x-";

/// A key that is kept, its value, and the row that has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Other {
    row: Row,
    pub(crate) key: Span,
    pub(crate) value: Span,
}

/// An object, and the words that a key of it is near to, a bit each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearWords {
    pub(crate) object: &'static str,
    pub(crate) words: fn(&str) -> u64,
}

/// The places of the values that are asked for: JSON Pointers, in the order of their slots.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) root: &'static [&'static str],
    /// Arrays, at most [`MAX_ARRAYS`], each with places below each of its items; the first is that
    /// of the item itself.
    pub(crate) rows: &'static [(&'static str, &'static [&'static str])],
    /// The objects of which other keys with a prefix are kept.
    pub(crate) others: &'static [(&'static str, &'static str)],
    /// The object whose keys may be misspelled in a way that the reader does not judge.
    pub(crate) near: Option<NearWords>,
    /// `true` if keys may repeat in values in which nothing is asked for.
    pub(crate) allows_repeated_keys: bool,
}

impl Layout {
    /// Returns the prefix of the other keys that are kept of an object.
    pub(crate) fn prefix_of_others(&self, object: &str) -> Option<&'static str> {
        let mut others = self.others.iter();
        let (_, prefix) = others.find(|(of, _)| *of == object)?;
        Some(prefix)
    }
}

/// The spans of the values at the places of a [`Layout`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    /// The spans of the root, then those of each row.
    spans: Vec<Span>,
    rows: [RowsOfArray; MAX_ARRAYS],
    /// The keys and values that are kept of the objects in [`Layout::others`], by rows.
    others: Vec<Other>,
    /// The words that keys of that object are near to, a bit each.
    pub(crate) near: u64,
}

/// The number of arrays of a layout, at most.
const MAX_ARRAYS: usize = 2;

/// The rows of an array, whose spans follow each other.
#[derive(Clone, Copy, Debug, Default)]
struct RowsOfArray {
    first: u32,
    count: u32,
    /// The number of spans of each.
    width: u32,
}

/// The place of the spans of a row among all spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row(u32);

impl Row {
    /// The root, whose spans come first.
    pub(crate) const ROOT: Self = Self(0);
}

impl Slots {
    /// Forgets all values, and makes room for those of another text.
    #[inline]
    pub(crate) fn clear(&mut self, layout: &Layout) {
        self.spans.clear();
        self.spans
            .resize(layout.root.len(), Span::default());
        self.rows = [RowsOfArray::default(); MAX_ARRAYS];
        self.others.clear();
        self.near = 0;
    }

    /// Frees the memory that a large text needed.
    pub(in crate::ground) fn release(&mut self) {
        const KEPT: usize = 1 << 14;
        if self.spans.capacity() > KEPT {
            *self = Self::default();
        }
    }

    /// Returns the bytes that the spans take.
    pub(crate) fn bytes(&self) -> usize {
        (self.spans.len() + 2 * self.others.len()) * size_of::<Span>()
    }

    /// Adds a row to an array.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a row takes a byte of the text or more for each span"
    )]
    pub(crate) fn add_row(&mut self, array: usize, width: usize) -> Row {
        let row = self.spans.len() as u32;
        self.spans
            .resize(self.spans.len() + width, Span::default());

        let rows = self.rows.own_mut(array);
        if rows.count == 0 {
            rows.first = row;
            rows.width = width as u32;
        }
        rows.count += 1;

        Row(row)
    }

    /// Sets a value of a row.
    #[inline]
    pub(crate) fn set(&mut self, row: Row, slot: usize, span: Span) {
        *self
            .spans
            .own_mut(row.0 as usize + slot) = span;
    }

    /// Returns a value of a row.
    #[inline]
    pub(crate) fn get(&self, row: Row, slot: usize) -> Span {
        *self.spans.own(row.0 as usize + slot)
    }

    /// Returns the rows of an array.
    #[inline]
    pub(crate) fn rows(&self, array: usize) -> impl ExactSizeIterator<Item = Row> + Clone + use<> {
        let rows = *self.rows.own(array);
        (0..rows.count).map(move |index| Row(rows.first + index * rows.width))
    }

    /// Sorts the kept keys and values by rows, once all are kept.
    #[inline]
    pub(crate) fn sort_others(&mut self) {
        self.others
            .sort_by_key(|other| other.row.0);
    }

    /// Keeps a key of a row and its value.
    pub(crate) fn add_other(&mut self, row: Row, key: Span, value: Span) {
        self.others
            .push(Other { row, key, value });
    }

    /// Returns the keys and values that are kept of a row.
    #[inline]
    pub(crate) fn others(&self, row: Row) -> &[Other] {
        let first = self
            .others
            .partition_point(|other| other.row.0 < row.0);
        let rest = self
            .others
            .get(first..)
            .unwrap_or_default();
        let count = rest
            .iter()
            .take_while(|other| other.row == row)
            .count();

        rest.get(..count).unwrap_or_default()
    }

    /// Fills the slots from a document.
    pub(crate) fn fill(&mut self, document: Document<'_>, layout: &Layout) {
        self.clear(layout);
        let root = document.root();
        self.fill_row(Row::ROOT, root, layout.root);
        for (array, (pointer, places)) in layout.rows.iter().enumerate() {
            for item in at(root, pointer)
                .into_iter()
                .flat_map(Node::items)
            {
                let row = self.add_row(array, places.len());
                self.fill_row(row, item, places);
                if let Some(prefix) = layout.prefix_of_others(pointer) {
                    let known = places
                        .iter()
                        .filter_map(|place| place.strip_prefix('/'));
                    self.keep_others(row, item, prefix, &known);
                }
            }
        }

        for (place, prefix) in layout.others {
            let known = layout.root.iter().filter_map(|it| {
                it.strip_prefix(place)?
                    .strip_prefix('/')
            });
            if let Some(object) = at(root, place) {
                self.keep_others(Row::ROOT, object, prefix, &known);
            }
        }

        self.sort_others();
    }

    fn fill_row(&mut self, row: Row, node: Node<'_>, places: &[&str]) {
        // Places with the same object around them follow each other.
        let mut around = ("", Some(node));
        for (slot, place) in places.iter().enumerate() {
            let value = match place.rsplit_once('/') {
                None => Some(node),
                Some((object, key)) => {
                    if object != around.0 {
                        around = (object, at(node, object));
                    }
                    around
                        .1
                        .and_then(|around| around.get(key))
                }
            };

            if let Some(value) = value {
                self.set(row, slot, value.into());
            }
        }
    }

    fn keep_others<'k>(
        &mut self,
        row: Row,
        object: Node<'_>,
        prefix: &str,
        known: &(impl Iterator<Item = &'k str> + Clone),
    ) {
        for key in object.members() {
            if key.name().starts_with(prefix)
                && known
                    .clone()
                    .all(|known| !key.is(known))
            {
                self.add_other(row, key.span().into(), key.value().into());
            }
        }
    }
}

/// Returns the value at a place below a node. The keys of places have no escapes.
fn at<'a>(node: Node<'a>, pointer: &str) -> Option<Node<'a>> {
    pointer
        .split('/')
        .skip(1)
        .try_fold(node, Node::get)
}
