//! The command line for users: arguments, exit codes, standard output and standard error.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::binary::{run, runvet, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::process::let_interrupt;

fn with_input(args: &[&str], input: &[u8]) -> Output {
    let mut child = runvet(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments reads nothing.
    let _ = child
        .stdin
        .take()
        .unwrap()
        .write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn records_on_standard_input_are_judged_as_those_on_a_disk() {
    for case in [
        "good/terminal/episodes/ep_answer",
        "bad/episode/task/case/episodes/ep_answer",
    ] {
        let text = |name: &str| fs::read_to_string(corpus().join(case).join(name)).ok();
        let names = [
            "state.json",
            "summary.json",
            "events.jsonl",
            "learn.jsonl",
            "manifest.json",
        ];
        let records = names.map(|name| (name, text(name)));
        let records: BTreeMap<_, _> = records
            .into_iter()
            .filter(|(_, text)| text.is_some())
            .collect();
        let request = json!({"episode_id": "ep_answer", "records": records}).to_string();
        let posted = with_input(&["validate", "-", "--format", "json"], request.as_bytes());
        let posted: Value = serde_json::from_slice(&posted.stdout).unwrap();
        let stored = run(&["validate", case, "--format", "json"]);
        let stored: Value = serde_json::from_slice(&stored.stdout).unwrap();
        let judged = |report: &Value| {
            let findings = report["episodes"][0]["findings"]
                .as_array()
                .unwrap();
            let place = |it: &Value| {
                (
                    it["rule"].clone(),
                    it["pointer"].clone(),
                    it["offset"].clone(),
                )
            };
            (
                report["totals"].clone(),
                findings
                    .iter()
                    .map(place)
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(judged(&posted), judged(&stored), "{case}");
    }
}

/// Interrupts a process, and returns its status and the lines that it printed.
fn interrupted(args: &[&str], after_lines: usize) -> (std::process::ExitStatus, String) {
    let_interrupt();
    let mut child = Command::new(env!("CARGO_BIN_EXE_runvet"))
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut printed = String::new();
    for _ in 0..after_lines {
        out.read_line(&mut printed).unwrap();
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    out.read_to_string(&mut printed)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr(&output), "");
    (output.status, printed)
}

#[test]
fn interrupt_ends_at_once_after_a_whole_line() {
    let temp = tempfile::tempdir().unwrap();
    for number in 0..3000 {
        let episode = temp
            .path()
            .join(format!("episodes/ep_{number}"));
        fs::create_dir_all(&episode).unwrap();
        fs::write(episode.join("events.jsonl"), "").unwrap();
    }
    let path = temp.path().to_str().unwrap();
    for after_lines in [1, 100, 1000] {
        let args = ["validate", "--jobs", "1", "--max-findings", "0", path];
        let (status, printed) = interrupted(&args, after_lines);
        assert_eq!(
            status.signal(),
            Some(2),
            "it ends as the shell expects it to"
        );
        assert!(
            printed.ends_with('\n') && !printed.contains("3000 episodes"),
            "{printed}"
        );
        let (status, printed) =
            interrupted(&[&args[..], &["--format", "ndjson"]].concat(), after_lines);
        assert_eq!(status.signal(), Some(2));
        assert!(printed.ends_with('\n'), "{printed}");
        let lines = printed
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let episodes = lines
            .inspect(|line| assert!(line["totals"].is_null(), "it was not done"))
            .count();
        assert!((after_lines..3000).contains(&episodes), "{episodes}");
    }
}

#[test]
fn help_examples_show_what_runvet_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for command in ["list", "view", "plan", "show", "config"] {
        let help = run(&[command, "--help"]);
        let examples = stdout(&help)
            .split("  $ runvet ")
            .skip(1);
        let mut checked = 0;
        for example in examples {
            let mut lines = example.lines();
            let args: Vec<&str> = lines
                .next()
                .unwrap()
                .split(' ')
                .collect();
            let mut shown = runvet(&args);
            shown
                .current_dir(root)
                .env("COLUMNS", "80");
            let output = shown.output().unwrap();
            let mut printed = stdout(&output).lines();
            for line in lines
                .map(|line| line.strip_prefix("  ").unwrap_or(line))
                .filter(|line| *line != "…")
            {
                assert!(
                    printed.any(|printed| printed == line),
                    "{command}: {line}\n{}",
                    stdout(&output)
                );
                checked += 1;
            }
        }
        assert!(checked > 0, "the help of {command} has an example");
    }
}
