//! What a team declares -> the places whose texts go, and the words that stay.

use std::collections::BTreeSet;

use serde_json::Value;

use super::error::Error;
use super::names::{Names, Paths, token};
use crate::policy::team::{Judged, Team};

/// The mark of a schema for what goes: `"x-runvet": "sensitive"`.
const MARK: (&str, &str) = ("x-runvet", "sensitive");

/// The places below one that schemas tell apart, at most: beyond, a mark holds at any depth.
const MAX_LEVELS: usize = 32;

/// What a team declares of texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    /// JSON Pointers to what goes.
    sensitive: BTreeSet<String>,
    /// JSON Pointers to closed sets, each with a word.
    words: BTreeSet<(String, String)>,
}

/// The same, ready to be used.
pub(super) struct TeamNames {
    pub(super) sensitive: Names,
    words: Vec<(Names, String)>,
}

impl Declared {
    /// Reads the schemas and the vocabulary of a team.
    pub(super) fn of(team: &Team) -> Result<Self, Error> {
        let mut declared = Self::default();
        for (path, values) in team.vocabulary() {
            let words = values
                .words()
                .map(|word| (path.pointer().as_str().to_owned(), word));
            declared.words.extend(words);
        }

        for schema in team.schemas() {
            let at = schema.at.pointer();
            let at = match schema.record {
                Judged::Action => format!("/outcomes/actions/*{}", at.as_str()),
                Judged::Other(_) => continue,
                Judged::Event | Judged::Whole(_) => at.as_str().to_owned(),
            };
            let root = schema.schema.text();
            declared.read(root, root, &at, &mut Vec::new())?;
        }

        Ok(declared)
    }

    /// Reads a schema for the values at a pointer.
    fn read<'s>(
        &mut self,
        root: &'s Value,
        schema: &'s Value,
        at: &str,
        around: &mut Vec<&'s Value>,
    ) -> Result<(), Error> {
        let Some(keywords) = schema.as_object() else {
            return Ok(());
        };
        // A schema within itself describes any depth; so does one that is nested too far.
        let is_again = around
            .iter()
            .any(|it| std::ptr::eq(*it, schema));
        if is_again || around.len() > MAX_LEVELS {
            if has_mark(root) {
                self.sensitive
                    .insert(format!("{at}/**"));
            }
            return Ok(());
        }

        around.push(schema);
        if keywords
            .get(MARK.0)
            .is_some_and(|mark| mark == MARK.1)
        {
            self.sensitive.insert(at.to_owned());
        }

        let words = keywords
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .chain(keywords.get("const"));
        for word in words.filter_map(Value::as_str) {
            self.words
                .insert((at.to_owned(), word.to_owned()));
        }

        for (keyword, below) in keywords {
            match (&**keyword, below) {
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                    self.read(root, target(root, reference)?, at, around)?;
                }
                ("properties", Value::Object(members)) => {
                    for (key, below) in members {
                        self.read(root, below, &format!("{at}/{}", token(key)), around)?;
                    }
                }
                ("patternProperties", Value::Object(members)) => {
                    for below in members.values() {
                        self.read(root, below, &format!("{at}/*"), around)?;
                    }
                }
                ("dependentSchemas", Value::Object(members)) => {
                    for below in members.values() {
                        self.read(root, below, at, around)?;
                    }
                }
                (
                    "additionalProperties"
                    | "unevaluatedProperties"
                    | "items"
                    | "additionalItems"
                    | "unevaluatedItems"
                    | "contains"
                    | "prefixItems",
                    below,
                ) => {
                    for below in each(below) {
                        self.read(root, below, &format!("{at}/*"), around)?;
                    }
                }
                ("allOf" | "anyOf" | "oneOf" | "if" | "then" | "else" | "not", below) => {
                    for below in each(below) {
                        self.read(root, below, at, around)?;
                    }
                }
                _ => {}
            }
        }

        around.pop();
        Ok(())
    }

    pub(super) fn names(&self) -> Result<TeamNames, Error> {
        let sensitive: Vec<String> = self.sensitive.iter().cloned().collect();
        let words = self
            .words
            .iter()
            .map(|(pointer, word)| {
                let names = Names::new("the place", std::slice::from_ref(pointer))?;
                Ok((names, word.clone()))
            });

        Ok(TeamNames {
            sensitive: Names::new("the place", &sensitive)?,
            words: words.collect::<Result<_, Error>>()?,
        })
    }
}

impl TeamNames {
    pub(super) fn is_empty(&self) -> bool {
        self.sensitive.is_empty() && self.words.is_empty()
    }

    /// Returns `true` if a text is a word of a closed set at one of some places.
    pub(super) fn have_word(&self, text: &str, paths: &Paths) -> bool {
        self.words
            .iter()
            .filter(|(_, word)| word == text)
            .any(|(names, _)| names.have(paths))
    }
}

fn each(schemas: &Value) -> &[Value] {
    match schemas {
        Value::Array(all) => all,
        one => std::slice::from_ref(one),
    }
}

fn has_mark(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members
                .get(MARK.0)
                .is_some_and(|mark| mark == MARK.1)
                || members.values().any(has_mark)
        }
        Value::Array(items) => items.iter().any(has_mark),
        _ => false,
    }
}

/// Returns the part of a schema that a reference in it leads to.
fn target<'s>(root: &'s Value, reference: &str) -> Result<&'s Value, Error> {
    let pointer = reference.strip_prefix('#');
    let found = pointer.and_then(|pointer| root.pointer(pointer));
    found.ok_or_else(|| {
        let why = "marks are read of schemas whose references lead into themselves, as \
                   `#/$defs/…` does";
        Error::setting("the reference", reference, &why)
    })
}
