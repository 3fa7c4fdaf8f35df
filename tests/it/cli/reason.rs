//! `runvet view` says why a run did not succeed, and where, on the first screen.

use std::fs;
use std::path::Path;

use runvet::gate::Gate;
use runvet::read::RunReader;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::binary::stdout;

use crate::support::runs::{copy_of, replace, run_of};
use crate::support::terminal::{Width, command, runvet, snapshot};

/// What `view` says directly below the header.
fn reason(dir: &Path) -> String {
    let path = dir.to_str().unwrap();
    let output = command(dir, &["view", path], Width::Narrow)
        .env("COLUMNS", "120")
        .output()
        .unwrap();
    let text = stdout(&output).to_owned();
    let header = text.split("\n\n").next().unwrap();
    let lines: Vec<&str> = header.lines().skip_while(|line| *line != path).collect();
    let is_missing = |line: &&str| line.contains(" can't be shown: ");
    let lines: Vec<&str> = lines[1..]
        .iter()
        .copied()
        .filter(|line| !is_missing(line))
        .collect();
    lines.join(" ")
}

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
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
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
    let screen: Vec<&str> = stdout(&output).lines().take(24).collect();
    let (sentence, step) = ("Failed at step-4 (act-4, events.jsonl:", "✗ step-4 ");
    assert!(
        screen.iter().any(|line| line.starts_with(sentence)),
        "{screen:#?}"
    );
    assert!(screen.iter().any(|line| line.contains(step)), "{screen:#?}");
    let last: Vec<&str> = stdout(&output).lines().rev().take(24).collect();
    let end = "Run: failed (error): TimeoutError: tool did not answer in 30 s";
    assert!(
        last.contains(&end),
        "the last screen says so as well: {last:#?}"
    );
}

#[test]
fn reason_names_who_vetoed_what_and_why() {
    let (_temp, dir) = copy_of("good/vetoed");
    assert_eq!(
        reason(&dir),
        "Vetoed at step-2 (act-2, events.jsonl:6, +0.090s): the records do not say why"
    );
    replace(
        &dir.join("events.jsonl"),
        r#""payload":{"decision":"hint","target":"step-3"}"#,
        r#""payload":{"decision":"veto","message":"no bulk mails","policy_id":"policy:mail"}"#,
    );
    assert_eq!(
        reason(&dir),
        "Vetoed at step-2 by policy:mail (events.jsonl:4, +0.030s): no bulk mails"
    );
    replace(
        &dir.join("events.jsonl"),
        r#""decision":"veto","#,
        r#""decision":"veto","enforced":false,"#,
    );
    assert!(
        reason(&dir).starts_with("Vetoed at step-2 (act-2, "),
        "it was not enforced"
    );
}

#[test]
fn reason_is_where_the_records_have_it() {
    assert_eq!(
        reason(&run_of("good/failed")),
        "Failed (state.json:1): timeout"
    );
    assert_eq!(
        reason(&run_of("good/aborted")),
        "Aborted (events.jsonl:11, +0.150s): the records do not say why"
    );
    assert_eq!(
        reason(&run_of("good/unverified")),
        "Not verified (summary.json:1): no verification was provided"
    );
    assert_eq!(reason(&run_of("good/terminal")), "");
    assert_eq!(reason(&run_of("good/paused")), "");

    let (_temp, dir) = copy_of("good/failed");
    for file in ["state.json", "summary.json", "manifest.json"] {
        fs::remove_file(dir.join(file)).unwrap();
    }
    assert_eq!(reason(&dir), "", "nothing failed");
    let failed = r#""error":"no answer","step_id":"step-2","step_status":"failed""#;
    let done = r#""result_status":"ok","step_id":"step-2","step_status":"done""#;
    replace(&dir.join("events.jsonl"), done, failed);
    assert_eq!(
        reason(&dir),
        "Failed at step-2 (act-2, events.jsonl:6, +0.090s): no answer"
    );

    let (_temp, dir) = copy_of("good/terminal");
    replace(
        &dir.join("summary.json"),
        r#""outcome":"success""#,
        r#""outcome":"goal_not_achieved""#,
    );
    assert_eq!(reason(&dir), "", "the summary does not say why");
    let assertion = r#"{"name":"report exists","passed":"#;
    replace(
        &dir.join("summary.json"),
        &format!("{assertion}true"),
        &format!("{assertion}false"),
    );
    assert_eq!(
        reason(&dir),
        "Goal not achieved (summary.json:1): failed assertion: report exists"
    );
    let assertion = r#"{"name":"report exists","#;
    replace(
        &dir.join("summary.json"),
        assertion,
        &format!(r#"{assertion}"message":"2 of 5 are empty","#),
    );
    let output = runvet(&dir, &["view"], Width::Narrow);
    let end = "\nRun: goal not achieved (ok): failed assertion: report exists (2 of 5 are empty)\n";
    assert!(stdout(&output).contains(end), "{}", stdout(&output));
}

#[test]
fn reason_names_the_step_in_which_the_run_failed() {
    let (_temp, dir) = copy_of("good/failed-in-a-step");
    assert!(
        reason(&dir).starts_with("Failed at step-3 "),
        "{}",
        reason(&dir)
    );
}

#[test]
fn failure_that_was_repeated_with_success_is_no_reason() {
    let (_temp, dir) = copy_of("good/failed");
    let events = dir.join("events.jsonl");
    let act = r#""result_status":"ok","step_id":"step-1","step_status":"done""#;
    let failed = r#""error":"no answer","step_id":"step-1","step_status":"failed""#;
    replace(&events, act, failed);
    assert_eq!(
        reason(&dir),
        "Failed at step-1 (act-1, events.jsonl:5, +0.040s): timeout (no answer)"
    );
    replace(
        &events,
        r#""step_id":"step-2","step_status""#,
        r#""step_id":"step-1","step_status""#,
    );
    assert_eq!(reason(&dir), "Failed (state.json:1): timeout");
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
    let lengths = ["text", "step_id"].map(|key| page["reason"][key].as_str().unwrap().len());
    assert!(lengths.iter().all(|length| *length < 4_000), "{lengths:?}");
}
