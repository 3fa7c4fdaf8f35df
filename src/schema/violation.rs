//! Errors of the schema validator -> violations as data, each with its place on the tape.
//!
//! The validator's own messages are not shown, because they quote whole values and raw names. A
//! violation has its own message.

use std::collections::BTreeSet;

use jsonschema::JsonType;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::document::{Document, Found, Kind};
use crate::printable::{brief, quote};
use crate::source::Pointer;

/// One place where a record violates its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The token that violates the schema: a value, or a key that is not allowed.
    pub(crate) token: u32,
    /// The pointer to the value, or to the value under the key.
    pub(crate) pointer: Pointer,
    /// Whether the token is a key.
    pub(crate) is_key: bool,
    breach: Breach,
}

/// How a value violates its schema, with values as messages show them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Breach {
    /// The object lacks a required field.
    Lacks {
        field: String,
    },
    /// The object has a field that is not allowed.
    Unexpected {
        field: String,
    },
    WrongType {
        is: &'static str,
        /// The value, unless its type says enough.
        shown: Option<String>,
        wanted: String,
    },
    NotOneOf {
        shown: String,
        options: String,
        nearest: Option<String>,
    },
    NotConstant {
        shown: String,
        expected: String,
    },
    BelowMinimum {
        shown: String,
        limit: String,
    },
    AboveMaximum {
        shown: String,
        limit: String,
    },
    Empty,
    NotADateTime {
        shown: String,
    },
    /// A violation of a keyword that the checked-in schemas do not use today.
    Other {
        shown: String,
        keyword: String,
    },
}

impl Violation {
    /// What is wrong, in a sentence; `root` is the name of the whole document, such as "the event".
    pub(crate) fn message(&self, root: &str) -> String {
        // The pointer of a key points to the value under it; the message is about the object.
        let pointer = if self.is_key {
            self.pointer.parent()
        } else {
            self.pointer.clone()
        };
        let subject = match pointer.dotted() {
            dotted if dotted.is_empty() => root.to_owned(),
            dotted => format!("`{dotted}`"),
        };
        match &self.breach {
            Breach::Lacks { field } => format!("{subject} lacks the required field `{field}`"),
            Breach::Unexpected { field } => {
                format!("{subject} must not have the field `{}`", brief(field))
            }
            Breach::WrongType { is, shown, wanted } => match shown {
                Some(shown) => format!("{subject} is {is} ({shown}), not {wanted}"),
                None => format!("{subject} is {is}, not {wanted}"),
            },
            Breach::NotOneOf { shown, options, .. } => {
                format!("{subject} is {shown}, not one of {options}")
            }
            Breach::NotConstant { shown, expected } => {
                format!("{subject} is {shown}, not {expected}")
            }
            Breach::BelowMinimum { shown, limit } => {
                format!("{subject} is {shown}, below the minimum of {limit}")
            }
            Breach::AboveMaximum { shown, limit } => {
                format!("{subject} is {shown}, above the maximum of {limit}")
            }
            Breach::Empty => format!("{subject} is empty"),
            Breach::NotADateTime { shown } => {
                format!("{subject} is {shown}, not an RFC 3339 date-time with an offset")
            }
            Breach::Other { shown, keyword } => {
                format!("{subject} is {shown}, which `{keyword}` of its schema does not allow")
            }
        }
    }

    /// How to fix it; `None` where the hint of the rule says enough.
    pub(crate) fn help(&self) -> Option<String> {
        match &self.breach {
            Breach::Lacks { field } => Some(format!("Add the field `{field}`.")),
            Breach::Unexpected { .. } => Some(
                "Add the prefix `x-` to the name to make the field an extension, or remove it."
                    .into(),
            ),
            Breach::NotOneOf { nearest, .. } => {
                let nearest = nearest.as_ref()?;
                Some(format!("Did you mean {}?", quote(nearest)))
            }
            Breach::NotADateTime { .. } => Some(
                "Write it with an offset, such as 2026-03-01T12:00:00Z or 2026-03-01T13:00:00.5+01:00."
                    .into(),
            ),
            _ => None,
        }
    }
}

/// Turns errors into violations, in the order of the text.
pub(super) fn explain<'e>(
    document: Document<'_>,
    errors: impl Iterator<Item = ValidationError<'e>>,
) -> Vec<Violation> {
    let errors: Vec<(Pointer, ValidationError<'e>)> = errors
        .map(|error| (Pointer::new(error.instance_path().as_str()), error))
        .collect();
    let found = document.resolve(errors.iter().map(|(pointer, _)| pointer));
    // A value of the wrong type violates other keywords too; only the type is reported, so that one
    // mistake makes one violation.
    let of_wrong_type = |(error, found): (&ValidationError<'_>, &Option<Found<'_>>)| {
        matches!(error.kind(), ValidationErrorKind::Type { .. })
            .then(|| found.map(|found| found.value.index()))?
    };
    let wrong_types: BTreeSet<u32> = errors
        .iter()
        .map(|(_, error)| error)
        .zip(&found)
        .filter_map(of_wrong_type)
        .collect();
    let mut violations = Vec::with_capacity(errors.len());
    for ((pointer, error), found) in errors.iter().zip(found) {
        let Some(found) = found else { continue };
        let is_type = matches!(error.kind(), ValidationErrorKind::Type { .. });
        if !is_type && wrong_types.contains(&found.value.index()) {
            continue;
        }
        if let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind() {
            violations.extend(unexpected_keys(pointer, found, unexpected));
        } else {
            violations.push(Violation {
                token: found.value.index(),
                pointer: pointer.clone(),
                is_key: false,
                breach: breach(found, error.kind()),
            });
        }
    }
    violations.sort_by(|a, b| (a.token, &a.breach).cmp(&(b.token, &b.breach)));
    // Two subschemas may assert the same of one value.
    violations.dedup();
    violations
}

fn unexpected_keys<'a>(
    pointer: &'a Pointer,
    found: Found<'a>,
    unexpected: &'a [String],
) -> impl Iterator<Item = Violation> + 'a {
    let unexpected: BTreeSet<&str> = unexpected.iter().map(String::as_str).collect();
    let keys = found
        .value
        .members()
        .filter(move |key| unexpected.contains(&*key.name()));
    keys.map(|key| Violation {
        token: key.index(),
        pointer: pointer.field(&key.name()),
        is_key: true,
        breach: Breach::Unexpected {
            field: key.name().into_owned(),
        },
    })
}

fn breach(found: Found<'_>, kind: &ValidationErrorKind) -> Breach {
    let value = found.value;
    let shown = match value.kind() {
        Kind::Object => "an object".into(),
        Kind::Array => "an array".into(),
        Kind::String => quote(&value.text().unwrap_or_default()),
        _ => brief(value.raw()),
    };
    match kind {
        ValidationErrorKind::Required { property } => Breach::Lacks {
            field: property.as_str().unwrap_or_default().to_owned(),
        },
        ValidationErrorKind::Type { kind } => Breach::WrongType {
            is: value.kind().with_article(),
            shown: (!matches!(value.kind(), Kind::Null | Kind::Array | Kind::Object))
                .then_some(shown),
            wanted: wanted_types(kind),
        },
        ValidationErrorKind::Enum { options } => {
            let options: Vec<&Value> = options.as_array().into_iter().flatten().collect();
            let words = options.iter().map(|option| brief(&option.to_string()));
            Breach::NotOneOf {
                shown,
                options: words.collect::<Vec<_>>().join(", "),
                nearest: value
                    .text()
                    .and_then(|text| nearest(&text, &options))
                    .map(str::to_owned),
            }
        }
        ValidationErrorKind::Constant { expected_value } => Breach::NotConstant {
            shown,
            expected: brief(&expected_value.to_string()),
        },
        ValidationErrorKind::Minimum { limit } => Breach::BelowMinimum {
            shown,
            limit: limit.to_string(),
        },
        ValidationErrorKind::Maximum { limit } => Breach::AboveMaximum {
            shown,
            limit: limit.to_string(),
        },
        ValidationErrorKind::MinLength { .. } => Breach::Empty,
        ValidationErrorKind::Format { .. } => Breach::NotADateTime { shown },
        other => Breach::Other {
            shown,
            keyword: other.keyword().to_string(),
        },
    }
}

fn wanted_types(kind: &TypeKind) -> String {
    let name = |kind: JsonType| match kind {
        JsonType::Array => "an array",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    };
    match kind {
        TypeKind::Single(kind) => name(*kind).into(),
        TypeKind::Multiple(kinds) => kinds.iter().map(name).collect::<Vec<_>>().join(" or "),
    }
}

fn nearest<'a>(text: &str, options: &[&'a Value]) -> Option<&'a str> {
    let text: String = text.chars().take(64).collect();
    let distance = |option: &&str| strsim::osa_distance(&text.to_lowercase(), option);
    options
        .iter()
        .filter_map(|option| option.as_str())
        .filter(|option| distance(option) <= 2)
        .min_by_key(distance)
}
