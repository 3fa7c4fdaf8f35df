//! Values -> a first schema that allows them, for a person to edit.

use std::collections::BTreeMap;
use std::mem;

use serde_json::{Map, Value, json};

use crate::ground::document::{Kind, Node, Number};

/// The number of distinct texts of which a set is made.
const MAX_WORDS: usize = 12;

/// The number of bytes of a text that can be one of a set.
const MAX_WORD_BYTES: usize = 80;

/// The minimum number of times that each text of a set occurs on average.
const MIN_REPETITIONS: u64 = 4;

/// The number of keys beyond which an object is a map from any keys.
const MAX_KEYS: usize = 200;

/// The types in the order of a schema. Where any number is not an integer, all are numbers.
const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// The properties common to some values. They do not depend on the order in which values are added.
#[derive(Debug, Default)]
pub(crate) struct Inferred {
    /// The number of values.
    pub(crate) values: u64,
    /// The number of values of each type.
    types: BTreeMap<&'static str, u64>,
    /// The distinct texts; `None` where there are too many, or one is too long.
    words: CommonWords,
    items: Option<Box<Inferred>>,
    members: BTreeMap<String, Inferred>,
    /// The properties common to all members, where there are too many keys.
    any_member: Option<Box<Inferred>>,
}

#[derive(Debug)]
struct CommonWords {
    counts: Option<BTreeMap<String, u64>>,
}

impl Default for CommonWords {
    fn default() -> Self {
        Self {
            counts: Some(BTreeMap::new()),
        }
    }
}

impl CommonWords {
    fn add(&mut self, text: &str, times: u64) {
        let Some(words) = &mut self.counts else {
            return;
        };
        *words
            .entry(text.to_owned())
            .or_default() += times;

        if words.len() > MAX_WORDS || text.len() > MAX_WORD_BYTES {
            self.counts = None;
        }
    }
}

impl Inferred {
    /// Adds a value.
    pub(crate) fn add(&mut self, value: Node<'_>) {
        self.values += 1;
        let name = match value.kind() {
            Kind::Null => "null",
            Kind::True | Kind::False => "boolean",
            Kind::Number
                if value
                    .number()
                    .is_some_and(Number::is_integer) =>
            {
                "integer"
            }
            Kind::Number => "number",
            Kind::String => {
                self.words
                    .add(&value.text().unwrap_or_default(), 1);
                "string"
            }
            Kind::Array => {
                for item in value.items() {
                    self.items
                        .get_or_insert_default()
                        .add(item);
                }
                "array"
            }
            Kind::Object => {
                for key in value.members() {
                    self.member(&key.name())
                        .add(key.value());
                }
                if self.members.len() > MAX_KEYS {
                    let any = self.any_member.get_or_insert_default();
                    for member in mem::take(&mut self.members).into_values() {
                        any.merge(member);
                    }
                }
                "object"
            }
        };

        *self.types.entry(name).or_default() += 1;
    }

    /// Returns the number of values of a type.
    fn of_type(&self, name: &str) -> u64 {
        self.types
            .get(name)
            .copied()
            .unwrap_or_default()
    }

    /// Returns the properties common to the members under a key.
    fn member(&mut self, name: &str) -> &mut Self {
        match &mut self.any_member {
            Some(any) => any,
            None => self
                .members
                .entry(name.to_owned())
                .or_default(),
        }
    }

    /// Adds the properties common to other values.
    fn merge(&mut self, other: Self) {
        self.values += other.values;
        for (name, values) in other.types {
            *self.types.entry(name).or_default() += values;
        }

        match other.words.counts {
            Some(words) => words
                .iter()
                .for_each(|(word, times)| self.words.add(word, *times)),
            None => self.words.counts = None,
        }

        if let Some(items) = other.items {
            self.items
                .get_or_insert_default()
                .merge(*items);
        }

        if let Some(any) = other.any_member {
            let mine = self.any_member.get_or_insert_default();
            mine.merge(*any);
            for member in mem::take(&mut self.members).into_values() {
                mine.merge(member);
            }
        }

        for (name, member) in other.members {
            self.member(&name).merge(member);
        }
    }

    /// Returns the schema.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = Map::new();
        let is_there = |name: &&str| match *name {
            "integer" if self.of_type("number") > 0 => false,
            name => self.of_type(name) > 0,
        };

        let types: Vec<&str> = TYPES
            .into_iter()
            .filter(is_there)
            .collect();
        match &*types {
            [] => {}
            [one] => drop(schema.insert("type".into(), json!(one))),
            several => drop(schema.insert("type".into(), json!(several))),
        }

        if let Some(words) = self.words() {
            schema.insert("enum".into(), json!(words));
        }
        if let Some(items) = &self.items {
            schema.insert("items".into(), items.schema());
        }

        if let Some(any) = &self.any_member {
            schema.insert("additionalProperties".into(), any.schema());
        } else if self.of_type("object") > 0 {
            let always: Vec<&String> = self
                .members
                .iter()
                .filter(|(_, it)| it.values == self.of_type("object"))
                .map(|(name, _)| name)
                .collect();
            if !always.is_empty() {
                schema.insert("required".into(), json!(always));
            }

            let members: Map<String, Value> = self
                .members
                .iter()
                .map(|(name, it)| (name.clone(), it.schema()))
                .collect();
            schema.insert("properties".into(), Value::Object(members));
        }

        Value::Object(schema)
    }

    /// Returns the texts, where all values are texts and few of them repeat.
    fn words(&self) -> Option<Vec<&String>> {
        let words = self
            .words
            .counts
            .as_ref()
            .filter(|_| self.of_type("string") == self.values)?;
        let repeat = self.values >= MIN_REPETITIONS * words.len() as u64;
        (repeat && !words.is_empty()).then(|| words.keys().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::Tape;

    fn inferred(values: &[&str]) -> Value {
        let mut inferred = Inferred::default();
        let mut tape = Tape::default();
        for value in values {
            inferred.add(
                tape.read(value.as_bytes())
                    .unwrap()
                    .root(),
            );
        }
        inferred.schema()
    }

    #[test]
    fn schema_says_what_values_have_in_common() {
        let values = [
            r#"{"amount":20,"to":"ops","note":null,"tags":["a"]}"#,
            r#"{"amount":1.5,"to":"ops","tags":[]}"#,
            r#"{"amount":3,"to":"support","note":"late","tags":["b"]}"#,
        ];
        let values: Vec<&str> = values
            .iter()
            .copied()
            .cycle()
            .take(9)
            .collect();
        let expected = json!({
            "type": "object",
            "required": ["amount", "tags", "to"],
            "properties": {
                "amount": {"type": "number"},
                "note": {"type": ["null", "string"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "to": {"type": "string", "enum": ["ops", "support"]},
            },
        });
        assert_eq!(inferred(&values), expected);
        assert_eq!(inferred(&["1", "2"]), json!({"type": "integer"}));
        assert_eq!(inferred(&[]), json!({}));
    }

    #[test]
    fn order_of_values_is_nothing() {
        let wide: Vec<String> = (0..300)
            .map(|key| format!("{{\"k{key}\":{key}}}"))
            .collect();
        let mut values: Vec<&str> = wide
            .iter()
            .map(String::as_str)
            .collect();
        let forth = inferred(&values);
        values.reverse();
        assert_eq!(inferred(&values), forth);
        let expected = json!({"type": "object", "additionalProperties": {"type": "integer"}});
        assert_eq!(forth, expected);
    }
}
