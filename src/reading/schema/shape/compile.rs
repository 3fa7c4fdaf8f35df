//! The text of a schema, parsed -> the shapes of the fast validator.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::bound::NumberKeyword;
use super::pattern::Pattern;
use super::{
    ANY_TYPE, Additional, ConditionalShape, NumberBound, Property, Shape, ShapeId, Shapes, bit, is,
};
use crate::ground::document::{Kind, Node};

impl Shapes {
    /// Compiles a schema; there are no shapes where a keyword is not implemented here, or where it
    /// is no schema.
    pub(in crate::reading::schema) fn compile(schema: Node<'_>) -> Self {
        let mut compiler = ShapeCompiler::new(schema, &|_| true);
        compiler
            .whole()
            .map_or_else(Self::default, |()| Self {
                all: compiler.shapes,
            })
    }

    /// Compiles the parts of a schema that judge values whose roots have certain keys alone.
    pub(in crate::reading::schema) fn compile_where(
        schema: Node<'_>,
        has_key: impl Fn(&str) -> bool,
    ) -> Self {
        let mut compiler = ShapeCompiler::new(schema, &has_key);
        compiler
            .shape(schema)
            .map_or_else(Self::default, |_| Self {
                all: compiler.shapes,
            })
    }
}

/// A compiler of subschemas. Each function returns `None` where one has a keyword that is not
/// implemented here.
struct ShapeCompiler<'a> {
    root: Node<'a>,
    /// The keys that the root of a value may have.
    has_key: &'a dyn Fn(&str) -> bool,
    shapes: Vec<Shape>,
    /// The shapes that references lead to.
    by_reference: BTreeMap<Cow<'a, str>, ShapeId>,
    /// The number of subschemas around the one that is compiled, references included.
    depth: usize,
}

/// The pointer to the definitions of a schema.
const DEFINITIONS: &str = "#/$defs/";

/// The maximum depth of nested subschemas: one that contains itself has no end.
const MAX_DEPTH: usize = 64;

impl<'a> ShapeCompiler<'a> {
    fn new(root: Node<'a>, has_key: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            root,
            has_key,
            shapes: Vec::new(),
            by_reference: BTreeMap::new(),
            depth: 0,
        }
    }

    /// Compiles the root, and the definitions that nothing refers to.
    fn whole(&mut self) -> Option<()> {
        self.shape(self.root)?;
        let definitions = self
            .root
            .get("$defs")
            .into_iter()
            .flat_map(Node::members);
        for definition in definitions {
            self.definition(format!("{DEFINITIONS}{}", definition.name()).into())?;
        }

        Some(())
    }

    fn shape(&mut self, schema: Node<'a>) -> Option<ShapeId> {
        if self.depth == MAX_DEPTH {
            return None;
        }

        self.depth += 1;
        let id = if let Some(reference) = schema.get("$ref") {
            self.referenced(schema, reference.text()?)?
        } else {
            let id = self.shapes.len();
            self.shapes
                .push(Shape::of_type(ANY_TYPE));
            let shape = self.compile(schema)?;
            *self.shapes.get_mut(id)? = shape;
            id
        };

        self.depth -= 1;
        Some(id)
    }

    fn referenced(&mut self, schema: Node<'a>, reference: Cow<'a, str>) -> Option<ShapeId> {
        let is_alone = schema.members().all(|keyword| {
            let name = keyword.name();
            name == "$ref" || is_annotation(&name, keyword.value())
        });

        self.definition(reference)
            .filter(|_| is_alone)
    }

    fn definition(&mut self, reference: Cow<'a, str>) -> Option<ShapeId> {
        if let Some(id) = self.by_reference.get(&reference) {
            return Some(*id);
        }

        let name = reference.strip_prefix(DEFINITIONS)?;
        let target = self.root.get("$defs")?.get(name)?;
        let id = self.shape(target)?;
        self.by_reference.insert(reference, id);

        Some(id)
    }

    fn compile(&mut self, schema: Node<'a>) -> Option<Shape> {
        if schema.boolean() == Some(true) {
            return Some(Shape::of_type(ANY_TYPE));
        }

        let is_root = schema.index() == self.root.index();
        // No type is allowed until one is named.
        let mut shape = Shape::of_type(0);
        for keyword in (schema.kind() == Kind::Object).then(|| schema.members())? {
            let (name, value) = (keyword.name(), keyword.value());
            match (&*name, value.kind()) {
                ("properties", Kind::Object) => {
                    self.properties(schema, value, is_root, &mut shape)?;
                }
                ("additionalProperties", Kind::True) => {}
                ("additionalProperties", Kind::False) => shape.additional = Additional::None,
                ("additionalProperties", _) => {
                    shape.additional = Additional::Each(self.shape(value)?);
                }
                ("items", _) => shape.items = Some(self.shape(value)?),
                ("allOf", Kind::Array) => {
                    let conditions = value
                        .items()
                        .map(|part| self.condition(part));
                    shape.conditions = conditions.collect::<Option<_>>()?;
                }
                ("anyOf", Kind::Array) => {
                    let parts = value
                        .items()
                        .map(|part| self.shape(part));
                    shape.any_of = parts.collect::<Option<_>>()?;
                    (!shape.any_of.is_empty()).then_some(())?;
                }
                // The root's name alone leaves references as they are.
                ("$defs", Kind::Object) | ("$id", Kind::String) if is_root => {}
                (name, _) if is_annotation(name, value) => {}
                (name, _) => shape.assert(name, value, schema)?,
            }
        }

        if shape.types == 0 {
            shape.types = ANY_TYPE;
        }

        shape.is_plain = shape.asserts_type_alone();
        Some(shape)
    }

    fn properties(
        &mut self,
        schema: Node<'a>,
        properties: Node<'a>,
        is_root: bool,
        shape: &mut Shape,
    ) -> Option<()> {
        let required = required(schema)?;
        for key in properties.members() {
            let name = key.name();
            let is_required = required.contains(&name);
            shape.required += usize::from(is_required);
            if is_root && !is_required && !(self.has_key)(&name) {
                continue;
            }

            shape.properties.push(Property {
                name: name.into(),
                shape: self.shape(key.value())?,
                required: is_required,
            });
        }

        Some(())
    }

    /// Compiles a part of an `allOf` of the form `{"if": {"properties": {NAME: {"const": TEXT}},
    /// "required": [NAME]}, "then": …}`.
    fn condition(&mut self, part: Node<'a>) -> Option<ConditionalShape> {
        let (condition, then) = (part.get("if")?, part.get("then")?);
        let property = condition
            .get("properties")?
            .members()
            .next()?;
        let name = property.name();
        let equals = property.value().get("const")?.text()?;
        let form = serde_json::json!({
            "properties": { &*name: { "const": equals } }, "required": [name]
        });
        (part.members().count() == 2 && is(condition, &form)).then_some(())?;

        Some(ConditionalShape {
            property: name.into(),
            equals: equals.into(),
            then: self.shape(then)?,
        })
    }
}

/// Returns `true` if a keyword asserts nothing, and has a value that it may have.
fn is_annotation(name: &str, value: Node<'_>) -> bool {
    match name {
        "title" | "description" | "$comment" => value.kind() == Kind::String,
        "examples" => value.kind() == Kind::Array,
        "default" => true,
        "$schema" => DIALECTS
            .iter()
            .any(|known| value.text().as_deref() == Some(known)),
        _ => false,
    }
}

/// The dialects in which the keywords here mean the same.
const DIALECTS: [&str; 4] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
];

impl Shape {
    /// Adds what a keyword asserts that has no subschema.
    fn assert(&mut self, keyword: &str, value: Node<'_>, schema: Node<'_>) -> Option<()> {
        let is_scalar = |value: Node<'_>| !matches!(value.kind(), Kind::Array | Kind::Object);
        let parsed = |value: Node<'_>| serde_json::from_str::<Value>(value.raw()).ok();
        match (keyword, value.kind()) {
            ("type", Kind::String) => self.allow_type(&value.text()?)?,
            ("type", Kind::Array) => {
                for name in texts(value).filter(|names| !names.is_empty())? {
                    self.allow_type(&name)?;
                }
            }
            ("const", _) if is_scalar(value) && schema.get("enum").is_none() => {
                self.allowed = Some(vec![parsed(value)?]);
            }
            ("enum", Kind::Array) if value.items().all(is_scalar) => {
                self.allowed = Some(
                    value
                        .items()
                        .map(parsed)
                        .collect::<Option<_>>()?,
                );
            }
            ("minimum", _) => self.bound(NumberKeyword::Minimum, value)?,
            ("maximum", _) => self.bound(NumberKeyword::Maximum, value)?,
            ("exclusiveMinimum", _) => self.bound(NumberKeyword::ExclusiveMinimum, value)?,
            ("exclusiveMaximum", _) => self.bound(NumberKeyword::ExclusiveMaximum, value)?,
            ("minLength", _) => self.min_length = value.raw().parse().ok()?,
            ("minItems", _) => self.min_items = value.raw().parse().ok()?,
            ("pattern", _) => self.pattern = Some(Pattern::of(&value.text()?)?),
            ("format", _) if value.text()? == "date-time" => self.date_time = true,
            ("required", _) => {
                let known = schema.get("properties");
                let is_known = |name: &_| known.is_some_and(|known| known.get(name).is_some());
                required(schema)?
                    .iter()
                    .all(|name| is_known(&**name))
                    .then_some(())?;
            }
            ("patternProperties", Kind::Object) => {
                let prefixes = value.members().map(|key| {
                    let pattern = key.name();
                    let prefix = pattern
                        .strip_prefix('^')
                        .filter(|it| !it.is_empty())?;
                    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
                    let is_known = key.value().boolean()? && prefix.bytes().all(is_plain);
                    is_known.then(|| prefix.into())
                });
                self.prefixes = prefixes.collect::<Option<_>>()?;
            }
            _ => return None,
        }

        Some(())
    }

    /// Adds a number that others are held against: an integer, which a double is as well.
    fn bound(&mut self, keyword: NumberKeyword, value: Node<'_>) -> Option<()> {
        let whole: i32 = value.raw().parse().ok()?;
        self.bounds.push(NumberBound {
            keyword,
            written: value.raw().into(),
            double: whole.into(),
        });

        Some(())
    }

    fn asserts_type_alone(&self) -> bool {
        !(self.min_length > 0
            || !self.bounds.is_empty()
            || self.integer
            || self.date_time
            || self.pattern.is_some()
            || !self.any_of.is_empty()
            || self.allowed.is_some()
            || !self.conditions.is_empty())
    }

    fn allow_type(&mut self, name: &str) -> Option<()> {
        self.types |= match name {
            "null" => bit(Kind::Null),
            "boolean" => bit(Kind::True),
            "number" | "integer" => bit(Kind::Number),
            "string" => bit(Kind::String),
            "array" => bit(Kind::Array),
            "object" => bit(Kind::Object),
            _ => return None,
        };
        self.integer |= name == "integer";

        Some(())
    }
}

/// Returns the names of the fields that a schema requires, if each of them is a name.
fn required(schema: Node<'_>) -> Option<BTreeSet<Cow<'_, str>>> {
    schema
        .get("required")
        .map_or_else(|| Some(BTreeSet::new()), texts)
}

/// Returns the items of an array of texts, none of which is there twice.
fn texts(array: Node<'_>) -> Option<BTreeSet<Cow<'_, str>>> {
    let mut found = BTreeSet::new();
    let are_texts = array.items().all(|item| {
        item.text()
            .is_some_and(|text| found.insert(text))
    });

    (array.kind() == Kind::Array && are_texts).then_some(found)
}
