//! Reading runs from the command line: dashboards, JSON, and hostile runs, which do no harm.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use runvet::check::Check;
use runvet::dashboard::TimelineRow;
use runvet::plan::compare;
use runvet::printable::is_hostile;
use runvet::read::RunReader;
use runvet::view::{MAX_TIMELINE_ROWS, outline};
use serde_json::{Value, json};
use tempfile::TempDir;
use unicode_width::UnicodeWidthStr;

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::{corpus, expecting_cases, good_cases};
use crate::support::hostile::{commands, hostile_run};
use crate::support::runs::{copy_dir, copy_of, replace, run_of, touch};
use crate::support::terminal::{Width, command, runvet, snapshot};

/// The output of a command that prints no error.
fn printed(dir: &Path, args: &[&str]) -> String {
    let output = runvet(dir, args, Width::Narrow);
    assert_eq!(
        (output.status.code(), stderr(&output)),
        (Some(0), ""),
        "{args:?}"
    );
    stdout(&output).to_owned()
}

fn json_of(dir: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&printed(dir, args)).unwrap()
}

/// A text without the escapes for the colours that runvet uses.
fn without_colour(text: &str) -> String {
    ["1", "2", "31", "32", "33", "0"]
        .iter()
        .fold(text.to_owned(), |text, code| {
            text.replace(&format!("\u{1b}[{code}m"), "")
        })
}

fn demo() -> PathBuf {
    corpus().join("demo")
}

/// A copy of the demo, whose runs changed in the order 3, 1, 5, 2, 4, newest first.
fn demo_in_order() -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    for (day, name) in [
        "ep_04_crashed",
        "ep_02_paused",
        "ep_05_misnamed",
        "ep_01_answer",
        "ep_03_edited",
    ]
    .iter()
    .enumerate()
    {
        let dir = temp.path().join("episodes").join(name);
        copy_dir(&demo().join("episodes").join(name), &dir);
        touch(&dir, day as u64);
    }
    temp
}

fn ids(dir: &Path, args: &[&str]) -> Vec<String> {
    printed(dir, &[&["list", "--format", "ids"], args].concat())
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn list_of_the_demo_matches_the_snapshot() {
    let demo = demo_in_order();
    for width in Width::BOTH {
        snapshot(
            &format!("list-{width}"),
            &runvet(demo.path(), &["list"], width),
        );
    }
}

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
        .flat_map(|case| Check::new().discover(&[case]).episodes)
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
fn limited_list_says_how_many_more_there_are() {
    let demo = demo_in_order();
    let in_order = [
        "ep_03_edited",
        "ep_01_answer",
        "ep_05_misnamed",
        "ep_02_paused",
        "ep_04_crashed",
    ];
    assert_eq!(ids(demo.path(), &[]), in_order);
    assert_eq!(ids(demo.path(), &["--limit", "0"]), in_order);
    assert_eq!(ids(demo.path(), &["--limit", "2"]), in_order[..2]);
    let text = printed(demo.path(), &["list", "--limit", "2"]);
    assert!(
        text.lines().count() == 4 && text.ends_with("\n… and 3 more runs (--limit 0 shows all)\n"),
        "{text}"
    );
    assert!(!printed(demo.path(), &["list", "--limit", "5"]).contains("more"));
    let json = json_of(demo.path(), &["list", "--limit", "2", "--format", "json"]);
    assert_eq!(
        (&json["runs"][1]["episode_id"], &json["more"]),
        (&json!("ep_01_answer"), &json!(3))
    );
    let empty = tempfile::tempdir().unwrap();
    fs::create_dir(empty.path().join("episodes")).unwrap();
    assert_eq!(printed(empty.path(), &["list"]), "no runs\n");
    assert_eq!(
        json_of(empty.path(), &["list", "--format", "json"]),
        json!({"runs": [], "more": 0})
    );
}

#[test]
fn list_says_in_progress_where_only_a_timeline_is() {
    let (temp, dir) = copy_of("demo/episodes/ep_01_answer");
    for file in ["state.json", "summary.json", "manifest.json"] {
        fs::remove_file(dir.join(file)).unwrap();
    }
    let text = printed(temp.path(), &["list"]);
    assert!(text.contains(" ep_01_answer in progress - "), "{text}");
    let dashboard = printed(temp.path(), &["view", "ep_01"]);
    assert!(
        dashboard.contains("\nRun: in progress\nRecords: "),
        "{dashboard}"
    );
}

#[test]
fn list_can_be_filtered() {
    let demo = demo_in_order();
    let of = |args: &[&str]| ids(demo.path(), args);
    assert_eq!(of(&["--status", "pending"]), ["ep_02_paused"]);
    assert_eq!(
        of(&["--outcome", "success"]),
        ["ep_03_edited", "ep_01_answer", "ep_05_misnamed"]
    );
    assert_eq!(
        of(&["--outcome", "success", "--limit", "1"]),
        ["ep_03_edited"]
    );
    assert_eq!(
        of(&["--invalid"]),
        ["ep_03_edited", "ep_05_misnamed", "ep_04_crashed"]
    );
    assert_eq!(
        of(&["--invalid", "--outcome", "success", "--status", "ok"]),
        ["ep_03_edited", "ep_05_misnamed"]
    );
    assert_eq!(of(&["--since", "2026-03-02"]), [] as [&str; 0]);
    assert_eq!(of(&["--since", "2026-03-01"]).len(), 5);
    assert_eq!(of(&["--since", "2026-03-01T13:00:00+01:00"]).len(), 5);
    assert_eq!(of(&["--since", "2026-03-01T12:00:00.1Z"]).len(), 0);
    assert_eq!(
        of(&["--status", "ok", "--since", "2026-03-01", "--limit", "3"]).len(),
        3
    );
    let output = runvet(
        demo.path(),
        &["list", "--since", "yesterday"],
        Width::Narrow,
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("RFC 3339"), "{}", stderr(&output));
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
    let mut report =
        serde_json::to_value(episode.check(&mut Check::new().session()).unwrap()).unwrap();
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
fn timeline_is_printed_by_event_and_can_be_filtered() {
    let of = |args: &[&str]| {
        let text = printed(&demo(), &[&["view", "ep_01", "--events"], args].concat());
        text.lines()
            .map(|line| {
                line.split_whitespace()
                    .take(3)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect::<Vec<_>>()
    };
    let all = of(&[]);
    assert_eq!(all.len(), 11);
    assert_eq!(
        (&*all[0], &*all[10]),
        ("1 +0.000s start", "11 +0.150s terminate")
    );
    assert_eq!(
        of(&["--phase", "act"]),
        ["5 +0.040s act", "6 +0.090s act", "7 +0.095s act"]
    );
    assert_eq!(
        of(&["--grep", "\"step-3\""]),
        ["3 +0.020s plan", "4 +0.030s direction", "7 +0.095s act"]
    );
    assert_eq!(
        of(&["--grep", "step-3", "--phase", "act"]),
        ["7 +0.095s act"]
    );
    assert_eq!(
        printed(&demo(), &["view", "ep_01", "--phase", "plan"])
            .lines()
            .count(),
        1,
        "a filter asks for the timeline"
    );
    for args in [
        &["--phase", "act", "--json"][..],
        &["--grep", "x", "--json"],
        &["--events", "--json"],
    ] {
        let output = runvet(&demo(), &[&["view", "ep_01"], args].concat(), Width::Narrow);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = stderr(&output);
        assert!(
            said.contains("ep_01_answer/events.jsonl is one event"),
            "{said}"
        );
    }
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
    let said =
        "? `version` is \"2.0\", but runvet supports \"1.0\"; its plan is compared all the same";
    assert_eq!(text.lines().last(), Some(said), "{text}");
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

#[test]
fn bad_timeline_lines_go_to_stderr_with_their_place() {
    let (temp, dir) = copy_of("demo/episodes/ep_04_crashed");
    let events = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    fs::write(
        dir.join("events.jsonl"),
        events.replacen(
            "{\"agent_id\":\"planner.minimal\"",
            "\n[1]\n{\"agent_id\":\"planner.minimal\"",
            1,
        ),
    )
    .unwrap();
    let output = runvet(temp.path(), &["view", "ep", "--events"], Width::Narrow);
    assert_eq!(output.status.code(), Some(2));
    let shown: Vec<String> = stdout(&output)
        .lines()
        .map(|line| line[..6].trim().to_owned())
        .collect();
    assert_eq!(shown, ["1", "2", "5", "6", "7", "8", "9", "10", "11", "12"]);
    let lines: Vec<&str> = stderr(&output).lines().collect();
    let path = "error: episodes/ep_04_crashed/events.jsonl";
    assert_eq!(lines[0], format!("{path}:4:1: an array, not an object"));
    assert!(
        lines.len() == 2 && lines[1].starts_with(&format!("{path}:13:")),
        "{lines:?}"
    );
    fs::remove_file(dir.join("events.jsonl")).unwrap();
    let output = runvet(temp.path(), &["view", "ep", "--events"], Width::Narrow);
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
    assert_eq!(stderr(&output), format!("{path}: there is no such file\n"));
}

#[test]
fn show_loses_nothing_when_pretty_and_no_byte_when_raw() {
    let (temp, dir) = copy_of("good/terminal");
    let odd = concat!(
        " {\"z\" :1.50,\"a\":[ ],\"b\":{},\"n\":[1E2,-0.0,{\"é\":\"\\u00e9\\ud83d\\ude00\"}]",
        ",\"big\":12345678901234567890.10,\"z\":2}\r\n"
    );
    fs::write(dir.join("state.json"), odd).unwrap();
    let pretty = concat!(
        "{\n  \"z\": 1.50,\n  \"a\": [],\n  \"b\": {},\n  \"n\": [\n    1E2,\n    -0.0,\n    {\n",
        "      \"é\": \"\\u00e9\\ud83d\\ude00\"\n    }\n  ],\n  \"big\": 12345678901234567890.10,\n  \"z\": 2\n}\n"
    );
    assert_eq!(printed(temp.path(), &["show", "ep", "state"]), pretty);
    assert_eq!(printed(temp.path(), &["show", "ep", "state", "--raw"]), odd);
    let broken = b"\xff{\0\x1b[31m";
    fs::write(dir.join("state.json"), broken).unwrap();
    let output = runvet(
        temp.path(),
        &["show", "ep", "state", "--raw"],
        Width::Narrow,
    );
    assert_eq!(
        (&*output.stdout, output.status.code()),
        (&broken[..], Some(0))
    );
    let output = runvet(temp.path(), &["show", "ep", "state"], Width::Narrow);
    assert_eq!((stdout(&output), output.status.code()), ("", Some(2)));
    assert!(
        stderr(&output).starts_with("error: episodes/ep_answer/state.json:1:1: not JSON: "),
        "{}",
        stderr(&output)
    );

    for case in good_cases() {
        let dir = run_of(case.to_str().unwrap());
        for (record, file) in [("state", "state.json"), ("summary", "summary.json")] {
            let Ok(stored) = fs::read_to_string(dir.join(file)) else {
                continue;
            };
            let path = dir.to_str().unwrap();
            assert_eq!(printed(&demo(), &["show", path, record, "--raw"]), stored);
            let tokens = |text: &str| {
                text.chars()
                    .filter(|c| !c.is_whitespace())
                    .collect::<String>()
            };
            assert_eq!(
                tokens(&printed(&demo(), &["show", path, record])),
                tokens(&stored)
            );
        }
    }
    let output = runvet(&demo(), &["show", "ep_02", "summary"], Width::Narrow);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: episodes/ep_02_paused/summary.json: there is no such file\n"
    );
    assert_eq!(
        runvet(&demo(), &["show", "ep_02", "learn"], Width::Narrow)
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn run_data_comes_from_option_environment_or_nearby() {
    let demo = demo();
    let elsewhere = corpus().join("good/paused");
    let path = demo.to_str().unwrap();
    let nowhere = tempfile::tempdir().unwrap();
    let dir = |at: &Path, args: &[&str], variable: Option<&Path>| {
        let mut command = command(at, &[&["view", "--json"], args].concat(), Width::Narrow);
        let output = command
            .envs(variable.map(|path| ("RUNVET_RUN_DATA", path)))
            .output()
            .unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        json["episode_dir"].as_str().unwrap_or_default().to_owned()
    };
    let absolute = format!("{path}/episodes/ep_01_answer");
    assert_eq!(
        dir(nowhere.path(), &["--run-data", path, "ep_01"], None),
        absolute
    );
    assert_eq!(dir(nowhere.path(), &["ep_01"], Some(&demo)), absolute);
    assert_eq!(
        dir(
            &demo,
            &["--run-data", elsewhere.to_str().unwrap(), "ep_p"],
            Some(&demo)
        ),
        elsewhere.join("episodes/ep_paused").to_str().unwrap()
    );
    assert_eq!(
        dir(&elsewhere, &["ep_01"], Some(&demo)),
        absolute,
        "the environment overrides the current directory"
    );
    assert_eq!(dir(&demo, &["ep_01"], None), "episodes/ep_01_answer");
    assert_eq!(
        dir(&demo.join("episodes"), &["ep_01"], None),
        "../episodes/ep_01_answer"
    );
    assert_eq!(
        dir(&demo.join("episodes/ep_02_paused"), &["ep_01"], None),
        "../../episodes/ep_01_answer"
    );
    assert_eq!(dir(&demo.join("episodes/ep_02_paused"), &["."], None), ".");
    assert_eq!(
        dir(nowhere.path(), &[&format!("{absolute}/state.json")], None),
        absolute,
        "a path needs no run data"
    );

    for args in [
        &["list"][..],
        &["view", "ep_01"],
        &["plan", "ep_01"],
        &["diff", "ep_01", "ep_02"],
        &["show", "ep_01", "state"],
    ] {
        let output = runvet(nowhere.path(), args, Width::Narrow);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{args:?}"
        );
        assert!(
            stderr(&output).starts_with("error: there is no run data here: "),
            "{}",
            stderr(&output)
        );
        let output = runvet(
            &demo,
            &[args, &["--run-data", "nowhere"]].concat(),
            Width::Narrow,
        );
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&output).starts_with("error: nowhere is not a run-data directory: "),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn unknown_id_is_a_fault_that_names_the_nearest() {
    for args in [
        &["view", "ep_03_edite_"][..],
        &["view", "ep_03_edite_", "--json"],
        &["view", "ep_03_edite_", "--events"],
        &["plan", "ep_03_edite_"],
        &["show", "ep_03_edite_", "state"],
    ] {
        let output = runvet(&demo(), args, Width::Narrow);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{args:?}"
        );
        let said = "error: there is no run \"ep_03_edite_\"; did you mean ep_03_edited?\n";
        assert_eq!(stderr(&output), said);
    }
    let output = runvet(&demo(), &["view", "ep_0"], Width::Narrow);
    assert_eq!(output.status.code(), Some(2));
    let start = "error: several runs match \"ep_0\": ";
    let named: BTreeSet<&str> = stderr(&output)
        .strip_prefix(start)
        .unwrap()
        .trim_end()
        .split(", ")
        .collect();
    assert_eq!(
        named,
        BTreeSet::from([
            "ep_01_answer",
            "ep_02_paused",
            "ep_03_edited",
            "ep_04_crashed",
            "ep_05_misnamed"
        ])
    );
    let output = runvet(
        &demo(),
        &["view", "\u{1b}[31m\nerror: forged"],
        Width::Narrow,
    );
    assert!(
        !stderr(&output).contains('\u{1b}') && stderr(&output).lines().count() == 1,
        "{}",
        stderr(&output)
    );
}

/// Adds a number of events to a timeline.
fn lengthen(dir: &Path, events: usize, phase: impl Fn(usize) -> String) {
    let payload = json!({"message": "x".repeat(100)});
    let mut file = OpenOptions::new()
        .append(true)
        .open(dir.join("events.jsonl"))
        .map(BufWriter::new)
        .unwrap();
    for index in 0..events {
        let event =
            json!({"phase": phase(index), "timestamp": "2026-03-01T12:00:01Z", "payload": payload});
        writeln!(file, "{event}").unwrap();
    }
    file.flush().unwrap();
}

#[test]
fn every_command_ends_quietly_when_the_pipe_closes() {
    let (temp, dir) = copy_of("good/terminal");
    lengthen(&dir, 2000, |_| "tick".into());
    replace(
        &dir.join("state.json"),
        "Ticket 2 is the oldest.",
        &"é".repeat(1 << 20),
    );
    for name in 0..1000 {
        fs::create_dir(temp.path().join(format!("episodes/ep_{name}"))).unwrap();
        fs::write(
            temp.path().join(format!("episodes/ep_{name}/state.json")),
            "{}",
        )
        .unwrap();
    }
    for args in [
        &["view", "ep_answer", "--events"][..],
        &["view", "ep_answer", "--json"],
        &["show", "ep_answer", "state"],
        &["show", "ep_answer", "state", "--raw"],
        &["list", "--limit", "0", "--format", "json"],
    ] {
        let mut child = command(temp.path(), args, Width::Wide)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (stderr(&output), output.status.code()),
            ("", Some(2)),
            "{args:?}"
        );
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    for args in [&["view", "ep_answer"][..], &["plan", "ep_answer"]] {
        let output = command(temp.path(), args, Width::Wide)
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
fn long_timeline_is_folded_and_counted() {
    let (temp, dir) = copy_of("good/terminal");
    lengthen(&dir, 20_000, |index| {
        if index % 4 == 0 {
            "tock".into()
        } else {
            "tick".into()
        }
    });
    assert!(fs::metadata(dir.join("events.jsonl")).unwrap().len() > 3 << 20);
    let timeline = outline(&RunReader::open(&dir).unwrap());
    assert_eq!(
        (timeline.events, timeline.broken_lines, timeline.fault),
        (20_011, 0, None)
    );
    assert_eq!(
        (
            timeline.phases["tick"],
            timeline.phases["tock"],
            timeline.phases["act"]
        ),
        (15_000, 5_000, 3)
    );
    assert_eq!(timeline.phases.values().sum::<u64>(), 20_011);
    let shown = |row: &TimelineRow| match row {
        TimelineRow::Event(moment) => moment.line.to_string(),
        TimelineRow::Folded(folded) => format!("+{}", folded.events),
        other => panic!("{other:?}"),
    };
    let rows: Vec<String> = timeline.rows.iter().map(shown).collect();
    assert_eq!(
        rows,
        ["1", "2", "3", "4", "5", "6", "7", "+3", "11", "+20000"]
    );
    let text = printed(temp.path(), &["view", "ep"]);
    assert!(text.contains("\n  … 3 learn, reflect, runtime\n"), "{text}");
    assert!(text.contains("\n  … 20000 tick, tock\n"), "{text}");
    assert!(text.contains("\nTimeline, events: 20011\n"));
    assert!(
        text.contains("\n  for all: runvet view episodes/ep_answer --events\n"),
        "{text}"
    );
    assert!(text.lines().count() < 80 && text.len() < 8_000, "{text}");
    assert_eq!(
        printed(temp.path(), &["view", "ep", "--events"])
            .lines()
            .count(),
        20_011
    );
}

#[test]
fn short_timeline_is_shown_whole() {
    for (more, shown) in [
        (0, "Timeline, events: 11\n"),
        (10, "Timeline, events: 21\n"),
    ] {
        let (temp, dir) = copy_of("good/terminal");
        lengthen(&dir, more, |_| "tick".into());
        let timeline = outline(&RunReader::open(&dir).unwrap());
        assert_eq!(timeline.rows.len(), 11 + more);
        assert!(timeline.rows.len() <= MAX_TIMELINE_ROWS);
        let text = printed(temp.path(), &["view", "ep"]);
        assert!(text.contains(shown) && !text.contains("  … "), "{text}");
    }
}

#[test]
fn rare_phases_are_counted_together() {
    let (temp, dir) = copy_of("good/terminal");
    lengthen(&dir, 3_000, |index| format!("phase-{:04}", index % 1_000));
    let timeline = outline(&RunReader::open(&dir).unwrap());
    assert_eq!(timeline.phases.len(), 101);
    assert_eq!(timeline.phases.values().sum::<u64>(), 3_011);
    // Nine phases precede them.
    assert_eq!(
        (timeline.phases["phase-0090"], timeline.phases["(others)"]),
        (3, 3 * (1_000 - 91))
    );
    assert!(!timeline.phases.contains_key("phase-0091"));
    let text = printed(temp.path(), &["view", "ep"]);
    assert!(
        text.contains("(others) 2727 · ") && text.lines().count() < 100,
        "{text}"
    );
    let json = json_of(temp.path(), &["view", "ep", "--json"]);
    assert_eq!(
        (
            &json["events"]["total"],
            &json["events"]["phases"]["(others)"]
        ),
        (&json!(3_011), &json!(2_727))
    );
}

#[test]
fn huge_event_is_outlined_and_broken_lines_are_counted() {
    let (_temp, dir) = copy_of("good/terminal");
    let long = "é".repeat(1 << 20);
    let payload = json!({"tool": long, "task": long, "message": long, "steps": [long, long]});
    let event = json!({"phase": long, "agent_id": long, "event_type": long, "timestamp": long, "payload": payload});
    let mut file = OpenOptions::new()
        .append(true)
        .open(dir.join("events.jsonl"))
        .unwrap();
    writeln!(file, "{event}\n{}", format!("{{\"{long}\n").repeat(30)).unwrap();
    let timeline = outline(&RunReader::open(&dir).unwrap());
    assert_eq!(
        (
            timeline.events,
            timeline.broken_lines,
            timeline.broken.len()
        ),
        (12, 30, 10)
    );
    let Some(TimelineRow::Event(last)) = timeline.rows.last() else {
        panic!("{:?}", timeline.rows)
    };
    assert!(
        last.summary.len() + last.phase.len() + last.agent.len() < 2_000,
        "{} bytes",
        last.summary.len()
    );
    assert!(timeline.broken.iter().all(|broken| broken.len() < 1_000));
    assert!(last.offset_sec.is_none() && last.summary.ends_with("step labels: 2"));
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

#[test]
fn message_names_the_path_that_leads_to_no_run() {
    let nowhere = tempfile::tempdir().unwrap();
    fs::create_dir(nowhere.path().join("empty")).unwrap();
    for path in ["empty", "./nope/x"] {
        let output = runvet(nowhere.path(), &["view", path], Width::Narrow);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(path), "{}", stderr(&output));
    }
}

#[test]
fn name_of_a_file_here_is_a_path_without_a_slash() {
    let (temp, dir) = copy_of("good/terminal");
    copy_dir(&dir, &temp.path().join("ep_out"));
    copy_dir(&dir, &temp.path().join("episodes/ep_outer"));
    let view = |dir: &Path, name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
        let command = command
            .args(["view", name, "--json"])
            .current_dir(dir)
            .env_clear();
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        let page: Value = serde_json::from_slice(&output.stdout).unwrap();
        page["dir"]
            .as_str()
            .or(page["episode_id"].as_str())
            .unwrap_or_default()
            .to_owned()
    };
    assert!(!view(&dir, "state.json").is_empty());
    assert_ne!(view(temp.path(), "ep_out"), view(temp.path(), "ep_outer"));
    assert_eq!(
        view(temp.path(), "ep_oute"),
        view(temp.path(), "ep_outer"),
        "the beginning of an id"
    );
}
