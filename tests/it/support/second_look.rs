//! Documents and reports, compared with a second source; shared by tests and the targets in
//! `fuzz/`.

use runvet::document::{Kind, Node};
use runvet::finding::EpisodeReport;
use serde_json::Value;

/// Whether a value is the one that `serde_json` read, whose numbers are a `u64`, an `i64` or the
/// nearest double.
pub fn same(node: Node<'_>, value: &Value) -> bool {
    match value {
        Value::Null => node.kind() == Kind::Null,
        Value::Bool(value) => node.boolean() == Some(*value),
        Value::String(value) => node
            .text()
            .is_some_and(|text| text == *value),
        Value::Number(value) if value.is_f64() => {
            let double = node
                .number()
                .and_then(|number| number.text().parse::<f64>().ok());
            double.map(f64::to_bits) == value.as_f64().map(f64::to_bits)
        }
        Value::Number(value) => node
            .number()
            .is_some_and(|number| number.text() == value.to_string()),
        Value::Array(values) => {
            node.kind() == Kind::Array
                && node.items().count() == values.len()
                && node
                    .items()
                    .zip(values)
                    .all(|(item, value)| same(item, value))
        }
        Value::Object(values) => {
            node.kind() == Kind::Object
                && node.members().count() == values.len()
                && node.members().all(|key| {
                    values
                        .get(&*key.name())
                        .is_some_and(|value| same(key.value(), value))
                })
                && values.iter().all(|(name, value)| {
                    node.get(name)
                        .is_some_and(|member| same(member, value))
                })
        }
    }
}

/// The lines, each with a different indentation.
pub fn indented(events: &[u8]) -> Vec<u8> {
    let lines = events
        .split(|byte| *byte == b'\n')
        .enumerate();
    lines
        .map(|(index, line)| [" ".repeat(index + 1).as_bytes(), line].concat())
        .collect::<Vec<_>>()
        .join(&b'\n')
}

/// The findings and skips, without the places that indentation moves, and without those of equal
/// lines, which it tells apart.
pub fn found(report: &EpisodeReport) -> Vec<(&str, &str, Option<u64>, Option<&str>)> {
    let findings = report
        .findings
        .iter()
        .filter(|finding| finding.rule != "events/repeated-line");
    let findings = findings.map(|finding| {
        let location = &finding.location;
        (
            &*finding.rule,
            &*location.file,
            location.line,
            location.pointer.as_deref(),
        )
    });
    let skips = report
        .skipped
        .iter()
        .map(|skip| (&*skip.rule, &*skip.reason, None, None));
    let mut found: Vec<_> = findings.chain(skips).collect();
    found.sort();
    found
}
