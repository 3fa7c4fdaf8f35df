//! The numbers of a team's schema -> keywords that compare numbers by their exact values.
//!
//! The `jsonschema` crate compares doubles, and a parsed schema holds them.

use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};

use super::bound::NumberKeyword;
use super::instance::{Instance, TapeJson};
use crate::ground::document::{Node, Number, Tape};
use crate::ground::printable::brief;

impl NumberKeyword {
    /// Returns the keyword beside it that has its number as a text, where a double rounds that.
    fn exact(self) -> String {
        format!("x-exact-{}", self.name())
    }

    /// Returns what it asserts, as a keyword of the validator.
    pub(super) fn compile<'a>(
        self,
        schema: &Map<String, Value>,
        value: &Value,
    ) -> Result<Box<dyn for<'i> Keyword<'i, TapeJson>>, ValidationError<'a>> {
        let bound = match (value, schema.get(&self.exact())) {
            (_, Some(Value::String(exact))) => Some(exact.clone()),
            (Value::Number(number), _) => Some(number.to_string()),
            // In draft 4, the exclusive bounds are properties of the others.
            _ => None,
        };

        let is_exclusive = |name| schema.get(name) == Some(&Value::Bool(true));
        let keyword = match self {
            Self::Minimum if is_exclusive("exclusiveMinimum") => Self::ExclusiveMinimum,
            Self::Maximum if is_exclusive("exclusiveMaximum") => Self::ExclusiveMaximum,
            keyword => keyword,
        };

        let bound = Bound { keyword, bound };
        if bound.allows(Number::of("0")).is_none() {
            let message = "`multipleOf` is 0, or has more than 18 digits";
            return Err(ValidationError::custom(message));
        }

        Ok(Box::new(bound))
    }
}

/// A keyword with its number, as a text.
struct Bound {
    keyword: NumberKeyword,
    bound: Option<String>,
}

impl Bound {
    fn allows(&self, number: Number<'_>) -> Option<bool> {
        let Some(bound) = self.bound.as_deref().map(Number::of) else {
            return Some(true);
        };
        match self.keyword {
            NumberKeyword::MultipleOf => number.is_multiple_of(bound),
            keyword => Some(keyword.allows(number.order(bound))),
        }
    }
}

impl<'i> Keyword<'i, TapeJson> for Bound {
    fn validate(&self, instance: Instance<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }

        // The message is the number; the sentence is that of the violation.
        Err(ValidationError::custom(
            self.bound.clone().unwrap_or_default(),
        ))
    }

    fn is_valid(&self, instance: Instance<'i>) -> bool {
        let allows = |number| self.allows(number).unwrap_or_default();
        instance.number().is_none_or(allows)
    }
}

/// Reads the text of a schema, with each number that it holds values against as it is written.
///
/// # Errors
///
/// Why the text is no schema, and the byte where.
pub(crate) fn parse_exactly(text: &str) -> Result<Value, (usize, String)> {
    let mut schema = serde_json::from_str(text).map_err(|error| {
        let at = text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1))
            .map(str::len)
            .sum::<usize>()
            + error.column().saturating_sub(1);
        (at, format!("it is not JSON: {error}"))
    })?;
    let mut tape = Tape::default();
    if let Ok(document) = tape.read(text.as_bytes()) {
        keep(&mut schema, document.root(), false)?;
    }

    Ok(schema)
}

/// Adds the exact numbers of keywords to a parsed schema; a constant can't have any.
fn keep(schema: &mut Value, written: Node<'_>, is_constant: bool) -> Result<(), (usize, String)> {
    match schema {
        Value::Number(rounded) if is_constant && !is_exact(rounded, written) => {
            let why = "has too many digits for a constant; bound it with `minimum` and `maximum`";
            let number = brief(written.raw());
            Err((written.span().start, format!("the number {number} {why}")))
        }
        Value::Array(items) => items
            .iter_mut()
            .zip(written.items())
            .try_for_each(|(item, written)| keep(item, written, is_constant)),
        Value::Object(members) => {
            let mut exact = Vec::new();
            for (name, value) in members.iter_mut() {
                let Some(written) = written.get(name) else {
                    continue;
                };
                let keyword = NumberKeyword::ALL
                    .into_iter()
                    .find(|it| it.name() == name);
                match (keyword, &*value) {
                    (Some(keyword), Value::Number(rounded)) if !is_constant => {
                        if !is_exact(rounded, written) {
                            exact.push((keyword.exact(), written.raw().into()));
                        }
                    }
                    _ => {
                        let is_constant = is_constant || matches!(&**name, "const" | "enum");
                        keep(value, written, is_constant)?;
                    }
                }
            }

            members.extend(exact);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns `true` if a parsed number has the value of the text that it was read from.
fn is_exact(parsed: &serde_json::Number, written: Node<'_>) -> bool {
    Number::of(&parsed.to_string()).equals(Number::of(written.raw()))
}
