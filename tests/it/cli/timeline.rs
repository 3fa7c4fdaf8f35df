//! Timelines on the command line: printed by event, folded in a dashboard, long and broken.

use std::fs::{self, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::good_cases;
use crate::support::demo::{demo, json_of, printed};
use crate::support::process::cut_off;
use crate::support::runs::{copy_of, replace, run_of};
use crate::support::terminal::{Width, command, runvet};

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
        let output = cut_off(&mut command(temp.path(), args, Width::Wide));
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
    let events = &json_of(temp.path(), &["view", "ep", "--json"])["events"];
    assert_eq!(
        (&events["total"], &events["broken_lines"]),
        (&json!(20_011), &json!(0))
    );
    let phases = ["tick", "tock", "act"].map(|phase| events["phases"][phase].as_u64().unwrap());
    assert_eq!(phases, [15_000, 5_000, 3]);
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
        let text = printed(temp.path(), &["view", "ep"]);
        assert!(text.contains(shown) && !text.contains("  … "), "{text}");
    }
}

#[test]
fn rare_phases_are_counted_together() {
    let (temp, dir) = copy_of("good/terminal");
    lengthen(&dir, 3_000, |index| format!("phase-{:04}", index % 1_000));
    let text = printed(temp.path(), &["view", "ep"]);
    assert!(
        text.contains("(others) 2727 · ") && text.lines().count() < 100,
        "{text}"
    );
    let json = json_of(temp.path(), &["view", "ep", "--json"]);
    let phases = json["events"]["phases"].as_object().unwrap();
    let events = phases.values().filter_map(Value::as_u64);
    assert_eq!((phases.len(), events.sum::<u64>()), (101, 3_011));
    // Nine phases precede them.
    assert_eq!(
        (&phases["phase-0090"], &phases["(others)"]),
        (&json!(3), &json!(3 * (1_000 - 91)))
    );
    assert!(!phases.contains_key("phase-0091"));
}

#[test]
fn huge_event_is_outlined_and_broken_lines_are_counted() {
    let (temp, dir) = copy_of("good/terminal");
    let long = "é".repeat(1 << 17);
    let payload = json!({"tool": long, "task": long, "message": long, "steps": [long, long]});
    let event = json!({"phase": long, "agent_id": long, "event_type": long, "timestamp": long, "payload": payload});
    let mut file = OpenOptions::new()
        .append(true)
        .open(dir.join("events.jsonl"))
        .unwrap();
    writeln!(file, "{event}\n{}", format!("{{\"{long}\n").repeat(30)).unwrap();
    let events = &json_of(temp.path(), &["view", "ep", "--json"])["events"];
    assert_eq!(
        (&events["total"], &events["broken_lines"]),
        (&json!(12), &json!(30))
    );
    let text = printed(temp.path(), &["view", "ep"]);
    assert!(text.len() < 20_000, "{} bytes", text.len());
    assert!(
        text.contains("\n  lines that are not events: 30\n"),
        "{text}"
    );
}
