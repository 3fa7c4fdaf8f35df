//! A schema -> a fast validator, which decides in one walk over a record whether it is valid.
//!
//! Every keyword of the checked-in schemas is implemented exactly. A schema with any other keyword
//! is never conclusive here, and every record goes to the `jsonschema` validator. Tests compare the
//! two validators.

mod compile;
mod misspelling;
mod pattern;
mod tests;

use serde_json::Value;

use super::bound::NumberKeyword;
use crate::ground::document::{Key, Kind, Node, Number, unquoted};
use crate::ground::timestamp::Timestamp;
pub(crate) use misspelling::Misspelling;
use pattern::Pattern;

/// The subschemas of one schema; the first is its root.
#[derive(Default)]
pub(super) struct Shapes {
    /// None where a keyword is not implemented here.
    all: Vec<Shape>,
}

/// The place of a subschema among them.
pub(in crate::reading) type ShapeId = usize;

/// The assertions of a subschema.
pub(super) struct Shape {
    /// The allowed types, a bit each.
    pub(super) types: u8,
    /// `true` if a number must be an integer.
    integer: bool,
    allowed: Option<Vec<Value>>,
    bounds: Vec<NumberBound>,
    min_length: usize,
    min_items: usize,
    date_time: bool,
    /// The pattern that a text has.
    pattern: Option<Pattern>,
    pub(super) properties: Vec<Property>,
    /// The number of required properties.
    pub(super) required: usize,
    pub(super) additional: Additional,
    /// Prefixes of keys that are allowed regardless of `additional`.
    pub(super) prefixes: Vec<Box<str>>,
    pub(super) items: Option<ShapeId>,
    pub(super) conditions: Vec<ConditionalShape>,
    /// Subschemas of which a value satisfies at least one, if there are any.
    any_of: Vec<ShapeId>,
    /// `true` if the subschema asserts nothing about a scalar except its type.
    pub(super) is_plain: bool,
}

/// A number that others are held against.
struct NumberBound {
    keyword: NumberKeyword,
    written: Box<str>,
    double: f64,
}

impl NumberBound {
    /// Returns `true` if a number, with the double next to it, is within the bound.
    fn allows(&self, number: Number<'_>, double: f64) -> bool {
        // Doubles that differ are in the order of their numbers.
        let order = double
            .partial_cmp(&self.double)
            .filter(|order| order.is_ne())
            .unwrap_or_else(|| number.order(Number::of(&self.written)));

        self.keyword.allows(order)
    }
}

/// A subschema that applies if a property equals a text.
pub(super) struct ConditionalShape {
    pub(super) property: Box<str>,
    pub(super) equals: Box<str>,
    pub(super) then: ShapeId,
}

pub(super) struct Property {
    pub(super) name: Box<str>,
    pub(super) shape: ShapeId,
    pub(super) required: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Additional {
    Any,
    None,
    Each(ShapeId),
}

impl Shapes {
    /// Returns a subschema.
    #[inline]
    pub(super) fn get(&self, id: ShapeId) -> Option<&Shape> {
        self.all.get(id)
    }

    /// Returns `true` if all keywords are implemented here.
    pub(super) fn is_supported(&self) -> bool {
        !self.all.is_empty()
    }

    /// Returns `true` if a part of a value may be judged by more than one subschema on each of its
    /// levels: in a schema that contains itself and has conditions or alternatives.
    pub(super) fn may_multiply(&self) -> bool {
        let contains_itself = |(id, shape): (ShapeId, &Shape)| {
            let properties = shape
                .properties
                .iter()
                .map(|property| property.shape);
            let additional = match shape.additional {
                Additional::Each(below) => Some(below),
                Additional::Any | Additional::None => None,
            };

            let conditions = shape
                .conditions
                .iter()
                .map(|condition| condition.then);
            let below = properties
                .chain(shape.items)
                .chain(additional);
            // A subschema has a smaller number than its parts, unless it is one of them.
            below
                .chain(conditions)
                .chain(shape.any_of.iter().copied())
                .any(|below| below <= id)
        };

        let has_several = |shape: &Shape| !(shape.conditions.is_empty() && shape.any_of.is_empty());
        self.all.iter().any(has_several)
            && self
                .all
                .iter()
                .enumerate()
                .any(contains_itself)
    }

    /// Returns `true` if a value is valid.
    pub(super) fn is_valid(&self, root: Node<'_>) -> bool {
        self.is_supported() && self.count_failures(root, 1) == 0
    }

    /// Returns the number of failed assertions, counted up to a limit.
    pub(super) fn count_failures(&self, root: Node<'_>, limit: usize) -> usize {
        let mut walk = ShapeWalk::new(&self.all, limit);
        walk.node(0, root);
        limit - walk.left
    }
}

/// A walk over a document and its schema in parallel.
struct ShapeWalk<'s> {
    shapes: &'s [Shape],
    /// The number of failures after which the walk ends.
    left: usize,
}

impl<'s> ShapeWalk<'s> {
    fn new(shapes: &'s [Shape], limit: usize) -> Self {
        Self {
            shapes,
            left: limit,
        }
    }

    fn fail(&mut self, failures: usize) {
        self.left = self.left.saturating_sub(failures);
    }

    #[inline]
    fn node(&mut self, id: ShapeId, node: Node<'_>) {
        let Some(shape) = self.shapes.get(id) else {
            return;
        };
        // Most values are scalars of which the type alone is asserted.
        let kind = node.kind();
        if shape.is_plain && !matches!(kind, Kind::Object | Kind::Array) {
            self.fail(usize::from(shape.types & bit(kind) == 0));
        } else {
            self.part(shape, node, kind);
        }
    }

    #[inline(never)]
    fn part(&mut self, shape: &'s Shape, node: Node<'_>, kind: Kind) {
        self.fail(shape.failures(kind, node.raw(), node.is_escaped()));
        match kind {
            Kind::Object => self.object(shape, node),
            Kind::Array => {
                if shape.min_items > 0 {
                    let items = node
                        .items()
                        .take(shape.min_items)
                        .count();
                    self.fail(usize::from(items < shape.min_items));
                }
                if let Some(items) = shape.items {
                    for item in node.items() {
                        if self.left == 0 {
                            return;
                        }
                        self.node(items, item);
                    }
                }
            }
            _ => {}
        }

        self.conditions(shape, node);
        self.alternatives(shape, node);
    }

    fn alternatives(&mut self, shape: &Shape, node: Node<'_>) {
        let is_valid = |id: &ShapeId| {
            let mut walk = ShapeWalk::new(self.shapes, 1);
            walk.node(*id, node);
            walk.left > 0
        };

        let mut alternatives = shape.any_of.iter();
        if self.left > 0 && !shape.any_of.is_empty() && !alternatives.any(is_valid) {
            self.fail(1);
        }
    }

    fn object(&mut self, shape: &Shape, node: Node<'_>) {
        if shape.takes_any_member() {
            return;
        }

        let mut missing = shape.required;
        // Writers sort keys or keep their order, so the next key is usually the next property.
        let mut next = 0;
        for key in node.members() {
            if self.left == 0 {
                return;
            }
            if let Some((index, property)) = shape.property(key, next) {
                next = index + 1;
                missing -= usize::from(property.required);
                self.node(property.shape, key.value());
                continue;
            }
            match shape.additional {
                Additional::Any => {}
                Additional::Each(below) => self.node(below, key.value()),
                Additional::None => self.fail(usize::from(!shape.allows(&key.name()))),
            }
        }

        self.fail(missing);
    }

    fn conditions(&mut self, shape: &Shape, node: Node<'_>) {
        for condition in &shape.conditions {
            // An `if` about properties is true for a value that is not an object.
            let holds = node.kind() != Kind::Object
                || node
                    .get(&condition.property)
                    .and_then(Node::text)
                    .as_deref()
                    == Some(&condition.equals);
            if self.left > 0 && holds {
                self.node(condition.then, node);
            }
        }
    }
}

impl Shape {
    /// Returns a shape that asserts nothing but the type.
    pub(super) const fn of_type(types: u8) -> Self {
        Self {
            types,
            integer: false,
            allowed: None,
            bounds: Vec::new(),
            min_length: 0,
            min_items: 0,
            date_time: false,
            pattern: None,
            properties: Vec::new(),
            required: 0,
            additional: Additional::Any,
            prefixes: Vec::new(),
            items: None,
            conditions: Vec::new(),
            any_of: Vec::new(),
            is_plain: true,
        }
    }

    /// Returns `true` if a key that is not a property may stand where no other keys may.
    fn allows(&self, name: &str) -> bool {
        self.prefixes
            .iter()
            .any(|prefix| name.starts_with(&**prefix))
    }

    /// Returns `true` if it asserts of a scalar besides its type that a string is a date-time, and
    /// nothing else.
    pub(super) fn asserts_date_time_alone(&self) -> bool {
        self.date_time
            && !self.integer
            && self.allowed.is_none()
            && self.bounds.is_empty()
            && self.min_length == 0
            && self.pattern.is_none()
    }

    /// Returns `true` if it asserts something that one pass over a text can't judge.
    pub(super) fn needs_the_whole(&self) -> bool {
        self.min_items > 0 || !self.any_of.is_empty()
    }

    /// Returns `true` if nothing is asserted of any member of an object.
    pub(super) fn takes_any_member(&self) -> bool {
        self.properties.is_empty() && matches!(self.additional, Additional::Any)
    }

    /// Returns the number of assertions that a value fails, apart from those on its members and
    /// items, given its text, and whether it is a string with escapes.
    pub(super) fn failures(&self, kind: Kind, written: &str, escaped: bool) -> usize {
        let mut failures = usize::from(self.types & bit(kind) == 0);
        if kind == Kind::String {
            let text = unquoted(written, 0, written.len(), escaped);
            return failures + self.text_failures(&text);
        }

        let number = (kind == Kind::Number).then(|| Number::of(written));
        let is_fraction = self.integer && number.is_some_and(|number| !number.is_integer());
        failures |= usize::from(is_fraction);
        if let Some(allowed) = &self.allowed {
            let mut allowed = allowed.iter();
            failures += usize::from(!allowed.any(|value| is_scalar(kind, written, value)));
        }

        if let Some(number) = number.filter(|_| !self.bounds.is_empty()) {
            let value = number.as_f64();
            let bounds = self.bounds.iter();
            failures += bounds
                .filter(|bound| !bound.allows(number, value))
                .count();
        }

        failures
    }

    /// Returns the number of assertions that the content of a string fails.
    fn text_failures(&self, text: &str) -> usize {
        let is_allowed = |allowed: &Vec<Value>| {
            allowed
                .iter()
                .any(|word| word.as_str() == Some(text))
        };

        usize::from(
            !self
                .allowed
                .as_ref()
                .is_none_or(is_allowed),
        ) + usize::from(self.date_time && !Timestamp::is_valid(text))
            + usize::from(self.min_length > 0 && !is_as_long(text, self.min_length))
            + usize::from(
                self.pattern
                    .as_ref()
                    .is_some_and(|it| !it.is_in(text)),
            )
    }

    /// Returns the property with the name of a key; most keys name the expected one.
    #[expect(
        clippy::inline_always,
        reason = "measured: a call costs more than the comparison"
    )]
    #[inline(always)]
    fn property(&self, key: Key<'_>, expected: usize) -> Option<(usize, &Property)> {
        match self.properties.get(expected) {
            Some(property) if key.is(&property.name) => Some((expected, property)),
            _ => self
                .properties
                .iter()
                .enumerate()
                .find(|(_, property)| key.is(&property.name)),
        }
    }
}

/// Returns `true` if a text has a number of characters, or more.
fn is_as_long(text: &str, least: usize) -> bool {
    text.len() >= least
        && text
            .chars()
            .nth(least.saturating_sub(1))
            .is_some()
}

/// Returns `true` if a value that is not a string equals a scalar of an `enum` or `const`.
fn is_scalar(kind: Kind, written: &str, expected: &Value) -> bool {
    match expected {
        Value::Null => kind == Kind::Null,
        Value::Bool(true) => kind == Kind::True,
        Value::Bool(false) => kind == Kind::False,
        Value::Number(expected) => {
            kind == Kind::Number && Number::of(written).equals(Number::of(&expected.to_string()))
        }
        Value::String(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Returns `true` if a value that is not a string equals one of an `enum` or `const`; only scalars
/// occur in the schemas here.
pub(super) fn is(node: Node<'_>, expected: &Value) -> bool {
    match expected {
        Value::String(expected) => node
            .text()
            .is_some_and(|text| text == *expected),
        Value::Array(expected) => {
            node.kind() == Kind::Array
                && node.items().count() == expected.len()
                && node
                    .items()
                    .zip(expected)
                    .all(|(item, it)| is(item, it))
        }
        Value::Object(expected) => {
            let is_expected = |key: Key<'_>| {
                expected
                    .get(&*key.name())
                    .is_some_and(|it| is(key.value(), it))
            };
            node.kind() == Kind::Object
                && node.members().count() == expected.len()
                && node.members().all(is_expected)
        }
        scalar => is_scalar(node.kind(), node.raw(), scalar),
    }
}

/// The bits of all types.
pub(super) const ANY_TYPE: u8 = 63;

#[inline]
pub(super) const fn bit(kind: Kind) -> u8 {
    match kind {
        Kind::Null => 1,
        Kind::False | Kind::True => 2,
        Kind::Number => 4,
        Kind::String => 8,
        Kind::Array => 16,
        Kind::Object => 32,
    }
}
