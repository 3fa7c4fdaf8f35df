//! The text of a schema -> the number of subschemas that it applies to one value.
//!
//! A few dozen definitions, each of which refers to the next one twice, would be judged for years.

use std::collections::BTreeMap;
use std::ptr::from_ref;

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// The number of subschemas, references followed, that are applied to one value at most, and how
/// deep they are within each other.
pub(super) const MAX_APPLIED: u64 = 10_000;
pub(super) const MAX_WITHIN: usize = 1_000;

/// Returns the number of subschemas that any part of a schema applies to one value.
pub(super) fn most_applied(schema: &Value) -> u64 {
    let mut counting = BranchCounter {
        root: schema,
        anchors: BTreeMap::new(),
        counted: BTreeMap::new(),
    };
    counting.add_anchors(schema);
    counting.most(schema)
}

struct BranchCounter<'s> {
    root: &'s Value,
    /// The subschemas that have a name of their own.
    anchors: BTreeMap<&'s str, &'s Value>,
    /// By the address of a subschema; 0 while its parts are counted: one that contains itself adds
    /// nothing.
    counted: BTreeMap<*const Value, u64>,
}

impl<'s> BranchCounter<'s> {
    fn add_anchors(&mut self, part: &'s Value) {
        match part {
            Value::Object(members) => {
                let anchors = ["$anchor", "$dynamicAnchor"].map(|it| members.get(it)?.as_str());
                let anchors = anchors.into_iter().flatten();
                self.anchors.extend(anchors.map(|anchor| (anchor, part)));
                members.values().for_each(|it| self.add_anchors(it));
            }
            Value::Array(items) => items.iter().for_each(|it| self.add_anchors(it)),
            _ => {}
        }
    }

    /// Returns the subschema that a reference within the schema leads to.
    fn target(&self, reference: &str) -> Option<&'s Value> {
        let fragment = percent_decode_str(reference.strip_prefix('#')?);
        let fragment = fragment.decode_utf8().ok()?;
        let target = self.root.pointer(&fragment);
        target.or_else(|| self.anchors.get(&*fragment).copied())
    }

    fn most(&mut self, part: &'s Value) -> u64 {
        let (own, below): (u64, Vec<&Value>) = match part {
            Value::Object(members) => (self.applied(part, 0), members.values().collect()),
            Value::Array(items) => (0, items.iter().collect()),
            _ => return 0,
        };
        let below = below.into_iter().map(|it| self.most(it));
        below.fold(own, u64::max)
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
        let parts = schema.as_object().into_iter().flatten();
        let parts = parts.flat_map(|(keyword, value)| self.parts(keyword, value));
        let parts: Vec<&Value> = parts.collect();
        let counts = parts.into_iter().map(|part| self.applied(part, depth + 1));
        let count = counts.fold(1, u64::saturating_add);
        self.counted.insert(id, count);
        count
    }

    /// Returns the subschemas of a keyword that are applied to the same value.
    fn parts(&self, keyword: &str, value: &'s Value) -> Vec<&'s Value> {
        match (keyword, value) {
            ("$ref" | "$dynamicRef", Value::String(reference)) => {
                self.target(reference).into_iter().collect()
            }
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
            assert_eq!(most_applied(&schema) > MAX_APPLIED, expected);
        }
    }
}
