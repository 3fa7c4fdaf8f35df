//! An answer of the service -> whether the `OpenAPI` document describes it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../schemas/openapi.json")).expect("it is JSON")
});

/// The validators that were made, by the JSON Pointers of their schemas.
static VALIDATORS: Mutex<BTreeMap<String, Arc<Validator>>> = Mutex::new(BTreeMap::new());

/// Panics unless the document describes an answer: its status, its type and its body.
pub(crate) fn assert_described(path: &str, status: u16, kind: &str, text: &str) {
    let template = DOCUMENT["paths"]
        .as_object()
        .unwrap()
        .keys();
    let template = template.max_by_key(|template| (matches(template, path), literals(template)));
    let Some(template) = template.filter(|template| matches(template, path)) else {
        if kind == "application/problem+json" {
            assert_valid("/components/schemas/Problem", path, text);
        }
        return;
    };
    let operations = DOCUMENT["paths"][template]
        .as_object()
        .unwrap();
    assert_eq!(operations.len(), 1, "{template} has one method");
    let (method, operation) = operations.iter().next().unwrap();
    let responses = &operation["responses"];
    let given = status.to_string();
    let answer = if responses[&given].is_object() {
        &given
    } else {
        "default"
    };
    let content = responses[answer]["content"]
        .as_object()
        .unwrap();
    let name = content
        .keys()
        .find(|name| **name == kind);
    let name = name.unwrap_or_else(|| panic!("{path}: {status} {kind} is not in {content:?}"));
    if content[name]["schema"].is_object() && name.contains("json") {
        let part = |text: &str| {
            text.replace('~', "~0")
                .replace('/', "~1")
        };
        let (template, name) = (part(template), part(name));
        let schema = format!("/paths/{template}/{method}/responses/{answer}/content/{name}/schema");
        assert_valid(&schema, path, text);
    }
}

fn assert_valid(schema: &str, path: &str, text: &str) {
    let validator = {
        let mut known = VALIDATORS
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let made = known
            .entry(schema.to_owned())
            .or_insert_with(|| {
                let of_schema = DOCUMENT
                    .pointer(schema)
                    .unwrap_or_else(|| panic!("{schema}"));
                let whole = json!({"allOf": [of_schema], "components": DOCUMENT["components"]});
                Arc::new(jsonschema::draft202012::new(&whole).unwrap())
            });
        Arc::clone(made)
    };
    let body: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut wrong = validator.iter_errors(&body);
    if let Some(wrong) = wrong.next() {
        panic!("{path}: {wrong} at {}: {text:.2000}", wrong.instance_path());
    }
}

/// Whether a path is one of a template, in which `{…}` stands for any part of a path.
fn matches(template: &str, path: &str) -> bool {
    let (template, path) = (template.split('/'), path.split('/'));
    template.clone().count() == path.clone().count()
        && template
            .zip(path)
            .all(|(template, part)| template.starts_with('{') || template == part)
}

fn literals(template: &str) -> usize {
    template
        .split('/')
        .filter(|part| !part.starts_with('{'))
        .count()
}
