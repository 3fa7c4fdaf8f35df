//! Sessions of `runvet record` whose evidence is refused, large, of no step, or out of order.

use std::fmt::Write as _;
use std::process::Command;

use runvet::gate::Gate;
use runvet::record::Action;
use runvet::recorder::{End, MAX_OUTPUT, Recorder, Task};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::recording::{complaints, json, only_run, session};

#[test]
fn refused_command_shows_in_the_exit_code_the_answer_and_the_messages() {
    let refused = "{\"note\":{\"phase\":\"observe\"}}\n\n{\"open\":\"step-9\"}\n{\"jot\":1}\n";
    let ended = format!("{refused}{{\"finish\":\"ok\"}}\n");
    let first = "note: 2 commands refused; the first, on line 3: opening a step is refused: the \
                 plan has no step \"step-9\"";
    for (args, input, code) in [
        (&["--task", "t", "--id", "run"][..], &*ended, Some(1)),
        (
            &["--task", "t", "--id", "run", "--keep-going"],
            &ended,
            Some(0),
        ),
        (&["--task", "t", "--id", "run"], refused, Some(1)),
        (
            &["--task", "t", "--id", "run"],
            "{\"finish\":\"ok\"}\n",
            Some(0),
        ),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let (exit, answers, said) = session(temp.path(), args, input);
        assert_eq!(exit, code, "{said}");
        let said: Vec<&str> = said.lines().collect();
        assert_eq!(
            said.first()
                .is_some_and(|it| *it == first),
            input.contains("step-9")
        );
        let last = answers.last().unwrap();
        if input.contains("finish") {
            assert_eq!(
                last["refused"],
                if input.contains("step-9") { 2 } else { 0 }
            );
        } else {
            // The run that stays pending is named last.
            let last = said.last().unwrap();
            assert!(
                last.contains(": run stays pending, and --resume run"),
                "{last}"
            );
        }
        assert_eq!(complaints(temp.path()), [""; 0]);
    }
}

#[test]
fn act_of_no_step_is_recorded_and_shown() {
    let temp = tempfile::tempdir().unwrap();
    let lines = r#"{"act":{"tool":"search","output":["a"]}}
        {"act":{"tool":"read","result_status":"ok"}}
        {"pause":"a person looks at it"}"#;
    let (code, answers, _) = session(temp.path(), &["--task", "t", "--id", "run"], lines);
    assert_eq!((code, &answers[2]["id"]), (Some(0), &json!("act-2")));
    let lines = r#"{"plan":["a"]}
        {"act":{"tool":"between"}}
        {"open":"step-1"}
        {"act":{"tool":"within"}}
        {"close":"step-1"}
        {"finish":"ok"}"#;
    let (code, _, said) = session(temp.path(), &["--resume", "run"], lines);
    assert_eq!(code, Some(0), "{said}");
    let state = json(only_run(temp.path()).join("state.json"));
    let actions = state["outcomes"]["actions"]
        .as_array()
        .unwrap();
    let steps: Vec<_> = actions
        .iter()
        .map(|it| it.get("step_id").cloned())
        .collect();
    assert_eq!(steps, [None, None, None, Some(json!("step-1"))]);
    assert_eq!(complaints(temp.path()), [""; 0]);
    let shown = Command::new(env!("CARGO_BIN_EXE_runvet"))
        .args(["view", "run", "--run-data"])
        .arg(temp.path())
        .output();
    let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
    assert!(
        shown.contains("Actions: 4") && shown.contains("search"),
        "{shown}"
    );
}

#[test]
fn large_evidence_is_recorded_by_its_digest() {
    let temp = tempfile::tempdir().unwrap();
    let image = "iVBORw0KGgo".repeat(20_000);
    let input = json!({"page": 1, "image": image});
    let lines = [
        json!({"plan": ["a"]}),
        json!({"open": "step-1"}),
        json!({"act": {"input": input, "output": {"data": image}, "x-raw": image}}),
        json!({"close": {"status": "done", "outputs": {"image": image, "size": 3}}}),
        json!({"finish": "ok"}),
    ];
    let lines = lines
        .map(|line| format!("{line}\n"))
        .concat();
    let (code, _, said) = session(temp.path(), &["--task", "t"], &lines);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(complaints(temp.path()), [""; 0]);
    let state = json(only_run(temp.path()).join("state.json"));
    let action = &state["outcomes"]["actions"][0];
    let digest = json!(digest_of(&image));
    assert_eq!(action["input"]["page"], 1);
    for cut in [
        &action["input"]["image"],
        &action["x-raw"],
        &state["plan"]["steps"][0]["outputs"]["image"],
    ] {
        assert_eq!(
            (&cut["sha256"], &cut["bytes"]),
            (&digest, &json!(image.len()))
        );
        assert!(
            image.starts_with(
                cut["excerpt"]
                    .as_str()
                    .unwrap()
                    .trim_end_matches('…')
            )
        );
    }
    let whole = json!({"data": image}).to_string();
    let digest = json!(digest_of(&whole));
    assert_eq!(action["output"]["sha256"], digest);

    // Another limit keeps it.
    let temp = tempfile::tempdir().unwrap();
    session(
        temp.path(),
        &["--task", "t", "--max-output", "1000000"],
        &lines,
    );
    let state = json(only_run(temp.path()).join("state.json"));
    assert_eq!(state["outcomes"]["actions"][0]["input"], input);
}

#[test]
fn full_state_takes_digests() {
    let temp = tempfile::tempdir().unwrap();
    let mut run = Recorder::new(temp.path())
        .begin(Task::new("look"))
        .unwrap();
    let boxes = Value::from(vec![json!({}); 150_000]);
    for number in 0..3 {
        let act = Action::new("screenshot")
            .status("ok")
            .output(boxes.clone());
        assert_eq!(run.act(None, act).unwrap(), format!("act-{}", number + 1));
    }
    let recorded = run.finish(End::ok()).unwrap();
    let actions = recorded.state.outcomes.actions.unwrap();
    let last = actions
        .last()
        .unwrap()
        .output
        .clone()
        .unwrap();
    assert!(last["bytes"].as_u64().unwrap() > MAX_OUTPUT as u64);
    assert_eq!(actions[0].output, Some(boxes));
    assert_eq!(
        Gate::default()
            .run([temp.path()])
            .unwrap()
            .totals
            .valid,
        1
    );
}

#[test]
fn events_come_in_the_order_of_the_log_and_may_have_no_time() {
    let temp = tempfile::tempdir().unwrap();
    let began = [
        "--task",
        "t",
        "--id",
        "run",
        "--started-at",
        "2026-03-01T12:00:00Z",
    ];
    let lines = r#"{"plan":["a"]}
        {"at":"2026-03-01T12:00:09Z"}
        {"open":"step-1"}
        {"act":{"tool":"late"}}
        {"at":"2026-03-01T12:00:05Z"}
        {"act":{"tool":"early"}}
        {"close":"step-1"}
        {"pause":"the log goes on elsewhere"}"#;
    let (code, _, said) = session(temp.path(), &began, lines);
    assert_eq!(code, Some(0), "{said}");
    let (code, _, said) = session(temp.path(), &["--resume", "run"], r#"{"finish":"ok"}"#);
    assert_eq!(code, Some(0), "{said}");
    let run = only_run(temp.path());
    let summary = json(run.join("summary.json"));
    assert_eq!(summary["duration_sec"], 9.0);
    assert_eq!(summary["metrics"]["latencies"]["execution_ms"], 0.0);
    let actions = &json(run.join("state.json"))["outcomes"]["actions"];
    assert_eq!(actions[1]["timestamp"], "2026-03-01T12:00:05.000000+00:00");
    // Only the rule about the order of times has something to say.
    let said = complaints(temp.path());
    assert!(
        said.iter()
            .all(|it| it.contains("strict/time-order")),
        "{said:?}"
    );

    let temp = tempfile::tempdir().unwrap();
    let lines = r#"{"at":null}
        {"note":{"phase":"observe"}}
        {"act":{"tool":"a"}}
        {"at":"2026-03-01T12:00:05Z"}
        {"act":{"tool":"b"}}
        {"finish":"ok"}"#;
    let (code, _, said) = session(temp.path(), &began, lines);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(complaints(temp.path()), [""; 0]);
    let run = only_run(temp.path());
    let actions = &json(run.join("state.json"))["outcomes"]["actions"];
    assert_eq!(actions[0]["x-time-unknown"], true);
    assert_eq!(actions[1].get("x-time-unknown"), None);
    let summary = json(run.join("summary.json"));
    // What nobody measured is not said.
    assert_eq!(summary["metrics"].get("latencies"), None);
    let (code, answers, _) = session(temp.path(), &["--task", "live"], r#"{"at":null}"#);
    assert_eq!(
        (code, &answers[1]["error"]["kind"]),
        (Some(1), &json!("refused"))
    );
}

/// The SHA-256 of a text, in hexadecimal digits.
fn digest_of(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}
