//! The text of a schema, parsed -> the shapes of the fast validator.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::pattern::Pattern;
use super::{ANY_TYPE, Additional, ConditionalShape, Property, Shape, ShapeId, Shapes, bit};
use crate::ground::document::Kind;

impl Shapes {
    /// Compiles a schema; there are no shapes where a keyword is not implemented here.
    pub(in crate::reading::schema) fn compile(schema: &Value) -> Self {
        let mut compiler = ShapeCompiler {
            root: schema,
            shapes: Vec::new(),
            by_reference: BTreeMap::new(),
            depth: 0,
        };
        let root = compiler.shape(schema);
        root.map_or_else(Self::default, |_| Self {
            all: compiler.shapes,
        })
    }
}

/// A compiler of subschemas. Each function returns `None` where one has a keyword that is not
/// implemented here.
struct ShapeCompiler<'a> {
    root: &'a Value,
    shapes: Vec<Shape>,
    /// The shapes that references lead to.
    by_reference: BTreeMap<&'a str, ShapeId>,
    /// The number of subschemas around the one that is compiled, references included.
    depth: usize,
}

/// The maximum depth of nested subschemas: one that contains itself has no end.
const MAX_DEPTH: usize = 64;

impl<'a> ShapeCompiler<'a> {
    fn shape(&mut self, schema: &'a Value) -> Option<ShapeId> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let reference = schema.get("$ref").and_then(Value::as_str);
        let id = if let Some(reference) = reference {
            self.referenced(schema, reference)?
        } else {
            let id = self.shapes.len();
            self.shapes.push(Shape::of_type(ANY_TYPE));
            let shape = self.compile(schema)?;
            *self.shapes.get_mut(id)? = shape;
            id
        };
        self.depth -= 1;
        Some(id)
    }

    fn referenced(&mut self, schema: &'a Value, reference: &'a str) -> Option<ShapeId> {
        if let Some(id) = self.by_reference.get(reference) {
            return Some(*id);
        }
        let mut keywords = schema.as_object()?.keys();
        let is_alone =
            keywords.all(|keyword| keyword == "$ref" || ANNOTATIONS.contains(&&**keyword));
        let target = self.root.pointer(reference.strip_prefix('#')?)?;
        let id = self.shape(target).filter(|_| is_alone)?;
        self.by_reference.insert(reference, id);
        Some(id)
    }

    fn compile(&mut self, schema: &'a Value) -> Option<Shape> {
        let keywords = match schema {
            Value::Bool(true) => return Some(Shape::of_type(ANY_TYPE)),
            schema => schema.as_object()?,
        };
        // No type is allowed until one is named.
        let mut shape = Shape::of_type(0);
        for (keyword, value) in keywords {
            match (&**keyword, value) {
                ("properties", Value::Object(properties)) => {
                    self.properties(properties, keywords, &mut shape)?;
                }
                ("additionalProperties", Value::Bool(true)) => {}
                ("additionalProperties", Value::Bool(false)) => shape.additional = Additional::None,
                ("additionalProperties", below) => {
                    shape.additional = Additional::Each(self.shape(below)?);
                }
                ("items", items) => shape.items = Some(self.shape(items)?),
                ("allOf", Value::Array(parts)) => {
                    let conditions = parts.iter().map(|part| self.condition(part));
                    shape.conditions = conditions.collect::<Option<_>>()?;
                }
                ("anyOf", Value::Array(parts)) => {
                    let parts = parts.iter().map(|part| self.shape(part));
                    shape.any_of = parts.collect::<Option<_>>()?;
                }
                // The root's name alone leaves references as they are.
                ("$id", _) if !std::ptr::eq(schema, self.root) => return None,
                (keyword, _) if ANNOTATIONS.contains(&keyword) => {}
                (keyword, value) => shape.assert(keyword, value, keywords)?,
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
        properties: &'a Map<String, Value>,
        keywords: &'a Map<String, Value>,
        shape: &mut Shape,
    ) -> Option<()> {
        let required: Vec<&str> = required(keywords).collect();
        for (name, schema) in properties {
            let is_required = required.contains(&name.as_str());
            shape.required += usize::from(is_required);
            shape.properties.push(Property {
                name: name.as_str().into(),
                shape: self.shape(schema)?,
                required: is_required,
            });
        }
        Some(())
    }

    /// Compiles a part of an `allOf` of the form `{"if": {"properties": {NAME: {"const": TEXT}},
    /// "required": [NAME]}, "then": …}`.
    fn condition(&mut self, part: &'a Value) -> Option<ConditionalShape> {
        let then = part.get("then")?;
        let properties = part.pointer("/if/properties")?.as_object()?;
        let (name, constant) = properties.iter().next()?;
        let equals = constant.get("const")?.as_str()?;
        let form = serde_json::json!({
            "if": { "properties": { name: { "const": equals } }, "required": [name] },
            "then": then
        });
        (*part == form).then_some(())?;
        Some(ConditionalShape {
            property: name.as_str().into(),
            equals: equals.into(),
            then: self.shape(then)?,
        })
    }
}

/// Keywords that assert nothing.
const ANNOTATIONS: [&str; 8] = [
    "$schema",
    "$id",
    "$defs",
    "title",
    "description",
    "default",
    "examples",
    "$comment",
];

impl Shape {
    /// Adds what a keyword asserts that has no subschema.
    fn assert(
        &mut self,
        keyword: &str,
        value: &Value,
        keywords: &Map<String, Value>,
    ) -> Option<()> {
        let is_scalar = |value: &Value| !value.is_array() && !value.is_object();
        match (keyword, value) {
            ("type", Value::String(name)) => self.allow_type(name)?,
            ("type", Value::Array(names)) => {
                for name in names {
                    self.allow_type(name.as_str()?)?;
                }
            }
            ("const", constant) if is_scalar(constant) && !keywords.contains_key("enum") => {
                self.allowed = Some(vec![constant.clone()]);
            }
            ("enum", Value::Array(values)) if values.iter().all(is_scalar) => {
                self.allowed = Some(values.clone());
            }
            ("minimum", bound) => self.minimum = Some(exact_bound(bound)?),
            ("maximum", bound) => self.maximum = Some(exact_bound(bound)?),
            ("minLength", bound) => self.min_length = usize::try_from(bound.as_u64()?).ok()?,
            ("minItems", bound) => self.min_items = usize::try_from(bound.as_u64()?).ok()?,
            ("pattern", Value::String(pattern)) => self.pattern = Some(Pattern::named(pattern)?),
            ("format", Value::String(format)) if format == "date-time" => self.date_time = true,
            ("required", Value::Array(_)) => {
                let known = keywords.get("properties").and_then(Value::as_object);
                let is_known = |name| known.is_some_and(|known| known.contains_key(name));
                required(keywords).all(is_known).then_some(())?;
            }
            ("patternProperties", Value::Object(patterns)) => {
                let prefixes = patterns.iter().map(|(pattern, schema)| {
                    let prefix = pattern.strip_prefix('^').filter(|it| !it.is_empty())?;
                    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
                    let is_known = *schema == Value::Bool(true) && prefix.bytes().all(is_plain);
                    is_known.then(|| prefix.into())
                });
                self.prefixes = prefixes.collect::<Option<_>>()?;
            }
            _ => return None,
        }
        Some(())
    }

    fn asserts_type_alone(&self) -> bool {
        let bounds = self.minimum.is_some() || self.maximum.is_some() || self.min_length > 0;
        !(bounds
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

/// Returns an integer bound as a double, if integers around it are exact as doubles too.
fn exact_bound(bound: &Value) -> Option<f64> {
    let whole = bound.as_i64()?;
    bound.as_f64().filter(|_| whole.unsigned_abs() < 1 << 53)
}

/// Returns the names of the fields that a schema requires.
fn required(keywords: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let required = keywords.get("required").and_then(Value::as_array);
    required.into_iter().flatten().filter_map(Value::as_str)
}
