//! The bytes of a text -> the spans of the values that rules ask for, in one pass without a tape.
//!
//! The reader accepts a text only if it certainly satisfies its schema, repeats no key and has none
//! that may be misspelled. It says nothing of any other text: the tape and the `jsonschema`
//! validator judge that one, and they alone say what is wrong.

mod tables;

use super::shape::{Shapes, bit};
use crate::document::{
    Kind, LEAST_BYTES_BEYOND, Layout, Row, Slots, Span, UniqueKeys, end_of_number, end_of_string, skip, skip_unique, utf8,
};
use tables::{Condition, FREE_ARRAY, FREE_OBJECT, NO_SLOT, NONE, OTHER, Others, Step, Table, Tables};

/// Reads texts of one schema. It learns the order and the other keys of their writers, which
/// changes how fast it is and nothing else.
pub(crate) struct SlotReader {
    shapes: &'static Shapes,
    layout: &'static Layout,
    /// None where the schema has a keyword that the reader does not know.
    tables: Vec<Table>,
    root: Step,
    conditions: Vec<Condition>,
    unique: UniqueKeys,
    /// The keys of open objects for which their tables have no room.
    loose: Vec<Span>,
    /// The number of such keys since keys were forgotten.
    unknown: u32,
}

/// The number of keys without room after which the keys that were met are forgotten: other writers
/// have others.
const FORGET: u32 = 4096;

/// The number of such keys in one object that are compared with each other.
const MAX_LOOSE: usize = 64;

impl SlotReader {
    pub(super) fn new(shapes: &'static Shapes, layout: &'static Layout) -> Self {
        let Tables {
            all,
            root,
            conditions,
        } = Tables::compile(shapes, layout).unwrap_or_default();
        Self {
            shapes,
            layout,
            tables: all,
            root,
            conditions,
            unique: UniqueKeys::default(),
            loose: Vec::new(),
            unknown: 0,
        }
    }

    /// Reads a text into slots; returns it if it is accepted.
    pub(crate) fn read<'a>(&mut self, bytes: &'a [u8], slots: &mut Slots) -> Option<&'a str> {
        if self.tables.is_empty() || bytes.len() >= LEAST_BYTES_BEYOND {
            return None;
        }
        if self.unknown > FORGET {
            self.tables.iter_mut().for_each(Table::forget);
            self.unknown = 0;
        }
        let text = utf8(bytes).ok()?;
        slots.clear(self.layout);
        self.loose.clear();
        let root = self.root;
        let start = blank(bytes, 0);
        let mut reading = Reading {
            reader: self,
            bytes,
            text,
            slots,
        };
        let end = reading.value(start, root, Row::ROOT, 0)?;
        let is_whole = blank(bytes, end) == bytes.len();
        (is_whole && self.satisfies_conditions(text, slots)).then_some(text)
    }

    /// Returns `true` if the values satisfy what the schema asserts under conditions.
    fn satisfies_conditions(&self, text: &str, slots: &Slots) -> bool {
        self.conditions.iter().all(|condition| {
            let written = slots.get(Row::ROOT, condition.slot).of(text);
            // An escape may stand for any text.
            !written.contains('\\')
                && (written != &*condition.equals
                    || condition.asserted.iter().all(|(slot, id)| {
                        let value = slots.get(Row::ROOT, *slot);
                        !value.is_present() || self.is_valid(value.of(text), *id)
                    }))
        })
    }

    /// Returns `true` if a scalar satisfies a shape.
    fn is_valid(&self, written: &str, id: usize) -> bool {
        let kind = Kind::of(written);
        let shape = self.shapes.get(id);
        shape.is_none_or(|shape| shape.failures(kind, written, written.contains('\\')) == 0)
    }
}

/// A text that is being read. Each function returns the end of what it read; `None` where the text
/// is not accepted.
struct Reading<'r, 'a> {
    reader: &'r mut SlotReader,
    bytes: &'a [u8],
    text: &'a str,
    slots: &'r mut Slots,
}

/// A key that was not expected: its place in its table, if that has room for it, and its value's.
struct Other {
    key: usize,
    start: usize,
    step: Step,
    bit: u64,
    near: u64,
}

impl Reading<'_, '_> {
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or_default()
    }

    /// Reads a value.
    #[expect(clippy::inline_always, reason = "measured: most values are scalars")]
    #[inline(always)]
    fn value(&mut self, start: usize, step: Step, row: Row, depth: usize) -> Option<usize> {
        match self.byte(start) {
            b'"' if step.allows(bit(Kind::String)) => {
                let (end, escaped) = end_of_string(self.bytes, start)?;
                self.assert(step, Kind::String, start..end, escaped)?;
                Some(end)
            }
            b'{' if step.allows(bit(Kind::Object)) => {
                if step.allows(FREE_OBJECT) {
                    self.skip(start, depth)
                } else {
                    self.object(start, step, row)
                }
            }
            b'[' if step.allows(bit(Kind::Array)) => {
                if step.allows(FREE_ARRAY) {
                    self.skip(start, depth)
                } else {
                    self.array(start, step, row)
                }
            }
            b'-' | b'0'..=b'9' if step.allows(bit(Kind::Number)) => {
                let end = end_of_number(self.bytes, start)?;
                self.assert(step, Kind::Number, start..end, false)?;
                Some(end)
            }
            b't' => self.literal(start, step, "true", Kind::True),
            b'f' => self.literal(start, step, "false", Kind::False),
            b'n' => self.literal(start, step, "null", Kind::Null),
            _ => None,
        }
    }

    fn literal(&self, start: usize, step: Step, word: &str, kind: Kind) -> Option<usize> {
        let end = start + word.len();
        let is_word = self.bytes.get(start..end) == Some(word.as_bytes());
        self.assert(step, kind, start..end, false)?;
        (is_word && step.allows(bit(kind))).then_some(end)
    }

    /// Asserts what a schema says of a scalar besides its type.
    #[inline]
    fn assert(
        &self,
        step: Step,
        kind: Kind,
        span: std::ops::Range<usize>,
        escaped: bool,
    ) -> Option<()> {
        if step.asserts == NONE {
            return Some(());
        }
        let shape = self.reader.shapes.get(usize::from(step.asserts))?;
        let written = self.text.get(span)?;
        (shape.failures(kind, written, escaped) == 0).then_some(())
    }

    /// Skips an array or object that may have anything in it.
    fn skip(&mut self, start: usize, depth: usize) -> Option<usize> {
        if self.reader.layout.allows_repeated_keys {
            skip(self.bytes, start, depth)
        } else {
            skip_unique(self.bytes, start, depth, &mut self.reader.unique)
        }
    }

    fn array(&mut self, start: usize, step: Step, row: Row) -> Option<usize> {
        let table = self.reader.tables.get(usize::from(step.table))?;
        let (items, depth) = (table.items, table.depth + 1);
        let mut at = blank(self.bytes, start + 1);
        if self.byte(at) == b']' {
            return Some(at + 1);
        }
        loop {
            at = self.value(at, items, row, depth)?;
            at = blank(self.bytes, at);
            match self.byte(at) {
                b',' => at = blank(self.bytes, at + 1),
                b']' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// Reads an object of which the schema knows keys. The recursion is as deep as the schema.
    fn object(&mut self, start: usize, step: Step, mut row: Row) -> Option<usize> {
        let table = self.reader.tables.get(usize::from(step.table))?;
        let rows = table.rows;
        if let Some(array) = rows {
            row = self.slots.add_row(array, table.width);
        }
        let loose = self.reader.loose.len();
        let end = self.members(start + 1, usize::from(step.table), row)?;
        self.reader.loose.truncate(loose);
        if rows.is_some() {
            self.slots.set(row, 0, Span::new(start, end));
        }
        Some(end)
    }

    fn members(&mut self, start: usize, id: usize, row: Row) -> Option<usize> {
        let table = self.reader.tables.get(id)?;
        let (required, depth, keeps_near) = (table.required, table.depth + 1, table.near.is_some());
        let mut expected = usize::from(table.first);
        let mut at = blank(self.bytes, start);
        if self.byte(at) == b'}' {
            return (required == 0).then_some(at + 1);
        }
        let (mut present, mut near) = (0, 0);
        let mut before = None;
        loop {
            let key_start = at;
            // Writers keep an order, so the next key is usually the one that came next before.
            let key = self.reader.tables.get(id)?.keys.get(expected);
            let next = key.and_then(|key| Some((key, key.end_if_next(self.bytes, at)?)));
            let (bit, step);
            if let Some((key, end)) = next {
                (bit, step, at) = (key.bit, key.step, end);
                near |= key.near;
            } else {
                let other = self.other_key(at, id, before)?;
                (bit, step, at) = (other.bit, other.step, other.start);
                near |= other.near;
                expected = other.key;
            }
            if present & bit != 0 {
                return None;
            }
            present |= bit;
            let start = blank(self.bytes, at);
            at = self.value(start, step, row, depth)?;
            match step.slot {
                NO_SLOT => {}
                OTHER => {
                    let (key_end, _) = end_of_string(self.bytes, key_start)?;
                    let (key, value) = (Span::new(key_start, key_end), Span::new(start, at));
                    self.slots.add_other(row, key, value);
                }
                slot => self.slots.set(row, usize::from(slot), Span::new(start, at)),
            }
            at = blank(self.bytes, at);
            match self.byte(at) {
                b',' => at = blank(self.bytes, at + 1),
                b'}' if present & required == required => {
                    if keeps_near {
                        self.slots.near = near;
                    } else if near & !present != 0 {
                        return None;
                    }
                    return Some(at + 1);
                }
                _ => return None,
            }
            before = Some(expected);
            expected = usize::from(step.next);
        }
    }

    /// Reads a key that was not expected, after another one of its object.
    #[inline(never)]
    fn other_key(&mut self, at: usize, id: usize, before: Option<usize>) -> Option<Other> {
        let (end, escaped) = match self.byte(at) {
            b'"' => end_of_string(self.bytes, at)?,
            _ => return None,
        };
        // A key with escapes may be a known one.
        let name = self.text.get(at + 1..end - 1).filter(|_| !escaped)?;
        let colon = blank(self.bytes, end);
        if self.byte(colon) != b':' {
            return None;
        }
        let table = self.reader.tables.get_mut(id)?;
        let known = table.keys.iter();
        let place = known.enumerate().find(|(_, key)| key.name() == name.as_bytes());
        let place = place.map(|(place, _)| place);
        let (place, loose) = match place {
            Some(place) => (place, None),
            None => {
                let (near, step) = unknown(table, name)?;
                match table.learn(name, near, step) {
                    Some(place) => (place, None),
                    None => (usize::MAX, Some((near, step))),
                }
            }
        };
        let start = colon + 1;
        if let Some((near, step)) = loose {
            let (key, bit) = (place, 0);
            self.loose(Span::new(at, end))?;
            return Some(Other {
                key,
                start,
                step,
                bit,
                near,
            });
        }
        let next = u8::try_from(place).ok()?;
        match before {
            None => table.first = next,
            Some(before) => {
                if let Some(before) = table.keys.get_mut(before) {
                    before.step.next = next;
                }
            }
        }
        let key = table.keys.get(place)?;
        Some(Other {
            key: place,
            start,
            step: key.step,
            bit: key.bit,
            near: key.near,
        })
    }

    /// Compares a key without room with the others of open objects.
    fn loose(&mut self, key: Span) -> Option<()> {
        let reader = &mut *self.reader;
        reader.unknown += 1;
        let mut before = reader.loose.iter();
        let repeats = before.any(|other| other.of(self.text) == key.of(self.text));
        if repeats || reader.loose.len() == MAX_LOOSE {
            return None;
        }
        reader.loose.push(key);
        Some(())
    }
}

/// Returns what is expected of the value of a key that the schema does not name, and the keys that
/// it is near to.
fn unknown(table: &Table, name: &str) -> Option<(u64, Step)> {
    let (near, step) = match &table.others {
        Others::Any => (table.near(name), Step::FREE),
        Others::Each(step) => (0, *step),
        Others::Prefixed(prefixes) => {
            let mut prefixes = prefixes.iter();
            let is_allowed = prefixes.any(|prefix| name.starts_with(&**prefix));
            (0, is_allowed.then_some(Step::FREE)?)
        }
    };
    let is_kept = table.kept.is_some_and(|prefix| name.starts_with(prefix));
    let slot = if is_kept { OTHER } else { step.slot };
    Some((near, Step { slot, ..step }))
}

/// Returns the first place at or after another that is not whitespace.
#[expect(clippy::inline_always, reason = "measured: most texts have none")]
#[inline(always)]
fn blank(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(byte) if *byte > b' ' => at,
        _ => long_blank(bytes, at),
    }
}

#[inline(never)]
fn long_blank(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}
