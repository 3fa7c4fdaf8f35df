//! A value -> how much of the reader's limits it takes.

use std::ops::Add;

use serde_json::{Map, Value};

use super::error::Error;
use crate::ground::document::{Document, Kind, Node, Number};
use crate::ground::printable::brief;

/// The size of some values, as the limits of the reader count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// The bytes of their text, at least.
    pub(super) bytes: usize,
    /// The keys and values, containers too.
    pub(super) values: usize,
    /// The objects.
    pub(super) objects: usize,
    /// The depth to which containers are nested.
    pub(super) depth: usize,
    /// `true` if a key is [`RESERVED`].
    pub(super) is_reserved: bool,
}

/// A key that means something else to `serde_json`: an object with it is read as another value.
const RESERVED: &str = "$serde_json::private::RawValue";

/// An object with a key takes at least 632 bytes of memory, in each of some copies.
const MAX_OBJECTS: usize = 200_000;

/// Beyond these, the state or an event would exceed what a reader reads: 64 MiB, 1,000,000 keys and
/// values, nesting 128. The rest is for what stands around the values.
const MAX_BYTES: usize = 60 << 20;
const MAX_VALUES: usize = 975_000;
const MAX_DEPTH: usize = 120;

/// The part of these limits that is kept for the events by which a run goes on, is persisted and
/// ends.
pub(super) const ROOM_TO_END: Size = Size {
    bytes: 1 << 20,
    values: 10_000,
    objects: 1_000,
    depth: 0,
    is_reserved: false,
};

impl Size {
    /// Returns the size of an object, without recursion: a caller may nest values as deep as memory
    /// allows.
    pub(super) fn of(members: &Map<String, Value>) -> Self {
        let mut size = Self::default();
        let mut to_visit: Vec<(&Value, usize)> = Vec::new();
        size.of_members(members, 1, &mut to_visit);
        while let Some((value, depth)) = to_visit.pop() {
            size.values += 1;
            match value {
                Value::Array(items) => {
                    size.bytes += items.len() + 2;
                    size.depth = size.depth.max(depth);
                    to_visit.extend(
                        items
                            .iter()
                            .map(|item| (item, depth + 1)),
                    );
                }
                Value::Object(members) => size.of_members(members, depth, &mut to_visit),
                Value::String(text) => size.bytes += escaped(text),
                Value::Number(number) => size.bytes += number.to_string().len(),
                Value::Bool(_) | Value::Null => size.bytes += 5,
            }
        }

        size
    }

    fn of_members<'v>(
        &mut self,
        members: &'v Map<String, Value>,
        depth: usize,
        to_visit: &mut Vec<(&'v Value, usize)>,
    ) {
        self.depth = self.depth.max(depth);
        self.values += members.len();
        self.objects += 1;
        self.bytes += 2;

        for (name, value) in members {
            self.is_reserved |= name == RESERVED;
            self.bytes += escaped(name) + 2;
            to_visit.push((value, depth + 1));
        }
    }

    /// Returns the size of the same values within containers.
    pub(super) fn within(self, containers: usize) -> Self {
        Self {
            depth: self.depth + containers,
            ..self
        }
    }

    /// Returns `true` if it takes no more memory than another.
    pub(super) fn is_no_more_than(self, other: Self) -> bool {
        self.bytes <= other.bytes && self.values <= other.values && self.objects <= other.objects
    }

    /// Returns `true` if it takes more than half of what a reader reads.
    pub(super) fn is_more_than_half(self) -> bool {
        2 * self.bytes > MAX_BYTES || 2 * self.values > MAX_VALUES || 2 * self.objects > MAX_OBJECTS
    }

    /// Refuses what a reader would refuse.
    pub(super) fn check(self, what: &'static str) -> Result<(), Error> {
        if self.is_reserved {
            return Err(Error::refused(
                what,
                format!("the key {RESERVED:?} is reserved"),
            ));
        }

        let limits = [
            (self.values, MAX_VALUES, "keys and values"),
            (self.objects, MAX_OBJECTS, "objects"),
            (self.depth, MAX_DEPTH, "levels of nesting"),
        ];

        if self.bytes > MAX_BYTES {
            return Err(Error::too_large(what, MAX_BYTES));
        }

        limits
            .into_iter()
            .find(|(size, most, _)| size > most)
            .map_or(Ok(()), |(_, most, counted)| {
                let limit = format!("{most} {counted}");
                Err(Error::TooLarge { what, limit })
            })
    }
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            values: self.values + other.values,
            objects: self.objects + other.objects,
            depth: self.depth.max(other.depth),
            is_reserved: self.is_reserved || other.is_reserved,
        }
    }
}

/// Returns the value of a document, unless it is one that can't be recorded.
pub(super) fn value(document: Document<'_>, what: &'static str) -> Result<Value, Error> {
    let mut size = Size::default();
    size.of_node(document.root(), what)?;
    size.check(what)?;
    Ok(document.root().to_value())
}

impl Size {
    /// Counts what makes a value large in memory. Its nesting is limited by the parser.
    fn of_node(&mut self, node: Node<'_>, what: &'static str) -> Result<(), Error> {
        match node.kind() {
            Kind::Object => {
                self.objects += 1;
                node.members().try_for_each(|key| {
                    self.is_reserved |= key.name() == RESERVED;
                    self.of_node(key.value(), what)
                })
            }
            Kind::Array => node
                .items()
                .try_for_each(|item| self.of_node(item, what)),
            Kind::Number => unwritable(node).map_or(Ok(()), |why| {
                let why = format!("the number {} {why}", brief(node.raw()));
                Err(Error::refused(what, why))
            }),
            _ => Ok(()),
        }
    }
}

/// The digits that tell each double from the others: many programs write a double with all of them.
const DOUBLE_DIGITS: usize = 17;

/// Returns why a number can't be written with its value: what is written are integers of 64 bits,
/// and doubles.
fn unwritable(node: Node<'_>) -> Option<&'static str> {
    let number = node.raw();
    if number.parse::<i64>().is_ok() {
        return None;
    }

    let double = number.parse().unwrap_or(f64::NAN);
    if !double.is_finite() {
        return Some("is too large");
    }

    let written = node.to_value().to_string();
    let is_exact = Number::of(number).equals(Number::of(&written));
    let is_kept = is_exact || (double != 0.0 && is_double(number));

    (!is_kept).then_some("would be rounded: record it as a string")
}

/// Returns `true` if a number may be a double as a program writes it: a fraction without further
/// digits.
fn is_double(number: &str) -> bool {
    let significant = number
        .split(['e', 'E'])
        .next()
        .unwrap_or_default()
        .bytes()
        .filter(u8::is_ascii_digit)
        .skip_while(|digit| *digit == b'0')
        .count();

    number.contains(['.', 'e', 'E']) && significant <= DOUBLE_DIGITS
}

/// Returns the length of a text in JSON, quotes included.
fn escaped(text: &str) -> usize {
    let longer = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..0x20 => 5,
        _ => 0,
    };

    text.len() + text.bytes().map(longer).sum::<usize>() + 2
}
