//! A schema that a team declares, compiled -> the places where a value violates it.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use jsonschema::{Retrieve, ValidationError, Validator};
use serde_json::Value;

use super::branching::{MAX_APPLIED, MAX_WITHIN, most_applied};
use super::instance::{Instance, TapeJson, within};
use super::shape::Shapes;
use super::violation::{self, Violation};
use super::{MAX_VIOLATIONS, TooManyViolations};
use crate::ground::document::{Node, OwnedDocument};
use crate::ground::source::Pointer;

/// The number of keys and values of a value, up to which all its violations are looked for where
/// the fast validator can't count them.
const MAX_LISTED_TOKENS: u32 = 100_000;

/// The number of times that the validator may enter objects and arrays to list violations: for any
/// value, and in addition for each subschema that is applied to each of its keys and values.
const MIN_STEPS: u64 = 100_000;
const STEPS_PER_VALUE: u64 = 64;

/// The bytes of the pointers to the violations of one value, at most: a long key may stand above
/// thousands of them.
const MAX_PLACE_BYTES: usize = 4 << 20;

/// A schema that a team declares.
pub(crate) struct DeclaredSchema {
    text: Value,
    /// The fast validator, where the schema has no keyword beyond it.
    shapes: Option<Shapes>,
    /// The validator that says what is wrong; made when it is first needed, where the fast one
    /// knows the whole schema.
    validator: OnceLock<Option<Validator<TapeJson>>>,
    /// The number of subschemas that it applies to one value.
    applied: u64,
}

impl fmt::Debug for DeclaredSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeclaredSchema")
            .finish_non_exhaustive()
    }
}

impl DeclaredSchema {
    /// Compiles a schema at an address, from which its references start.
    pub(crate) fn new(
        text: Value,
        address: &str,
        files: &(impl Retrieve + Clone + 'static),
    ) -> Result<Self, Box<ValidationError<'static>>> {
        let shapes = OwnedDocument::read(text.to_string().into_bytes())
            .ok()
            .map(|written| Shapes::compile(written.root()))
            .filter(|shapes| shapes.is_supported() && !shapes.may_multiply());
        let validator = OnceLock::new();

        if shapes.is_none() {
            let made = super::options()
                .with_base_uri(address.to_owned())
                .with_retriever(files.clone())
                .build(&text)?;
            let _ = validator.set(Some(made));
        }

        let applied = most_applied(&text, address, files);
        if applied > MAX_APPLIED {
            return Err(Box::new(ValidationError::custom(format!(
                "it applies more than {MAX_APPLIED} subschemas to one value, or {MAX_WITHIN} within \
                 each other"
            ))));
        }

        Ok(Self {
            text,
            shapes,
            validator,
            applied,
        })
    }

    /// Returns its text, parsed.
    pub(crate) fn text(&self) -> &Value {
        &self.text
    }

    /// Returns `true` if a value satisfies the schema.
    pub(crate) fn is_valid(&self, value: Node<'_>) -> bool {
        match &self.shapes {
            Some(shapes) => shapes.is_valid(value),
            None => self
                .validator()
                .is_some_and(|it| it.is_valid(Instance::Node(value))),
        }
    }

    /// Returns the validator, which there always is: what the fast one knows is a schema.
    fn validator(&self) -> Option<&Validator<TapeJson>> {
        let make = || {
            super::options()
                .offline()
                .build(&self.text)
                .ok()
        };

        self.validator
            .get_or_init(make)
            .as_ref()
    }

    /// Returns the violations of a value at a place of its document, in the order of the text.
    pub(crate) fn violations(
        &self,
        value: Node<'_>,
        at: &Pointer,
    ) -> Result<Vec<Violation>, TooManyViolations> {
        if self.is_valid(value) {
            return Ok(Vec::new());
        }

        let size = value.end_index() - value.index();
        let too_many = match &self.shapes {
            Some(shapes) => shapes.count_failures(value, MAX_VIOLATIONS) >= MAX_VIOLATIONS,
            None => size > MAX_LISTED_TOKENS,
        };

        if too_many {
            return Err(TooManyViolations);
        }

        let steps = self
            .applied
            .saturating_mul(u64::from(size))
            .saturating_mul(STEPS_PER_VALUE);
        let errors = within(steps.saturating_add(MIN_STEPS), || {
            let errors = self
                .validator()?
                .iter_errors(Instance::Node(value));
            let mut place_bytes = 0;
            errors
                .take(MAX_VIOLATIONS)
                .map(|error| {
                    place_bytes += error.instance_path().as_str().len();
                    (place_bytes <= MAX_PLACE_BYTES).then_some(error)
                })
                .collect::<Option<Vec<_>>>()
        })
        .flatten()
        .filter(|errors| errors.len() < MAX_VIOLATIONS)
        .ok_or(TooManyViolations)?;

        Ok(violation::explain(
            value.document(),
            at,
            &self.text,
            errors.into_iter(),
        ))
    }

    /// Returns `true` if it declares the key at the end of a path, under `properties`.
    pub(crate) fn declares(&self, path: &[Cow<'_, str>]) -> bool {
        let target = |part: &Value| {
            let reference = part
                .get("$ref")
                .and_then(Value::as_str)?;
            self.text
                .pointer(reference.strip_prefix('#')?)
        };

        let below = path
            .iter()
            .try_fold(&self.text, |part, key| {
                let part = target(part).unwrap_or(part);
                part.get("properties")
                    .and_then(|known| known.get(&**key))
                    .or_else(|| part.get("items"))
            });

        !path.is_empty() && below.is_some()
    }
}
