//! Errors of the schema validator -> violations as data, each with its place on the tape.
//!
//! The validator's own messages are not shown, because they quote whole values and raw names. A
//! violation has its own message.

use std::collections::BTreeSet;

use jsonschema::JsonType;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use super::advice::{description, first_sentence, word_meant};
use crate::ground::document::{Document, Kind, Resolved};
use crate::ground::printable::{brief, quote};
use crate::ground::source::{Artifact, Line, Place, Pointer, Target};
use crate::ground::timestamp::mistake;

/// One place where a record violates its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The token that violates the schema: a value, or a key that is not allowed.
    pub(in crate::reading) token: u32,
    /// The pointer to the value, or to the value under the key.
    pub(crate) pointer: Pointer,
    /// `true` if the token is a key.
    pub(in crate::reading) is_key: bool,
    breach: Breach,
    /// The schema's descriptions of the field, or of each field that is absent.
    says: Vec<String>,
    /// Of fields that are absent, those that are probably there under another name, and that.
    typos: Vec<(String, String)>,
}

/// The kind of a violation of a schema, with what the value is in a clause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Breach {
    /// The object lacks required fields.
    Lacks(Vec<String>),
    /// The object has a field that is not allowed.
    Unexpected(String),
    /// The text that the schema wants instead of a number.
    WrongType(String, Option<String>),
    /// The word that is probably meant, and the schema's description of it.
    NotOneOf(String, Option<(String, Option<String>)>),
    /// The value that the schema wants.
    NotConstant(String, String),
    BelowMinimum(String),
    AboveMaximum(String),
    Empty(String),
    NotADateTime(String),
    /// A violation of a keyword that the checked-in schemas do not use today.
    Other(String),
}

impl Violation {
    /// Takes in other fields that the same object lacks; returns `true` if it did.
    fn takes_in(&mut self, next: &mut Self) -> bool {
        match (&mut self.breach, &mut next.breach) {
            (Breach::Lacks(fields), Breach::Lacks(more)) if self.token == next.token => {
                fields.append(more);
                self.says.append(&mut next.says);
                true
            }
            _ => false,
        }
    }

    /// Returns the token of the value that the schema does not allow, if it allows none such;
    /// `None` where an object lacks fields.
    pub(crate) fn refused_value(&self) -> Option<u32> {
        let is_absence = matches!(self.breach, Breach::Lacks(_));
        (!is_absence).then(|| self.token + u32::from(self.is_key))
    }

    /// Returns the same in a document that has the one of this at a place.
    pub(crate) fn below(mut self, place: &Pointer) -> Self {
        let tokens = self.pointer.tokens();
        self.pointer = tokens.fold(place.clone(), |at, token| at.field(&token));
        self
    }

    /// Returns its place in an artifact, or in a line of one.
    pub(crate) fn place(&self, artifact: Artifact, line: Option<Line>) -> Place {
        let pointer = self.pointer.clone();
        let target = if self.is_key {
            Target::Key(pointer)
        } else {
            Target::Value(pointer)
        };

        Place {
            artifact,
            line,
            target,
            elsewhere: None,
        }
    }

    /// Returns the fields that it is about, as messages name them.
    pub(crate) fn fields(&self) -> Vec<String> {
        match &self.breach {
            Breach::Lacks(fields) => fields
                .iter()
                .map(|field| self.pointer.clone().field(field))
                .map(|pointer| pointer.dotted())
                .collect(),
            _ => vec![self.pointer.dotted()],
        }
    }

    /// Returns the violation in a sentence; `root` is the name of the whole document, such as "the
    /// event".
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
            Breach::Lacks(fields) => format!("{subject} lacks the required {}", named(fields)),
            Breach::Unexpected(clause)
            | Breach::WrongType(clause, _)
            | Breach::NotOneOf(clause, _)
            | Breach::NotConstant(clause, _)
            | Breach::BelowMinimum(clause)
            | Breach::AboveMaximum(clause)
            | Breach::Empty(clause)
            | Breach::NotADateTime(clause)
            | Breach::Other(clause) => format!("{subject} {clause}"),
        }
    }

    /// Returns the advice on how to fix it; `None` where the hint of the rule says enough.
    pub(crate) fn help(&self) -> Option<String> {
        let first = match &self.breach {
            Breach::Lacks(fields) => Some(self.additions(fields)),
            Breach::WrongType(_, Some(text)) => {
                Some(format!("Write the text {text}, with its quotes."))
            }
            Breach::NotOneOf(_, Some((word, description))) => {
                let description = description.as_ref().map(|description| format!(" {description}"));
                return Some(format!(
                    "Did you mean {}?{}",
                    quote(word),
                    description.unwrap_or_default()
                ));
            }
            Breach::NotADateTime(_) => Some(
                "Write it with an offset, such as 2026-03-01T12:00:00Z or 2026-03-01T13:00:00.5+01:00."
                    .into(),
            ),
            _ => None,
        };

        let says = match &*self.says {
            [description] => description.clone(),
            all if all.len() > MAX_DESCRIBED => String::new(),
            all => all
                .iter()
                .map(|description| first_sentence(description))
                .collect::<Vec<&str>>()
                .join(" "),
        };

        let help = first
            .into_iter()
            .chain(Some(says).filter(|says| !says.is_empty()))
            .collect::<Vec<_>>()
            .join(" ");

        (!help.is_empty()).then_some(help)
    }

    /// Notes which of the fields that are absent are probably there under another name.
    pub(crate) fn explain_absence(&mut self, written: impl Fn(&str) -> Option<String>) {
        if let Breach::Lacks(fields) = &self.breach {
            let typos = fields
                .iter()
                .filter_map(|field| Some((field.clone(), written(field)?)));
            self.typos = typos.collect();
        }
    }

    /// Returns the keys that are probably meant as fields that are absent from the object at a
    /// place.
    pub(crate) fn typos(&self, object: &Place) -> Vec<(Place, String)> {
        self.typos
            .iter()
            .map(|(field, written)| {
                let place = Place {
                    target: Target::Key(self.pointer.field(written)),
                    ..object.clone()
                };
                let written = brief(written);
                let message = format!("`{field}` is absent, but the object has `{written}`");
                (place, message)
            })
            .collect()
    }

    /// Returns the advice on fields that are absent.
    fn additions(&self, fields: &[String]) -> String {
        let renames = self.typos.iter().map(|(field, written)| {
            let written = brief(written);
            format!("Rename `{written}` to `{field}`, if that is what it means.")
        });
        let is_typo = |field: &String| self.typos.iter().any(|(typo, _)| typo == field);
        let others: Vec<String> = (fields.iter())
            .filter(|field| !is_typo(field))
            .cloned()
            .collect();
        let add = (!others.is_empty()).then(|| format!("Add the {}.", named(&others)));
        renames.chain(add).collect::<Vec<_>>().join(" ")
    }
}

/// The number of absent fields that are described one by one.
const MAX_DESCRIBED: usize = 3;

/// Returns fields by their names: "field `a`", or "fields `a`, `b` and `c`".
fn named(fields: &[String]) -> String {
    match fields {
        [before @ .., last] if !before.is_empty() => {
            format!("fields `{}` and `{last}`", before.join("`, `"))
        }
        _ => format!("field `{}`", fields.concat()),
    }
}

/// Returns the errors of the form that a value probably should have, where it has none of several.
pub(super) fn likeliest(error: ValidationError<'_>) -> Vec<ValidationError<'_>> {
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
    let Some(likely) = context.iter().min_by_key(|form| against_form(form)) else {
        return Vec::new();
    };

    if likely.iter().any(is_constant) {
        // It has a name that no form has.
        return context.into_iter().flatten().filter(is_constant).collect();
    }

    context
        .into_iter()
        .min_by_key(against_form)
        .into_iter()
        .flatten()
        .flat_map(likeliest)
        .collect()
}

/// Returns a sentence about the errors of [`likeliest`].
pub(super) fn message_of_likeliest(violations: &[Violation], root: &str) -> Option<String> {
    let first = violations.first()?;
    let others = violations.iter().skip(1).filter_map(|it| match &it.breach {
        Breach::NotConstant(_, expected) if it.token == first.token => Some(expected),
        _ => None,
    });

    Some(others.fold(first.message(root), |description, other| {
        format!("{description} or {other}")
    }))
}

/// Turns errors about the value at a place into violations, in the order of the text.
pub(super) fn explain<'e>(
    document: Document<'_>,
    at: &Pointer,
    schema: &Value,
    errors: impl Iterator<Item = ValidationError<'e>>,
) -> Vec<Violation> {
    let whole = |error: &ValidationError<'e>| {
        let within = error.instance_path();
        Pointer::new(format!("{}{}", at.as_str(), within.as_str()))
    };

    let errors: Vec<(Pointer, ValidationError<'e>)> =
        errors.map(|error| (whole(&error), error)).collect();
    let found = document.resolve(errors.iter().map(|(pointer, _)| pointer));
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
            let is_built_in = (schema.get("$id").and_then(Value::as_str))
                .is_some_and(|id| id.starts_with("urn:runvet:schema:"));
            violations.extend(unexpected_keys(pointer, found, unexpected, is_built_in));
        } else {
            let within = &Pointer::new(error.instance_path().as_str());
            let breach = breach(found, within, error.kind(), schema);
            let absent = match &breach {
                Breach::Lacks(fields) => fields.first().map(String::as_str),
                _ => None,
            };

            violations.push(Violation {
                token: found.value.index(),
                pointer: pointer.shortened(),
                is_key: false,
                says: description(schema, within, absent).into_iter().collect(),
                typos: Vec::new(),
                breach,
            });
        }
    }

    violations.sort_by(|a, b| (a.token, &a.breach).cmp(&(b.token, &b.breach)));
    // Two subschemas may assert the same of one value.
    violations.dedup();
    violations.dedup_by(|next, violation| violation.takes_in(next));

    violations
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
    let unexpected: BTreeSet<&str> = unexpected.iter().map(String::as_str).collect();
    found
        .value
        .members()
        .filter(move |key| unexpected.contains(&*key.name()))
        .map(move |key| Violation {
            token: key.index(),
            pointer: pointer.field(&key.name()),
            is_key: true,
            breach: Breach::Unexpected(format!("must not have the field `{}`", brief(&key.name()))),
            says: is_built_in.then(|| EXTEND.to_owned()).into_iter().collect(),
            typos: Vec::new(),
        })
}

fn breach(
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
        ValidationErrorKind::Required { property } => {
            Breach::Lacks(vec![property.as_str().unwrap_or_default().to_owned()])
        }
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
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
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
        other => {
            let (keyword, expected) = match other {
                // Nothing is allowed where the schema is `false`.
                ValidationErrorKind::FalseSchema => ("false".into(), None),
                ValidationErrorKind::Custom { keyword, message } => {
                    (keyword.clone(), Some(brief(message)))
                }
                other => (other.keyword().to_string(), expected_by(other)),
            };

            let expected = expected.map_or(String::new(), |expected| format!(": {expected}"));
            let wanted = format!("`{keyword}{expected}` in its schema");
            Breach::Other(format!("is {shown}, which {wanted} does not allow"))
        }
    }
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
    schema.get("properties")?.get(field)?.get("const")?.as_str()
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
        TypeKind::Multiple(kinds) => kinds.iter().map(name).collect::<Vec<_>>().join(" or "),
    }
}
