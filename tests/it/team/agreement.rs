//! Differential test: runvet and Python's `jsonschema` agree on values of events, actions and
//! payloads, by every keyword.
//!
//! Findings that runvet words as one, such as all that an object lacks, have one place; so places
//! are compared as sets. What is left out, because the two differ by design: patterns with
//! look-around and back-references, which runvet refuses; formats that Python asserts only with
//! further packages; and numbers beyond a double, which `contract::agreement` is about.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use runvet::gate::Gate;
use runvet::source::Artifact;
use serde_json::{Value, json};

use crate::support::corpus::corpus;
use crate::support::python::python;

/// Schemas by their keywords.
fn schemas() -> Vec<Value> {
    let text = r##"
        {"type":"string"} {"type":"integer"} {"type":["null","array"]} {"type":"object"} {"type":"number"}
        {"enum":[1,"a",null,{"a":1},[1]]} {"const":{"a":[1]}} {"const":0} {"const":false}
        {"minimum":2} {"maximum":2} {"exclusiveMinimum":2} {"exclusiveMaximum":2.5} {"multipleOf":5}
        {"minLength":2} {"maxLength":1} {"pattern":"^a+$"} {"format":"ipv4"} {"format":"date-time"}
        {"minItems":2} {"maxItems":1} {"uniqueItems":true} {"items":{"type":"integer"}}
        {"prefixItems":[{"const":1}],"items":{"type":"string"}} {"contains":{"const":1}}
        {"contains":{"type":"integer"},"minContains":2,"maxContains":2}
        {"required":["a"]} {"required":["a","b","c"]} {"properties":{"a":{"type":"integer"},"b":{"type":"string"}}}
        {"properties":{"a":true},"additionalProperties":false} {"additionalProperties":{"type":"integer"}}
        {"patternProperties":{"^[a-b]$":{"type":"integer"}}} {"minProperties":2} {"maxProperties":1}
        {"propertyNames":{"maxLength":1}} {"dependentRequired":{"a":["b"]}}
        {"dependentSchemas":{"a":{"required":["c"]}}}
        {"allOf":[{"minimum":1},{"maximum":3}]} {"anyOf":[{"type":"string"},{"minimum":3}]}
        {"oneOf":[{"type":"integer"},{"minimum":2}]} {"not":{"type":"string"}}
        {"if":{"type":"object"},"then":{"required":["a"]},"else":{"type":"string"}}
        {"$defs":{"n":{"type":"array","items":{"$ref":"#/$defs/n"}}},"$ref":"#/$defs/n"}
        {"$defs":{"p":{"minimum":1}},"properties":{"a":{"$ref":"#/$defs/p"}}}
        {"properties":{"a":{"properties":{"a":{"minimum":5}}}}}
        {"properties":{"a":true},"unevaluatedProperties":false} {"prefixItems":[true],"unevaluatedItems":false}
        {"properties":{"b":{"items":{"properties":{"a":{"enum":[1,2]}},"required":["a"]}}}}
        {"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":1,"maximum":9}}}
        {"type":"object","additionalProperties":false} false true {}
        {"$schema":"http://json-schema.org/draft-07/schema#","items":[{"const":1}],"additionalItems":false}
        {"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"x":{"minimum":1}},"properties":{"a":{"$ref":"#/definitions/x"}}}
        {"$schema":"http://json-schema.org/draft-04/schema#","minimum":2,"exclusiveMinimum":true}
        {"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}
        {"$schema":"http://json-schema.org/draft-06/schema#","exclusiveMinimum":2,"contains":{"const":1}}
        {"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"integer"}],"additionalItems":{"type":"string"}}
    "##;
    let read = serde_json::Deserializer::from_str(text).into_iter();
    read.map(Result::unwrap).collect()
}

fn values() -> Vec<Value> {
    let text = r#"
        null true false 0 1 2 2.0 2.5 3 5 10 -1 1e1 4.0 "" "a" "aa" "aaa" "b" "é" "ab\n" "1.2.3.4" "1.2.3"
        "2026-03-01T12:00:00Z" "2026-03-01" [] [1] [1,1] [1,1.0] [1,2] [1,"a"] ["a"] ["a",1] [[]] [[[]],[]]
        [[1],[]] [{"a":1}] [null] [1,2,3] {} {"a":1} {"a":1.0} {"a":0} {"a":"x"} {"a":null} {"b":"x"} {"b":1} {"c":1}
        {"a":1,"b":"x"} {"a":1,"b":2} {"a":1,"c":1} {"a":10,"b":[{"a":3}]} {"b":[{"a":1},{"a":3},{}]} {"b":[1]}
        {"ab":1} {"ab":"x","a":[]} {"a":{"a":4}} {"a":{"a":5}} {"a":{"a":"x"}} {"a":[1]} {"a/b":1,"~":2} {"a":{"b":{}}}
    "#;
    let read = serde_json::Deserializer::from_str(text).into_iter();
    read.map(Result::unwrap).collect()
}

/// The places in a run that a schema judges: `record`, `where`, `at`, and the pointer to the place
/// of the value of a number.
const PLACES: [(&str, &str, &str); 3] = [
    ("event", "{ tool = 'judged' }", "/payload/v"),
    (
        "event",
        "{ '/x/0/y' = { not = 1 }, kind = ['a*', true] }",
        "/x/0/~0v",
    ),
    ("action", "{ tool = 'j*d' }", "/x-v"),
];

/// A run in which each value stands at each place.
fn records(values: &[Value]) -> (String, String) {
    let event = |value: &Value| {
        let event = json!({
            "phase": "observe", "timestamp": "2026-03-01T12:00:00.050000+00:00",
            "payload": {"tool": "judged", "kind": "ab", "v": value}, "x": [{"y": null, "~v": value}],
        });
        format!("{event}\n")
    };
    let run = corpus().join("good/terminal/episodes/ep_answer");
    let read = |file: &str| std::fs::read_to_string(run.join(file)).unwrap();
    let mut state: Value = serde_json::from_str(&read("state.json")).unwrap();
    let action = |value: &Value| json!({"kind": "k", "tool": "judged", "x-v": value});
    state["outcomes"]["actions"] = values.iter().map(action).collect();
    (values.iter().map(event).collect(), state.to_string())
}

/// The pointers within each value at which runvet finds something, by schema, place and value.
fn found(schemas: &[Value], values: &[Value]) -> BTreeMap<[usize; 3], BTreeSet<String>> {
    let dir = tempfile::tempdir().unwrap();
    let mut pack = String::new();
    for (index, schema) in schemas.iter().enumerate() {
        std::fs::write(dir.path().join(format!("{index}.json")), schema.to_string()).unwrap();
        for (place, (record, selector, at)) in PLACES.iter().enumerate() {
            writeln!(
                pack,
                "[[schema]]\nid = 'p{place}/s{index}'\nrecord = '{record}'\nwhere = {selector}\nat = '{at}'\nfile = '{index}.json'"
            )
            .unwrap();
        }
    }
    let gate = Gate::default().with_config(&dir.path().join("runvet.toml"), &pack, None);
    let (events, state) = records(values);
    let records = [
        (Artifact::Events, events.as_bytes()),
        (Artifact::State, state.as_bytes()),
    ];
    let report = gate
        .unwrap()
        .records("ep_answer", &records);
    let mut found: BTreeMap<[usize; 3], BTreeSet<String>> = BTreeMap::new();
    for finding in report.findings {
        let Some((place, schema)) = finding
            .rule
            .strip_prefix('p')
            .and_then(|it| it.split_once("/s"))
        else {
            continue;
        };
        let (place, schema): (usize, usize) = (place.parse().unwrap(), schema.parse().unwrap());
        let at = PLACES[place].2;
        let pointer = finding.location.pointer.unwrap();
        let (value, within) = if place == 2 {
            let rest = pointer
                .strip_prefix("/outcomes/actions/")
                .unwrap();
            let (index, rest) = rest.split_once('/').unwrap();
            (index.parse().unwrap(), format!("/{rest}"))
        } else {
            let line: usize = finding
                .location
                .line
                .unwrap()
                .try_into()
                .unwrap();
            (line - 1, pointer)
        };
        let within = within
            .strip_prefix(at)
            .unwrap()
            .to_owned();
        // A key that is not allowed is a finding at the key.
        let is_key = finding
            .message
            .contains("must not have the field");
        let within = match within.rsplit_once('/') {
            Some((above, _)) if is_key => above.to_owned(),
            _ => within,
        };
        found
            .entry([schema, place, value])
            .or_default()
            .insert(within);
    }
    found
}

const JUDGE: &str = r#"
import json, sys
from jsonschema import FormatChecker, validators
from jsonschema.validators import Draft202012Validator
schemas, values = json.load(sys.stdin)
escape = lambda part: str(part).replace("~", "~0").replace("/", "~1")
answers = []
for schema in schemas:
    kind = validators.validator_for(schema, default=Draft202012Validator)
    judge = kind(schema, format_checker=FormatChecker(["ipv4", "date-time"]))
    of = []
    for value in values:
        errors = list(judge.iter_errors(value))
        paths = {tuple(e.absolute_path) for e in errors}
        of.append(sorted("".join("/" + escape(part) for part in path) for path in paths))
    answers.append(of)
json.dump(answers, sys.stdout)
"#;

#[test]
fn python_validator_agrees_on_what_a_team_declares() {
    let Some(mut python) = python(
        "agreement",
        &["jsonschema==4.26.0", "rfc3339-validator==0.1.4"],
    ) else {
        return;
    };
    let (schemas, values) = (schemas(), values());
    assert!(schemas.len() * values.len() * PLACES.len() >= 10_000);
    let found = found(&schemas, &values);
    let input = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(input.path(), json!([schemas, values]).to_string()).unwrap();
    let judged = python
        .args(["-c", JUDGE])
        .stdin(std::fs::File::open(input.path()).unwrap())
        .output()
        .unwrap();
    assert!(
        judged.status.success(),
        "{}",
        String::from_utf8_lossy(&judged.stderr)
    );
    let judged: Vec<Vec<BTreeSet<String>>> = serde_json::from_slice(&judged.stdout).unwrap();
    let mut wrong = Vec::new();
    for (index, schema) in schemas.iter().enumerate() {
        for (value, expected) in judged[index].iter().enumerate() {
            for (place, (.., at)) in PLACES.iter().enumerate() {
                let nothing = BTreeSet::new();
                let ours = found
                    .get(&[index, place, value])
                    .unwrap_or(&nothing);
                if ours != expected {
                    wrong.push(format!(
                        "{schema} {} at {}: {ours:?}, not {expected:?}",
                        values[value], at
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
    assert!(found.len() > 2_000, "{} values are refused", found.len());
}
