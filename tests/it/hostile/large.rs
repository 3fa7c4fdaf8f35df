//! Large episodes are judged one at a time, whatever the number of jobs: in bounded memory, in
//! order, and without waiting for each other for ever.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::binary::{runvet, stdout};
use crate::support::runs::{bad_run, copy_dir, run_of};
use crate::support::skip::{all_must_run, skip};

/// The time of events.
const TIME: &str = "2026-03-01T12:00:00Z";

fn validate(mut command: Command, dir: &Path, jobs: &str) -> Output {
    let args = ["--no-config", "--format", "json", "--quiet", "--jobs", jobs];
    command
        .args(args)
        .arg(dir)
        .output()
        .unwrap()
}

/// Puts a long text before the other members of a record.
fn lengthen(path: &Path, bytes: usize) {
    let record = fs::read_to_string(path).unwrap();
    let long = format!("{{\"x\":\"{}\",", "x".repeat(bytes));
    fs::write(path, record.replacen('{', &long, 1)).unwrap();
}

/// A timeline of small lines, of which much is kept: an act event for each of many actions.
fn many_acts(dir: &Path) {
    let mut lines = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    for number in 0..20_000 {
        let payload = format!(r#"{{"id":"many-{number}","tool":"x"}}"#);
        writeln!(
            lines,
            r#"{{"phase":"act","timestamp":"{TIME}","payload":{payload}}}"#
        )
        .unwrap();
    }
    fs::write(dir.join("events.jsonl"), lines).unwrap();
    let actions: String = (0..20_000).fold(String::new(), |actions, number| {
        actions + &format!("{{\"id\":\"many-{number}\",\"timestamp\":\"{TIME}\",\"tool\":\"x\"}},")
    });
    let state = fs::read_to_string(dir.join("state.json")).unwrap();
    let with_actions = state.replacen("\"actions\":[", &format!("\"actions\":[{actions}"), 1);
    fs::write(dir.join("state.json"), with_actions).unwrap();
}

#[test]
fn large_episodes_end_in_order_with_any_number_of_jobs() {
    let temp = tempfile::tempdir().unwrap();
    for number in 0..48 {
        let dir = temp
            .path()
            .join(format!("episodes/ep_{number:02}"));
        match number % 3 {
            0 => copy_dir(&run_of("good/terminal"), &dir),
            _ => copy_dir(&bad_run(), &dir),
        }
        match number % 4 {
            0 => lengthen(&dir.join("state.json"), 300 << 10),
            1 => lengthen(&dir.join("summary.json"), 600 << 10),
            2 if number == 6 => many_acts(&dir),
            _ => lengthen(&dir.join("events.jsonl"), 700 << 10),
        }
    }
    let alone = validate(runvet(&["validate"]), temp.path(), "1");
    let report: serde_json::Value = serde_json::from_slice(&alone.stdout).unwrap();
    assert_eq!(
        report["episodes"]
            .as_array()
            .unwrap()
            .len(),
        48
    );
    let together = validate(runvet(&["validate"]), temp.path(), "8");
    assert!(stdout(&together) == stdout(&alone), "8 jobs");
    assert_eq!(together.status.code(), alone.status.code());
}

/// The address space of eight jobs: the bound of 512 MiB and 96 MiB for each, and the heaps and
/// stacks that threads reserve and do not use.
const WITHIN_MIB: u64 = 512 + 8 * 96 + 768;

#[test]
fn memory_stays_bounded_when_all_workers_meet_large_episodes() {
    if Command::new("prlimit")
        .arg("--version")
        .output()
        .is_err()
    {
        return skip("there is no prlimit");
    }
    if !all_must_run() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let first = temp.path().join("episodes/ep_00");
    copy_dir(&run_of("good/terminal"), &first);
    for artifact in ["state.json", "summary.json", "events.jsonl"] {
        lengthen(&first.join(artifact), 63 << 20);
    }
    let plan = format!(
        "{{\"phase\":\"plan\",\"timestamp\":\"{TIME}\",\"payload\":{{\"x\":\"{}\"}}}}\n",
        "x".repeat(63 << 20)
    );
    let events = fs::read_to_string(first.join("events.jsonl")).unwrap();
    fs::write(first.join("events.jsonl"), events + &plan).unwrap();
    // A worker takes eight episodes at a time: each meets a large one first.
    for number in 1..64 {
        let dir = temp
            .path()
            .join(format!("episodes/ep_{number:02}"));
        if number % 8 != 0 {
            copy_dir(&run_of("good/terminal"), &dir);
            continue;
        }
        fs::create_dir(&dir).unwrap();
        for entry in fs::read_dir(&first).unwrap() {
            let entry = entry.unwrap();
            fs::hard_link(entry.path(), dir.join(entry.file_name())).unwrap();
        }
    }
    let mut command = Command::new("prlimit");
    command.arg(format!("--as={}", WITHIN_MIB << 20));
    command.args([env!("CARGO_BIN_EXE_runvet"), "validate"]);
    let output = validate(command, temp.path(), "8");
    assert_eq!(output.status.code(), Some(1), "{:?}", output.status);
}
