//! Errors of the schema validator -> violations as data, each with its place on the tape.
//!
//! The validator's own messages are not shown, because they quote whole values and raw names. A
//! violation has its own message.

mod explain;

use super::advice::first_sentence;

use crate::ground::printable::{brief, quote};
use crate::ground::source::{Artifact, Line, Place, Pointer, Target};

pub(super) use explain::{explain, likeliest};

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
        let renames = self
            .typos
            .iter()
            .map(|(field, written)| {
                let written = brief(written);
                format!("Rename `{written}` to `{field}`, if that is what it means.")
            });
        let is_typo = |field: &String| {
            self.typos
                .iter()
                .any(|(typo, _)| typo == field)
        };

        let others: Vec<String> = (fields.iter())
            .filter(|field| !is_typo(field))
            .cloned()
            .collect();
        let add = (!others.is_empty()).then(|| format!("Add the {}.", named(&others)));

        renames
            .chain(add)
            .collect::<Vec<_>>()
            .join(" ")
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

/// Returns a sentence about the errors of [`likeliest`].
pub(super) fn message_of_likeliest(violations: &[Violation], root: &str) -> Option<String> {
    let first = violations.first()?;
    let others = violations
        .iter()
        .skip(1)
        .filter_map(|it| match &it.breach {
            Breach::NotConstant(_, expected) if it.token == first.token => Some(expected),
            _ => None,
        });

    Some(others.fold(first.message(root), |description, other| {
        format!("{description} or {other}")
    }))
}
