//! Sessions of `runvet record`: every command and answer, slips, ends, resumption.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use runvet::Schema;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::action::with_runvet;
use crate::support::markdown::shown;
use crate::support::process::exited;
use crate::support::recording::{
    Talk, complaints, fed, follows, json, only_run, recording, session,
};
use crate::support::skip::{all_must_run, skip};

/// A session with every command, in each of its forms.
const EVERY_COMMAND: &str = r#"
{"note": {"phase": "observe"}}
{"note": {"phase": "reason", "payload": {"because": ["a", 1, null]}}}
{"plan": ["Collect the tickets", {"description": "Read them"}]}
{"plan": {"source": "planner.demo", "steps": ["Collect the tickets", {"id": "read", "kind": "analyze", "description": "Read them", "rationale": "nobody did", "inputs": {"limit": 3}}, {"id": "check", "kind": "verify", "description": "Check"}, "Mail them"]}}
{"open": "step-1"}
{"act": {}}
{"act": {"step_id": "step-1", "kind": "tool", "tool": "tickets", "input_excerpt": "open", "input": {"q": "open"}, "output": [1, 2], "result_status": "ok", "result_artifacts": ["a"], "provenance": "x", "duration_ms": 1.5, "x-cost": {"usd": 0.01}}}
{"close": "step-1"}
{"open": "read"}
{"open": "check"}
{"close": {"step_id": "read", "status": "done", "outputs": {"tickets": 3}}}
{"close": {"status": "skipped", "reason": "no time"}}
{"open": "step-4"}
{"close": {"status": "failed", "error": {"code": "smtp"}}}
{"believe": {"statement": "Three are open", "confidence": 0.9, "provenance": "act-1"}}
{"remember": {"key": "tickets", "value": 3, "provenance": "act-1"}}
{"remember": {"key": "oldest", "value": null}}
{"jot": "ask again"}
{"reflect": {"went": "well"}}
{"propose": {"proposal": {"lesson": "ask first"}}}
{"propose": {"proposal": {"lesson": "ask twice"}, "applied": true}}
{"persist": {}}
{"persist": null}
{"persist": true}
{"finish": {"status": "partial", "reason": "no mail", "artifacts": ["report.md"], "metrics": {"tickets": 3}}}
"#;

#[test]
fn every_command_is_obeyed_and_recorded() {
    let temp = tempfile::tempdir().unwrap();
    let args = [
        "--task", "Sum up", "--seed", "7", "--tag", "team=x", "--using", "demo",
    ];
    let (code, answers, said) = session(temp.path(), &args, EVERY_COMMAND);
    assert_eq!((code, &*said), (Some(0), ""));
    let commands: Vec<&str> = EVERY_COMMAND
        .lines()
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(answers.len(), commands.len() + 1);
    for (command, answer) in commands.iter().zip(&answers[1..]) {
        assert_eq!(answer["ok"], true, "{command}: {answer}");
        let command: Value = serde_json::from_str(command).unwrap();
        assert!(follows(Schema::RecordCommand, &command), "{command}");
        let name = command
            .as_object()
            .unwrap()
            .keys()
            .next()
            .unwrap();
        let has_id = !matches!(&**name, "plan" | "open" | "close" | "persist");
        assert_eq!(answer["id"].is_string(), has_id, "{command}: {answer}");
        let has_verdict = matches!(&**name, "plan" | "open");
        assert_eq!(answer["verdict"].is_object(), has_verdict, "{answer}");
    }
    let last = answers.last().unwrap();
    assert_eq!(last["status"], "partial");
    assert_eq!(last["outcome"], "goal_not_achieved");
    assert_eq!(complaints(temp.path()), [""; 0]);

    let run = only_run(temp.path());
    let state = json(run.join("state.json"));
    assert_eq!(
        answers[0]["id"],
        run.file_name()
            .unwrap()
            .to_str()
            .unwrap()
    );
    assert_eq!(answers[0]["path"], run.to_str().unwrap());
    assert_eq!(state["episode"]["seed"], 7);
    assert_eq!(state["episode"]["tags"], json!({"team": "x"}));
    assert_eq!(state["episode"]["using"], "demo");
    assert_eq!(state["plan"]["source"], "planner.demo");
    let statuses = state["plan"]["steps"]
        .as_array()
        .unwrap()
        .iter();
    let statuses: Vec<_> = statuses
        .map(|step| step["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["done", "done", "skipped", "failed"]);
    assert_eq!(state["plan"]["steps"][1]["outputs"], json!({"tickets": 3}));
    assert_eq!(
        state["outcomes"]["actions"][1]["x-cost"],
        json!({"usd": 0.01})
    );
    assert_eq!(state["memory"]["facts"][1]["value"], Value::Null);
    assert_eq!(state["outcomes"]["metrics"]["tickets"], 3);
}

#[test]
fn run_ends_with_every_status() {
    for (finish, status, error) in [
        (json!("ok"), "ok", Value::Null),
        (json!("partial"), "partial", Value::Null),
        (json!("vetoed"), "vetoed", Value::Null),
        (json!("aborted"), "aborted", Value::Null),
        (json!("error"), "error", json!("unknown")),
        (
            json!({"status": "error", "reason": "late"}),
            "error",
            json!("late"),
        ),
        (
            json!({"status": "error", "error": [1], "reason": "late"}),
            "error",
            json!([1]),
        ),
        (
            json!({"status": "aborted", "reason": "enough"}),
            "aborted",
            Value::Null,
        ),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let command = json!({"finish": finish});
        assert!(follows(Schema::RecordCommand, &command), "{command}");
        let (code, answers, _) = session(temp.path(), &["--task", "t"], &command.to_string());
        assert_eq!((code, answers.len()), (Some(0), 2), "{answers:?}");
        let state = json(only_run(temp.path()).join("state.json"));
        assert_eq!(state["outcomes"]["status"], status);
        assert_eq!(state["outcomes"]["error"], error);
        if let Some(reason) = finish.get("reason") {
            let events = fs::read_to_string(only_run(temp.path()).join("events.jsonl")).unwrap();
            assert!(events.contains(&reason.to_string()), "{events}");
        }
        assert_eq!(complaints(temp.path()), [""; 0], "{command}");
    }
}

#[test]
fn verdict_of_an_evaluator_decides_the_outcome() {
    let cites = json!({"name": "cites", "passed": true});
    let short = json!({"name": "short", "passed": false, "message": "412 words"});
    for (assertions, score, outcome) in [
        (json!([cites]), json!(0.9), "success"),
        (json!([cites, short]), json!(null), "goal_not_achieved"),
        (json!([]), json!(0.5), "success_unverified"),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let mut finish = json!({"status": "ok", "assertions": assertions});
        if !score.is_null() {
            finish["score"] = score.clone();
        }
        let command = json!({"finish": finish});
        assert!(follows(Schema::RecordCommand, &command), "{command}");
        let (_, answers, said) = session(temp.path(), &["--task", "t"], &command.to_string());
        assert_eq!(answers.last().unwrap()["outcome"], outcome, "{said}");
        let run = only_run(temp.path());
        let verification = &json(run.join("summary.json"))["verification"];
        assert_eq!(verification["assertions"], assertions);
        let state = json(run.join("state.json"));
        assert_eq!(state["outcomes"]["metrics"]["score"], score);
        assert_eq!(complaints(temp.path()), [""; 0], "{command}");
    }
}

#[test]
fn run_is_recorded_afterwards_with_its_own_id_and_times() {
    let temp = tempfile::tempdir().unwrap();
    let began = ["--started-at", "2026-03-01T13:00:00.5+01:00"];
    let named = ["--task", "t", "--id", "trace-4711"];
    let lines = r#"{"at":"2026-03-01T12:00:02Z"}
        {"note":{"phase":"observe"}}
        {"at":"2026-03-01T12:00:02.5"}
        {"at":"2026-03-01"}
        {"at":"9999-12-31T23:59:59-23:59"}
        {"pause":"the export ended"}"#;
    let (code, answers, _) = session(temp.path(), &[&named[..], &began].concat(), lines);
    let refused: Vec<&str> = answers
        .iter()
        .filter_map(|answer| answer["error"]["message"].as_str())
        .collect();
    // Without a zone it is in UTC, as `--started-at` is, and the answer says so.
    assert_eq!(answers[3]["at"], "2026-03-01T12:00:02.5Z");
    assert_eq!(
        (code, &answers[0]["id"], &*refused),
        (
            Some(1),
            &json!("trace-4711"),
            &[
                "`at` is \"2026-03-01\", not an RFC 3339 date-time",
                "the time is refused: in UTC, it is outside of the years 0 to 9999",
            ][..]
        )
    );
    // Another process knows that the times are not its own.
    let lines = r#"{"at":"2026-03-01T12:01:00.5Z"}
        {"finish":"ok"}"#;
    let (code, _, said) = session(temp.path(), &["--resume", "trace-4711"], lines);
    assert_eq!(code, Some(0), "{said}");
    let summary = json(only_run(temp.path()).join("summary.json"));
    assert_eq!(
        (&summary["started_at"], &summary["duration_sec"]),
        (&json!("2026-03-01T12:00:00.500000+00:00"), &json!(60.0))
    );
    assert_eq!(complaints(temp.path()), [""; 0]);
    let (code, answers, _) = session(temp.path(), &named, "");
    assert_eq!(
        (code, &answers[0]["error"]["kind"]),
        (Some(2), &json!("exists"))
    );
}

#[test]
fn id_that_is_not_a_name_everywhere_is_noted() {
    let temp = tempfile::tempdir().unwrap();
    for (id, is_noted) in [("trace:1", true), ("dot.", true), ("trace-1.2", false)] {
        let id = format!("--id={id}");
        let (code, _, said) = session(temp.path(), &["--task", "t", &id], "{\"finish\":\"ok\"}\n");
        assert_eq!(code, Some(0), "{id}: {said}");
        assert_eq!(said.contains("on Windows"), is_noted, "{id}: {said}");
    }
}

#[test]
fn id_that_can_not_be_a_directory_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let long = "a".repeat(129);
    let wrong = [
        "",
        ".",
        "..",
        "a/b",
        "-a",
        ".a",
        "a b",
        "é",
        "a\n",
        "episodes",
        "state.json",
        "learn.jsonl",
        "runvet.toml",
        &long,
    ];
    for id in wrong {
        let id = format!("--id={id}");
        let (code, answers, _) = session(temp.path(), &["--task", "t", &id], "");
        assert_eq!(code, Some(2), "{id}");
        assert_eq!(answers[0]["error"]["kind"], "refused", "{id}");
    }
    assert!(!temp.path().join("episodes").exists());
    for id in ["_", "7", "2026-03-01T12:00:00", &long[1..]] {
        let (code, answers, _) = session(temp.path(), &["--task", "t", "--id", id], "");
        assert_eq!((code, &answers[0]["id"]), (Some(0), &json!(id)));
    }
    assert_eq!(complaints(temp.path()), [""; 0]);
}

/// Returns the lines of a table that are no comments.
fn lines(table: &str) -> Vec<&str> {
    let lines = table
        .lines()
        .filter(|line| !line.starts_with('#'));
    lines.map(str::trim_start).collect()
}

#[test]
fn bad_line_is_answered_and_changes_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let mut talk = Talk::new(temp.path(), &["--task", "t"]);
    talk.tell(&[r#"{"plan":["a","b"]}"#, r#"{"open":"step-1"}"#]);
    let before = fs::read(talk.dir.join("events.jsonl")).unwrap();
    let bad = lines(include_str!("record/refused.txt"));
    for (kind, line) in bad
        .iter()
        .filter_map(|it| it.split_once(' '))
    {
        let answer = talk.ask(line);
        assert_eq!(answer["ok"], false, "{line}: {answer}");
        assert_eq!(answer["error"]["kind"], kind, "{line}: {answer}");
        if let Ok(command) = serde_json::from_str(line) {
            let follows = follows(Schema::RecordCommand, &command);
            assert_eq!(follows, kind == "refused", "{line}");
        }
        let after = fs::read(talk.dir.join("events.jsonl")).unwrap();
        assert!(after == before, "{line} was recorded");
    }
    talk.tell(&[
        r#"{"close":"step-1"}"#,
        r#"{"open":"step-2"}"#,
        r#"{"close":"step-2"}"#,
    ]);
    let last = talk.ask(r#"{"finish":"ok"}"#);
    assert_eq!(last["refused"], bad.len());
    assert_eq!(talk.end(), Some(1));
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn message_about_a_bad_line_says_what_to_write() {
    let temp = tempfile::tempdir().unwrap();
    let mut talk = Talk::new(temp.path(), &["--task", "t"]);
    talk.tell(&[r#"{"plan":["a","b"]}"#]);
    let mut cases = lines(include_str!("record/messages.txt"));
    cases.extend(["{\"jot\":\"\u{1b}[31m\"", "byte 9"]);
    for [line, said] in cases.as_chunks().0 {
        let answer = talk.ask(line);
        let message = answer["error"]["message"]
            .as_str()
            .unwrap();
        assert!(message.contains(*said), "{line}: {message}");
    }
    talk.tell(&[r#"{"open":"step-1"}"#, r#"{"open":"step-2"}"#]);
    let answer = talk.ask(r#"{"act":{}}"#);
    let message = answer["error"]["message"]
        .as_str()
        .unwrap();
    assert!(message.contains("name one as `step_id`"), "{message}");
    talk.tell(&[r#"{"act":{"step_id":"step-1"}}"#, r#"{"close":"step-1"}"#]);
    let answer = talk.ask(r#"{"plan":[{"id":"step-2","description":"b"}]}"#);
    let message = answer["error"]["message"]
        .as_str()
        .unwrap();
    assert!(
        message.contains("\"step-1\", which has an action"),
        "{message}"
    );
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    let answer = talk.ask(&format!(r#"{{"reflect":{{"a":{deep}}}}}"#));
    assert_eq!(
        answer["error"]["message"],
        "the `reflect` event is larger than the limit: 120 levels of nesting"
    );
    // A message does not repeat a line of any length, nor what acts on a terminal.
    let answer = talk.ask(&format!(r#"{{"open":"\u001b{}"}}"#, "x".repeat(10_000)));
    let message = answer["error"]["message"]
        .as_str()
        .unwrap();
    assert!(
        message.len() < 2_000 && !message.contains('\u{1b}'),
        "{message}"
    );
    assert_eq!(talk.end(), Some(1));
}

#[test]
fn line_beyond_the_limit_is_answered_and_passed_over() {
    let temp = tempfile::tempdir().unwrap();
    let long = format!("{{\"jot\":\"{}\"}}\n", "x".repeat(64 << 20));
    let many = format!("{{\"reflect\":{{\"a\":[{}0]}}}}\n", "0,".repeat(1_000_000));
    let deep = format!(
        "{{\"reflect\":{{\"a\":{}{}}}}}\n",
        "[".repeat(200),
        "]".repeat(200)
    );
    let input = [
        &long,
        &many,
        &deep,
        "{\"jot\":\"a\"}\n{\"finish\":\"ok\"}\n",
    ]
    .concat();
    let (code, answers, _) = session(temp.path(), &["--task", "t"], &input);
    assert_eq!(code, Some(1));
    let kinds: Vec<_> = answers
        .iter()
        .map(|answer| answer["error"]["kind"].clone())
        .collect();
    assert_eq!(kinds[1], "too_large");
    assert!(kinds[2] == "syntax" && kinds[3] == "syntax", "{kinds:?}");
    assert!(answers[4]["ok"] == true && answers[5]["ok"] == true);
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn paused_run_goes_on_where_it_was() {
    let temp = tempfile::tempdir().unwrap();
    let mut talk = Talk::new(temp.path(), &["--task", "t"]);
    assert_eq!(talk.pending, json!([]));
    talk.tell(&[
        r#"{"plan":["a","b"]}"#,
        r#"{"open":"step-1"}"#,
        r#"{"close":"step-1"}"#,
        r#"{"pause":"a person looks at it"}"#,
    ]);
    let id = talk.id.clone();
    assert_eq!(talk.end(), Some(0));
    assert_eq!(complaints(temp.path()), [""; 0]);

    let mut talk = Talk::new(temp.path(), &["--resume", &id]);
    assert_eq!((&talk.id, &talk.pending), (&id, &json!(["step-2"])));
    talk.tell(&[r#"{"open":"step-2"}"#, r#"{"act":{"tool":"x"}}"#]);
    let busy = session(temp.path(), &["--resume", &id], "");
    assert_eq!(
        (busy.0, &busy.1[0]["error"]["kind"]),
        (Some(2), &json!("busy"))
    );
    talk.tell(&[r#"{"close":"step-2"}"#, r#"{"finish":"ok"}"#]);
    assert_eq!(talk.end(), Some(0));
    assert_eq!(complaints(temp.path()), [""; 0]);

    let (code, answers, said) = session(temp.path(), &["--resume", &id], "");
    assert_eq!(
        (code, &answers[0]["error"]["kind"]),
        (Some(2), &json!("ended"))
    );
    assert!(said.starts_with("error: the run ep_"), "{said}");
}

#[test]
fn run_stays_pending_or_is_aborted_when_the_input_ends() {
    let open = "{\"plan\":[\"a\"]}\n{\"open\":\"step-1\"}";
    for (input, on_eof, status, step) in [
        ("", "pending", "pending", None),
        ("", "aborted", "aborted", None),
        (open, "pending", "pending", Some("running")),
        (open, "aborted", "aborted", Some("failed")),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let args = ["--task", "t", "--on-eof", on_eof];
        let (code, _, said) = session(temp.path(), &args, input);
        assert_eq!(code, Some(0));
        assert!(
            said.starts_with("note: the input ended before the run: ep_"),
            "{said}"
        );
        let state = json(only_run(temp.path()).join("state.json"));
        assert_eq!(state["outcomes"]["status"], status);
        assert_eq!(
            state["plan"]["steps"][0]["status"].as_str(),
            step,
            "{state}"
        );
        assert_eq!(complaints(temp.path()), [""; 0], "{on_eof}: {input}");
    }
}

#[test]
fn run_stays_pending_or_is_aborted_when_a_signal_comes() {
    for (signal, on_eof, status) in [
        (Signal::TERM, "pending", "pending"),
        (Signal::INT, "pending", "pending"),
        (Signal::HUP, "pending", "pending"),
        (Signal::TERM, "aborted", "aborted"),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let mut talk = Talk::new(temp.path(), &["--task", "t", "--on-eof", on_eof]);
        talk.tell(&[r#"{"plan":["a"]}"#, r#"{"open":"step-1"}"#]);
        let pid = i32::try_from(talk.child.id()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
        assert_eq!(talk.child.wait().unwrap().code(), Some(0));
        let state = json(talk.dir.join("state.json"));
        assert_eq!(state["outcomes"]["status"], status);
        assert_eq!(complaints(temp.path()), [""; 0]);
    }
}

/// A session that is told and read by hand.
fn started(run_data: &Path, stderr: Stdio) -> Child {
    recording(run_data, &["--task", "t"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .unwrap()
}

#[test]
fn run_stays_pending_when_nobody_reads_the_answers() {
    let temp = tempfile::tempdir().unwrap();
    let mut child = started(temp.path(), Stdio::piped());
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(b"{\"jot\":\"a\"}\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(complaints(temp.path()), [""; 0]);
    let state = json(only_run(temp.path()).join("state.json"));
    assert_eq!(state["outcomes"]["status"], "pending");
}

#[test]
fn reader_that_leaves_ends_the_session() {
    let temp = tempfile::tempdir().unwrap();
    let mut child = started(temp.path(), Stdio::null());
    let mut first = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut first).unwrap();
    drop(stdout);
    // The input goes on, and nothing comes from it.
    let _stdin = child.stdin.take();
    assert_eq!(exited(&mut child).code(), Some(2));
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn signal_is_heard_while_nobody_reads_the_answers() {
    let temp = tempfile::tempdir().unwrap();
    let mut child = started(temp.path(), Stdio::null());
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    std::thread::spawn(move || {
        while stdin
            .write_all(b"{\"jot\":\"a\"}\n")
            .is_ok()
        {}
    });
    // The pipe is full when no more answers come.
    let mut last = (0, 0);
    while last.0 < 60_000 || last.1 < 50 {
        let held = rustix::io::ioctl_fionread(&stdout).unwrap();
        last = (held, if held == last.0 { last.1 + 1 } else { 0 });
        std::thread::sleep(Duration::from_millis(1));
    }
    let pid = i32::try_from(child.id()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM).unwrap();
    assert_eq!(exited(&mut child).code(), Some(0));
    let state = json(only_run(temp.path()).join("state.json"));
    assert_eq!(state["outcomes"]["status"], "pending");
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn value_that_cannot_be_recorded_is_refused_and_harms_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let mut talk = Talk::new(temp.path(), &["--task", "t"]);
    let objects = format!("[{}]", vec![r#"{"a":1}"#; 250_000].join(","));
    for (value, kind) in [
        (r#"{"A":1,"$serde_json::private::RawValue":"2"}"#, "refused"),
        (r#"{"$serde_json::private::RawValue":"2"}"#, "refused"),
        ("1e400", "refused"),
        ("1e-400", "refused"),
        ("18446744073709551616", "refused"),
        ("[12345678901234567890123]", "refused"),
        (r#"{"a":-0.1000000000000000000001}"#, "refused"),
        (&objects, "too_large"),
    ] {
        let line = format!(r#"{{"remember":{{"key":"a","value":{value}}}}}"#);
        let said = talk.ask(&line);
        assert_eq!(said["error"]["kind"], kind, "{said}");
    }
    talk.tell(&[r#"{"jot":"a"}"#]);
    let (id, _) = (talk.id.clone(), talk.end());
    talk = Talk::new(temp.path(), &["--resume", &id]);
    talk.tell(&[r#"{"finish":"ok"}"#]);
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn number_that_is_recorded_keeps_its_value() {
    let temp = tempfile::tempdir().unwrap();
    let mut talk = Talk::new(temp.path(), &["--task", "t"]);
    for (value, written) in [
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("1.50E+2", "150.0"),
        ("-0", "-0.0"),
        ("1e23", "1e+23"),
        ("5e-324", "5e-324"),
        ("0.10000000000000001", "0.1"),
    ] {
        talk.tell(&[&format!(
            r#"{{"note":{{"phase":"p","payload":{{"a":{value}}}}}}}"#
        )]);
        let events = fs::read_to_string(talk.dir.join("events.jsonl")).unwrap();
        let payload = format!(r#""payload":{{"a":{written}}}"#);
        assert!(events.contains(&payload), "{value}: {events}");
    }
}

#[test]
fn workspace_is_verified_when_the_run_ends() {
    for (is_there, outcome) in [(true, "success"), (false, "goal_not_achieved")] {
        let temp = tempfile::tempdir().unwrap();
        let workspace = temp.path().join("work");
        fs::create_dir(&workspace).unwrap();
        let runs = temp.path().join("runs");
        let dir = workspace.to_str().unwrap();
        let args = ["--task", "t", "--workspace", dir, "--verify", "report.md"];
        let mut talk = Talk::new(&runs, &args);
        if is_there {
            fs::write(workspace.join("report.md"), "x").unwrap();
        }
        assert_eq!(talk.ask(r#"{"finish":"ok"}"#)["outcome"], outcome);
        assert_eq!(talk.end(), Some(0));
        assert_eq!(complaints(&runs), [""; 0]);
    }
}

#[test]
fn run_data_inside_a_run_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    session(temp.path(), &["--task", "t"], r#"{"finish":"ok"}"#);
    let run = only_run(temp.path());
    for inside in [run.clone(), run.join("new/deep")] {
        let (code, answers, _) = session(&inside, &["--task", "t"], "");
        assert_eq!(code, Some(2));
        assert_eq!(answers[0]["error"]["kind"], "refused", "{answers:?}");
    }
    assert!(!run.join("episodes").exists() && !run.join("new").exists());
}

#[test]
fn workspace_of_a_run_without_one_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let named = ["--task", "t", "--id", "ep_1"];
    session(temp.path(), &named, r#"{"pause":"later"}"#);
    let events = only_run(temp.path()).join("events.jsonl");
    let before = fs::read(&events).unwrap();
    let args = ["--resume", "ep_1", "--workspace", "/nonexistent"];
    let (code, answers, _) = session(temp.path(), &args, r#"{"finish":"ok"}"#);
    assert_eq!(
        (code, &answers[0]["error"]["kind"]),
        (Some(2), &json!("refused"))
    );
    assert!(before == fs::read(&events).unwrap());
}

#[test]
fn run_begins_at_a_time_as_other_commands_take_it() {
    let temp = tempfile::tempdir().unwrap();
    let args = ["--task", "t", "--started-at", "2026-03-01"];
    let (code, _, said) = session(temp.path(), &args, r#"{"finish":"ok"}"#);
    let note = "note: --started-at 2026-03-01 is 2026-03-01T00:00:00Z\n";
    assert_eq!((code, &*said), (Some(0), note));
    assert_eq!(
        json(only_run(temp.path()).join("summary.json"))["started_at"],
        "2026-03-01T00:00:00.000000+00:00"
    );
}

#[test]
fn run_does_not_begin_where_signals_cannot_be_heard() {
    // How many files are open already depends on who runs the tests.
    let fails_to_listen = |files: &u32| {
        let temp = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new("prlimit");
        command
            .arg(format!("--nofile={files}"))
            .args([env!("CARGO_BIN_EXE_runvet"), "record"])
            .args(["--no-config", "--task", "t", "--run-data"])
            .arg(temp.path());
        let output = fed(command, b"{\"finish\":\"ok\"}\n");
        let said = String::from_utf8_lossy(&output.stderr);
        let fails = said.contains("listening to signals failed: ");
        if fails {
            assert_eq!(output.status.code(), Some(2), "{said}");
            let answers = String::from_utf8_lossy(&output.stdout);
            assert!(answers.contains(r#""kind":"io""#), "{answers}");
            assert!(!temp.path().join("episodes").exists());
        }
        fails
    };
    assert!((5..24).any(|files| fails_to_listen(&files)));
}

#[test]
fn wrong_options_of_a_session_are_refused() {
    let temp = tempfile::tempdir().unwrap();
    for args in [
        &[][..],
        &["--task", " "],
        &["--task", "t", "--resume", "ep_1"],
        &["--resume", "ep_1", "--seed", "1"],
        &["--task", "t", "--seed", "x"],
        &["--task", "t", "--seed", "18446744073709551616"],
        &["--task", "t", "--seed", "1e-400"],
        &["--task", "t", "--started-at", "0000-01-01T00:00:00+23:59"],
        &["--task", "t", "--started-at", "soon"],
        &["--task", "t", "--tag", "x"],
        &["--task", "t", "--verify", "x"],
        &["--task", "t", "--on-eof", "ok"],
        &["--task", "t", "--", "true"],
        &["--exec"],
    ] {
        let output = fed(recording(temp.path(), args), b"");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
    assert!(!temp.path().join("episodes").exists());
}

#[test]
fn memory_is_flat_over_many_lines() {
    if !all_must_run() {
        return skip("it takes a minute; RUNVET_TESTS=all runs it");
    }
    let temp = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("prlimit");
    command
        .args(["--as=134217728", env!("CARGO_BIN_EXE_runvet"), "record"])
        .args(["--task", "t", "--durability", "process", "--run-data"])
        .arg(temp.path());
    let line = "{\"note\":{\"phase\":\"observe\",\"payload\":{\"text\":\"some text\"}}}\n";
    let output = fed(
        command,
        // Ids of a million events are compared at most.
        (line.repeat(900_000) + "{\"finish\":\"ok\"}").as_bytes(),
    );
    assert_eq!(output.status.code(), Some(0));
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), 900_002);
    assert!(
        answers
            .lines()
            .all(|line| line.starts_with("{\"ok\":true"))
    );
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn sessions_in_the_document_are_recorded() {
    for (language, line, program) in [
        ("python", "import subprocess", "python3"),
        (
            "sh",
            "'{\"finish\":\"ok\"}' | runvet record --run-data runs --task 'Summarize the open tickets'",
            "sh",
        ),
        ("sh", "--started-at 2026-03-01T12:00:00Z", "sh"),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let script = shown("docs/recording.md", language, line);
        let mut command = with_runvet(program);
        let output = command
            .args(["-c", &script])
            .current_dir(temp.path())
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.success() && said.is_empty(),
            "{said}{printed}"
        );
        assert!(printed.contains("success_unverified"), "{printed}");
        assert_eq!(complaints(&temp.path().join("runs")), [""; 0]);
    }
}

/// Whoever reads the run later has to see that something is missing.
#[test]
fn what_is_refused_is_counted_in_the_run() {
    let temp = tempfile::tempdir().unwrap();
    let mut talk = Talk::new(temp.path(), &["--task", "t", "--id", "a"]);
    for line in [
        r#"{"act": {"tool": "search", "id": "mine"}}"#,
        r#"{"note": {"phase": "plan"}}"#,
        r#"{"believe": {"statement": "s", "confidence": 7, "provenance": "p"}}"#,
        "{broken",
        // These were not to be recorded.
        r#"{"nothing": 1}"#,
        r#"{"would": {"phase": 1}}"#,
        r#"{"open": "step-9"}"#,
        r#"{"close": "step-9"}"#,
        r#"{"finish": "nothing"}"#,
    ] {
        assert_eq!(talk.ask(line)["ok"], false, "{line}");
    }
    talk.tell(&[r#"{"pause": "later"}"#]);
    assert_eq!(talk.end(), Some(1));
    let mut talk = Talk::new(temp.path(), &["--resume", "a"]);
    assert_eq!(talk.ask(r#"{"propose": {}}"#)["ok"], false);
    talk.tell(&[r#"{"finish": "ok"}"#]);
    assert_eq!(talk.end(), Some(1));
    let run = temp.path().join("episodes/a");
    assert_eq!(json(run.join("summary.json"))["metrics"]["x-refused"], 5);
    let events = fs::read_to_string(run.join("events.jsonl")).unwrap();
    assert!(
        events.contains(r#""payload":{"status":"ok","x-refused":5}"#),
        "{events}"
    );
    assert_eq!(complaints(temp.path()), [""; 0]);
}

/// A value that is cut can be read in its file, and is asked about as it is recorded.
#[test]
fn large_value_is_attached_before_it_is_cut() {
    let temp = tempfile::tempdir().unwrap();
    let config = temp.path().join("runvet.toml");
    let order = r#"
        [[order]]
        id = "a/once"
        each = { phase = "act", tool = "write" }
        same = "/payload/input"
        at-most = 1
        message = "twice"
    "#;
    fs::write(&config, order).unwrap();
    let options = [
        "--task",
        "t",
        "--id",
        "a",
        "--config",
        config.to_str().unwrap(),
    ];
    let mut talk = Talk::new(temp.path(), &options);
    let text = "x".repeat(70_000);
    let act = json!({"tool": "write", "input": {"text": text}});
    talk.tell(&[&json!({ "act": act }).to_string()]);
    let found = talk.ask(&json!({"would": {"phase": "act", "payload": act}}).to_string());
    assert_eq!(found["findings"][0]["rule"], "a/once");
    talk.tell(&[r#"{"finish": "ok"}"#]);
    assert_eq!(talk.end(), Some(0));
    let run = temp.path().join("episodes/a");
    let state = json(run.join("state.json"));
    let value = &state["outcomes"]["actions"][0]["input"]["text"];
    let file = run.join(value["attachment"].as_str().unwrap());
    assert_eq!(fs::read_to_string(file).unwrap(), text);
    assert_eq!(value["bytes"], 70_000);
    let summary = json(run.join("summary.json"));
    assert_eq!(summary["metrics"].get("x-refused"), None);
}
