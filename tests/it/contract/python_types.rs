//! The schemas -> the types of records in Python: `python/runvet/_records.py`, which `make bless`
//! rewrites.

use std::collections::BTreeSet;
use std::fmt::Write;

use runvet::Schema;
use serde_json::{Map, Value};

use crate::support::bless;

const HEAD: &str = r#""""The records as they are read: types for those who check them. Made from the schemas by
`make bless`; a record that is not valid may lack any field, or have another value in it.
"""

from typing import Any, Literal, NotRequired, TypedDict
"#;

/// What a type is called in Python: reports have classes too, and a plan is stored and rebuilt.
fn name(schema: Schema, definition: &str) -> String {
    match (schema, definition) {
        (Schema::State, "Episode" | "Plan" | "Links" | "Memory") => format!("State{definition}"),
        (Schema::Plan, "RebuiltPlan") => "Plan".into(),
        (Schema::Report, "SkipKind" | "Severity" | "Lifecycle" | "Suppression") => {
            definition.into()
        }
        (Schema::Report, _) => format!("{definition}Record"),
        _ => definition.into(),
    }
}

/// A text in lines that fit into a docstring.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if line.len() + word.len() > 88 {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines.join("\n    ")
}

/// The types of some schemas, each after those that it is made of.
struct Types {
    text: String,
    done: BTreeSet<String>,
}

impl Types {
    fn add(&mut self, schema: Schema, root: &Value, definition: &str, body: &Value) {
        let name = name(schema, definition);
        if self.done.contains(&name) {
            return;
        }
        let mut fields = String::new();
        for (field, value) in body["properties"]
            .as_object()
            .unwrap_or(&Map::new())
        {
            let required = body["required"]
                .as_array()
                .into_iter()
                .flatten();
            let is_required = required
                .into_iter()
                .any(|known| known == field);
            let of = self.of(schema, root, value);
            if is_required {
                writeln!(fields, "    {field}: {of}").unwrap();
            } else {
                writeln!(fields, "    {field}: NotRequired[{of}]").unwrap();
            }
        }
        let says = body["description"]
            .as_str()
            .unwrap_or_default();
        let says = says
            .split("\n- ")
            .next()
            .unwrap_or_default();
        let says = says
            .split(". ")
            .next()
            .unwrap()
            .trim_end_matches('.');
        let says = wrapped(&format!("{says}."));
        if let Some(words) = body["enum"].as_array() {
            let words: Vec<String> = words
                .iter()
                .map(Value::to_string)
                .collect();
            let line = format!("{name} = Literal[{}]", words.join(", "));
            let line = if line.len() <= 100 {
                line
            } else {
                format!("{name} = Literal[\n    {},\n]", words.join(",\n    "))
            };
            write!(self.text, "\n\n{line}\n\"\"\"{says}\"\"\"\n").unwrap();
        } else {
            let head = format!("class {name}(TypedDict):\n    \"\"\"{says}\"\"\"");
            write!(self.text, "\n\n{head}\n\n{fields}").unwrap();
        }
        self.done.insert(name);
    }

    /// The type of a value; adds the types that it is made of.
    fn of(&mut self, schema: Schema, root: &Value, value: &Value) -> String {
        if let Some(reference) = value["$ref"].as_str() {
            let definition = reference.rsplit('/').next().unwrap();
            self.add(schema, root, definition, &root["$defs"][definition]);
            return name(schema, definition);
        }
        if let Some(several) = value["anyOf"].as_array() {
            let each: Vec<String> = several
                .iter()
                .map(|it| self.of(schema, root, it))
                .collect();
            return each.join(" | ");
        }
        let mut plain = |word: &str| match word {
            "string" => "str".into(),
            "number" => "float".into(),
            "integer" => "int".into(),
            "boolean" => "bool".into(),
            "null" => "None".into(),
            "array" if value["items"].is_object() => {
                format!("list[{}]", self.of(schema, root, &value["items"]))
            }
            "array" => "list[Any]".into(),
            "object" if value["additionalProperties"].is_object() => {
                let of = self.of(schema, root, &value["additionalProperties"]);
                format!("dict[str, {of}]")
            }
            "object" => "dict[str, Any]".to_owned(),
            other => panic!("the type {other}"),
        };
        match &value["type"] {
            Value::String(word) => plain(word),
            Value::Array(words) => {
                let words: Vec<String> = words
                    .iter()
                    .map(|word| plain(word.as_str().unwrap()))
                    .collect();
                words.join(" | ")
            }
            _ => "Any".into(),
        }
    }
}

#[test]
fn python_types_are_derived_from_the_schemas() {
    let mut types = Types {
        text: HEAD.into(),
        done: BTreeSet::new(),
    };
    for (schema, definition) in [
        (Schema::State, "State"),
        (Schema::Summary, "Summary"),
        (Schema::Event, "Event"),
        (Schema::List, "RunEntry"),
        (Schema::Plan, "PlanComparison"),
        (Schema::Report, "Report"),
    ] {
        let root: Value = serde_json::from_str(schema.text()).unwrap();
        let body = match &root["$defs"][definition] {
            Value::Null => &root,
            found => found,
        };
        types.add(schema, &root, definition, body);
    }
    bless::check("python/runvet/_records.py", &types.text);
}

#[test]
fn python_crate_says_of_itself_what_the_crate_says() {
    let [crate_manifest, python_manifest] = ["Cargo.toml", "python/Cargo.toml"].map(|file| {
        let text = std::fs::read_to_string(file).unwrap();
        text.parse::<toml::Table>().unwrap()
    });
    for field in [
        "version",
        "edition",
        "rust-version",
        "description",
        "license",
        "keywords",
    ] {
        let [said, told] = [&crate_manifest, &python_manifest].map(|it| &it["package"][field]);
        assert_eq!(said, told, "{field}");
    }
    assert_eq!(
        crate_manifest["lints"]["rust"],
        python_manifest["lints"]["rust"]
    );
}
