//! A file and its schema -> the mistakes that a validator finds.

use std::collections::BTreeSet;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::paths::Location;
use serde_json::Value;

use super::expected::{known_keys, part_at};
use super::{Mistake, Wrong};
use crate::ground::document::Tape;
use crate::ground::select::key_path;
use crate::ground::source::Pointer;
use crate::reading::schema::errors;

/// Returns all mistakes that the schema finds, those that follow from another one included.
pub(super) fn mistakes(schema: &Value, json: &Value) -> Vec<Mistake> {
    let text = json.to_string();
    let mut tape = Tape::default();
    let Ok(document) = tape.read(text.as_bytes()) else {
        // It was written just now, so it can only nest too deep: in TOML, the name of a table, a
        // key and a value have a limit each.
        return vec![Mistake {
            path: Vec::new(),
            what: Wrong::TooDeep,
        }];
    };

    let mut found: Vec<Mistake> = errors(document, schema, |error| of_error(&error))
        .into_iter()
        .flatten()
        .collect();
    found.retain(|it| !is_below_unknown_key(schema, &it.path));
    found.dedup_by(|next, it| {
        next.path == it.path && matches!((&next.what, &it.what), (Wrong::Other, Wrong::Other))
    });

    found
}

/// Returns `true` if a path leads below a key that no selector has, which the reader of selectors
/// tells: a table there says nothing of its own.
pub(super) fn is_below_unknown_key(schema: &Value, path: &[String]) -> bool {
    path.iter()
        .enumerate()
        .any(|(at, key)| {
            let above = path.get(..at).unwrap_or_default();
            let is_selector = known_keys(part_at(schema, above)) == ["if"] && key != "if";
            (is_selector || above == ["vocabulary"]) && key_path(key, false).is_none()
        })
}

pub(super) fn of_error(error: &ValidationError<'_>) -> Vec<Mistake> {
    let place = error.instance_path();
    if let Kind::AnyOf { context } = error.kind()
        && let Some(mistakes) = of_forms(context, place)
    {
        return mistakes;
    }
    let whats = match error.kind() {
        Kind::AdditionalProperties { unexpected } => unexpected
            .iter()
            .cloned()
            .map(Wrong::UnknownKey)
            .collect(),
        Kind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            vec![Wrong::MissingKey(key.to_owned())]
        }
        Kind::Enum { .. } => vec![Wrong::UnknownWord],
        Kind::Type { .. } => vec![Wrong::Type],
        _ if is_too_small(error) => vec![Wrong::Type],
        _ => vec![Wrong::Other],
    };

    at(place, whats)
}

/// Returns the mistakes of the form that a value has, of those that its schema allows; `None` where
/// it may have several. A table with keys of no form has the unknown keys that no form has.
pub(super) fn of_forms(
    forms: &[Vec<ValidationError<'_>>],
    place: &Location,
) -> Option<Vec<Mistake>> {
    let of_its_type: Vec<_> = forms
        .iter()
        .filter(|form| is_of(form, place))
        .collect();
    let with_its_keys: Vec<_> = of_its_type
        .iter()
        .copied()
        .filter(|form| unknown_keys(form, place).is_empty())
        .collect();
    if let ([form], _) | (_, [form]) = (&*of_its_type, &*with_its_keys) {
        return Some(form.iter().flat_map(of_error).collect());
    }
    if !with_its_keys.is_empty() {
        return None;
    }

    let unknown: Vec<Wrong> = of_its_type
        .into_iter()
        .map(|form| unknown_keys(form, place))
        .reduce(|keys, of_form| &keys & &of_form)?
        .into_iter()
        .map(|key| Wrong::UnknownKey(key.to_owned()))
        .collect();

    (!unknown.is_empty()).then(|| at(place, unknown))
}

/// Returns mistakes at a place.
pub(super) fn at(place: &Location, whats: Vec<Wrong>) -> Vec<Mistake> {
    let path: Vec<String> = Pointer::new(place.as_str())
        .tokens()
        .map(Into::into)
        .collect();
    let mistake = |what| Mistake {
        path: path.clone(),
        what,
    };

    whats.into_iter().map(mistake).collect()
}

/// Returns the keys of the value at a place that a form with these errors does not have.
pub(super) fn unknown_keys<'e>(
    form: &'e [ValidationError<'_>],
    place: &Location,
) -> BTreeSet<&'e str> {
    form.iter()
        .filter(|error| error.instance_path() == place)
        .filter_map(|error| match error.kind() {
            Kind::AdditionalProperties { unexpected } => Some(unexpected),
            _ => None,
        })
        .flatten()
        .map(String::as_str)
        .collect()
}

/// Returns `true` if a number is below the `minimum` of its schema, which is compared exactly.
pub(super) fn is_too_small(error: &ValidationError<'_>) -> bool {
    error
        .schema_path()
        .as_str()
        .ends_with("/minimum")
}

/// Returns `true` if a value has a form in which it has these errors.
pub(super) fn is_of(form: &[ValidationError<'_>], place: &Location) -> bool {
    form.iter()
        .all(|error| match error.kind() {
            Kind::Type { .. } => error.instance_path() != place,
            _ if is_too_small(error) => error.instance_path() != place,
            Kind::AnyOf { context } => {
                error.instance_path() != place
                    || context
                        .iter()
                        .any(|form| is_of(form, place))
            }
            _ => true,
        })
}
