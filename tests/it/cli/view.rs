//! Dashboards on the command line, as text and as JSON, also of hostile runs, which do no harm.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use runvet::gate::Gate;
use runvet::plan::compare;
use runvet::printable::is_hostile;
use runvet::read::RunReader;
use serde_json::{Value, json};
use tempfile::TempDir;
use unicode_width::UnicodeWidthStr;

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::{expecting_cases, good_cases};
use crate::support::demo::{demo, json_of, printed, without_colour};
use crate::support::hostile::{commands, hostile_run};
use crate::support::recording::{recording, session};
use crate::support::runs::{copy_dir, copy_of, replace, run_of};
use crate::support::terminal::{Width, command, runvet, snapshot};

#[test]
fn dashboards_of_the_demo_match_the_snapshots() {
    for (run, name) in [
        ("ep_01", "answer"),
        ("ep_02", "paused"),
        ("ep_03", "edited"),
        ("ep_04", "crashed"),
    ] {
        for width in Width::BOTH {
            let output = runvet(&demo(), &["view", run], width);
            assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
            snapshot(&format!("view-{name}-{width}"), &output);
        }
    }
    let coloured = runvet(
        &demo(),
        &["view", "ep_03", "--color", "always"],
        Width::Narrow,
    );
    snapshot("view-edited-colour", &coloured);
    assert_eq!(
        without_colour(stdout(&coloured)),
        printed(&demo(), &["view", "ep_03"]),
        "colour changes no text"
    );
}

#[test]
fn dashboard_lines_fit_the_width() {
    let (hostile, _) = hostile_run();
    let cases = [
        good_cases(),
        expecting_cases("broken"),
        vec![demo(), hostile.path().to_owned()],
    ]
    .concat();
    for dir in cases
        .iter()
        .flat_map(|case| Gate::default().discover(&[case]).episodes)
    {
        let path = dir.path.to_str().unwrap();
        for columns in [40, 80, 120] {
            // A path is never cut, because it must be complete to be copied.
            let fits = |line: &&str| {
                line.width() <= columns || (*line).contains("episodes/") || line.contains(path)
            };
            for args in [&["view", path][..], &["view", path, "--events"]] {
                let output = command(&demo(), args, Width::Narrow)
                    .env("COLUMNS", columns.to_string())
                    .output()
                    .unwrap();
                let (text, beyond) = (stdout(&output), |line: &&str| !fits(line));
                assert_eq!(
                    text.lines().find(beyond),
                    None,
                    "{args:?} {columns}:\n{text}"
                );
            }
            let output = command(&demo(), &["plan", path], Width::Narrow)
                .env("COLUMNS", columns.to_string())
                .output()
                .unwrap();
            assert!(
                stdout(&output)
                    .lines()
                    .filter(|line| line.contains('│'))
                    .all(|line| fits(&line))
            );
        }
    }
}

#[test]
fn dashboard_json_has_records_as_stored() {
    let (temp, dir) = copy_of("demo/episodes/ep_03_edited");
    replace(
        &dir.join("state.json"),
        "\"seed\":7",
        "\"seed\": 7.0e0,\"zone\":[ \"\\u00e9\"]",
    );
    replace(
        &dir.join("summary.json"),
        "\"duration_sec\":0.15",
        "\"unknown\":{\"z\":1,\"a\":2},\"duration_sec\":0.150",
    );
    let text = printed(temp.path(), &["view", "@latest", "--json"]);
    assert_eq!(text.lines().count(), 1);
    for (key, file) in [("state", "state.json"), ("summary", "summary.json")] {
        let stored = fs::read_to_string(dir.join(file)).unwrap();
        assert!(
            text.contains(&format!("\"{key}\":{},", stored.trim_end())),
            "{key} is not as stored in {text}"
        );
    }
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&json["episode_id"], &json["episode_dir"]),
        (&json!("ep_03_edited"), &json!("episodes/ep_03_edited"))
    );
    let path = |name: &str| format!("episodes/ep_03_edited/{name}");
    assert_eq!(
        json["artifacts"],
        json!({
            "state": path("state.json"), "summary": path("summary.json"), "events": path("events.jsonl"),
            "learn": path("learn.jsonl"), "manifest": path("manifest.json")
        })
    );
    let phases = json!({
        "act": 3, "direction": 1, "learn": 1, "observe": 1, "plan": 1, "reflect": 1, "runtime": 1, "start": 1,
        "terminate": 1
    });
    assert_eq!(
        json["events"],
        json!({"total": 11, "phases": phases, "broken_lines": 0})
    );
    assert_eq!(
        (&json["lifecycle"], &json["valid"]),
        (&json!("terminal"), &json!(false))
    );
    let episode = RunReader::open(&dir).unwrap();
    assert_eq!(
        json["plan"],
        serde_json::to_value(compare(&episode).unwrap()).unwrap()
    );
    let mut report = serde_json::to_value(episode.judge(&mut Gate::default()).unwrap()).unwrap();
    let root = format!("{}/", temp.path().display());
    report = serde_json::from_str(&report.to_string().replace(&root, "")).unwrap();
    assert_eq!(
        (&json["findings"], &json["skipped"]),
        (&report["findings"], &report["skipped"])
    );
    assert_eq!(json["findings"].as_array().unwrap().len(), 2);
    assert_eq!(
        json_of(&demo(), &["view", "ep_01", "--json"])["valid"],
        true
    );
}

#[test]
fn dashboard_json_has_null_for_what_is_missing() {
    let json = json_of(&demo(), &["view", "ep_02", "--json"]);
    assert_eq!(
        (&json["summary"], &json["artifacts"]["summary"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        (&json["lifecycle"], &json["valid"], &json["findings"]),
        (&json!("non_terminal"), &json!(true), &json!([]))
    );
    let (temp, dir) = copy_of("demo/episodes/ep_04_crashed");
    fs::write(dir.join("state.json"), "{\"goal\":").unwrap();
    let json = json_of(temp.path(), &["view", "ep", "--json"]);
    assert_eq!(
        (&json["state"], &json["artifacts"]["state"]),
        (&Value::Null, &json!("episodes/ep_04_crashed/state.json"))
    );
    assert_eq!(
        (&json["events"]["total"], &json["events"]["broken_lines"]),
        (&json!(10), &json!(1))
    );
    assert!(json["skipped"].as_array().unwrap().len() > 3);
    fs::remove_file(dir.join("events.jsonl")).unwrap();
    let json = json_of(temp.path(), &["view", "ep", "--json"]);
    assert_eq!(
        (&json["events"]["total"], &json["events"]["phases"]),
        (&json!(0), &json!({}))
    );
    assert_eq!(json["reason"], Value::Null);
}

#[test]
fn dashboard_of_a_broken_run_says_what_is_missing() {
    let (temp, dir) = copy_of("good/terminal");
    fs::write(dir.join("state.json"), "{\"goal\":").unwrap();
    let text = printed(temp.path(), &["view", "ep"]);
    for part in [
        "state.json can't be shown: not JSON: ",
        "Summarize the open tickets\n",
        "\nVerification: passed",
        "\nTimeline, events: 11\n",
        "\nRun: unknown\nRecords: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        !text.contains("\nPlan") && !text.contains("\nLinks"),
        "{text}"
    );
    fs::remove_file(dir.join("events.jsonl")).unwrap();
    fs::write(dir.join("summary.json"), "?").unwrap();
    fs::write(
        dir.join("state.json"),
        fs::read(run_of("good/terminal").join("state.json")).unwrap(),
    )
    .unwrap();
    let text = printed(temp.path(), &["view", "ep"]);
    for part in [
        "summary.json can't be shown: not JSON: ",
        "\nPlan by planner.minimal",
        "\nTimeline: can't be shown: there is no such file\n",
        "  events     events.jsonl         missing\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        !printed(&demo(), &["view", "ep_02"]).contains("can't be shown"),
        "a run in progress has no summary yet"
    );
}

#[test]
fn plan_of_an_unsupported_version_is_compared_all_the_same() {
    let (temp, dir) = copy_of("demo/episodes/ep_03_edited");
    replace(
        &dir.join("state.json"),
        r#""version":"1.0""#,
        r#""version":"2.0""#,
    );
    let output = runvet(temp.path(), &["plan"], Width::Wide);
    let text = stdout(&output);
    assert!(text.contains("! ○ step-2 pending"), "{text}");
    let said = "? `version` is \"2.0\", but runvet supports \"1.0\"; its plan is still compared";
    assert_eq!(text.lines().last(), Some(said), "{text}");
}

#[test]
fn dashboard_of_a_recorded_run_says_what_was_found_and_printed() {
    let temp = tempfile::tempdir().unwrap();
    let assertions = json!([{"name": "cites", "passed": true},
        {"name": "short", "passed": false, "message": "412 words"}]);
    let finish = json!({"finish": {"status": "ok", "assertions": assertions, "score": 0.25,
        "metrics": {"tokens": 812}}});
    let task = "write ".repeat(1_000);
    let (code, _, said) = session(temp.path(), &["--task", &task], &finish.to_string());
    assert_eq!(code, Some(0), "{said}");
    let shown = printed(temp.path(), &["view", "@latest"]);
    for line in [
        "Goal not achieved (summary.json:1): failed assertion: short (412 words)",
        "Verification: failed, 2 assertions\n  failed short: 412 words\n  passed cites\n",
        "Outcome metrics\n  score 0.25 · steps_completed 0 · steps_total 0 · tokens 812\n",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    assert!(shown.len() < 3_000, "the task is cut: {shown}");

    let script = "echo fine; echo one >&2; echo >&2; echo 'no rule to make it' >&2; exit 3";
    let args = ["--exec", "--", "sh", "-c", script];
    let output = recording(temp.path(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let shown = printed(temp.path(), &["view", "@latest"]);
    let reason = "the command exited with 3\n  stderr: one\n  stderr: no rule to make it\n";
    assert!(shown.contains(reason), "{shown}");
    let view = json_of(temp.path(), &["view", "@latest", "--json"]);
    assert_eq!(
        view["reason"]["stderr"],
        json!(["one", "no rule to make it"])
    );
}

#[test]
fn nothing_is_cut_or_wrapped_when_no_width_is_known() {
    let temp = tempfile::tempdir().unwrap();
    for run in ["ep_01_answer", "ep_03_edited"] {
        let run = Path::new("episodes").join(run);
        copy_dir(&demo().join(&run), &temp.path().join(&run));
    }
    let long = "Summarize the tickets that nobody has looked at since the first of March";
    let state = temp.path().join("episodes/ep_03_edited/state.json");
    let text = fs::read_to_string(&state).unwrap();
    fs::write(&state, text.replace("Summarize the tickets", long)).unwrap();
    replace(&state, "Summarize the open tickets", long);
    let edited = format!("○ step-2 pending: {long}");
    for (args, expected) in [
        (&["view", "ep_03"][..], long),
        (&["view", "ep_03"], " · mode meta · adapter:core.minimal\n"),
        (&["view", "ep_03"], "adapter:core.minimal step-2 · done"),
        (
            &["view", "ep_03"],
            "is 0.75 in the projection event on line 10, but 0.95 in the state",
        ),
        (
            &["view", "ep_03", "--events"],
            "adapter:core.minimal step-2 · done · Summarize the tickets · ok · adapter:core.minimal",
        ),
        (&["plan", "ep_03"], &edited),
        (&["diff", "ep_01", "ep_03"], &edited),
        (&["diff", "ep_01", "ep_03"], "! projection/outcomes - "),
        (&["list"], long),
    ] {
        let mut command = command(temp.path(), args, Width::Narrow);
        let output = command.env_remove("COLUMNS").output().unwrap();
        let text = stdout(&output);
        assert!(text.contains(expected), "{args:?}: {expected}\n{text}");
    }
}

/// Text that tries to control a terminal, to hide, or to forge a line.
const EVIL: &str = "\u{1b}[2J\u{9b}31m\u{7}\r\nRun: succeeded (ok)\nRecords: consistent\n\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{e0041}";

/// Poisons every text, except those that name a kind of thing, and adds a poisonous key to every
/// object.
fn poison(value: &mut Value) {
    match value {
        Value::String(text) => *text += EVIL,
        Value::Array(items) => items.iter_mut().for_each(poison),
        Value::Object(members) => {
            members
                .iter_mut()
                .filter(|(key, _)| !["phase", "event_type", "step_id"].contains(&&***key))
                .for_each(|(_, value)| poison(value));
            members.insert(EVIL.into(), EVIL.into());
        }
        _ => {}
    }
}

/// A run in which every text is hostile, even the name of its directory.
fn poisoned_run() -> (TempDir, PathBuf) {
    let (temp, from) = copy_of("demo/episodes/ep_03_edited");
    for file in ["state.json", "summary.json", "events.jsonl"] {
        let text = fs::read_to_string(from.join(file)).unwrap();
        let mut poisoned = File::create(from.join(file)).unwrap();
        for line in text.lines() {
            let mut value = serde_json::from_str(line).unwrap();
            poison(&mut value);
            writeln!(poisoned, "{value}").unwrap();
        }
    }
    let evil = json!({"phase": EVIL, "event_type": EVIL, "timestamp": EVIL, "agent_id": EVIL, "payload": {"a": EVIL}});
    let mut events = fs::read(from.join("events.jsonl")).unwrap();
    events.extend_from_slice(format!("{evil}\n[\"{EVIL}\"]\n{{\"phase\":\"{EVIL}").as_bytes());
    fs::write(from.join("events.jsonl"), events).unwrap();
    let dir = temp.path().join("episodes").join(format!("ep{EVIL}"));
    fs::rename(from, &dir).unwrap();
    (temp, dir)
}

#[test]
fn hostile_text_never_reaches_a_dashboard_raw() {
    for (temp, dir) in [hostile_run(), poisoned_run()] {
        let prefix = "ep\u{1b}";
        for args in [
            &["list"][..],
            &["list", "--format", "ids"],
            &["list", "--format", "json"],
            &["list", "--invalid"],
            &["list", "--color", "always"],
            &["plan", prefix, "--color", "always"],
            &["view", prefix, "--events", "--color", "always"],
            &["diff", prefix, prefix],
            &["diff", prefix, prefix, "--json"],
            &["view", prefix],
            &["view", prefix, "--color", "always"],
            &["view", prefix, "--json"],
            &["view", prefix, "--events"],
            &["view", dir.to_str().unwrap()],
            &["plan", prefix],
            &["plan", prefix, "--json"],
            &["show", prefix, "state"],
            &["show", prefix, "summary"],
            &["view", "nothing_like_it"],
            &["show", "nothing_like_it\u{202e}\n\r", "state"],
        ] {
            let output = runvet(temp.path(), args, Width::Narrow);
            assert!(
                !output.stdout.is_empty() || !output.stderr.is_empty(),
                "{args:?}"
            );
            for text in [stdout(&output), stderr(&output)] {
                // Colours come from runvet itself.
                let text = if args.contains(&"always") {
                    without_colour(text)
                } else {
                    text.to_owned()
                };
                let raw: Vec<char> = text
                    .chars()
                    .filter(|c| *c != '\n' && is_hostile(*c))
                    .collect();
                assert_eq!(raw, [] as [char; 0], "{args:?}:\n{text}");
                let forged = [
                    "Run: succeeded",
                    "Records: consistent",
                    "0 episodes",
                    "::error",
                ];
                let is_forged = |line: &&str| forged.iter().any(|forged| line.starts_with(forged));
                assert_eq!(text.lines().find(is_forged), None, "{args:?}:\n{text}");
                assert_eq!(commands(&text), [] as [&str; 0], "{args:?}:\n{text}");
            }
            let is_json = args.contains(&"--json") || args.contains(&"json");
            // Records that can't be read can't be compared.
            if is_json && output.status.code() != Some(2) {
                let json: Value = serde_json::from_slice(&output.stdout).unwrap();
                let id = json
                    .get("episode_id")
                    .or_else(|| json["left"].get("episode_id"))
                    .unwrap_or_else(|| &json["runs"][0]["episode_id"]);
                assert_eq!(
                    id.as_str(),
                    dir.file_name().unwrap().to_str(),
                    "machines get the text itself"
                );
            }
        }
        let count = |args: &[&str]| {
            stdout(&runvet(temp.path(), args, Width::Narrow))
                .lines()
                .count()
        };
        assert_eq!(
            (count(&["list"]), count(&["list", "--format", "ids"])),
            (2, 1),
            "one line for one run"
        );
    }
}

#[test]
fn dashboard_json_of_a_hostile_run_says_what_was_stored() {
    let (temp, dir) = poisoned_run();
    let stored: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("state.json")).unwrap()).unwrap();
    for (args, pointer, expected) in [
        (&["show", "ep", "state"][..], "", &stored),
        (&["view", "ep", "--json"], "/state", &stored),
        (&["plan", "ep", "--json"], "/persisted", &stored["plan"]),
    ] {
        assert_eq!(
            json_of(temp.path(), args).pointer(pointer),
            Some(expected),
            "{args:?}"
        );
    }
}

#[test]
fn link_is_present_when_it_leads_to_its_artifact() {
    let (temp, dir) = copy_of("good/terminal");
    let state = fs::read_to_string(dir.join("state.json")).unwrap();
    let state = state
        .replace("\"events.jsonl\"", "\"./events.jsonl\"")
        .replace("\"learn.jsonl\"", "\"../learn.jsonl\"");
    fs::write(dir.join("state.json"), state).unwrap();
    fs::remove_file(dir.join("manifest.json")).unwrap();
    let view = printed(temp.path(), &["view", "ep"]);
    let links: Vec<Vec<&str>> = view
        .lines()
        .skip_while(|line| *line != "Links")
        .skip(1)
        .take(4)
        .map(|line| line.split_whitespace().collect())
        .collect();
    let expected: [&[&str]; 4] = [
        &["events", "./events.jsonl", "there"],
        &["learn", "../learn.jsonl", "leads", "elsewhere"],
        &["manifest", "manifest.json", "missing"],
        &["summary", "summary.json", "there"],
    ];
    assert_eq!(links, expected, "{view}");
}
