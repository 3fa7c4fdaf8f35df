//! The bytes of a text -> the spans of the values that rules ask for, in one pass without a tape.
//!
//! The reader accepts a text only if it certainly satisfies its schema, repeats no key and has none
//! that may be misspelled. It says nothing of any other text: the tape and the `jsonschema`
//! validator judge that one, and they alone say what is wrong.

mod tables;
mod tests;

use super::shape::{ANY_TYPE, Shape, ShapeId, Shapes, bit};
use crate::ground::document::{
    Kind, LEAST_BYTES_BEYOND, Layout, ReadValue, Row, Slots, Span, Tape, after_blank,
    end_of_string, number, skip, unquoted, utf8, written_items,
};
use crate::ground::timestamp::Timestamp;
use tables::{
    Asserted, Expectation, FREE_ARRAY, FREE_OBJECT, KnownKeys, NO_SLOT, OTHER, Others, ReaderTable,
    Tables,
};

/// Reads texts of one schema. It learns the order and the other keys of their writers, which
/// changes how fast it is and nothing else.
pub(crate) struct SlotReader {
    shapes: &'static Shapes,
    layout: &'static Layout,
    /// `true` if a text in which any key repeats is not accepted.
    pub(crate) refuses_repeated_keys: bool,
    /// None where the schema has a keyword that the reader does not know.
    tables: Tables,
    /// Of the latest part of a text in which no key may repeat.
    scratch: Tape,
}

impl SlotReader {
    pub(super) fn new(shapes: &'static Shapes, layout: &'static Layout) -> Self {
        Self {
            shapes,
            layout,
            refuses_repeated_keys: !layout.allows_repeated_keys,
            tables: Tables::compile(shapes, layout).unwrap_or_default(),
            scratch: Tape::default(),
        }
    }

    /// Reads a text into slots; returns it if it is accepted.
    pub(crate) fn read<'a>(&mut self, bytes: &'a [u8], slots: &mut Slots) -> Option<&'a str> {
        if self.tables.all.is_empty() || bytes.len() >= LEAST_BYTES_BEYOND {
            return None;
        }

        let text = utf8(bytes).ok()?;
        slots.clear(self.layout);
        self.scratch.release();

        let root = self.tables.root.clone();
        let mut reading = SlotReading {
            reader: self,
            bytes,
            text,
            slots,
        };

        let start = after_blank(bytes, 0)?;
        let end = reading
            .value(start, &root, Row::ROOT, 0)?
            .end;
        slots.sort_others();

        let is_whole = after_blank(bytes, end).is_none();

        (is_whole && self.satisfies_conditions(text, slots)).then_some(text)
    }

    /// Returns `true` if the values satisfy the conditional assertions of the schema.
    fn satisfies_conditions(&self, text: &str, slots: &Slots) -> bool {
        self.tables
            .conditions
            .iter()
            .all(|condition| {
                let equals = slots.get(Row::ROOT, condition.slot);
                // An escape may stand for any text.
                !equals.is_escaped()
                    && (equals.len() != condition.equals.len()
                        || equals.of(text) != &*condition.equals
                        || condition
                            .asserted
                            .iter()
                            .all(|asserted| {
                                let value = slots.get(Row::ROOT, asserted.slot);
                                let (written, shape) =
                                    (value.of(text), self.shapes.get(asserted.shape));
                                let failures = |shape: &Shape| {
                                    shape.failures(Kind::of(written), written, value.is_escaped())
                                };
                                let types = asserted.items;
                                let is_item = |item| types & bit(Kind::of(item)) != 0;

                                !value.is_present()
                                    || shape.is_none_or(|shape| failures(shape) == 0)
                                        && (types == ANY_TYPE
                                            || written_items(written).all(is_item))
                            }))
            })
    }
}

/// A text that is being read. Each function returns the end of what it read; `None` where the text
/// is not accepted.
struct SlotReading<'r, 'a> {
    reader: &'r mut SlotReader,
    bytes: &'a [u8],
    text: &'a str,
    slots: &'r mut Slots,
}

impl SlotReading<'_, '_> {
    /// Reads a value that starts with a byte.
    #[expect(clippy::inline_always, reason = "measured: most values are scalars")]
    #[inline(always)]
    fn value(
        &mut self,
        (byte, start): (u8, usize),
        step: &Expectation,
        row: Row,
        depth: usize,
    ) -> Option<ReadValue> {
        if byte == b'"' {
            let read = end_of_string(self.bytes, start)?;
            let value = Span::new(start, read.end).escaped(read.is_escaped);
            self.assert(step, Kind::String, value)?;
            return step
                .allows(bit(Kind::String))
                .then_some(read);
        }

        let end = self.value_of_another_kind((byte, start), step, row, depth)?;
        Some(ReadValue {
            end,
            is_escaped: false,
        })
    }

    /// Reads a value that is not a string; returns its end.
    #[inline(never)]
    fn value_of_another_kind(
        &mut self,
        (byte, start): (u8, usize),
        step: &Expectation,
        row: Row,
        depth: usize,
    ) -> Option<usize> {
        match byte {
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
                let end = number(self.bytes, start).ok()?;
                self.assert(step, Kind::Number, Span::new(start, end))?;
                Some(end)
            }
            b't' => self.literal(start, step, "true", Kind::True),
            b'f' => self.literal(start, step, "false", Kind::False),
            b'n' => self.literal(start, step, "null", Kind::Null),
            _ => None,
        }
    }

    fn literal(&self, start: usize, step: &Expectation, word: &str, kind: Kind) -> Option<usize> {
        let end = start + word.len();
        let is_word = self.bytes.get(start..end) == Some(word.as_bytes());
        self.assert(step, kind, Span::new(start, end))?;
        (is_word && step.allows(bit(kind))).then_some(end)
    }

    /// Checks the assertions of a schema on a scalar besides its type.
    #[expect(
        clippy::inline_always,
        reason = "measured: of most scalars nothing is asserted"
    )]
    #[inline(always)]
    fn assert(&self, step: &Expectation, kind: Kind, value: Span) -> Option<()> {
        match step.asserted() {
            Asserted::Nothing => Some(()),
            Asserted::DateTime => self.assert_date_time(kind, value),
            Asserted::Shape(id) => self.assert_shape(id, kind, value),
        }
    }

    #[inline(never)]
    fn assert_date_time(&self, kind: Kind, value: Span) -> Option<()> {
        let is_date_time = || {
            let (start, end) = (value.start() as usize, value.end() as usize);
            Timestamp::is_valid(&unquoted(self.text, start, end, value.is_escaped()))
        };
        (kind != Kind::String || is_date_time()).then_some(())
    }

    #[inline(never)]
    fn assert_shape(&self, id: ShapeId, kind: Kind, value: Span) -> Option<()> {
        let shape = self.reader.shapes.get(id)?;
        let failures = shape.failures(kind, value.of(self.text), value.is_escaped());
        (failures == 0).then_some(())
    }

    /// Skips an array or object that may have anything in it.
    fn skip(&mut self, start: usize, depth: usize) -> Option<usize> {
        // Many are empty.
        if matches!(self.bytes.get(start..start + 2), Some(b"[]" | b"{}")) {
            Some(start + 2)
        } else if self.reader.refuses_repeated_keys {
            self.reader
                .scratch
                .skip_unique(self.text, start, depth)
        } else {
            skip(self.bytes, start, depth)
        }
    }

    fn array(&mut self, start: usize, step: &Expectation, row: Row) -> Option<usize> {
        let table = self
            .reader
            .tables
            .all
            .get(usize::from(step.table))?;
        let (items, depth) = (table.items.clone(), table.depth + 1);
        let (mut byte, mut at) = after_blank(self.bytes, start + 1)?;
        if byte == b']' {
            return Some(at + 1);
        }

        loop {
            at = self
                .value((byte, at), &items, row, depth)?
                .end;
            (byte, at) = after_blank(self.bytes, at)?;
            match byte {
                b',' => (byte, at) = after_blank(self.bytes, at + 1)?,
                b']' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// Reads an object of which the schema knows keys. The recursion is as deep as the schema.
    fn object(&mut self, start: usize, step: &Expectation, mut row: Row) -> Option<usize> {
        let table = self
            .reader
            .tables
            .all
            .get(usize::from(step.table))?;
        let rows = table.rows;
        if let Some(array) = rows {
            row = self.slots.add_row(array, table.width);
        }

        let end = self.members(start + 1, usize::from(step.table), row)?;
        if rows.is_some() {
            self.slots
                .set(row, 0, Span::new(start, end));
        }

        Some(end)
    }

    /// Reads the members of an object; its table has no keys while they are read.
    fn members(&mut self, start: usize, id: usize, row: Row) -> Option<usize> {
        let table = self.reader.tables.all.get_mut(id)?;
        let mut keys = std::mem::take(&mut table.keys);
        let first = usize::from(table.first);
        let end = self.members_with(&mut keys, (start, first), id, row);
        // Swapped, so that no empty table is dropped.
        std::mem::swap(&mut self.reader.tables.all.get_mut(id)?.keys, &mut keys);
        std::mem::forget(keys);

        end
    }

    #[expect(clippy::inline_always, reason = "measured: it has one caller")]
    #[inline(always)]
    fn members_with(
        &mut self,
        keys: &mut KnownKeys,
        (start, first): (usize, usize),
        id: usize,
        row: Row,
    ) -> Option<usize> {
        let table = self.reader.tables.all.get(id)?;
        let (required, depth, keeps_near) = (table.required, table.depth + 1, table.near.is_some());
        let bytes = self.bytes;
        let (mut byte, mut at) = after_blank(bytes, start)?;
        if byte == b'}' {
            return (required == 0).then_some(at + 1);
        }

        let (mut present, mut near) = (0_u64, 0);
        let (mut before, mut expected) = (usize::MAX, first);
        loop {
            // Writers keep an order, so the next key is usually the one that came next before.
            let next = keys
                .all
                .get(expected)
                .and_then(|key| Some((key, key.end_if_next(bytes, at)?)));
            let (key, end) = if let Some(next) = next {
                next
            } else {
                let end;
                (expected, end) = self.other_key(keys, at, id, (before, present))?;
                (keys.all.get(expected)?, end)
            };

            near |= key.near;
            if present >> expected & 1 != 0 {
                return None;
            }

            present |= 1 << expected;
            let (first, start) = after_blank(bytes, end)?;
            let ReadValue { end, is_escaped } =
                self.value((first, start), &key.step, row, depth)?;

            if key.step.slot != NO_SLOT {
                let value = Span::new(start, end).escaped(is_escaped);
                self.keep(key.step.slot, row, at, value)?;
            }

            (byte, at) = after_blank(bytes, end)?;
            if byte != b',' {
                break;
            }

            (_, at) = after_blank(bytes, at + 1)?;
            before = expected;
            expected = usize::from(key.step.next);
        }

        if byte != b'}' || present & required != required {
            return None;
        }

        if keeps_near {
            self.slots.near = near;
        } else if near & !present != 0 {
            return None;
        }

        Some(at + 1)
    }

    /// Keeps a value for which rules ask.
    #[inline]
    fn keep(&mut self, slot: u8, row: Row, key: usize, value: Span) -> Option<()> {
        if slot == OTHER {
            let key_end = end_of_string(self.bytes, key)?.end;
            self.slots
                .add_other(row, Span::new(key, key_end), value);
        } else {
            self.slots
                .set(row, usize::from(slot), value);
        }

        Some(())
    }

    /// Reads a key that was not expected, after another one of its object; returns its place among
    /// the keys of its table, and the end of its colon.
    #[inline(never)]
    fn other_key(
        &mut self,
        keys: &mut KnownKeys,
        at: usize,
        id: usize,
        (before, present): (usize, u64),
    ) -> Option<(usize, usize)> {
        let (place, end) = if let Some(guessed) = keys.guess(self.bytes, at) {
            guessed
        } else {
            let is_string = self.bytes.get(at) == Some(&b'"');
            let read = end_of_string(self.bytes, at).filter(|_| is_string)?;
            // A key with escapes may be a known one.
            let name = self
                .text
                .get(at + 1..read.end - 1)
                .filter(|_| !read.is_escaped)?;
            let (colon, end) = after_blank(self.bytes, read.end)?;
            if colon != b':' {
                return None;
            }

            let known = keys.find(name);
            let learn = |keys: &mut KnownKeys| {
                let (near, step) = unknown(self.reader.tables.all.get(id)?, keys, name)?;
                keys.learn(name, near, step, present)
            };

            let place = known.or_else(|| learn(keys))?;
            keys.remember(self.bytes, at, place);
            (place, end + 1)
        };

        let next = u8::try_from(place).ok()?;
        if before == usize::MAX {
            self.reader
                .tables
                .all
                .get_mut(id)?
                .first = next;
        } else {
            keys.all.get_mut(before)?.step.next = next;
        }

        Some((place, end))
    }
}

/// Returns the near keys of a key that the schema does not name, and the expectation of its value.
fn unknown(table: &ReaderTable, keys: &KnownKeys, name: &str) -> Option<(u64, Expectation)> {
    let (near, step) = match &table.others {
        Others::Any => (
            table
                .near
                .map_or_else(|| keys.near(name), |near| near(name)),
            Expectation::FREE,
        ),
        Others::Each(step) => (0, step.clone()),
        Others::Prefixed(prefixes) => {
            let is_allowed = prefixes
                .iter()
                .any(|prefix| name.starts_with(&**prefix));
            (0, is_allowed.then_some(Expectation::FREE)?)
        }
    };

    let is_kept = table
        .kept
        .is_some_and(|prefix| name.starts_with(prefix));

    Some((near, if is_kept { step.with_slot(OTHER) } else { step }))
}
