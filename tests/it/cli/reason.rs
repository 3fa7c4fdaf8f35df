//! `runvet view` says why a run did not succeed, and where, on the first screen.

use std::fs;

use runvet::gate::Gate;
use runvet::read::RunReader;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::binary::stdout;

use crate::support::runs::{copy_of, replace};
use crate::support::terminal::{Width, runvet, snapshot};

fn at_the_time(ms: u64) -> String {
    format!("2026-03-01T12:00:{:02}.{:03}+00:00", ms / 1_000, ms % 1_000)
}

/// A sound run that fails at step 4 of 5, with 415 events.
fn failing_run() -> TempDir {
    let (temp, dir) = copy_of("good/failed");
    let steps = |statuses: [&str; 5]| -> Vec<Value> {
        let steps = (1..).zip(statuses);
        steps
            .map(|(n, status)| {
                json!({"id": format!("step-{n}"), "kind": "act", "status": status,
                    "description": format!("Summarize part {n}")})
            })
            .collect()
    };
    let error = json!({"type": "TimeoutError", "message": "tool did not answer in 30 s"});
    let mut events: Vec<Value> = Vec::new();
    let mut emit = |ms: u64, phase: &str, payload: Value| {
        events.push(
            json!({"phase": phase, "timestamp": at_the_time(ms), "agent_id": "system",
            "episode_id": "ep_failed", "payload": payload}),
        );
    };
    emit(0, "start", json!({"task": "Summarize the open tickets"}));
    emit(5, "direction", json!({"decision": "hint"}));
    let records = steps(["pending"; 5]);
    emit(
        10,
        "plan",
        json!({"source": "planner.minimal", "step_records": records}),
    );
    let mut actions: Vec<Value> = Vec::new();
    for n in 1..=4_u64 {
        for thought in 0..101_u64 {
            let phase = ["reason", "memory", "observe"][usize::try_from(thought % 3).unwrap()];
            let payload = json!({"score": 0.615_797_941_306_256_8, "text": "what is next"});
            emit(10 + (n - 1) * 240 + thought, phase, payload);
        }
        let status = if n < 4 {
            ("done", "ok")
        } else {
            ("failed", "error")
        };
        let (id, step, ms) = (format!("act-{n}"), format!("step-{n}"), 40 + n * 240);
        let mut act = json!({"action_id": id, "step_id": step, "result_status": status.1});
        actions.push(json!({"id": id, "step_id": step, "result_status": status.1,
            "timestamp": at_the_time(ms)}));
        act["step_status"] = status.0.into();
        if n == 4 {
            act["error"] = error.clone();
        }
        emit(ms, "act", act);
    }
    emit(1_010, "reflect", json!({"success": false}));
    emit(1_020, "learn", json!({"proposals": 1}));

    let mut state: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("state.json")).unwrap()).unwrap();
    state["plan"]["steps"] = steps(["done", "done", "done", "failed", "pending"]).into();
    state["plan"]["updated_at"] = at_the_time(10).into();
    state["outcomes"]["actions"] = actions.into();
    state["outcomes"]["error"] = error;
    events.push(json!({"phase": "runtime", "timestamp": at_the_time(1_030),
        "event_type": "run.state_projection",
        "payload": {"outcomes": state["outcomes"], "links": state["links"]}}));
    events.push(
        json!({"phase": "terminate", "timestamp": at_the_time(1_040),
        "payload": {"status": "error"}}),
    );
    assert_eq!(events.len(), 415);
    let lines: Vec<String> = events
        .iter()
        .map(Value::to_string)
        .collect();
    fs::write(dir.join("events.jsonl"), lines.join("\n") + "\n").unwrap();
    fs::write(dir.join("state.json"), format!("{state}\n")).unwrap();
    replace(
        &dir.join("summary.json"),
        r#""act_count":2"#,
        r#""act_count":4"#,
    );
    temp
}

#[test]
fn reason_of_a_long_run_is_on_the_first_screen() {
    let temp = failing_run();
    let output = runvet(temp.path(), &["view", "@latest"], Width::Narrow);
    snapshot("view-failing-80", &output);
    let screen: Vec<&str> = stdout(&output)
        .lines()
        .take(24)
        .collect();
    let (sentence, step) = ("Failed at step-4 (act-4, events.jsonl:", "✗ step-4 ");
    assert!(
        screen
            .iter()
            .any(|line| line.starts_with(sentence)),
        "{screen:#?}"
    );
    assert!(
        screen
            .iter()
            .any(|line| line.contains(step)),
        "{screen:#?}"
    );
    let last: Vec<&str> = stdout(&output)
        .lines()
        .rev()
        .take(24)
        .collect();
    let end = "Run: failed (error): TimeoutError: tool did not answer in 30 s";
    assert!(
        last.contains(&end),
        "the last screen says so as well: {last:#?}"
    );
}

#[test]
fn reason_in_json_has_its_parts() {
    let temp = failing_run();
    let output = runvet(temp.path(), &["view", "@latest", "--json"], Width::Narrow);
    let page: Value = serde_json::from_str(stdout(&output)).unwrap();
    let expected = json!({"kind": "failed", "step_id": "step-4", "action_id": "act-4",
        "text": "TimeoutError: tool did not answer in 30 s", "file": "events.jsonl",
        "line": 411, "offset_sec": 1.0});
    assert_eq!(page["reason"], expected);
}

#[test]
fn reason_is_bounded_when_errors_are_huge() {
    let (_temp, dir) = copy_of("good/failed");
    let long = "é\u{1b}\n".repeat(1 << 18);
    let error = json!({"message": long, "type": long, "step_id": long}).to_string();
    replace(&dir.join("state.json"), r#"{"code":"timeout"}"#, &error);
    let run = RunReader::open(&dir).unwrap();
    let page = runvet::view::json(&run, &mut Gate::default()).unwrap();
    let page: Value = serde_json::from_slice(&page).unwrap();
    let lengths = ["text", "step_id"].map(|key| {
        page["reason"][key]
            .as_str()
            .unwrap()
            .len()
    });
    assert!(
        lengths
            .iter()
            .all(|length| *length < 4_000),
        "{lengths:?}"
    );
}
