//! Errors of the schema's validator -> violations, in the order of the text.

use std::collections::BTreeSet;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::super::advice::{description, word_meant};
use super::{Breach, Violation};
use crate::ground::document::{Document, Kind, Node, Resolved};
use crate::ground::printable::{brief, quote};
use crate::ground::source::Pointer;
use crate::ground::timestamp::mistake;

/// Returns the errors of the form that a value probably should have, where it has none of several.
pub(in crate::reading::schema) fn likeliest(
    error: ValidationError<'_>,
) -> Vec<ValidationError<'_>> {
    if !matches!(error.kind(), ValidationErrorKind::OneOfNotValid { .. }) {
        return vec![error];
    }

    let parts = error.into_parts();
    let ValidationErrorKind::OneOfNotValid { context } = parts.kind else {
        return Vec::new();
    };
    let is_constant =
        |error: &ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::Constant { .. });
    // How much speaks against a form.
    let against = |error: &ValidationError<'_>| {
        let is_of_parts = *error.instance_path() != parts.instance_path;
        match error.kind() {
            ValidationErrorKind::Constant { .. } => 2,
            _ if is_of_parts => 0,
            ValidationErrorKind::Type { .. } | ValidationErrorKind::Enum { .. } => 3,
            _ => 1,
        }
    };

    let against_form = |form: &Vec<_>| form.iter().map(against).max();
    let Some(likely) = context
        .iter()
        .min_by_key(|form| against_form(form))
    else {
        return Vec::new();
    };

    if likely.iter().any(is_constant) {
        // It has a name that no form has.
        return context
            .into_iter()
            .flatten()
            .filter(is_constant)
            .collect();
    }

    context
        .into_iter()
        .min_by_key(against_form)
        .into_iter()
        .flatten()
        .flat_map(likeliest)
        .collect()
}

/// Turns errors about the value at a place into violations, in the order of the text.
pub(in crate::reading::schema) fn explain<'e>(
    document: Document<'_>,
    at: &Pointer,
    schema: &Value,
    errors: impl Iterator<Item = ValidationError<'e>>,
) -> Vec<Violation> {
    let whole = |error: &ValidationError<'e>| {
        let within = error.instance_path();
        Pointer::new(format!("{}{}", at.as_str(), within.as_str()))
    };

    let errors: Vec<(Pointer, ValidationError<'e>)> = errors
        .map(|error| (whole(&error), error))
        .collect();
    let found = document.resolve(
        errors
            .iter()
            .map(|(pointer, _)| pointer),
    );
    // A value of the wrong type violates other keywords too; only the type is reported, so that one
    // mistake makes one violation.
    let of_wrong_type = |(error, found): (&ValidationError<'_>, &Option<Resolved<'_>>)| {
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
            let is_built_in = schema
                .get("$id")
                .and_then(Value::as_str)
                .is_some_and(|id| id.starts_with("urn:runvet:schema:"));
            violations.extend(unexpected_keys(pointer, found, unexpected, is_built_in));
        } else {
            violations.push(violation(pointer, found, error, schema));
        }
    }

    violations.sort_by(|a, b| (a.token, &a.breach).cmp(&(b.token, &b.breach)));
    // Two subschemas may assert the same of one value.
    violations.dedup();
    violations.dedup_by(|next, violation| violation.takes_in(next));

    violations
}

/// Turns an error about a value, other than keys that it must not have, into a violation.
fn violation(
    pointer: &Pointer,
    found: Resolved<'_>,
    error: &ValidationError<'_>,
    schema: &Value,
) -> Violation {
    let within = &Pointer::new(error.instance_path().as_str());
    let breach = breach(found, within, error.kind(), schema);
    let absent = match &breach {
        Breach::Lacks(fields) => fields.first().map(String::as_str),
        _ => None,
    };

    Violation {
        token: found.value.index(),
        pointer: pointer.shortened(),
        is_key: false,
        says: description(schema, within, absent)
            .into_iter()
            .collect(),
        typos: Vec::new(),
        breach,
    }
}

/// The advice on a field that a record of the reference must not have.
const EXTEND: &str =
    "Add the prefix `x-` to the name to make the field an extension, or remove it.";

fn unexpected_keys<'a>(
    pointer: &'a Pointer,
    found: Resolved<'a>,
    unexpected: &'a [String],
    is_built_in: bool,
) -> impl Iterator<Item = Violation> + 'a {
    let unexpected: BTreeSet<&str> = unexpected
        .iter()
        .map(String::as_str)
        .collect();

    found
        .value
        .members()
        .filter(move |key| unexpected.contains(&*key.name()))
        .map(move |key| Violation {
            token: key.index(),
            pointer: pointer.field(&key.name()),
            is_key: true,
            breach: Breach::Unexpected(format!("must not have the field `{}`", brief(&key.name()))),
            says: is_built_in
                .then(|| EXTEND.to_owned())
                .into_iter()
                .collect(),
            typos: Vec::new(),
        })
}

pub(super) fn breach(
    found: Resolved<'_>,
    pointer: &Pointer,
    kind: &ValidationErrorKind,
    schema: &Value,
) -> Breach {
    let value = found.value;
    let shown = match value.kind() {
        Kind::Object => "an object".into(),
        Kind::Array => "an array".into(),
        Kind::String => quote(&value.text().unwrap_or_default()),
        _ => brief(value.raw()),
    };

    match kind {
        ValidationErrorKind::Required { property } => Breach::Lacks(vec![
            property
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        ]),
        ValidationErrorKind::Type { kind } => {
            let (is, expected) = (value.kind().with_article(), expected_types(kind));
            let clause = match value.kind() {
                Kind::Null | Kind::Array | Kind::Object => format!("is {is}, not {expected}"),
                _ => format!("is {is} ({shown}), not {expected}"),
            };
            let text = constant(schema, pointer).filter(|_| value.kind() == Kind::Number);
            Breach::WrongType(clause, text.map(quote))
        }
        ValidationErrorKind::Enum { options } => {
            let options = options
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default();
            not_one_of(value, &shown, schema, options)
        }
        ValidationErrorKind::Constant { expected_value } => {
            let expected = brief(&expected_value.to_string());
            Breach::NotConstant(format!("is {shown}, not {expected}"), expected)
        }
        // Keywords of ours have their number as the message.
        ValidationErrorKind::Custom { keyword, message } if keyword == "minimum" => {
            Breach::BelowMinimum(format!("is {shown}, below the minimum of {message}"))
        }
        ValidationErrorKind::Custom { keyword, message } if keyword == "maximum" => {
            Breach::AboveMaximum(format!("is {shown}, above the maximum of {message}"))
        }
        ValidationErrorKind::MinLength { limit: 1 } => Breach::Empty("is empty".into()),
        ValidationErrorKind::Format { format } if format == "date-time" => {
            let mistake =
                mistake(shown.trim_matches('"')).map_or(String::new(), |what| format!(": {what}"));
            let wanted = "an RFC 3339 date-time with an offset";
            Breach::NotADateTime(format!("is {shown}, not {wanted}{mistake}"))
        }
        other => not_allowed(&shown, other),
    }
}

/// Returns the breach of a value that is none of some words.
fn not_one_of(value: Node<'_>, shown: &str, schema: &Value, options: &[Value]) -> Breach {
    let words = options
        .iter()
        .map(|option| brief(&option.to_string()))
        .collect::<Vec<_>>()
        .join(", ");
    let meant = value.text().and_then(|text| {
        let (word, description) = word_meant(schema, &text, options)?;
        Some((word, description.map(str::to_owned)))
    });

    Breach::NotOneOf(format!("is {shown}, not one of {words}"), meant)
}

/// Returns the breach of a keyword that has no sentence of its own.
fn not_allowed(shown: &str, kind: &ValidationErrorKind) -> Breach {
    let (keyword, expected) = match kind {
        // Nothing is allowed where the schema is `false`.
        ValidationErrorKind::FalseSchema => ("false".into(), None),
        ValidationErrorKind::Custom { keyword, message } => (keyword.clone(), Some(brief(message))),
        other => (other.keyword().to_string(), expected_by(other)),
    };

    let expected = expected.map_or(String::new(), |expected| format!(": {expected}"));

    Breach::Other(format!(
        "is {shown}, which `{keyword}{expected}` in its schema does not allow"
    ))
}

/// Returns the value that a keyword wants, where it is short.
fn expected_by(kind: &ValidationErrorKind) -> Option<String> {
    Some(match kind {
        ValidationErrorKind::Pattern { pattern: text }
        | ValidationErrorKind::Format { format: text } => brief(text),
        ValidationErrorKind::MinItems { limit }
        | ValidationErrorKind::MaxItems { limit }
        | ValidationErrorKind::MinLength { limit }
        | ValidationErrorKind::MaxLength { limit }
        | ValidationErrorKind::MinProperties { limit }
        | ValidationErrorKind::MaxProperties { limit } => limit.to_string(),
        _ => return None,
    })
}

/// Returns the text that a field of the whole document must have.
fn constant<'s>(schema: &'s Value, pointer: &Pointer) -> Option<&'s str> {
    let field = pointer.as_str().strip_prefix('/')?;
    schema
        .get("properties")?
        .get(field)?
        .get("const")?
        .as_str()
}

fn expected_types(kind: &TypeKind) -> String {
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
        TypeKind::Multiple(kinds) => kinds
            .iter()
            .map(name)
            .collect::<Vec<_>>()
            .join(" or "),
    }
}
