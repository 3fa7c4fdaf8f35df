//! Dashboards on the command line, as text and as JSON, also of hostile runs, which do no harm.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

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
use crate::support::runs::{copy_of, replace};
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
    for dir in cases.iter().flat_map(|case| {
        Gate::default()
            .discover(&[case])
            .episodes
    }) {
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
        json!({"total": 11, "phases": phases, "broken_lines": 0, "anchored_up_to": null})
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
    let mut report = serde_json::to_value(
        episode
            .judge(&mut Gate::default())
            .unwrap(),
    )
    .unwrap();
    let root = format!("{}/", temp.path().display());
    report = serde_json::from_str(&report.to_string().replace(&root, "")).unwrap();
    assert_eq!(
        (&json["findings"], &json["skipped"]),
        (&report["findings"], &report["skipped"])
    );
    assert_eq!(
        json["findings"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        json_of(&demo(), &["view", "ep_01", "--json"])["valid"],
        true
    );
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
    let dir = temp
        .path()
        .join("episodes")
        .join(format!("ep{EVIL}"));
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
                let is_forged = |line: &&str| {
                    forged
                        .iter()
                        .any(|forged| line.starts_with(forged))
                };
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
fn short_output_ends_quietly_when_nobody_reads_it() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    for args in [["view", "ep_01"], ["plan", "ep_01"]] {
        let mut command = command(&demo(), &args, Width::Wide);
        let output = command
            .stdout(writer.try_clone().unwrap())
            .output()
            .unwrap();
        assert_eq!(
            (stderr(&output), output.status.code()),
            ("", Some(2)),
            "{args:?}"
        );
    }
}
