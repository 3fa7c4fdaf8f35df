//! `docs/record-format.md` shows the schemas of the records as tables.

use std::fmt::Write;

use runvet::Schema;
use serde_json::Value;

use crate::support::bless;

const HEAD: &str = "# The record format

What a runtime writes for each run: the files, their fields and their vocabularies, made from the
[schemas](schemas.md). Fields that are not listed are allowed, except in an action. An optional
field may be absent; `null` is a value, and only allowed where the type names it.

| file | content | when |
|------|---------|------|
| `state.json` | the [state](#state-record-statejson): a snapshot of the run | while the run is in progress, and at its end |
| `events.jsonl` | the timeline: one [event](#event-a-line-of-eventsjsonl) on each line | from the first moment on |
| `learn.jsonl` | the learning timeline: one object on each line, or nothing | from the first moment on |
| `summary.json` | the [summary](#summary-record-summaryjson) | at the end |
| `manifest.json` | a JSON object; nothing more is fixed. `manifest/digest` compares those entries of its list `files` that have a `name` and a `size_bytes` or `sha256` | at the end |

[Writing runs](writing-runs.md) says in which order they are written, and [rules.md](rules.md) what
must agree between them.
";

/// What a value may be, in words.
fn kind(schema: &Value, root: &Value) -> String {
    let schema = resolved(schema, root);
    if let Some(constant) = schema.get("const") {
        return format!("`{constant}`");
    }
    let number = match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) => format!(", {least} to {most}"),
        (Some(least), None) => format!(", at least {least}"),
        _ => String::new(),
    };
    let name = |name: &str| match name {
        "array" => match schema
            .get("items")
            .and_then(|items| items.get("$ref"))
        {
            Some(of) => format!("array of [{0}](#{1})", title(of), title(of).to_lowercase()),
            None => "array".to_owned(),
        },
        "string" if schema.get("format").is_some() => "date-time".to_owned(),
        "string" if schema.get("minLength").is_some() => "string, not empty".to_owned(),
        other => format!("{other}{number}"),
    };
    match schema.get("type") {
        None => "any value".to_owned(),
        Some(Value::Array(names)) => {
            let names = names
                .iter()
                .filter_map(Value::as_str)
                .map(name);
            names.collect::<Vec<_>>().join(" or ")
        }
        Some(of) => name(of.as_str().unwrap()),
    }
}

/// The name of a definition that a reference leads to.
fn title(reference: &Value) -> &str {
    let reference = reference.as_str().unwrap();
    reference.rsplit('/').next().unwrap()
}

fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    match schema.get("$ref") {
        Some(reference) => &root["$defs"][title(reference)],
        None => schema,
    }
}

/// The fields of an object or the words of a vocabulary, as a table.
fn table(schema: &Value, root: &Value, out: &mut String) {
    let mut described = schema["description"]
        .as_str()
        .unwrap()
        .split("\n- ");
    writeln!(out, "\n{}", described.next().unwrap()).unwrap();
    if let Some(words) = schema
        .get("enum")
        .and_then(Value::as_array)
    {
        out.push_str("\n| value | meaning |\n|-------|---------|\n");
        assert_eq!(described.clone().count(), words.len(), "{described:?}");
        for meaning in described {
            let (word, meaning) = meaning.split_once(": ").unwrap();
            writeln!(out, "| {word} | {meaning} |").unwrap();
        }
        return;
    }
    let Some(fields) = schema
        .get("properties")
        .and_then(Value::as_object)
    else {
        return;
    };
    let required = schema
        .get("required")
        .and_then(Value::as_array);
    out.push_str(
        "\n| field | type | required | meaning |\n|-------|------|----------|---------|\n",
    );
    for (name, field) in fields {
        let of = match field.get("$ref") {
            Some(to) => format!("[{0}](#{1})", title(to), title(to).to_lowercase()),
            None => kind(field, root),
        };
        let is_required = required.is_some_and(|names| names.iter().any(|of| of == name));
        let meaning = field["description"].as_str().unwrap();
        let required = if is_required { "yes" } else { "" };
        writeln!(out, "| `{name}` | {of} | {required} | {meaning} |").unwrap();
    }
}

#[test]
fn page_of_the_record_format_shows_the_schemas() {
    let mut page = HEAD.to_owned();
    for schema in [Schema::State, Schema::Event, Schema::Summary] {
        let root: Value = serde_json::from_str(schema.text()).unwrap();
        writeln!(page, "\n## {}", root["title"].as_str().unwrap()).unwrap();
        table(&root, &root, &mut page);
        for (name, definition) in root["$defs"].as_object().unwrap() {
            // Events share it with the state.
            if schema == Schema::Event && name == "StepStatus" {
                continue;
            }
            writeln!(page, "\n### {name}").unwrap();
            table(definition, &root, &mut page);
        }
    }
    bless::check("docs/record-format.md", &page);
}
