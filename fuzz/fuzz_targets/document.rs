//! The document reader and `serde_json` agree on every text: on whether it is JSON, and on each value in it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use runvet::document::{Kind, Node, Tape};
use runvet_fuzz::second_opinion;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let mut tape = Tape::default();
    match (second_opinion(data), tape.read(data)) {
        (None, _) => {}
        (Some(Ok(value)), Ok(document)) => assert!(same(document.root(), &value), "another value: {value}"),
        (Some(Err(_)), Err(error)) => assert!(error.offset <= data.len()),
        (Some(Ok(_)), Err(error)) => panic!("refused: {error}"),
        (Some(Err(error)), Ok(_)) => panic!("accepted, but {error}"),
    }
});

/// Whether a value is the one that `serde_json` read, and its span holds that value alone.
fn same(node: Node<'_>, value: &Value) -> bool {
    match value {
        Value::Null => node.is_null(),
        Value::Bool(value) => node.boolean() == Some(*value),
        Value::String(value) => node.text().is_some_and(|text| text == *value),
        Value::Number(value) if value.is_f64() => {
            let double = node.number().and_then(|number| number.text().parse::<f64>().ok());
            double.map(f64::to_bits) == value.as_f64().map(f64::to_bits)
        }
        Value::Number(value) => node.number().is_some_and(|number| number.text() == value.to_string()),
        Value::Array(values) => {
            node.kind() == Kind::Array
                && node.items().count() == values.len()
                && node.items().zip(values).all(|(item, value)| same(item, value))
        }
        Value::Object(values) => {
            node.kind() == Kind::Object
                && node.members().count() == values.len()
                && values.iter().all(|(name, value)| node.get(name).is_some_and(|member| same(member, value)))
        }
    }
}
