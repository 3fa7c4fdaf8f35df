//! The text of a schema -> the number of subschemas that it applies to one value.
//!
//! A few dozen definitions, each of which refers to the next one twice, would be judged for years.

use std::collections::{BTreeMap, BTreeSet};
use std::ptr::from_ref;
use std::sync::Arc;

use jsonschema::{Retrieve, uri};
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// The number of subschemas, references followed, that are applied to one value at most, and how
/// deep they are within each other.
pub(super) const MAX_APPLIED: u64 = 10_000;
pub(super) const MAX_WITHIN: usize = 1_000;

/// Returns the number of subschemas that any part of a schema at an address, or of a file that it
/// reaches, applies to one value.
pub(super) fn most_applied(schema: &Value, address: &str, files: &dyn Retrieve) -> u64 {
    let reached = reached(schema, address, files);
    let mut counting = BranchCounter::default();
    let all = || std::iter::once((address, schema)).chain(reached.iter().map(|(a, it)| (&**a, it)));
    for (address, schema) in all() {
        counting
            .resources
            .insert(address.to_owned(), schema);
        counting.add_names(schema, &address.into());
    }

    all()
        .map(|(_, schema)| counting.most(schema))
        .fold(0, u64::max)
}

/// Returns the files that a schema at an address reaches, each with its address.
fn reached(schema: &Value, address: &str, files: &dyn Retrieve) -> Vec<(String, Value)> {
    let mut known = BTreeSet::from([address.to_owned()]);
    let mut targets = Vec::new();
    add_targets(schema, address, &mut targets);

    let mut reached = Vec::new();
    while let Some(target) = targets.pop() {
        if !known.insert(target.clone()) {
            continue;
        }

        // What can't be read is part of a schema with an `$id`, or one of a draft.
        let file = uri::from_str(&target).ok();
        if let Some(schema) = file.and_then(|file| files.retrieve(&file).ok()) {
            add_targets(&schema, &target, &mut targets);
            reached.push((target, schema));
        }
    }

    reached
}

/// Adds the addresses that references in a part of a schema lead to.
fn add_targets(part: &Value, base: &str, targets: &mut Vec<String>) {
    match part {
        Value::Object(members) => {
            let named = named(part, base);
            let base = named.as_deref().unwrap_or(base);
            targets.extend(
                members
                    .get("$ref")
                    .and_then(Value::as_str)
                    .and_then(|reference| resolved(base, reference))
                    .map(|(address, _)| address),
            );
            members
                .values()
                .for_each(|it| add_targets(it, base, targets));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|it| add_targets(it, base, targets)),
        _ => {}
    }
}

/// Returns the address that a part of a schema gives itself.
fn named(part: &Value, base: &str) -> Option<String> {
    let (address, _) = resolved(base, part.get("$id")?.as_str()?)?;
    Some(address)
}

/// Returns the address that a reference leads to, and the fragment, decoded.
fn resolved(base: &str, reference: &str) -> Option<(String, String)> {
    let (file, fragment) = reference
        .split_once('#')
        .unwrap_or((reference, ""));
    let fragment = percent_decode_str(fragment)
        .decode_utf8()
        .ok()?;
    if file.is_empty() {
        return Some((base.to_owned(), fragment.into()));
    }

    let base = uri::from_str(base).ok()?;
    let address = uri::resolve_against(&base.borrow(), file).ok()?;
    Some((address.as_str().to_owned(), fragment.into()))
}

#[derive(Default)]
struct BranchCounter<'s> {
    /// The schemas by their addresses.
    resources: BTreeMap<String, &'s Value>,
    /// The subschemas that have a name of their own, by the address of their schema and the name.
    anchors: BTreeMap<(Arc<str>, &'s str), &'s Value>,
    /// The addresses that references start from, by the addresses in memory of their subschemas.
    bases: BTreeMap<*const Value, Arc<str>>,
    /// By the address in memory of a subschema; 0 while its parts are counted: one that contains
    /// itself adds nothing.
    counted: BTreeMap<*const Value, u64>,
}

impl<'s> BranchCounter<'s> {
    fn add_names(&mut self, part: &'s Value, base: &Arc<str>) {
        match part {
            Value::Object(members) => {
                let named = named(part, base).map(|address| {
                    self.resources
                        .insert(address.clone(), part);
                    address.into()
                });
                let base = named.as_ref().unwrap_or(base);
                let anchors = ["$anchor", "$dynamicAnchor"].map(|it| members.get(it)?.as_str());
                for anchor in anchors.into_iter().flatten() {
                    self.anchors
                        .insert((Arc::clone(base), anchor), part);
                }

                if members.contains_key("$ref") || members.contains_key("$dynamicRef") {
                    self.bases
                        .insert(from_ref(part), Arc::clone(base));
                }

                members
                    .values()
                    .for_each(|it| self.add_names(it, base));
            }
            Value::Array(items) => items
                .iter()
                .for_each(|it| self.add_names(it, base)),
            _ => {}
        }
    }

    /// Returns the subschema that a reference of a subschema leads to.
    fn target(&self, schema: &'s Value, reference: &str) -> Option<&'s Value> {
        let (address, fragment) = resolved(self.bases.get(&from_ref(schema))?, reference)?;
        let target = self
            .resources
            .get(&address)?
            .pointer(&fragment);
        let anchor = || {
            self.anchors
                .get(&(address.into(), &*fragment))
                .copied()
        };

        target.or_else(anchor)
    }

    fn most(&mut self, part: &'s Value) -> u64 {
        let (own, below): (u64, Vec<&Value>) = match part {
            Value::Object(members) => (self.applied(part, 0), members.values().collect()),
            Value::Array(items) => (0, items.iter().collect()),
            _ => return 0,
        };

        below
            .into_iter()
            .map(|it| self.most(it))
            .fold(own, u64::max)
    }

    /// Returns the number of subschemas that one applies to the value that it judges, itself
    /// included.
    fn applied(&mut self, schema: &'s Value, depth: usize) -> u64 {
        let id = from_ref(schema);
        if let Some(count) = self.counted.get(&id) {
            return *count;
        }
        if depth > MAX_WITHIN {
            return u64::MAX;
        }

        self.counted.insert(id, 0);
        let count = schema
            .as_object()
            .into_iter()
            .flatten()
            .flat_map(|(keyword, value)| self.parts(schema, keyword, value))
            .collect::<Vec<&Value>>()
            .into_iter()
            .map(|part| self.applied(part, depth + 1))
            .fold(1, u64::saturating_add);
        self.counted.insert(id, count);

        count
    }

    /// Returns the subschemas of a keyword of a schema that are applied to the same value.
    fn parts(&self, schema: &'s Value, keyword: &str, value: &'s Value) -> Vec<&'s Value> {
        match (keyword, value) {
            ("$ref" | "$dynamicRef", Value::String(reference)) => self
                .target(schema, reference)
                .into_iter()
                .collect(),
            ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => parts.iter().collect(),
            ("not" | "if" | "then" | "else", part) => vec![part],
            ("dependentSchemas" | "dependencies", Value::Object(parts)) => parts.values().collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns definitions, each of which refers to the next one a number of times.
    fn chain(length: usize, times: usize) -> Value {
        chain_by("/$defs/", length, times)
    }

    /// Returns such definitions, of which references begin in a way.
    fn chain_by(start: &str, length: usize, times: usize) -> Value {
        let part = |index: usize| json!({"$ref": format!("#{start}{}", index + 1)});
        let of = |index: usize| {
            let refers = json!({"$anchor": format!("_{index}"), "allOf": vec![part(index); times]});
            (index.to_string(), refers)
        };
        let parts: serde_json::Map<String, Value> = (0..length).map(of).collect();
        json!({"$ref": format!("#{start}0"), "$defs": parts})
    }

    #[test]
    fn parts_that_multiply_are_excessive() {
        for (schema, expected) in [
            (chain(30, 1), false),
            (chain(10, 2), false),
            (chain(30, 2), true),
            (chain_by("_", 30, 2), true),
            (chain_by("/%24defs/", 30, 2), true),
            (chain(20_000, 1), true),
            (json!({"$ref": "#"}), false),
            (
                json!({"anyOf": [{"$ref": "#"}, {"items": {"$ref": "#"}}]}),
                false,
            ),
            (json!({"properties": {"a": chain(2, 2)}}), false),
        ] {
            let applied = most_applied(&schema, "file:///a.json", &Links(0));
            assert_eq!(applied > MAX_APPLIED, expected);
        }
    }

    /// Files, each of which refers to the next one a number of times.
    struct Links(usize);

    impl Retrieve for Links {
        fn retrieve(
            &self,
            uri: &jsonschema::Uri<String>,
        ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
            let index: usize = uri
                .as_str()
                .trim_start_matches("file:///")
                .parse()?;
            let next = json!({"$ref": (index + 1).to_string()});
            Ok(if index < 30 {
                json!({"allOf": vec![next; self.0]})
            } else {
                json!({"type": "object"})
            })
        }
    }

    #[test]
    fn files_that_multiply_are_excessive() {
        let schema = json!({"$id": "file:///dir/a.json", "$ref": "/0"});
        for (times, expected) in [(1, false), (2, true)] {
            let applied = most_applied(&schema, "file:///a.json", &Links(times));
            assert_eq!(applied > MAX_APPLIED, expected);
        }
    }
}
