//! Generated files and run data are as expected: files derived from the code (`make bless` rewrites
//! them), and the run data that benchmarks make.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use runvet::Schema;
use runvet::finding::{Lifecycle, Report};
use runvet::gate::Gate;
use serde_json::Value;

use crate::support::python::python;
use crate::support::run_data;

#[test]
fn description_of_the_service_is_valid_openapi() {
    let Some(mut python) = python("openapi", &["openapi-spec-validator==0.7.2"]) else {
        return;
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/openapi.json");
    let validated = python
        .args(["-m", "openapi_spec_validator"])
        .arg(file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&validated.stdout);
    assert!(validated.status.success(), "{said}");
}

#[test]
fn only_what_a_query_needs_is_required() {
    let document: Value =
        serde_json::from_str(include_str!("../../../schemas/openapi.json")).unwrap();
    let operations = document["paths"]
        .as_object()
        .unwrap()
        .values();
    let parameters = operations
        .filter_map(|path| path["get"]["parameters"].as_array())
        .flatten();
    let required = parameters.filter(|it| it["in"] == "query" && it["required"] == true);
    let names: Vec<&str> = required
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "dir", "name", "left", "right", "dir", "by", "dir", "name", "dir"
        ]
    );
}

/// Writes run data into a fresh directory and checks it.
fn checked(write: impl FnOnce(&Path)) -> (Report, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    (
        Gate::default()
            .run([dir.path()])
            .unwrap(),
        dir,
    )
}

#[test]
fn benchmark_runs_are_valid_and_of_one_size() {
    let (report, dir) = checked(|dir| run_data::write(dir, 400, 0).unwrap());
    assert_eq!(report.episodes.len(), 400);
    for episode in &report.episodes {
        assert!(
            episode.findings.is_empty() && episode.skipped.is_empty(),
            "{episode:#?}"
        );
    }
    let ended = report
        .episodes
        .iter()
        .filter(|episode| episode.lifecycle == Lifecycle::Terminal)
        .count();
    assert!((320..400).contains(&ended), "{ended} of 400 have ended");
    let (mut statuses, mut bytes) = (BTreeSet::new(), [0; 3]);
    for episode in &report.episodes {
        for (file, bytes) in ["state.json", "summary.json", "events.jsonl"]
            .iter()
            .zip(&mut bytes)
        {
            let Ok(text) = std::fs::read_to_string(Path::new(&episode.dir).join(file)) else {
                continue;
            };
            *bytes += text.len();
            if *file == "state.json" {
                let state: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(
                    text,
                    format!("{state}\n"),
                    "it is minified and its keys are sorted"
                );
                statuses.insert(state["outcomes"]["status"].to_string());
            }
        }
    }
    assert_eq!(statuses.len(), 6, "{statuses:?}");
    let [state, summary, events] = [bytes[0] / 400, bytes[1] / ended, bytes[2] / 400];
    let as_said = (2200..2400).contains(&state)
        && (950..1050).contains(&summary)
        && (10_500..11_500).contains(&events);
    assert!(
        as_said,
        "a state has {state} bytes, a summary {summary}, a timeline {events}"
    );
    drop(dir);
}

/// The value with each string and each number replaced by its type.
fn skeleton(value: &Value) -> Value {
    match value {
        Value::String(_) => "a string".into(),
        Value::Number(_) => "a number".into(),
        Value::Array(items) => items.iter().map(skeleton).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(key, value)| (key.clone(), skeleton(value)))
                .collect()
        }
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

#[test]
fn runs_that_differ_are_valid_and_have_states_of_their_own() {
    let (report, dir) = checked(|dir| run_data::write_differing(dir, 400).unwrap());
    assert_eq!(report.episodes.len(), 400);
    let mut skeletons: BTreeMap<String, u32> = BTreeMap::new();
    let (mut steps, mut actions, mut beliefs) = (Vec::new(), Vec::new(), Vec::new());
    for episode in &report.episodes {
        assert!(
            episode.findings.is_empty() && episode.skipped.is_empty(),
            "{episode:#?}"
        );
        let text = std::fs::read(Path::new(&episode.dir).join("state.json")).unwrap();
        let state: Value = serde_json::from_slice(&text).unwrap();
        let length = |pointer: &str| {
            state
                .pointer(pointer)
                .unwrap()
                .as_array()
                .unwrap()
                .len()
        };
        steps.push(length("/plan/steps"));
        actions.push(length("/outcomes/actions"));
        beliefs.push(length("/beliefs"));
        *skeletons
            .entry(skeleton(&state).to_string())
            .or_default() += 1;
    }
    let own = skeletons
        .values()
        .filter(|count| **count == 1)
        .count();
    assert!(own >= 400 * 95 / 100, "{own} of 400");
    let range = |lengths: &[usize]| {
        (
            *lengths.iter().min().unwrap(),
            *lengths.iter().max().unwrap(),
        )
    };
    assert_eq!((range(&steps), range(&beliefs)), ((1, 12), (0, 10)));
    let (least, most) = range(&actions);
    assert!(least == 0 && (30..=40).contains(&most), "{least} to {most}");
    drop(dir);
}

#[test]
fn benchmark_runs_are_invalid_where_asked() {
    let (report, _dir) = checked(|dir| run_data::write(dir, 400, 4).unwrap());
    for (index, episode) in report.episodes.iter().enumerate() {
        assert_eq!(episode.valid, Some(index % 4 != 0), "{episode:#?}");
        assert_eq!(
            episode.findings.is_empty(),
            episode.valid == Some(true),
            "{episode:#?}"
        );
    }
}

#[test]
fn benchmark_timeline_is_valid_and_as_long_as_asked() {
    let (report, dir) = checked(|dir| run_data::write_long(dir, 1 << 20).unwrap());
    assert!(
        report.episodes.len() == 1 && report.episodes[0].findings.is_empty(),
        "{:#?}",
        report.episodes
    );
    let bytes = dir
        .path()
        .join("episodes/ep_long/events.jsonl")
        .metadata()
        .unwrap()
        .len();
    assert!(
        (1 << 20..(1 << 20) + 50_000).contains(&bytes),
        "{bytes} bytes"
    );
}

/// The keywords of JSON Schema 2020-12 that the schemas may have.
const KEYWORDS: &str = "$schema $id $ref $defs $comment title description default examples type \
    enum const minimum maximum minLength maxLength pattern format minItems maxItems items uniqueItems \
    properties required patternProperties additionalProperties allOf anyOf oneOf not if then";

/// Says what the strict mode of Ajv, the usual validator in JavaScript, refuses in a schema.
fn refuse_as_ajv_does(schema: &Value, at: &str) {
    let Some(members) = schema.as_object() else {
        return assert!(schema.is_boolean(), "{at}");
    };
    for (keyword, value) in members {
        let known = KEYWORDS
            .split_whitespace()
            .any(|it| it == keyword);
        assert!(known, "unknown keyword {keyword} at {at}");
        let at = format!("{at}/{keyword}");
        match (keyword.as_str(), value) {
            ("properties" | "patternProperties" | "$defs", Value::Object(named)) => {
                for (name, schema) in named {
                    refuse_as_ajv_does(schema, &format!("{at}/{name}"));
                }
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => {
                for schema in all {
                    refuse_as_ajv_does(schema, &at);
                }
            }
            ("if" | "then" | "not" | "items" | "additionalProperties", schema) => {
                refuse_as_ajv_does(schema, &at);
            }
            ("required", Value::Array(names)) => {
                for name in names {
                    let name = name.as_str().unwrap();
                    assert!(
                        schema["properties"].get(name).is_some(),
                        "required property {name} is not defined at {at}"
                    );
                }
            }
            ("type", Value::Array(types)) => {
                assert!(
                    types.len() == 2 && types[1] == "null",
                    "union of types at {at}"
                );
            }
            _ => {}
        }
    }
}

#[test]
fn strict_validators_take_the_published_schemas() {
    for schema in Schema::ALL.iter().copied() {
        let parsed: Value = serde_json::from_str(schema.text()).unwrap();
        refuse_as_ajv_does(&parsed, &schema.to_string());
    }
}
