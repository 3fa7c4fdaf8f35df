//! Mistakes in what a team declares are told, each at its place.

use std::collections::BTreeSet;

use serde_json::Value;

use super::run::PACK;

#[test]
fn pack_is_what_its_schema_says() {
    let schema: Value = serde_json::from_str(runvet::Schema::Pack.text()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let pack: Value = serde_json::to_value(toml::from_str::<toml::Table>(PACK).unwrap()).unwrap();
    assert!(validator.is_valid(&pack));
    let known = |schema: &Value| -> BTreeSet<String> {
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    let config: Value = serde_json::from_str(runvet::Schema::Config.text()).unwrap();
    assert!(
        known(&schema).is_subset(&known(&config)),
        "runvet.toml takes what a pack takes"
    );
}
