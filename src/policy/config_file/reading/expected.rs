//! A place of a schema -> what is allowed there, in words.

use std::iter;

use serde_json::Value;

use super::{RULES, is_rule};
use crate::ground::spelling::did_you_mean;

/// Returns the kind of rules that has a key which those at a path do not have.
pub(super) fn kind_with(schema: &Value, path: &[String], key: &str) -> Option<&'static str> {
    let has = |list: &&&str| {
        let table = part_at(schema, &[(**list).to_owned(), "0".to_owned()]);
        known_keys(table).contains(&key)
    };

    RULES
        .iter()
        .filter(|_| is_rule(path))
        .find(has)
        .copied()
}

/// Returns the part of the schema that describes the value at a path.
pub(super) fn part_at<'s>(schema: &'s Value, path: &[String]) -> &'s Value {
    path.iter().fold(schema, |part, key| {
        let forms = forms(part);
        let named = |form: &&'s Value| form.get("properties")?.get(key);
        let named = forms.iter().find_map(named);
        let is_schema = |part: &&'s Value| part.is_object();
        let other = |name| {
            forms
                .iter()
                .find_map(|form| form.get(name).filter(is_schema))
        };

        let other = || other("additionalProperties").or_else(|| other("items"));
        named
            .or_else(other)
            .map_or(&Value::Null, |part| target(schema, part))
    })
}

/// Returns a part of the schema, and those of the forms that it allows.
pub(super) fn forms(part: &Value) -> Vec<&Value> {
    let below = part["anyOf"]
        .as_array()
        .into_iter()
        .flatten();

    iter::once(part)
        .chain(below.flat_map(forms))
        .collect()
}

/// Returns the part that a reference leads to, or the part itself.
pub(super) fn target<'s>(schema: &'s Value, part: &'s Value) -> &'s Value {
    part.get("$ref")
        .and_then(Value::as_str)
        .and_then(|it| schema.pointer(it.strip_prefix('#')?))
        .unwrap_or(part)
}

/// Returns the value that a part of the schema wants, in words, and how it is written.
pub(super) fn expectation(schema: &Value, part: &Value) -> (String, Option<String>) {
    let wants_tables = part
        .get("items")
        .map(|items| target(schema, items))
        .is_some_and(|item| item["type"] == "object");
    let expected_type = match part["type"]
        .as_str()
        .unwrap_or_default()
    {
        "integer" => &*format!("a whole number, at least {}", part["minimum"]),
        "array" if wants_tables => "a list of tables",
        "array" => "a list in brackets",
        "boolean" => "`true` or `false`",
        "object" => "a table",
        _ => "a string, in quotes",
    };

    let help = wants_tables.then(|| "write the name in two pairs of brackets: `[[…]]`".to_owned());
    (format!("expected {expected_type}"), help)
}

pub(super) fn known_keys(part: &Value) -> Vec<&str> {
    let known = forms(part)
        .into_iter()
        .filter_map(|form| form.get("properties")?.as_object());
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in known.flatten() {
        if !keys.contains(&&**key) {
            keys.push(key);
        }
    }

    keys
}

pub(super) fn words<'s>(part: &'s Value, keyword: &str) -> Vec<&'s str> {
    part.get(keyword)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Returns a suggestion for an unknown word.
pub(super) fn advice(word: &str, known: &[&str]) -> String {
    did_you_mean(word, known.iter().copied()).unwrap_or_else(|| match known {
        [only] => format!("expected `{only}`"),
        known => format!("expected one of: {}", known.join(", ")),
    })
}
