//! Property: the `jsonschema` crate accepts every record in which runvet finds nothing, so the fast
//! validator accepts no invalid record.

#![no_main]

use std::sync::LazyLock;

use jsonschema::{Draft, Validator};
use libfuzzer_sys::fuzz_target;
use runvet::finding::Level;
use runvet::gate::{Gate, all_rules};
use runvet::source::Artifact;
use runvet::{Schema, Timestamp};
use runvet_fuzz::second_opinion;
use serde_json::Value;

/// A kind of record with its schema, and a check with only the rules about its shape.
struct Judge {
    artifact: Artifact,
    check: Gate,
    validator: Validator,
}

static JUDGES: LazyLock<[Judge; 3]> = LazyLock::new(|| {
    [
        (Artifact::State, Schema::State),
        (Artifact::Summary, Schema::Summary),
        (Artifact::Events, Schema::Event),
    ]
    .map(|(artifact, schema)| {
        let is_about_shape = |id: &str| {
            let subject = id
                .split('/')
                .next_back()
                .unwrap_or_default();
            [
                "schema",
                "version",
                "newer-version",
                "json-syntax",
                "syntax",
                "torn-tail",
                "unfinished-line",
            ]
            .contains(&subject)
        };
        let others = all_rules().filter(|rule| !is_about_shape(&rule.id));
        let text: Value = serde_json::from_str(schema.text()).unwrap();
        Judge {
            artifact,
            check: others.fold(Gate::default(), |check, rule| {
                check
                    .level(&rule.id, Level::Off)
                    .unwrap()
            }),
            validator: jsonschema::options()
                .with_draft(Draft::Draft202012)
                .should_validate_formats(true)
                .with_format("date-time", |text: &str| Timestamp::parse(text).is_some())
                .build(&text)
                .unwrap(),
        }
    })
});

fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let judge = &JUDGES[usize::from(*first) % JUDGES.len()];
    // A text with several lines is not one event, and blank lines are skipped.
    if judge.artifact == Artifact::Events && (text.contains(&b'\n') || text.trim_ascii().is_empty())
    {
        return;
    }
    let report = judge
        .check
        .clone()
        .records("ep", &[(judge.artifact, text)]);
    if report.findings.is_empty()
        && let Some(opinion) = second_opinion(text)
    {
        let value = opinion.expect("what is accepted is JSON");
        let errors: Vec<String> = judge
            .validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "accepted, but {errors:?}");
    }
});
