//! The shapes of a schema and the places that rules ask for -> the tables that drive the reader.

mod keys;

use super::super::shape::{ANY_TYPE, Additional, Shape, ShapeId, Shapes, bit};
use crate::ground::document::{Kind, Layout};

pub(super) use keys::{KnownKey, KnownKeys};

/// The number of keys of one object that a table has, at most: each has a bit.
pub(super) const MAX_KEYS: usize = 64;

/// Marks that an object or an array may have anything in it, beside the bits of types.
pub(super) const FREE_OBJECT: u8 = 1 << 6;
pub(super) const FREE_ARRAY: u8 = 1 << 7;

/// The slot of a value that no rule asks for.
pub(super) const NO_SLOT: u8 = u8::MAX;

/// The slot of a value of an object whose other keys are kept.
pub(super) const OTHER: u8 = u8::MAX - 1;

/// The properties expected of a value.
#[derive(Clone)]
pub(super) struct Expectation {
    /// The table of an array or object.
    pub(super) table: u16,
    /// The types that it may have, a bit each.
    types: u8,
    /// The slot of its span.
    pub(super) slot: u8,
    /// The shape that asserts more of a scalar than its type, or one of the marks below.
    shape: u8,
    /// The key that came after its key the last time.
    pub(super) next: u8,
}

/// No shape asserts anything of a scalar but its type.
const NO_SHAPE: u8 = u8::MAX;

/// A string is asserted to be a date-time, and nothing else of a scalar.
const DATE_TIME: u8 = u8::MAX - 1;

/// What is asserted of a scalar besides its type.
#[derive(Clone, Copy)]
pub(super) enum Asserted {
    Nothing,
    /// A string is a date-time.
    DateTime,
    /// All that a shape asserts.
    Shape(ShapeId),
}

impl Default for Expectation {
    fn default() -> Self {
        Self::FREE
    }
}

impl Expectation {
    /// A value that may be anything.
    pub(super) const FREE: Self = Self::new(0, ANY_TYPE | FREE_OBJECT | FREE_ARRAY, NO_SHAPE);

    const fn new(table: u16, types: u8, shape: u8) -> Self {
        Self {
            table,
            types,
            slot: NO_SLOT,
            shape,
            next: 0,
        }
    }

    pub(super) fn with_slot(self, slot: u8) -> Self {
        Self { slot, ..self }
    }

    /// Returns `true` if the value may have one of some types.
    #[inline]
    pub(super) fn allows(&self, types: u8) -> bool {
        self.types & types != 0
    }

    /// Returns what is asserted of a scalar besides its type.
    #[inline]
    pub(super) fn asserted(&self) -> Asserted {
        match self.shape {
            NO_SHAPE => Asserted::Nothing,
            DATE_TIME => Asserted::DateTime,
            shape => Asserted::Shape(shape.into()),
        }
    }
}

/// The content expected in an array or object at one place of a text.
#[derive(Default)]
pub(super) struct ReaderTable {
    /// The number of arrays and objects around it.
    pub(super) depth: usize,
    pub(super) keys: KnownKeys,
    /// A bit for each required key.
    pub(super) required: u64,
    /// The key that came first the last time.
    pub(super) first: u8,
    /// The expectation of other keys.
    pub(super) others: Others,
    pub(super) items: Expectation,
    /// The array of which each object is a row.
    pub(super) rows: Option<usize>,
    /// The number of slots of such a row.
    pub(super) width: usize,
    /// The prefix of the other keys that are kept, see [`Layout::others`].
    pub(super) kept: Option<&'static str>,
    /// The words that a key is near to, see [`Layout::near`].
    pub(super) near: Option<fn(&str) -> u64>,
}

/// The expectation of the keys of an object that its schema does not name.
#[derive(Default)]
pub(super) enum Others {
    /// Any value; a key that is near one of the schema may be misspelled.
    #[default]
    Any,
    Each(Expectation),
    /// Only keys with a prefix are allowed.
    Prefixed(Vec<Box<str>>),
}

/// Assertions about values that apply if another value is a certain text.
pub(super) struct ConditionalSlots {
    /// The slot of the text.
    pub(super) slot: usize,
    /// The text as it is written without escapes.
    pub(super) equals: Box<str>,
    /// What is asserted of values with slots.
    pub(super) asserted: Vec<AssertedSlot>,
}

/// A value with a slot of which something is asserted: a scalar, or an array of which the types of
/// items may be asserted.
pub(super) struct AssertedSlot {
    pub(super) slot: usize,
    pub(super) shape: ShapeId,
    /// The types that items of an array may have, a bit each; any, where reading it tells.
    pub(super) items: u8,
}

/// The tables of a schema.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) all: Vec<ReaderTable>,
    pub(super) root: Expectation,
    pub(super) conditions: Vec<ConditionalSlots>,
}

impl Tables {
    /// Compiles the tables of a schema; `None` where the reader can't judge by it.
    pub(super) fn compile(shapes: &Shapes, layout: &Layout) -> Option<Self> {
        let mut compiler = TableCompiler {
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

struct TableCompiler<'c> {
    shapes: &'c Shapes,
    layout: &'c Layout,
    tables: Vec<ReaderTable>,
}

impl TableCompiler<'_> {
    /// Returns the expectation of a value of which the schema asserts nothing.
    fn anything(&mut self, pointer: &str, depth: usize) -> Option<Expectation> {
        let step = Expectation::FREE.with_slot(self.slot(pointer)?);
        let mut arrays = self.layout.rows.iter();
        if !arrays.any(|(array, _)| *array == pointer) {
            return Some(step);
        }

        let any = Shape::of_type(ANY_TYPE);
        let item = self.table(&any, &[pointer, "/*"].concat(), depth + 1)?;
        let items = Expectation::new(self.add(item)?, bit(Kind::Object), NO_SHAPE);
        let array = ReaderTable {
            depth,
            items,
            ..ReaderTable::default()
        };

        let types = ANY_TYPE | FREE_OBJECT;
        Some(Expectation::new(self.add(array)?, types, NO_SHAPE).with_slot(step.slot))
    }

    fn add(&mut self, table: ReaderTable) -> Option<u16> {
        self.tables.push(table);
        u16::try_from(self.tables.len() - 1).ok()
    }

    /// Returns the expectation of a value at a place, in a number of arrays and objects.
    fn step(&mut self, id: ShapeId, pointer: &str, depth: usize) -> Option<Expectation> {
        let shape = self.shapes.get(id)?;
        if id != 0 && !shape.conditions.is_empty() || shape.needs_the_whole() {
            return None;
        }

        let is_free_object = shape.takes_any_member() && !self.asks_below(pointer);
        let is_free_array = shape.items.is_none();
        let free = if is_free_object { FREE_OBJECT } else { 0 }
            | if is_free_array { FREE_ARRAY } else { 0 };
        // The conditions of the root are judged when it is read.
        let asserts = if shape.is_plain || id == 0 {
            NO_SHAPE
        } else if shape.asserts_date_time_alone() {
            DATE_TIME
        } else {
            u8::try_from(id)
                .ok()
                .filter(|id| *id < DATE_TIME)?
        };

        let may_hold = shape.types & (bit(Kind::Object) | bit(Kind::Array)) != 0;
        if !may_hold || (is_free_object && is_free_array) {
            return Some(
                Expectation::new(0, shape.types | free, asserts).with_slot(self.slot(pointer)?),
            );
        }

        let table = self.table(shape, pointer, depth)?;
        Some(
            Expectation::new(self.add(table)?, shape.types | free, asserts)
                .with_slot(self.slot(pointer)?),
        )
    }

    fn table(&mut self, shape: &Shape, pointer: &str, depth: usize) -> Option<ReaderTable> {
        let mut table = ReaderTable {
            depth,
            kept: self
                .layout
                .prefix_of_others(pointer.trim_end_matches("/*")),
            near: (self.layout.near)
                .filter(|near| near.object == pointer)
                .map(|near| near.words),
            ..ReaderTable::default()
        };

        for property in &shape.properties {
            let below = [pointer, "/", &property.name].concat();
            let step = self.step(property.shape, &below, depth + 1)?;
            let place = table
                .keys
                .learn(&property.name, 0, step, u64::MAX)?;
            table.required |= u64::from(property.required) << place;
        }

        // Rules also ask for fields that the schema does not name.
        let asked: Vec<_> = self.asked_below(pointer).collect();
        for name in asked {
            let is_known = |key: &KnownKey| key.name() == name.as_bytes();
            if !table.keys.all.iter().any(is_known) {
                let step = self.anything(&[pointer, "/", name].concat(), depth + 1)?;
                table
                    .keys
                    .learn(name, 0, step, u64::MAX)?;
            }
        }

        table.keys.close();
        table.others = match shape.additional {
            Additional::Any if shape.properties.is_empty() && table.near.is_none() => {
                Others::Each(Expectation::FREE)
            }
            Additional::Any => Others::Any,
            Additional::Each(below) => Others::Each(self.step(below, "*", depth + 1)?),
            Additional::None => Others::Prefixed(shape.prefixes.clone()),
        };
        if let Some(items) = shape.items {
            table.items = self.step(items, &[pointer, "/*"].concat(), depth + 1)?;
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
        let of_root = self
            .layout
            .root
            .iter()
            .position(|place| *place == pointer);
        let of_row = self
            .layout
            .rows
            .iter()
            .find_map(|(array, places)| {
                let below = pointer
                    .strip_prefix(array)?
                    .strip_prefix("/*")?;
                places
                    .iter()
                    .position(|place| *place == below)
            });

        of_root
            .or(of_row)
            .map_or(Some(NO_SLOT), |slot| u8::try_from(slot).ok())
    }

    /// Returns `true` if rules ask for a value below a place.
    fn asks_below(&self, pointer: &str) -> bool {
        self.asked_below(pointer)
            .next()
            .is_some()
    }

    /// Returns the keys of the object at a place under which rules ask for values.
    fn asked_below(&self, pointer: &str) -> impl Iterator<Item = &'static str> {
        let below = move |place: &&'static str| {
            place
                .strip_prefix(pointer)?
                .strip_prefix('/')
        };

        let of_root = self
            .layout
            .root
            .iter()
            .filter_map(below);
        let of_row = self
            .layout
            .rows
            .iter()
            .find(|(array, _)| pointer.strip_suffix("/*") == Some(array))
            .into_iter()
            .flat_map(|(_, places)| *places)
            .filter_map(|place| place.strip_prefix('/'));

        of_root
            .chain(of_row)
            .filter(|key| !key.contains('/'))
    }

    /// Compiles a condition on a text; its assertions may only concern scalars with slots, and the
    /// types of items of arrays with slots.
    fn condition(
        &self,
        condition: &super::super::shape::ConditionalShape,
    ) -> Option<ConditionalSlots> {
        let mut asserted = Vec::new();
        self.asserted(condition.then, "", &mut asserted)?;
        let slot = self.slot(&format!("/{}", condition.property))?;
        Some(ConditionalSlots {
            slot: usize::from(slot).checked_rem(usize::from(OTHER))?,
            equals: serde_json::to_string(&*condition.equals)
                .ok()?
                .into(),
            asserted,
        })
    }

    /// Returns the types that the items of an array at a place may have; any, where each is read as
    /// a row, and so is an object. `None` where more is asserted of them.
    fn types_of_items(&self, id: ShapeId, pointer: &str) -> Option<u8> {
        let shape = self.shapes.get(id)?;
        let is_of_type = shape.is_plain && shape.takes_any_member() && shape.items.is_none();
        let are_rows = self
            .layout
            .rows
            .iter()
            .any(|(array, _)| *array == pointer);
        let is_told = are_rows && shape.types & bit(Kind::Object) != 0;
        is_of_type.then_some(if is_told { ANY_TYPE } else { shape.types })
    }

    /// Collects the assertions of a shape on scalars at and below a place.
    fn asserted(&self, id: ShapeId, pointer: &str, found: &mut Vec<AssertedSlot>) -> Option<()> {
        let shape = self.shapes.get(id)?;
        let asserts_more = shape.required > 0 || shape.needs_the_whole();
        if asserts_more || !matches!(shape.additional, Additional::Any) {
            return None;
        }

        let items = match shape.items {
            Some(items) => self.types_of_items(items, pointer)?,
            None => ANY_TYPE,
        };

        if shape.properties.is_empty() {
            if !(shape.is_plain && shape.types == ANY_TYPE) {
                let slot = self
                    .slot(pointer)
                    .filter(|slot| *slot != NO_SLOT)?;
                found.push(AssertedSlot {
                    slot: usize::from(slot),
                    shape: id,
                    items,
                });
            }

            return Some(());
        }

        for property in &shape.properties {
            self.asserted(
                property.shape,
                &[pointer, "/", &property.name].concat(),
                found,
            )?;
        }

        Some(())
    }
}
