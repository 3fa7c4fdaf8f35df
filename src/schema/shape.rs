//! A schema -> a compact form that tells in one walk over a record whether all is well with it.
//!
//! Every keyword that the checked-in schemas use is implemented exactly; a schema with any other keyword accepts nothing
//! here and leaves every judgement to the general validator. Tests hold the two against each other.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Instant;
use crate::document::{Key, Kind, Node, Number};
use crate::source::Pointer;

/// The subschemas of one schema; the first is its root.
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    /// Whether no subschema uses a keyword that is not known here.
    supported: bool,
}

type ShapeId = usize;

/// What a subschema asserts.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "keywords that are there or not")]
struct Shape {
    /// The allowed types, a bit each.
    types: u8,
    /// Whether a number must be a whole one.
    integer: bool,
    allowed: Option<Vec<Value>>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    min_length: usize,
    date_time: bool,
    properties: Vec<Property>,
    /// How many of them are required.
    required: usize,
    /// A bit for each length that the name of a property has; most unknown names are told by their length.
    name_lengths: u64,
    additional: Additional,
    /// Prefixes of keys that are allowed whatever `additional` says.
    prefixes: Vec<Box<str>>,
    items: Option<ShapeId>,
    conditions: Vec<Condition>,
    /// Whether the subschema asserts nothing of a scalar but its type.
    is_plain: bool,
    /// Whether the subschema uses a keyword that is not known here.
    unsupported: bool,
}

/// If a property is a text, then a subschema holds.
struct Condition {
    property: Box<str>,
    equals: Box<str>,
    then: ShapeId,
}

struct Property {
    name: Box<str>,
    shape: ShapeId,
    required: bool,
}

#[derive(Default, Clone, Copy)]
enum Additional {
    #[default]
    Any,
    None,
    Each(ShapeId),
}

/// A key that is probably meant to be another one.
pub(crate) struct Misspelling<'a> {
    pub(crate) pointer: Pointer,
    pub(crate) key: Key<'a>,
    pub(crate) known: &'static str,
}

impl Shapes {
    pub(super) fn compile(schema: &Value) -> Self {
        let mut compiler = Compiler { root: schema, shapes: Vec::new(), by_reference: BTreeMap::new() };
        compiler.shape(schema);
        let supported = !compiler.shapes.iter().any(|shape| shape.unsupported);
        Self { shapes: compiler.shapes, supported }
    }

    /// Looks over a document: whether it satisfies the schema for certain, and whether any key may be misspelled.
    pub(super) fn glance(&self, root: Node<'_>) -> Glance {
        let mut walk = Walk { shapes: &self.shapes, left: 1, is_misspelled: false };
        walk.node(0, root);
        let is_valid = self.supported && walk.left > 0;
        Glance { is_valid, may_be_misspelled: !is_valid || walk.is_misspelled }
    }

    /// The number of assertions that fail, counted up to a limit.
    pub(super) fn count_failures(&self, root: Node<'_>, limit: usize) -> usize {
        let mut walk = Walk { shapes: &self.shapes, left: limit, is_misspelled: false };
        walk.node(0, root);
        limit - walk.left
    }

    /// Misspelled keys, see the rule `record/misspelled-field`.
    pub(super) fn misspellings<'a>(&'static self, root: Node<'a>) -> Vec<Misspelling<'a>> {
        let mut found = Vec::new();
        self.find_misspellings(0, root, Path::Root, &mut found);
        found
    }

    fn find_misspellings<'a>(
        &'static self,
        id: ShapeId,
        node: Node<'a>,
        at: Path<'_>,
        found: &mut Vec<Misspelling<'a>>,
    ) {
        let Some(shape) = self.shapes.get(id) else { return };
        if let (Kind::Array, Some(items)) = (node.kind(), shape.items) {
            for (index, item) in node.items().enumerate() {
                self.find_misspellings(items, item, Path::Item(&at, index), found);
            }
        }
        if shape.properties.is_empty() || node.kind() != Kind::Object {
            return;
        }
        let mut absent: Option<Vec<&'static str>> = None;
        let mut next = 0;
        for key in node.members() {
            if let Some((index, property)) = shape.property(key, next) {
                next = index + 1;
                self.find_misspellings(property.shape, key.value(), Path::Field(&at, &property.name), found);
            } else if matches!(shape.additional, Additional::Any) {
                let absent = absent.get_or_insert_with(|| {
                    shape.properties.iter().map(|p| &*p.name).filter(|name| node.get(name).is_none()).collect()
                });
                let name = key.name();
                if let Some(known) = absent.iter().find(|known| almost_equal(&name, known)) {
                    found.push(Misspelling { pointer: at.pointer().field(&name), key, known });
                }
            }
        }
    }
}

/// What a look over a document tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glance {
    /// Whether the document satisfies its schema for certain.
    pub(crate) is_valid: bool,
    /// Whether it is worth looking for misspelled keys.
    pub(crate) may_be_misspelled: bool,
}

/// A walk over a document beside its schema.
struct Walk<'s> {
    shapes: &'s [Shape],
    /// Failures after which the walk ends.
    left: usize,
    /// Whether an unknown key is almost that of an absent property.
    is_misspelled: bool,
}

impl Walk<'_> {
    fn fail(&mut self, failures: usize) {
        self.left = self.left.saturating_sub(failures);
    }

    fn node(&mut self, id: ShapeId, node: Node<'_>) {
        let Some(shape) = self.shapes.get(id) else { return };
        let kind = node.kind();
        if shape.is_plain {
            self.fail(usize::from(shape.types & bit(kind) == 0));
        } else {
            self.fail(shape.scalar_failures(node));
        }
        match kind {
            Kind::Object => self.object(shape, node),
            Kind::Array => {
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
    }

    fn object(&mut self, shape: &Shape, node: Node<'_>) {
        if shape.properties.is_empty() && matches!(shape.additional, Additional::Any) {
            return;
        }
        let mut missing = shape.required;
        let mut has_unknown = false;
        // A bit for each property that is there; of those behind the last bit nothing is noted.
        let mut present = 0_u64;
        // Writers sort keys or keep their order: the next key is most often the next property.
        let mut next = 0;
        for key in node.members() {
            if self.left == 0 {
                return;
            }
            if let Some((index, property)) = shape.property(key, next) {
                next = index + 1;
                present |= 1_u64.checked_shl(u32::try_from(index).unwrap_or(u32::MAX)).unwrap_or(0);
                missing -= usize::from(property.required);
                self.node(property.shape, key.value());
                continue;
            }
            match shape.additional {
                Additional::Any => has_unknown = true,
                Additional::Each(below) => self.node(below, key.value()),
                Additional::None => {
                    let name = key.name();
                    self.fail(usize::from(!shape.prefixes.iter().any(|prefix| name.starts_with(&**prefix))));
                }
            }
        }
        self.fail(missing);
        if has_unknown && !self.is_misspelled {
            let is_absent = |index: usize| index >= 64 || present & 1 << index == 0;
            let absent = || shape.properties.iter().enumerate().filter(|(index, _)| is_absent(*index));
            let is_misspelled = |name: &str| absent().any(|(_, known)| almost_equal(name, &known.name));
            self.is_misspelled =
                node.members().any(|key| shape.property(key, 0).is_none() && is_misspelled(&key.name()));
        }
    }

    fn conditions(&mut self, shape: &Shape, node: Node<'_>) {
        for condition in &shape.conditions {
            // An `if` about properties says nothing of what is no object, and so holds for it.
            let holds = node.kind() != Kind::Object
                || node.get(&condition.property).and_then(Node::text).as_deref() == Some(&condition.equals);
            if self.left > 0 && holds {
                self.node(condition.then, node);
            }
        }
    }
}

/// The way to a value, as a chain on the stack: most walks need no pointer.
#[derive(Clone, Copy)]
enum Path<'p> {
    Root,
    Field(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl Path<'_> {
    fn pointer(self) -> Pointer {
        match self {
            Self::Root => Pointer::default(),
            Self::Field(above, name) => above.pointer().field(name),
            Self::Item(above, index) => above.pointer().item(index),
        }
    }
}

impl Shape {
    fn scalar_failures(&self, node: Node<'_>) -> usize {
        let kind = node.kind();
        let number = node.number();
        let of_type =
            self.types & bit(kind) != 0 && !(self.integer && number.is_some_and(|number| !number.is_integer()));
        let mut failures = usize::from(!of_type);
        if let Some(allowed) = &self.allowed {
            failures += usize::from(!allowed.iter().any(|value| is(node, value)));
        }
        if let (Some(number), true) = (number, self.minimum.is_some() || self.maximum.is_some()) {
            let value = number.as_f64();
            failures += usize::from(self.minimum.is_some_and(|minimum| value < minimum));
            failures += usize::from(self.maximum.is_some_and(|maximum| value > maximum));
        }
        if (self.date_time || self.min_length > 0) && kind == Kind::String {
            let text = node.text().unwrap_or_default();
            failures += usize::from(self.date_time && !Instant::is_valid(&text));
            failures += usize::from(self.min_length > 0 && text.chars().count() < self.min_length);
        }
        failures
    }

    /// The property that a key names, looked for from the one that is expected on.
    #[inline]
    fn property(&self, key: Key<'_>, expected: usize) -> Option<(usize, &Property)> {
        if let Some(property) = self.properties.get(expected)
            && key.is(&property.name)
        {
            return Some((expected, property));
        }
        if key.plain_len().is_some_and(|len| self.name_lengths & length_bit(len) == 0) {
            return None;
        }
        let (before, after) = self.properties.split_at_checked(expected)?;
        let mut from_expected = (expected..).zip(after).chain((0..).zip(before));
        from_expected.find(|(_, property)| key.is(&property.name))
    }
}

/// Whether a value equals one of an `enum` or `const`; other than scalars are never allowed by the schemas here.
fn is(node: Node<'_>, expected: &Value) -> bool {
    match expected {
        Value::Null => node.is_null(),
        Value::Bool(expected) => node.boolean() == Some(*expected),
        Value::String(expected) => node.text().is_some_and(|text| text == expected.as_str()),
        Value::Number(expected) => node.number().is_some_and(|number| number.equals_text(&expected.to_string())),
        Value::Array(_) | Value::Object(_) => false,
    }
}

fn length_bit(len: usize) -> u64 {
    1 << len.min(63)
}

/// The bits of all types.
const ANY_TYPE: u8 = 63;

const fn bit(kind: Kind) -> u8 {
    match kind {
        Kind::Null => 1,
        Kind::False | Kind::True => 2,
        Kind::Number => 4,
        Kind::String => 8,
        Kind::Array => 16,
        Kind::Object => 32,
    }
}

struct Compiler<'a> {
    root: &'a Value,
    shapes: Vec<Shape>,
    by_reference: BTreeMap<&'a str, ShapeId>,
}

impl<'a> Compiler<'a> {
    fn shape(&mut self, schema: &'a Value) -> ShapeId {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.referenced(schema, reference);
        }
        let id = self.shapes.len();
        self.shapes.push(Shape::default());
        let shape = self.compile(schema);
        if let Some(slot) = self.shapes.get_mut(id) {
            *slot = shape;
        }
        id
    }

    fn referenced(&mut self, schema: &'a Value, reference: &'a str) -> ShapeId {
        if let Some(id) = self.by_reference.get(reference) {
            return *id;
        }
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let alone = schema.as_object().is_some_and(|keywords| {
            keywords.keys().all(|keyword| keyword == "$ref" || ANNOTATIONS.contains(&keyword.as_str()))
        });
        let id = match target {
            Some(target) if alone => self.shape(target),
            _ => {
                self.shapes.push(Shape { unsupported: true, ..Shape::default() });
                self.shapes.len() - 1
            }
        };
        self.by_reference.insert(reference, id);
        id
    }

    fn compile(&mut self, schema: &'a Value) -> Shape {
        let mut shape = Shape::default();
        let Value::Object(keywords) = schema else {
            shape.unsupported = schema != &Value::Bool(true);
            shape.types = ANY_TYPE;
            shape.is_plain = true;
            return shape;
        };
        let required: Vec<&str> = keywords
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (keyword, value) in keywords {
            let understood = match (keyword.as_str(), value) {
                ("type", Value::String(name)) => shape.allow_type(name),
                ("type", Value::Array(names)) => {
                    names.iter().all(|name| name.as_str().is_some_and(|name| shape.allow_type(name)))
                }
                ("const", constant) => {
                    shape.allowed = Some(vec![constant.clone()]);
                    !constant.is_array() && !constant.is_object() && !keywords.contains_key("enum")
                }
                ("enum", Value::Array(values)) => {
                    shape.allowed = Some(values.clone());
                    !values.iter().any(|value| value.is_array() || value.is_object())
                }
                // Bounds are compared as doubles, which is exact against whole ones.
                ("minimum", bound) => {
                    shape.minimum = bound.as_i64().map(|_| bound.as_f64().unwrap_or_default());
                    shape.minimum.is_some()
                }
                ("maximum", bound) => {
                    shape.maximum = bound.as_i64().map(|_| bound.as_f64().unwrap_or_default());
                    shape.maximum.is_some()
                }
                ("minLength", bound) => {
                    shape.min_length = bound.as_u64().and_then(|bound| usize::try_from(bound).ok()).unwrap_or_default();
                    shape.min_length > 0
                }
                ("format", Value::String(format)) => {
                    shape.date_time = true;
                    format == "date-time"
                }
                ("properties", Value::Object(properties)) => {
                    shape.properties = properties
                        .iter()
                        .map(|(name, schema)| Property {
                            name: name.as_str().into(),
                            shape: self.shape(schema),
                            required: required.contains(&name.as_str()),
                        })
                        .collect();
                    shape.required = shape.properties.iter().filter(|property| property.required).count();
                    shape.name_lengths = properties.keys().fold(0, |lengths, name| lengths | length_bit(name.len()));
                    true
                }
                ("required", Value::Array(_)) => required
                    .iter()
                    .all(|name| keywords.get("properties").is_some_and(|known| known.get(name).is_some())),
                ("additionalProperties", Value::Bool(allowed)) => {
                    shape.additional = if *allowed { Additional::Any } else { Additional::None };
                    true
                }
                ("additionalProperties", schema) => {
                    shape.additional = Additional::Each(self.shape(schema));
                    true
                }
                ("patternProperties", Value::Object(patterns)) => {
                    shape.prefixes = patterns.keys().map(|pattern| pattern.trim_start_matches('^').into()).collect();
                    patterns.iter().all(|(pattern, schema)| {
                        let prefix = pattern.strip_prefix('^').unwrap_or_default();
                        schema == &Value::Bool(true)
                            && !prefix.is_empty()
                            && prefix.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
                    })
                }
                ("items", schema) => {
                    shape.items = Some(self.shape(schema));
                    true
                }
                ("allOf", Value::Array(parts)) => parts.iter().all(|part| self.condition(part, &mut shape)),
                (keyword, _) => ANNOTATIONS.contains(&keyword),
            };
            shape.unsupported |= !understood;
        }
        if shape.types == 0 {
            shape.types = ANY_TYPE;
        }
        shape.is_plain = shape.asserts_type_alone();
        shape
    }

    /// A part of an `allOf` of the form `{"if": {"properties": {NAME: {"const": TEXT}}, "required": [NAME]}, "then": …}`.
    fn condition(&mut self, part: &'a Value, shape: &mut Shape) -> bool {
        let (Some(condition), Some(then)) = (part.get("if"), part.get("then")) else { return false };
        let Some((name, constant)) =
            condition.get("properties").and_then(Value::as_object).and_then(|properties| properties.iter().next())
        else {
            return false;
        };
        let Some(equals) = constant.get("const").and_then(Value::as_str) else { return false };
        let then = self.shape(then);
        shape.conditions.push(Condition { property: name.as_str().into(), equals: equals.into(), then });
        *part
            == serde_json::json!({
                "if": { "properties": { name: { "const": equals } }, "required": [name] },
                "then": part.get("then")
            })
    }
}

/// Keywords that assert nothing.
const ANNOTATIONS: [&str; 8] =
    ["$schema", "$id", "$defs", "title", "description", "default", "examples", "enumDescriptions"];

impl Shape {
    fn asserts_type_alone(&self) -> bool {
        let bounds = self.minimum.is_some() || self.maximum.is_some() || self.min_length > 0;
        !(bounds || self.integer || self.date_time || self.allowed.is_some() || !self.conditions.is_empty())
    }

    fn allow_type(&mut self, name: &str) -> bool {
        self.types |= match name {
            "null" => bit(Kind::Null),
            "boolean" => bit(Kind::True),
            "number" | "integer" => bit(Kind::Number),
            "string" => bit(Kind::String),
            "array" => bit(Kind::Array),
            "object" => bit(Kind::Object),
            _ => return false,
        };
        self.integer |= name == "integer";
        true
    }
}

/// Whether two names differ by one edit (a character inserted, deleted, replaced, or swapped with its neighbour), or by
/// case, `-` and `_` alone.
fn almost_equal(name: &str, known: &str) -> bool {
    // An edit changes the number of bytes by those of one character at most.
    let may_be_an_edit = name.len().abs_diff(known.len()) <= 4;
    name != known && ((may_be_an_edit && strsim::osa_distance(name, known) == 1) || letters(name).eq(letters(known)))
}

/// What a name is spelled with, whatever the style of writing it.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase)
}

impl Number<'_> {
    /// Whether the value is that of a number written as `text`.
    pub(super) fn equals_text(self, text: &str) -> bool {
        self.equals(Number::of(text))
    }
}

#[cfg(test)]
mod tests {
    use super::almost_equal;

    #[test]
    fn one_edit_or_another_spelling_is_almost_equal() {
        for name in ["statu", "statuss", "statux", "sattus", "Status", "STATUS", "sta_tus", "st-atus"] {
            assert!(almost_equal(name, "status"), "{name}");
        }
        for name in ["status", "state", "sta", "outcome", "statusss"] {
            assert!(!almost_equal(name, "status"), "{name}");
        }
        assert!(almost_equal("startedAt", "started_at"));
    }
}
