//! `runvet diff`: two runs side by side, and what counts as a difference.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::process::Unprivileged;
use crate::support::runs::{copy_dir, copy_of, replace};
use crate::support::terminal::{Width, command, runvet, snapshot};

fn demo() -> std::path::PathBuf {
    corpus().join("demo")
}

/// The exit code and the JSON of a diff.
fn diff(dir: &Path, left: &str, right: &str) -> (Option<i32>, Value) {
    let output = runvet(dir, &["diff", left, right, "--json"], Width::Narrow);
    let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), json)
}

fn pointers(differences: &Value) -> Vec<&str> {
    let differences = differences.as_array().unwrap().iter();
    differences
        .map(|difference| difference["pointer"].as_str().unwrap())
        .collect()
}

#[test]
fn diff_of_the_demo_matches_the_snapshots() {
    for width in Width::BOTH {
        let output = runvet(&demo(), &["diff", "ep_01", "ep_03"], width);
        assert_eq!((output.status.code(), stderr(&output)), (Some(1), ""));
        snapshot(&format!("diff-edited-{width}"), &output);
    }
    let coloured = ["diff", "ep_01", "ep_02", "--color", "always"];
    snapshot(
        "diff-paused-colour",
        &runvet(&demo(), &coloured, Width::Narrow),
    );
}

#[test]
fn diff_says_which_run_is_missing() {
    let output = runvet(&demo(), &["diff", "ep_01"], Width::Narrow);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("not provided:\n  <RIGHT>\n"), "{said}");
    assert!(
        said.contains("Usage: runvet diff <LEFT> <RIGHT>\n"),
        "{said}"
    );
}

#[test]
fn diff_tells_a_fault_of_run_data_once() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    let temp = Unprivileged::scratch();
    let episodes = temp.path().join("episodes");
    let sound = corpus().join("good/terminal/episodes/ep_answer");
    copy_dir(&sound, &episodes.join("ep_answer"));
    let closed = episodes.join("closed");
    fs::create_dir(&closed).unwrap();
    let chmod = |mode| fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).unwrap();
    chmod(0o000);
    let dir = temp.path().to_str().unwrap();
    let args = ["diff", "ep_answer", "@latest", "--run-data", dir];
    let output = user.runvet(&[], &args).output().unwrap();
    chmod(0o755);
    assert_eq!(stderr(&output).matches("closed: ").count(), 1, "{output:?}");
}

#[test]
fn diff_lines_fit_the_width() {
    for columns in [40, 80, 120] {
        let output = command(&demo(), &["diff", "ep_01", "ep_02"], Width::Narrow)
            .env("COLUMNS", columns.to_string())
            .output()
            .unwrap();
        let beyond = |line: &&str| line.width() > columns && !line.contains("episodes/");
        assert_eq!(stdout(&output).lines().find(beyond), None, "{columns}");
    }
}

#[test]
fn diff_exits_0_for_the_same_run_and_1_for_another() {
    let (code, same) = diff(&demo(), "ep_01", "ep_01");
    assert_eq!(code, Some(0));
    let side = json!({"episode_id": "ep_01_answer", "dir": "episodes/ep_01_answer"});
    let expected = json!({"same": true, "left": side, "right": side, "differences": [], "more": 0,
        "uncounted": [], "uncounted_more": 0});
    assert_eq!(same, expected);
    let (code, other) = diff(&demo(), "ep_01", "ep_03");
    assert_eq!((code, &other["same"]), (Some(1), &json!(false)));
    assert_eq!(
        other["differences"],
        json!([
            {"pointer": "/state/outcomes/metrics/task_score", "left": 0.75, "right": 0.95},
            {"pointer": "/state/plan/steps/1/status", "left": "done", "right": "pending"},
            {"pointer": "/findings/plan~1projection", "left": null, "right": 1},
            {"pointer": "/findings/projection~1outcomes", "left": null, "right": 1},
        ])
    );
}

#[test]
fn diff_does_not_count_ids_times_durations_and_digests() {
    let (temp, dir) = copy_of("good/terminal");
    let other = temp.path().join("episodes/ep_other");
    copy_dir(&dir, &other);
    for file in ["state.json", "summary.json", "events.jsonl"] {
        let text = fs::read_to_string(other.join(file)).unwrap();
        let text = text
            .replace("ep_answer", "ep_other")
            .replace("2026-03-01", "2026-04-02");
        fs::write(other.join(file), text.replace("act-1", "act-7")).unwrap();
    }
    replace(
        &other.join("summary.json"),
        r#""duration_sec":0.15"#,
        r#""duration_sec":9"#,
    );
    replace(
        &other.join("summary.json"),
        r#""total_ms":150"#,
        r#""total_ms":9000"#,
    );
    // The provenance of what the run believes is no id.
    let text = fs::read_to_string(other.join("state.json")).unwrap();
    let text = text.replace(r#""provenance":"act-7""#, r#""provenance":"act-1""#);
    fs::write(other.join("state.json"), text).unwrap();
    let (_, json) = diff(temp.path(), "ep_answer", "ep_other");
    let counted = pointers(&json["differences"]);
    let of_records = counted
        .iter()
        .filter(|pointer| !pointer.starts_with("/findings/"));
    assert_eq!(of_records.count(), 0, "{counted:?}");
    let uncounted = pointers(&json["uncounted"]);
    for pointer in [
        "/state/episode/id",
        "/state/episode/started_at",
        "/state/outcomes/actions/0/id",
        "/summary/duration_sec",
        "/summary/metrics/latencies/total_ms",
    ] {
        assert!(uncounted.contains(&pointer), "{pointer} in {uncounted:?}");
    }
    replace(
        &other.join("state.json"),
        r#""queue":"support""#,
        r#""queue":"sales""#,
    );
    let (code, json) = diff(temp.path(), "ep_answer", "ep_other");
    let pointer = "/state/plan/steps/0/inputs/queue";
    assert!(pointers(&json["differences"]).contains(&pointer) && code == Some(1));
}

#[test]
fn diff_exits_2_when_a_record_is_there_but_broken() {
    let (temp, dir) = copy_of("good/terminal");
    copy_dir(&dir, &temp.path().join("episodes/ep_other"));
    fs::write(dir.join("summary.json"), "{").unwrap();
    let output = runvet(
        temp.path(),
        &["diff", "ep_other", "ep_answer"],
        Width::Narrow,
    );
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
    assert!(
        stderr(&output).starts_with("error: episodes/ep_answer/summary.json:1:2: not JSON: "),
        "{}",
        stderr(&output)
    );
    fs::remove_file(dir.join("summary.json")).unwrap();
    let (code, json) = diff(temp.path(), "ep_other", "ep_answer");
    assert_eq!(code, Some(1), "one that is not there is a difference");
    assert!(pointers(&json["differences"]).contains(&"/summary"));
    assert_eq!(diff(temp.path(), "ep_other", "ep_nowhere").0, Some(2));
}

#[test]
fn diff_of_long_lists_is_bounded_and_counted() {
    let (temp, dir) = copy_of("good/terminal");
    let other = temp.path().join("episodes/ep_other");
    copy_dir(&dir, &other);
    for (dir, word) in [(&dir, "a"), (&other, "b")] {
        let beliefs: Vec<Value> = (0..100_000)
            .map(|n| json!({"statement": format!("{word}{n}"), "confidence": 1, "provenance": "x"}))
            .collect();
        let file = dir.join("state.json");
        let mut state: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        state["beliefs"] = beliefs.into();
        fs::write(file, state.to_string()).unwrap();
    }
    let (code, json) = diff(temp.path(), "ep_answer", "ep_other");
    assert_eq!(code, Some(1));
    assert_eq!(pointers(&json["differences"]).len(), 1_000);
    assert!(json["more"].as_u64().unwrap() >= 99_000, "{}", json["more"]);
    let output = runvet(
        temp.path(),
        &["diff", "ep_answer", "ep_other"],
        Width::Narrow,
    );
    assert!(
        output.stdout.len() < 16_000,
        "{} bytes",
        output.stdout.len()
    );
}
