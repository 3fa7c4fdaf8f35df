//! The built-in schemas -> their fields and closed sets of words, counted in records.

use std::collections::BTreeMap;

use serde_json::Value;

use super::FieldSeen;
use crate::ground::Own;
use crate::ground::document::Node;
use crate::reading::schema::{CompiledSchema, EVENT, STATE, SUMMARY};

/// The depth to which a schema that contains itself is followed.
const MAX_DEPTH: usize = 12;

/// A record, a field of one, or the items of a list.
#[derive(Debug, Default)]
pub(super) struct CoveredField {
    /// Its place among the numbers.
    place: usize,
    members: BTreeMap<String, Self>,
    items: Option<Box<Self>>,
    /// The words that its values are taken from, each with its place.
    words: BTreeMap<String, usize>,
}

/// The fields of the records that every run has.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) state: CoveredField,
    pub(super) summary: CoveredField,
    pub(super) event: CoveredField,
    /// The number of counters that they need.
    pub(super) places: usize,
}

impl Fields {
    pub(super) fn new() -> Self {
        let mut places = 0;
        let mut of = |schema: &CompiledSchema| {
            let mut field = CoveredField::default();
            if let Ok(root) = serde_json::from_str(schema.text()) {
                field.read(&root, &root, 0);
            }
            field.number(&mut places);
            field
        };

        Self {
            state: of(&STATE),
            summary: of(&SUMMARY),
            event: of(&EVENT),
            places,
        }
    }

    /// Returns the fields of each record, by their pointers, with `*` for each item of a list.
    pub(super) fn described(&self, seen: &[u64]) -> BTreeMap<String, BTreeMap<String, FieldSeen>> {
        let of = |name: &str, field: &CoveredField| {
            let mut fields = BTreeMap::new();
            field.describe("", seen, &mut fields);
            (name.to_owned(), fields)
        };

        BTreeMap::from([
            of("state", &self.state),
            of("summary", &self.summary),
            of("event", &self.event),
        ])
    }
}

impl CoveredField {
    /// Adds the fields and words of a part of a schema.
    fn read(&mut self, part: &Value, root: &Value, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }

        let reference = part["$ref"]
            .as_str()
            .and_then(|it| it.strip_prefix('#'));
        if let Some(part) = reference.and_then(|pointer| root.pointer(pointer)) {
            self.read(part, root, depth + 1);
        }

        for key in ["anyOf", "oneOf", "allOf"] {
            for part in part[key]
                .as_array()
                .into_iter()
                .flatten()
            {
                self.read(part, root, depth + 1);
            }
        }

        for (name, part) in part["properties"]
            .as_object()
            .into_iter()
            .flatten()
        {
            self.members
                .entry(name.clone())
                .or_default()
                .read(part, root, depth + 1);
        }

        if let Some(items) = part.get("items") {
            self.items
                .get_or_insert_default()
                .read(items, root, depth + 1);
        }

        let words = part["enum"]
            .as_array()
            .into_iter()
            .flatten();

        for word in words
            .chain(part.get("const"))
            .filter_map(Value::as_str)
        {
            self.words.insert(word.to_owned(), 0);
        }
    }

    fn number(&mut self, next: &mut usize) {
        self.place = *next;
        *next += 1;
        for place in self.words.values_mut() {
            *place = *next;
            *next += 1;
        }

        for field in self.members.values_mut() {
            field.number(next);
        }

        if let Some(items) = &mut self.items {
            items.number(next);
        }
    }

    /// Counts the fields and words in a value.
    pub(super) fn see(&self, value: Node<'_>, seen: &mut [u64]) {
        add(seen, self.place);
        if !self.words.is_empty()
            && let Some(place) = value
                .text()
                .and_then(|text| self.words.get(&*text))
        {
            add(seen, *place);
        }

        if !self.members.is_empty() {
            for member in value.members() {
                if let Some(field) = self.members.get(&*member.name()) {
                    field.see(member.value(), seen);
                }
            }
        }

        if let Some(field) = &self.items {
            value
                .items()
                .for_each(|item| field.see(item, seen));
        }
    }

    fn describe(&self, pointer: &str, seen: &[u64], into: &mut BTreeMap<String, FieldSeen>) {
        let number = |place: usize| *seen.own(place);
        let words = self
            .words
            .iter()
            .map(|(word, place)| (word.clone(), number(*place)));
        let field = FieldSeen {
            seen: number(self.place),
            words: words.collect(),
        };

        into.insert(pointer.to_owned(), field);
        for (name, field) in &self.members {
            field.describe(&format!("{pointer}/{name}"), seen, into);
        }

        if let Some(items) = &self.items {
            items.describe(&format!("{pointer}/*"), seen, into);
        }
    }
}

fn add(seen: &mut [u64], place: usize) {
    *seen.own_mut(place) += 1;
}
