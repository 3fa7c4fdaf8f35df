//! A value -> how much of the reader's limits it takes.

use std::ops::{Add, AddAssign};

use serde_json::{Map, Value};

use super::error::Error;

/// How much of the reader's limits some values take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// The bytes of their text, at least.
    pub(super) bytes: usize,
    /// The keys and values, containers too.
    pub(super) values: usize,
    /// How deep containers are nested.
    pub(super) depth: usize,
}

/// Beyond these, the state or an event would exceed what a reader reads: 64 MiB, 1,000,000 keys and
/// values, nesting 128. The rest is for what stands around the values.
const MAX_BYTES: usize = 60 << 20;
const MAX_VALUES: usize = 975_000;
const MAX_DEPTH: usize = 120;

impl Size {
    /// Without recursion: who builds values may nest them as deep as memory allows.
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
                    to_visit.extend(items.iter().map(|item| (item, depth + 1)));
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
        self.bytes += 2;
        for (name, value) in members {
            self.bytes += escaped(name) + 2;
            to_visit.push((value, depth + 1));
        }
    }

    /// Refuses what a reader would refuse.
    pub(super) fn check(self, what: &'static str) -> Result<(), Error> {
        let limit = if self.bytes > MAX_BYTES {
            "60 MiB"
        } else if self.values > MAX_VALUES {
            "975,000 keys and values"
        } else if self.depth > MAX_DEPTH {
            "120 levels of nesting"
        } else {
            return Ok(());
        };
        Err(Error::TooLarge { what, limit })
    }
}

impl Add for Size {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.values += other.values;
        self.depth = self.depth.max(other.depth);
    }
}

/// The length of a text in JSON, quotes included.
fn escaped(text: &str) -> usize {
    let longer = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..0x20 => 5,
        _ => 0,
    };
    text.len() + text.bytes().map(longer).sum::<usize>() + 2
}
