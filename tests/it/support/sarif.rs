//! Logs, checked against the official schema of SARIF.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

/// Fails if a log does not follow its official schema.
pub(crate) fn hold_to_the_sarif_schema(log: &Value) {
    static VALIDATOR: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/standards/sarif-schema-2.1.0.json");
        let mut schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        // One pattern in the schema is not a regular expression; runvet does not write fields that
        // use it.
        for of in ["run", "toolComponent"] {
            let language = schema["definitions"][of]["properties"]["language"]
                .as_object_mut()
                .unwrap();
            assert!(language.remove("pattern").is_some());
        }
        jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .unwrap()
    });
    let errors: Vec<String> = VALIDATOR
        .iter_errors(log)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, [] as [&str; 0]);
}
