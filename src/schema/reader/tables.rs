//! The shapes of a schema and the places that rules ask for -> the tables that drive the reader.

use wide::u8x16;

use super::super::shape::{ANY_TYPE, Additional, Shape, ShapeId, Shapes, bit};
use crate::document::{Kind, Layout};
use crate::spelling::is_near;

/// The number of keys of one object that a table has, at most: each has a bit.
pub(super) const MAX_KEYS: usize = 64;

/// The number of bytes of a key that are compared at once.
const HEAD: usize = 16;

/// Marks that an object or an array may have anything in it, beside the bits of types.
pub(super) const FREE_OBJECT: u8 = 1 << 6;
pub(super) const FREE_ARRAY: u8 = 1 << 7;

/// The slot of a value that no rule asks for.
pub(super) const NO_SLOT: u8 = u8::MAX;

/// The slot of a value of an object whose other keys are kept.
pub(super) const OTHER: u8 = u8::MAX - 1;

/// The place of no shape.
pub(super) const NONE: u8 = u8::MAX;

/// What is expected of a value.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// The table of an array or object.
    pub(super) table: u16,
    /// The types that it may have, a bit each; [`FREE_OBJECT`] and [`FREE_ARRAY`].
    pub(super) types: u8,
    /// Where its span goes.
    pub(super) slot: u8,
    /// The shape that asserts more of a scalar than its type; [`NONE`] where none does.
    pub(super) asserts: u8,
    /// The key that came after this one the last time.
    pub(super) next: u8,
}

impl Default for Step {
    fn default() -> Self {
        Self::FREE
    }
}

impl Step {
    /// A value that may be anything.
    pub(super) const FREE: Self = Self {
        table: 0,
        types: ANY_TYPE | FREE_OBJECT | FREE_ARRAY,
        slot: NO_SLOT,
        asserts: NONE,
        next: 0,
    };

    #[inline]
    pub(super) fn allows(self, types: u8) -> bool {
        self.types & types != 0
    }
}

/// What is expected in an array or object at one place of a text.
#[derive(Default)]
pub(super) struct Table {
    /// The number of arrays and objects around it.
    pub(super) depth: usize,
    /// Those of the schema, and then those that were met.
    pub(super) keys: Vec<Key>,
    /// The number of keys that the schema has.
    known: usize,
    /// A bit for each required key.
    pub(super) required: u64,
    /// The key that came first the last time.
    pub(super) first: u8,
    /// What is expected of other keys.
    pub(super) others: Others,
    pub(super) items: Step,
    /// The array of which each object is a row.
    pub(super) rows: Option<usize>,
    /// The number of slots of such a row.
    pub(super) width: usize,
    /// The prefix of the other keys that are kept, see [`Layout::others`].
    pub(super) kept: Option<&'static str>,
    /// The words that a key is near to, see [`Layout::near`].
    pub(super) near: Option<fn(&str) -> u64>,
}

/// What is expected of the keys of an object that its schema does not name.
#[derive(Default)]
pub(super) enum Others {
    /// Any value; a key that is near one of the schema may be misspelled.
    #[default]
    Any,
    Each(Step),
    /// Only keys with a prefix are allowed.
    Prefixed(Vec<Box<str>>),
}

/// A key of an object.
pub(super) struct Key {
    /// As it is written, with its quotes and a colon.
    written: Box<[u8]>,
    /// The first bytes of that, and a bit for each of them that is beyond its end.
    head: [u8; HEAD],
    beyond: u32,
    /// Its bit among the keys of its object.
    pub(super) bit: u64,
    /// The keys of the schema that it is near to, a bit each.
    pub(super) near: u64,
    pub(super) step: Step,
}

impl Key {
    fn new(place: usize, name: &str, near: u64, step: Step) -> Self {
        let written = format!("\"{name}\":").into_bytes();
        let mut head = [0; HEAD];
        for (to, from) in head.iter_mut().zip(&written) {
            *to = *from;
        }
        let beyond = u32::try_from(written.len()).unwrap_or(u32::MAX);
        Self {
            head,
            beyond: 0xFFFF & u32::MAX.checked_shl(beyond).unwrap_or(0),
            written: written.into(),
            bit: 1 << place,
            near,
            step,
        }
    }

    pub(super) fn name(&self) -> &[u8] {
        let end = self.written.len() - 2;
        self.written.get(1..end).unwrap_or_default()
    }

    /// Returns the place of its value's earliest byte, if the key is next in a text.
    #[expect(clippy::inline_always, reason = "measured: most keys are expected")]
    #[inline(always)]
    pub(super) fn end_if_next(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let end = at + self.written.len();
        let Some(head) = bytes.get(at..).and_then(|rest| rest.first_chunk::<HEAD>()) else {
            return (bytes.get(at..end)? == &*self.written).then_some(end);
        };
        let same = u8x16::new(*head).simd_eq(u8x16::new(self.head));
        let is_next = same.to_bitmask() | self.beyond == 0xFFFF
            && (self.written.len() <= HEAD || bytes.get(at + HEAD..end) == self.written.get(HEAD..));
        is_next.then_some(end)
    }
}

impl Table {
    /// Adds a key that was met, while there is room.
    pub(super) fn learn(&mut self, name: &str, near: u64, step: Step) -> Option<usize> {
        let place = self.keys.len();
        if place == MAX_KEYS || name.len() > HEAD * 4 {
            return None;
        }
        self.keys.push(Key::new(place, name, near, step));
        Some(place)
    }

    /// Forgets the keys that were met.
    pub(super) fn forget(&mut self) {
        self.keys.truncate(self.known);
        self.first = 0;
        for (next, key) in (1..).zip(&mut self.keys) {
            key.step.next = next;
        }
    }

    /// Returns the words that a name is near to, a bit each: keys of the schema, unless the caller
    /// judges by others.
    pub(super) fn near(&self, name: &str) -> u64 {
        if let Some(near) = self.near {
            return near(name);
        }
        let known = self.keys.iter().take(self.known);
        let near = known.filter(|key| {
            std::str::from_utf8(key.name()).is_ok_and(|known| is_near(name, known))
        });
        near.fold(0, |bits, key| bits | key.bit)
    }
}

/// What is asserted of values if another value is a text.
pub(super) struct Condition {
    /// The slot of the text.
    pub(super) slot: usize,
    /// The text as it is written without escapes.
    pub(super) equals: Box<str>,
    /// The slots of scalars, each with the shape that asserts something of it.
    pub(super) asserted: Vec<(usize, ShapeId)>,
}

/// The tables of a schema.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) all: Vec<Table>,
    pub(super) root: Step,
    pub(super) conditions: Vec<Condition>,
}

impl Tables {
    /// Compiles the tables of a schema; `None` where the reader can't judge by it.
    pub(super) fn compile(shapes: &Shapes, layout: &Layout) -> Option<Self> {
        let mut compiler = Compiler {
            shapes,
            layout,
            tables: Vec::new(),
        };
        if !shapes.is_supported() {
            return None;
        }
        let root = compiler.step(0, "", 0)?;
        let conditions = shapes.get(0)?.conditions.iter();
        Some(Self {
            root,
            conditions: conditions
                .map(|condition| compiler.condition(condition))
                .collect::<Option<_>>()?,
            all: compiler.tables,
        })
    }
}

struct Compiler<'c> {
    shapes: &'c Shapes,
    layout: &'c Layout,
    tables: Vec<Table>,
}

impl Compiler<'_> {
    /// Returns what is expected of a value of which the schema asserts nothing.
    fn anything(&mut self, pointer: &str, depth: usize) -> Option<Step> {
        let step = Step {
            slot: self.slot(pointer)?,
            ..Step::FREE
        };
        let mut rows = self.layout.rows.iter();
        let Some(array) = rows.position(|(array, _)| *array == pointer) else {
            return Some(step);
        };
        let items = Step {
            table: u16::try_from(self.tables.len() + 1).ok()?,
            types: bit(Kind::Object),
            ..Step::FREE
        };
        let table = u16::try_from(self.tables.len()).ok()?;
        self.tables.push(Table {
            depth,
            items,
            ..Table::default()
        });
        let places = self.layout.rows.get(array)?.1;
        let mut keys = Table {
            depth: depth + 1,
            others: Others::Each(Step::FREE),
            rows: Some(array),
            width: places.len(),
            ..Table::default()
        };
        for (slot, place) in places.iter().enumerate().skip(1) {
            let slot = u8::try_from(slot).ok()?;
            keys.learn(place.strip_prefix('/')?, 0, Step { slot, ..Step::FREE })?;
        }
        keys.known = keys.keys.len();
        keys.forget();
        self.tables.push(keys);
        Some(Step {
            table,
            types: step.types & !FREE_ARRAY,
            ..step
        })
    }

    /// Returns what is expected of a value at a place, in a number of arrays and objects.
    fn step(&mut self, id: ShapeId, pointer: &str, depth: usize) -> Option<Step> {
        let shapes = self.shapes;
        let shape = shapes.get(id)?;
        if id != 0 && !shape.conditions.is_empty() {
            return None;
        }
        let is_free_object = shape.takes_any_member() && !self.asks_below(pointer);
        let is_free_array = shape.items.is_none();
        let free = if is_free_object { FREE_OBJECT } else { 0 }
            | if is_free_array { FREE_ARRAY } else { 0 };
        let step = Step {
            table: u16::try_from(self.tables.len()).ok()?,
            types: shape.types | free,
            slot: self.slot(pointer)?,
            // The conditions of the root are judged when it is read.
            asserts: if shape.is_plain || id == 0 {
                NONE
            } else {
                u8::try_from(id).ok().filter(|id| *id != NONE)?
            },
            next: 0,
        };
        let may_hold = shape.types & (bit(Kind::Object) | bit(Kind::Array)) != 0;
        if !may_hold || (is_free_object && is_free_array) {
            return Some(Step { table: 0, ..step });
        }
        self.tables.push(Table::default());
        let filled = self.table(shape, pointer, depth)?;
        *self.tables.get_mut(usize::from(step.table))? = filled;
        Some(step)
    }

    fn table(&mut self, shape: &Shape, pointer: &str, depth: usize) -> Option<Table> {
        let mut table = Table {
            depth,
            kept: self.layout.prefix_of_others(pointer.trim_end_matches("/*")),
            near: (self.layout.near).and_then(|(object, near)| (object == pointer).then_some(near)),
            ..Table::default()
        };
        for property in &shape.properties {
            let below = format!("{pointer}/{}", property.name);
            let step = self.step(property.shape, &below, depth + 1)?;
            let place = table.learn(&property.name, 0, step)?;
            table.required |= u64::from(property.required) << place;
        }
        // Rules also ask for fields that the schema does not name.
        let asked: Vec<_> = self.asked_below(pointer).collect();
        for name in asked {
            let is_known = |key: &Key| key.name() == name.as_bytes();
            if !table.keys.iter().any(is_known) {
                let step = self.anything(&format!("{pointer}/{name}"), depth + 1)?;
                table.learn(name, 0, step)?;
            }
        }
        if let Some(near) = table.near {
            for key in &mut table.keys {
                key.near = near(std::str::from_utf8(key.name()).ok()?);
            }
        }
        table.known = table.keys.len();
        table.forget();
        table.others = match shape.additional {
            Additional::Any => Others::Any,
            Additional::Each(below) => Others::Each(self.step(below, "*", depth + 1)?),
            Additional::None => Others::Prefixed(shape.prefixes.clone()),
        };
        if let Some(items) = shape.items {
            table.items = self.step(items, &format!("{pointer}/*"), depth + 1)?;
        }
        let mut rows = self.layout.rows.iter();
        if let Some(array) = rows.position(|(array, _)| pointer.strip_suffix("/*") == Some(array)) {
            table.rows = Some(array);
            table.width = self.layout.rows.get(array)?.1.len();
        }
        Some(table)
    }

    /// Returns the slot of a place.
    fn slot(&self, pointer: &str) -> Option<u8> {
        let of_root = self.layout.root.iter().position(|place| *place == pointer);
        let mut rows = self.layout.rows.iter();
        let of_row = rows.find_map(|(array, places)| {
            let below = pointer.strip_prefix(array)?.strip_prefix("/*")?;
            places.iter().position(|place| *place == below)
        });
        of_root
            .or(of_row)
            .map_or(Some(NO_SLOT), |slot| u8::try_from(slot).ok())
    }

    /// Returns `true` if rules ask for a value below a place.
    fn asks_below(&self, pointer: &str) -> bool {
        self.asked_below(pointer).next().is_some()
    }

    /// Returns the keys of the object at a place under which rules ask for values.
    fn asked_below(&self, pointer: &str) -> impl Iterator<Item = &'static str> {
        let places = self.layout.root.iter();
        let below = places.filter_map(move |place| place.strip_prefix(pointer)?.strip_prefix('/'));
        below.filter(|key| !key.contains('/'))
    }

    /// Compiles a condition on a text; what it asserts may only concern scalars with slots.
    fn condition(&self, condition: &super::super::shape::Condition) -> Option<Condition> {
        let mut asserted = Vec::new();
        self.asserted(condition.then, "", &mut asserted)?;
        let slot = self.slot(&format!("/{}", condition.property))?;
        Some(Condition {
            slot: usize::from(slot).checked_rem(usize::from(OTHER))?,
            equals: serde_json::to_string(&*condition.equals).ok()?.into(),
            asserted,
        })
    }

    /// Collects what a shape asserts of scalars at and below a place.
    fn asserted(&self, id: ShapeId, pointer: &str, found: &mut Vec<(usize, ShapeId)>) -> Option<()> {
        let shape = self.shapes.get(id)?;
        if shape.required > 0 || shape.items.is_some() || !matches!(shape.additional, Additional::Any) {
            return None;
        }
        if shape.properties.is_empty() {
            if !(shape.is_plain && shape.types == ANY_TYPE) {
                let slot = self.slot(pointer).filter(|slot| *slot != NO_SLOT)?;
                found.push((usize::from(slot), id));
            }
            return Some(());
        }
        for property in &shape.properties {
            self.asserted(property.shape, &format!("{pointer}/{}", property.name), found)?;
        }
        Some(())
    }
}
