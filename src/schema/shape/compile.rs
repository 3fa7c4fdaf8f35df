//! The text of a schema, parsed -> the shapes of the fast validator.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    ANY_TYPE, Additional, ConditionalShape, Property, Shape, ShapeId, Shapes, bit, length_bit,
};
use crate::document::Kind;

impl Shapes {
    pub(in crate::schema) fn compile(schema: &Value) -> Self {
        let mut compiler = ShapeCompiler {
            root: schema,
            shapes: Vec::new(),
            by_reference: BTreeMap::new(),
            depth: 0,
        };
        compiler.shape(schema);
        Self {
            supported: !compiler.shapes.iter().any(|shape| shape.unsupported),
            all: compiler.shapes,
        }
    }
}

struct ShapeCompiler<'a> {
    root: &'a Value,
    shapes: Vec<Shape>,
    /// The shapes that references lead to; `None` for one that is being compiled.
    by_reference: BTreeMap<&'a str, Option<ShapeId>>,
    depth: usize,
}

/// The maximum depth of nested subschemas, references included, that are compiled here.
const MAX_DEPTH: usize = 64;

impl<'a> ShapeCompiler<'a> {
    fn shape(&mut self, schema: &'a Value) -> ShapeId {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.referenced(schema, reference);
        }
        let id = self.shapes.len();
        self.shapes.push(Shape::unsupported());
        self.depth += 1;
        let shape = if self.depth <= MAX_DEPTH {
            self.compile(schema)
        } else {
            Shape::unsupported()
        };
        self.depth -= 1;
        if let Some(slot) = self.shapes.get_mut(id) {
            *slot = shape;
        }
        id
    }

    fn referenced(&mut self, schema: &'a Value, reference: &'a str) -> ShapeId {
        match self.by_reference.get(reference) {
            Some(Some(id)) => return *id,
            // A schema that contains itself.
            Some(None) => return self.unsupported(),
            None => drop(self.by_reference.insert(reference, None)),
        }
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| self.root.pointer(pointer));
        let alone = schema.as_object().is_some_and(|keywords| {
            keywords
                .keys()
                .all(|keyword| keyword == "$ref" || ANNOTATIONS.contains(&keyword.as_str()))
        });
        let id = match target {
            Some(target) if alone && self.depth < MAX_DEPTH => {
                self.depth += 1;
                let id = self.shape(target);
                self.depth -= 1;
                id
            }
            _ => self.unsupported(),
        };
        self.by_reference.insert(reference, Some(id));
        id
    }

    fn unsupported(&mut self) -> ShapeId {
        self.shapes.push(Shape::unsupported());
        self.shapes.len() - 1
    }

    fn compile(&mut self, schema: &'a Value) -> Shape {
        let Value::Object(keywords) = schema else {
            return match schema {
                Value::Bool(true) => Shape::of_type(ANY_TYPE),
                _ => Shape::unsupported(),
            };
        };
        // No type is allowed until one is named.
        let mut shape = Shape::of_type(0);
        for (keyword, value) in keywords {
            // The root's name alone leaves references as they are.
            let is_root = std::ptr::eq(schema, self.root);
            if keyword == "$id" && !is_root {
                shape.unsupported = true;
            }
            let understood = shape
                .understands_value(keyword, value, keywords)
                .or_else(|| self.understands_object(keyword, value, keywords, &mut shape))
                .or_else(|| self.understands_parts(keyword, value, &mut shape));
            shape.unsupported |= !understood.unwrap_or(ANNOTATIONS.contains(&keyword.as_str()));
        }
        if shape.types == 0 {
            shape.types = ANY_TYPE;
        }
        shape.is_plain = shape.asserts_type_alone();
        shape
    }

    /// Returns whether a keyword on the members of an object is implemented; `None` for other
    /// keywords.
    fn understands_object(
        &mut self,
        keyword: &str,
        value: &'a Value,
        keywords: &'a Map<String, Value>,
        shape: &mut Shape,
    ) -> Option<bool> {
        Some(match (keyword, value) {
            ("properties", Value::Object(properties)) => {
                self.properties(properties, keywords, shape);
                true
            }
            ("required", Value::Array(_)) => required(keywords).all(|name| {
                let known = keywords.get("properties");
                known.is_some_and(|known| known.get(name).is_some())
            }),
            ("additionalProperties", Value::Bool(allowed)) => {
                shape.additional = if *allowed {
                    Additional::Any
                } else {
                    Additional::None
                };
                true
            }
            ("additionalProperties", schema) => {
                shape.additional = Additional::Each(self.shape(schema));
                true
            }
            ("patternProperties", Value::Object(patterns)) => {
                shape.prefixes = patterns
                    .keys()
                    .map(|pattern| pattern.trim_start_matches('^').into())
                    .collect();
                patterns.iter().all(|(pattern, schema)| {
                    let prefix = pattern.strip_prefix('^').unwrap_or_default();
                    schema == &Value::Bool(true)
                        && !prefix.is_empty()
                        && prefix
                            .bytes()
                            .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
                })
            }
            _ => return None,
        })
    }

    fn properties(
        &mut self,
        properties: &'a Map<String, Value>,
        keywords: &'a Map<String, Value>,
        shape: &mut Shape,
    ) {
        let required: Vec<&str> = required(keywords).collect();
        shape.properties = properties
            .iter()
            .map(|(name, schema)| Property {
                name: name.as_str().into(),
                shape: self.shape(schema),
                required: required.contains(&name.as_str()),
            })
            .collect();
        shape.required = shape
            .properties
            .iter()
            .filter(|property| property.required)
            .count();
        shape.name_lengths = properties
            .keys()
            .fold(0, |lengths, name| lengths | length_bit(name.len()));
    }

    /// Returns whether a keyword with schemas of items or conditions is implemented; `None` for
    /// other keywords.
    fn understands_parts(
        &mut self,
        keyword: &str,
        value: &'a Value,
        shape: &mut Shape,
    ) -> Option<bool> {
        match (keyword, value) {
            ("items", schema) => {
                shape.items = Some(self.shape(schema));
                Some(true)
            }
            ("allOf", Value::Array(parts)) => {
                Some(parts.iter().all(|part| self.condition(part, shape)))
            }
            _ => None,
        }
    }

    /// Compiles a part of an `allOf` of the form `{"if": {"properties": {NAME: {"const": TEXT}},
    /// "required": [NAME]}, "then": …}`; returns `true` if it has that form.
    fn condition(&mut self, part: &'a Value, shape: &mut Shape) -> bool {
        let (Some(condition), Some(then)) = (part.get("if"), part.get("then")) else {
            return false;
        };
        let Some((name, constant)) = condition
            .get("properties")
            .and_then(Value::as_object)
            .and_then(|properties| properties.iter().next())
        else {
            return false;
        };
        let Some(equals) = constant.get("const").and_then(Value::as_str) else {
            return false;
        };
        let then = self.shape(then);
        shape.conditions.push(ConditionalShape {
            property: name.as_str().into(),
            equals: equals.into(),
            then,
        });
        *part
            == serde_json::json!({
                "if": { "properties": { name: { "const": equals } }, "required": [name] },
                "then": part.get("then")
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
    fn unsupported() -> Self {
        Self {
            unsupported: true,
            ..Self::of_type(ANY_TYPE)
        }
    }

    /// Returns whether a keyword on the value itself is implemented; `None` for other keywords.
    fn understands_value(
        &mut self,
        keyword: &str,
        value: &Value,
        keywords: &Map<String, Value>,
    ) -> Option<bool> {
        Some(match (keyword, value) {
            ("type", Value::String(name)) => self.allow_type(name),
            ("type", Value::Array(names)) => names
                .iter()
                .all(|name| name.as_str().is_some_and(|name| self.allow_type(name))),
            ("const", constant) => {
                self.allowed = Some(vec![constant.clone()]);
                !constant.is_array() && !constant.is_object() && !keywords.contains_key("enum")
            }
            ("enum", Value::Array(values)) => {
                self.allowed = Some(values.clone());
                !values
                    .iter()
                    .any(|value| value.is_array() || value.is_object())
            }
            ("minimum", bound) => {
                self.minimum = exact_bound(bound);
                self.minimum.is_some()
            }
            ("maximum", bound) => {
                self.maximum = exact_bound(bound);
                self.maximum.is_some()
            }
            ("minLength", bound) => {
                self.min_length = bound
                    .as_u64()
                    .and_then(|bound| usize::try_from(bound).ok())
                    .unwrap_or_default();
                self.min_length > 0
            }
            ("format", Value::String(format)) => {
                self.date_time = true;
                format == "date-time"
            }
            _ => return None,
        })
    }

    fn asserts_type_alone(&self) -> bool {
        let bounds = self.minimum.is_some() || self.maximum.is_some() || self.min_length > 0;
        !(bounds
            || self.integer
            || self.date_time
            || self.allowed.is_some()
            || !self.conditions.is_empty())
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
