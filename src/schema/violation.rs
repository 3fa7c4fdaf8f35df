//! Errors of the schema validator -> violations, each with its place on the tape, a message and
//! help.
//!
//! The validator's own messages are not shown, because they quote whole values and raw names.

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
    /// What is wrong.
    pub(crate) message: String,
    /// How to fix it; `None` where the hint of the rule says enough.
    pub(crate) help: Option<String>,
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
    // A value of the wrong type fails other keywords too; only the type is reported, so that one
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
            let (message, help) = describe(pointer, found, error.kind());
            violations.push(Violation {
                token: found.value.index(),
                pointer: pointer.clone(),
                is_key: false,
                message,
                help,
            });
        }
    }
    violations.sort_by(|a, b| (a.token, &a.message).cmp(&(b.token, &b.message)));
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
        message: format!(
            "{} must not have the field `{}`",
            subject(pointer),
            brief(&key.name())
        ),
        help: Some(
            "Add the prefix `x-` to the name to make the field an extension, or remove it.".into(),
        ),
    })
}

/// The value that a pointer names, as the subject of a sentence.
fn subject(pointer: &Pointer) -> String {
    let dotted = pointer.dotted();
    if dotted.is_empty() {
        "the record".into()
    } else {
        format!("`{dotted}`")
    }
}

fn describe(
    pointer: &Pointer,
    found: Found<'_>,
    kind: &ValidationErrorKind,
) -> (String, Option<String>) {
    let subject = subject(pointer);
    let value = found.value;
    let shown = match value.kind() {
        Kind::Object => "an object".into(),
        Kind::Array => "an array".into(),
        Kind::String => quote(&value.text().unwrap_or_default()),
        _ => brief(value.raw()),
    };
    match kind {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            (
                format!("{subject} lacks the required field `{name}`"),
                Some(format!("Add the field `{name}`.")),
            )
        }
        ValidationErrorKind::Type { kind } => {
            let wanted = wanted_types(kind);
            let is = value.kind().with_article();
            let of = if matches!(value.kind(), Kind::Null | Kind::Array | Kind::Object) {
                String::new()
            } else {
                format!(" ({shown})")
            };
            (format!("{subject} is {is}{of}, not {wanted}"), None)
        }
        ValidationErrorKind::Enum { options } => {
            let options: Vec<&Value> = options.as_array().into_iter().flatten().collect();
            let list = options.iter().map(|option| brief(&option.to_string()));
            let list = list.collect::<Vec<_>>().join(", ");
            let help = value
                .text()
                .and_then(|text| nearest(&text, &options))
                .map(|name| format!("Did you mean {}?", quote(name)));
            (format!("{subject} is {shown}, not one of {list}"), help)
        }
        ValidationErrorKind::Constant { expected_value } => (
            format!(
                "{subject} is {shown}, not {}",
                brief(&expected_value.to_string())
            ),
            None,
        ),
        ValidationErrorKind::Minimum { limit } => (
            format!("{subject} is {shown}, below the minimum of {limit}"),
            None,
        ),
        ValidationErrorKind::Maximum { limit } => (
            format!("{subject} is {shown}, above the maximum of {limit}"),
            None,
        ),
        ValidationErrorKind::MinLength { .. } => (format!("{subject} is empty"), None),
        ValidationErrorKind::Format { .. } => (
            format!("{subject} is {shown}, not an RFC 3339 date-time with an offset"),
            Some(
                "Write it with an offset, such as 2026-03-01T12:00:00.000000+00:00 or 2026-03-01T12:00:00Z."
                    .into(),
            ),
        ),
        other => (
            format!(
                "{subject} is {shown}, which the keyword `{}` of its schema does not allow",
                other.keyword()
            ),
            None,
        ),
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
