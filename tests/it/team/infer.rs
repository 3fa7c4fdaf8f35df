//! A first schema is inferred from runs, and the runs satisfy it.

use serde_json::{Value, json};

use crate::support::binary::{run, stderr, stdout};

const RUNS: &str = "team/refunds/runs";

fn inferred(args: &[&str]) -> Value {
    let output = run(&[&["schema", "infer", RUNS], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn schema_of_a_part_is_inferred_from_runs() {
    let schema = inferred(&["--where", "tool=re*", "--at", "/payload/input"]);
    let text = json!({"type": "string"});
    assert_eq!(
        schema,
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "required": ["order_id"],
            "properties": {
                "amount": {"type": "integer"},
                "order_id": text,
                "reason": text,
            },
        })
    );
    let of_action = inferred(&[
        "--record",
        "action",
        "--where",
        "tool=adapter:*",
        "--at",
        "/kind",
    ]);
    assert_eq!(of_action["type"], "string");
    let of_number = inferred(&["--where", "/payload/seed=7.0", "--at", "/payload/seed"]);
    assert_eq!(of_number["type"], "integer");
}

#[test]
fn runs_satisfy_what_is_inferred_from_them() {
    let temp = tempfile::tempdir().unwrap();
    let output = run(&["schema", "infer", RUNS]);
    std::fs::write(temp.path().join("event.json"), &output.stdout).unwrap();
    let config = temp.path().join("runvet.toml");
    std::fs::write(&config, "[[schema]]\nid = 'a/b'\nfile = 'event.json'").unwrap();
    let config = config.to_str().unwrap();
    let checked = run(&["validate", "--config", config, "--select", "a/b", RUNS]);
    assert_eq!(stdout(&checked), "1 episode: valid\n");
}

#[test]
fn nothing_to_infer_from_and_mistakes_are_said() {
    for (args, code, message) in [
        (
            &[RUNS, "--where", "tool=nobody"][..],
            3,
            "the runs have no value that",
        ),
        (
            &[RUNS, "--at", "payload"],
            2,
            "a JSON Pointer starts with `/`",
        ),
        (&[RUNS, "--where", "tool"], 2, "expected KEY=VALUE"),
        (&[RUNS, "--where", "toll=x"], 2, "a key is phase"),
        (&["team/nowhere"], 2, "no such"),
    ] {
        let output = run(&[&["schema", "infer"], args].concat());
        assert_eq!(
            output.status.code(),
            Some(code),
            "{args:?}: {}",
            stderr(&output)
        );
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}
