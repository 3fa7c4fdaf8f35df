//! Configurations and packs, with a value of each removed or replaced -> both validators agree.
#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "the files of this project are no run data of others"
)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::Shapes;
use crate::ground::document::OwnedDocument;
use crate::reading::schema::instance::Instance;
use crate::reading::schema::validator_of;

const CONFIG: &str = include_str!("../../../../schemas/config.schema.json");
const PACK: &str = include_str!("../../../../schemas/pack.schema.json");

/// The files of which each has values of many keys.
const FILES: [(&str, &str); 10] = [
    (CONFIG, "corpus/team/refunds/runvet.toml"),
    (CONFIG, "docs/runvet.toml"),
    (CONFIG, "src/cli/init/runvet.toml"),
    (PACK, "corpus/team/archive/gate/old-summaries.toml"),
    (PACK, "corpus/team/conduct/gate/conduct.toml"),
    (PACK, "corpus/team/escalations/gate/escalations.toml"),
    (PACK, "corpus/team/refunds/gate/refunds.toml"),
    (PACK, "src/cli/init/coding.toml"),
    (PACK, "src/cli/init/team.toml"),
    (PACK, "tests/cases/pack/pack.toml"),
];

/// Returns the pointers to all values in a value.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let key = key
                    .replace('~', "~0")
                    .replace('/', "~1");
                places(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn shapes_judge_configurations_as_the_validator_does() {
    let others = [
        json!(""),
        json!("/a~"),
        json!(-1),
        json!(null),
        json!([]),
        json!({"a": 1}),
    ];
    for schema in [CONFIG, PACK] {
        let parsed: Value = serde_json::from_str(schema).unwrap();
        let written = OwnedDocument::read(schema.as_bytes().to_vec()).unwrap();
        let (shapes, validator) = (Shapes::compile(written.root()), validator_of(&parsed));
        let judge = |json: &Value| {
            let document = OwnedDocument::read(json.to_string().into_bytes()).unwrap();
            let root = document.view().root();
            let expected = validator.is_valid(Instance::Node(root));
            assert_eq!(shapes.is_valid(root), expected, "{json}");
            expected
        };
        let files = FILES
            .iter()
            .filter(|(of, _)| *of == schema);
        for (_, file) in files {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            let text = fs::read_to_string(path).unwrap();
            let json: Value = toml::from_str(&text).unwrap();
            assert!(judge(&json), "{file}");

            let mut found = Vec::new();
            places(&json, "", &mut found);
            for place in found {
                for other in &others {
                    let mut changed = json.clone();
                    *changed.pointer_mut(&place).unwrap() = other.clone();
                    judge(&changed);
                }
                let (above, key) = place
                    .rsplit_once('/')
                    .unwrap_or_default();
                let mut changed = json.clone();
                if let Some(Value::Object(members)) = changed.pointer_mut(above)
                    && members.remove(key).is_some()
                {
                    judge(&changed);
                }
            }
        }
    }
}
