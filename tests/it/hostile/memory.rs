//! Hostile records are checked within a bound on memory, which the system holds the binary to.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::corpus::corpus;
use crate::support::skip::skip;

/// Checks an episode with this many MiB of address space, and returns the exit code.
fn exit_within(mib: u64, dir: &Path) -> Option<i32> {
    let mut command = Command::new("prlimit");
    command.arg(format!("--as={}", mib << 20));
    command.args([
        env!("CARGO_BIN_EXE_runvet"),
        "validate",
        "--jobs",
        "1",
        "--no-config",
    ]);
    command.arg(dir).env_clear().env("PATH", "/usr/bin:/bin");
    let output = command.stdout(Stdio::null()).output().unwrap();
    output.status.code()
}

/// A good run, in a directory that is removed with the value.
fn good_run() -> (tempfile::TempDir, std::path::PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("episodes/ep_answer");
    fs::create_dir_all(&dir).unwrap();
    for entry in fs::read_dir(corpus().join("good/terminal/episodes/ep_answer")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), dir.join(entry.file_name())).unwrap();
    }
    (temp, dir)
}

#[test]
fn memory_stays_bounded_when_records_are_hostile() {
    if Command::new("prlimit").arg("--version").output().is_err() {
        return skip("there is no prlimit");
    }
    let (_temp, dir) = good_run();
    assert_eq!(
        exit_within(256, &dir),
        Some(0),
        "the bound is enough for a good run"
    );

    // A long key above many repeated ones.
    let state = fs::read_to_string(dir.join("state.json")).unwrap();
    let repeated = vec!["\"a\":1"; 20_000].join(",");
    let long = format!("{{\"x\":{{\"{}\":{{{repeated}}}}},", "k".repeat(50_000));
    fs::write(dir.join("state.json"), state.replacen('{', &long, 1)).unwrap();
    assert_eq!(exit_within(256, &dir), Some(1), "repeated keys");

    // Actions with long act events, which were all kept in memory.
    let actions: Vec<String> = (0..40)
        .map(|n| format!("{{\"id\":\"long-{n}\"}}"))
        .collect();
    let actions = format!("\"actions\":[{},", actions.join(","));
    fs::write(
        dir.join("state.json"),
        state.replacen("\"actions\":[", &actions, 1),
    )
    .unwrap();
    let events = fs::OpenOptions::new()
        .append(true)
        .open(dir.join("events.jsonl"));
    let mut events = std::io::BufWriter::new(events.unwrap());
    let blob = "b".repeat(8 << 20);
    for n in 0..40 {
        writeln!(
            events,
            "{{\"phase\":\"act\",\"timestamp\":\"2026-03-01T12:00:00Z\",\"payload\":{{\"id\":\"long-{n}\",\"blob\":\"{blob}\"}}}}"
        )
        .unwrap();
    }
    events.flush().unwrap();
    drop(events);
    assert_eq!(exit_within(256, &dir), Some(1), "long act events");
}
