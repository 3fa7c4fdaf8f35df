//! A schema -> a compact form that tells in one walk over a record whether all is well with it.
//!
//! Every keyword that the checked-in schemas use is implemented exactly; a schema with any other keyword accepts nothing
//! here and leaves every judgement to the general validator. Tests hold the two against each other.

use std::borrow::Cow;
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
struct Shape {
    /// The allowed types, a bit each; none set means all.
    types: u8,
    /// Whether a number must be a whole one.
    integer: bool,
    allowed: Option<Vec<Value>>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    min_length: usize,
    date_time: bool,
    properties: Vec<Property>,
    /// A bit for each length that the name of a property has; most unknown names are told by their length.
    name_lengths: u64,
    additional: Additional,
    /// Prefixes of keys that are allowed whatever `additional` says.
    prefixes: Vec<Box<str>>,
    items: Option<ShapeId>,
    conditions: Vec<Condition>,
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

    /// Whether the document satisfies the schema for certain.
    pub(super) fn accept(&self, root: Node<'_>) -> bool {
        self.supported && self.failures(0, root, 1) == 0
    }

    /// The number of assertions that fail, counted up to a limit.
    pub(super) fn count_failures(&self, root: Node<'_>, limit: usize) -> usize {
        self.failures(0, root, limit)
    }

    fn failures(&self, id: ShapeId, node: Node<'_>, limit: usize) -> usize {
        let Some(shape) = self.shapes.get(id) else { return 0 };
        let mut failures = shape.scalar_failures(node);
        match node.kind() {
            _ if failures >= limit => {}
            Kind::Object if shape.looks_up() => {
                for property in &shape.properties {
                    match node.get(&property.name) {
                        Some(value) => failures += self.failures(property.shape, value, limit - failures),
                        None => failures += usize::from(property.required),
                    }
                    if failures >= limit {
                        return failures;
                    }
                }
            }
            Kind::Object => {
                let mut missing = shape.properties.iter().filter(|property| property.required).count();
                // Writers sort keys or keep their order: the next key is most often the next property.
                let mut next = 0;
                for key in node.members() {
                    let below = if let Some(index) = shape.property_index(key, next) {
                        next = index + 1;
                        let Some(property) = shape.properties.get(index) else { continue };
                        missing -= usize::from(property.required);
                        property.shape
                    } else {
                        match shape.additional {
                            Additional::Any => continue,
                            Additional::Each(below) => below,
                            Additional::None => {
                                let name = key.name();
                                failures +=
                                    usize::from(!shape.prefixes.iter().any(|prefix| name.starts_with(&**prefix)));
                                if failures >= limit {
                                    return failures;
                                }
                                continue;
                            }
                        }
                    };
                    failures += self.failures(below, key.value(), limit - failures);
                    if failures >= limit {
                        return failures;
                    }
                }
                failures += missing;
            }
            Kind::Array => {
                if let Some(items) = shape.items {
                    for item in node.items() {
                        failures += self.failures(items, item, limit - failures);
                        if failures >= limit {
                            return failures;
                        }
                    }
                }
            }
            _ => {}
        }
        let mut looked_up: Option<(&str, Option<Cow<'_, str>>)> = None;
        for condition in &shape.conditions {
            let name = &*condition.property;
            let text = match &looked_up {
                Some((before, text)) if *before == name => text,
                _ => &looked_up.insert((name, node.get(name).and_then(Node::text))).1,
            };
            // An `if` about properties says nothing of what is no object, and so holds for it.
            if failures < limit && (node.kind() != Kind::Object || text.as_deref() == Some(&condition.equals)) {
                failures += self.failures(condition.then, node, limit - failures);
            }
        }
        failures
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
            if let Some(index) = shape.property_index(key, next) {
                next = index + 1;
                let Some(property) = shape.properties.get(index) else { continue };
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
    /// Whether looking a few properties up is less work than looking at every member.
    fn looks_up(&self) -> bool {
        self.properties.len() <= 2 && matches!(self.additional, Additional::Any)
    }

    fn scalar_failures(&self, node: Node<'_>) -> usize {
        let kind = node.kind();
        let number = node.number();
        let of_type = self.types == 0
            || (self.types & bit(kind) != 0 && !(self.integer && number.is_some_and(|number| !number.is_integer())));
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

    fn property_index(&self, key: Key<'_>, expected: usize) -> Option<usize> {
        if self.properties.get(expected).is_some_and(|property| key.is(&property.name)) {
            return Some(expected);
        }
        if key.plain_len().is_some_and(|len| self.name_lengths & length_bit(len) == 0) {
            return None;
        }
        self.properties.iter().position(|property| key.is(&property.name))
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
    let plain = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    name != known
        && name.len() <= known.len() * 2 + 8
        && (plain(name) == plain(known) || strsim::osa_distance(name, known) == 1)
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
