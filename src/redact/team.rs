//! What a team declares -> the places whose texts go, and the words that stay.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::error::Error;
use super::names::{Names, Paths, token};
use crate::policy::team::{Judged, Team};

/// The keyword of a schema for what goes, and its value: `"x-runvet": "sensitive"`.
const MARK: &str = "x-runvet";
const SENSITIVE: &str = "sensitive";

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
            let mut reader = SchemaReader {
                declared: &mut declared,
                root,
                around: Vec::new(),
            };
            reader.schema(root, &at)?;
        }

        Ok(declared)
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

/// A schema of a team, while it is read.
struct SchemaReader<'s, 'd> {
    declared: &'d mut Declared,
    root: &'s Value,
    /// The schemas in which the one at hand lies.
    around: Vec<&'s Value>,
}

impl<'s> SchemaReader<'s, '_> {
    /// Reads a schema for the values at a pointer.
    fn schema(&mut self, schema: &'s Value, at: &str) -> Result<(), Error> {
        let Some(keywords) = schema.as_object() else {
            return Ok(());
        };
        // A schema within itself describes any depth; so does one that is nested too far.
        let is_again = self
            .around
            .iter()
            .any(|it| std::ptr::eq(*it, schema));
        if is_again || self.around.len() > MAX_LEVELS {
            if has_mark(self.root) {
                self.declared
                    .sensitive
                    .insert(format!("{at}/**"));
            }
            return Ok(());
        }

        self.around.push(schema);
        self.declare(keywords, at);
        for (keyword, below) in keywords {
            self.below(keyword, below, at)?;
        }

        self.around.pop();
        Ok(())
    }

    /// Declares what a schema itself says of the values.
    fn declare(&mut self, keywords: &Map<String, Value>, at: &str) {
        if is_mark(keywords) {
            self.declared
                .sensitive
                .insert(at.to_owned());
        }

        let words = keywords
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .chain(keywords.get("const"))
            .filter_map(Value::as_str)
            .map(|word| (at.to_owned(), word.to_owned()));
        self.declared.words.extend(words);
    }

    /// Reads the schemas in a keyword, each for the values that it is about.
    fn below(&mut self, keyword: &str, below: &'s Value, at: &str) -> Result<(), Error> {
        match (keyword, below) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                self.schema(target(self.root, reference)?, at)
            }
            ("properties", Value::Object(members)) => members
                .iter()
                .try_for_each(|(key, below)| self.schema(below, &format!("{at}/{}", token(key)))),
            ("patternProperties", Value::Object(members)) => {
                self.all(members.values(), &format!("{at}/*"))
            }
            ("dependentSchemas", Value::Object(members)) => self.all(members.values(), at),
            (
                "additionalProperties"
                | "unevaluatedProperties"
                | "items"
                | "additionalItems"
                | "unevaluatedItems"
                | "contains"
                | "prefixItems",
                below,
            ) => self.all(each(below), &format!("{at}/*")),
            ("allOf" | "anyOf" | "oneOf" | "if" | "then" | "else" | "not", below) => {
                self.all(each(below), at)
            }
            _ => Ok(()),
        }
    }

    fn all(&mut self, schemas: impl IntoIterator<Item = &'s Value>, at: &str) -> Result<(), Error> {
        schemas
            .into_iter()
            .try_for_each(|schema| self.schema(schema, at))
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

fn is_mark(keywords: &Map<String, Value>) -> bool {
    keywords
        .get(MARK)
        .is_some_and(|mark| mark == SENSITIVE)
}

fn has_mark(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => is_mark(members) || members.values().any(has_mark),
        Value::Array(items) => items.iter().any(has_mark),
        _ => false,
    }
}

/// Returns the part of a schema that a reference in it leads to.
fn target<'s>(root: &'s Value, reference: &str) -> Result<&'s Value, Error> {
    let lost = || {
        let why = "marks are read of schemas whose references lead into themselves, as \
                   `#/$defs/…` does";
        Error::setting("the reference", reference, &why)
    };

    reference
        .strip_prefix('#')
        .and_then(|pointer| root.pointer(pointer))
        .ok_or_else(lost)
}
