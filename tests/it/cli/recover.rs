//! `runvet recover` and `runvet abandon`: runs whose process died, and names that lead elsewhere.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

use runvet::gate::Gate;
use serde_json::{Value, json};

use crate::support::binary::{stderr, stdout};
use crate::support::recording::{Talk, answer, complaints, fed, json, recording};
use crate::support::runs::copy_of;

/// Runs a command with a run-data directory.
fn runvet(command: &str, run_data: &Path, args: &[&str]) -> Output {
    let mut runvet = std::process::Command::new(env!("CARGO_BIN_EXE_runvet"));
    runvet
        .arg(command)
        .args(args)
        .env_clear();
    runvet
        .arg("--run-data")
        .arg(run_data)
        .output()
        .unwrap()
}

/// A run whose process was killed while a step was open, with a part of an event after the others.
fn killed(run_data: &Path, torn: &[u8]) -> (String, PathBuf) {
    let mut talk = Talk::new(run_data, &["--task", "t"]);
    talk.tell(&[
        r#"{"plan":["a","b"]}"#,
        r#"{"persist":{}}"#,
        r#"{"open":"step-1"}"#,
        r#"{"act":{"tool":"x"}}"#,
    ]);
    talk.child.kill().unwrap();
    talk.child.wait().unwrap();
    let events = OpenOptions::new()
        .append(true)
        .open(talk.dir.join("events.jsonl"));
    events.unwrap().write_all(torn).unwrap();
    (talk.id, talk.dir)
}

fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.is_file());
    files
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn crashed_run_without_a_state_is_not_said_to_have_just_started() {
    let temp = tempfile::tempdir().unwrap();
    let mut talk = Talk::new(temp.path(), &["--task", "t"]);
    let found = || {
        let report = Gate::default()
            .run([temp.path()])
            .unwrap();
        let [finding] = &report.episodes[0].findings[..] else {
            panic!("{report:?}")
        };
        (finding.message.clone(), finding.help.clone())
    };
    let (message, help) = found();
    assert!(
        message.contains("has just started, or its process died"),
        "{message}"
    );
    assert!(help.contains("`runvet record --resume`") && help.contains("`runvet abandon`"));
    talk.tell(&[r#"{"jot":"a"}"#; 15]);
    talk.child.kill().unwrap();
    talk.child.wait().unwrap();
    let (message, _) = found();
    assert!(
        message.starts_with("there is no state.json after 16 events;"),
        "{message}"
    );
    assert!(!message.contains("started"), "{message}");
}

#[test]
fn torn_event_is_cut_off_and_the_run_can_be_abandoned() {
    let temp = tempfile::tempdir().unwrap();
    let (id, dir) = killed(temp.path(), b"{\"agent_id\":\"sys");
    let recovered = runvet("recover", temp.path(), &[&id, "--json"]);
    assert_eq!(recovered.status.code(), Some(0), "{}", stderr(&recovered));
    assert_eq!(
        answer(stdout(&recovered)),
        json!({"ok": true, "id": id, "path": dir, "recovered": "cut", "cut_bytes": 16})
    );
    let again = runvet("recover", temp.path(), &[&id]);
    // It says what it does not do.
    let said = format!(
        "{}: nothing had to be repaired; the run has not ended, and `recover` does not end it: \
         `runvet record --resume {id}` goes on with it, `runvet abandon {id}` ends it\n",
        dir.display()
    );
    assert_eq!((again.status.code(), stdout(&again)), (Some(0), &*said));

    let abandoned = runvet(
        "abandon",
        temp.path(),
        &[&id, "--reason", "the machine died"],
    );
    let said = format!("{}: ended the run as aborted\n", dir.display());
    assert_eq!(
        (abandoned.status.code(), stdout(&abandoned)),
        (Some(0), &*said)
    );
    assert_eq!(
        json(dir.join("state.json"))["outcomes"]["status"],
        "aborted"
    );
    let events = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    assert!(events.contains("the machine died"), "{events}");
    assert_eq!(complaints(temp.path()), [""; 0]);

    let again = runvet("abandon", temp.path(), &[&id, "--json"]);
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(answer(stdout(&again))["error"]["kind"], "ended");
    assert!(
        stderr(&again).starts_with("error: the run ep_"),
        "{}",
        stderr(&again)
    );
}

#[test]
fn state_whose_evidence_was_lost_is_written_anew() {
    let temp = tempfile::tempdir().unwrap();
    let mut talk = Talk::new(temp.path(), &["--task", "t"]);
    talk.tell(&[r#"{"remember":{"key":"a","value":1}}"#, r#"{"persist":{}}"#]);
    let (id, dir) = (talk.id.clone(), talk.dir.clone());
    talk.child.kill().unwrap();
    talk.child.wait().unwrap();
    // As if the power had failed in the middle of the evidence of the state.
    let events = OpenOptions::new()
        .write(true)
        .open(dir.join("events.jsonl"))
        .unwrap();
    events
        .set_len(events.metadata().unwrap().len() - 40)
        .unwrap();
    let recovered = |expected: &str| {
        let recovered = runvet("recover", temp.path(), &[&id, "--json"]);
        assert_eq!(
            answer(stdout(&recovered))["recovered"],
            expected,
            "{}",
            stderr(&recovered)
        );
    };
    recovered("cut");
    recovered("intact");
    assert_eq!(complaints(temp.path()), [""; 0]);
    let mut talk = Talk::new(temp.path(), &["--resume", &id]);
    talk.tell(&[r#"{"finish":"ok"}"#]);
    assert_eq!(talk.end(), Some(0));
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn run_that_is_not_trusted_stays_as_it_is() {
    let temp = tempfile::tempdir().unwrap();
    let (id, dir) = killed(temp.path(), b"{\"agent_id\"");
    // No event is the evidence of this state, and a run that goes on has no such summary.
    let state = fs::read_to_string(dir.join("state.json")).unwrap() + "\n";
    fs::write(dir.join("state.json"), &state).unwrap();
    fs::write(dir.join("summary.json"), "{}").unwrap();
    let left = files(&dir);
    for command in ["recover", "abandon"] {
        let refused = runvet(command, temp.path(), &[&id, "--json"]);
        assert_eq!(answer(stdout(&refused))["error"]["kind"], "untrusted");
        assert_eq!(files(&dir), left);
    }
    fs::remove_file(dir.join("summary.json")).unwrap();
    let recovered = runvet("recover", temp.path(), &[&id, "--json"]);
    assert_eq!(recovered.status.code(), Some(0), "{recovered:?}");
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn killed_run_goes_on_with_its_steps_pending() {
    let temp = tempfile::tempdir().unwrap();
    let (id, _) = killed(temp.path(), b"{");
    let mut talk = Talk::new(temp.path(), &["--resume", &id]);
    assert_eq!(talk.pending, json!(["step-1", "step-2"]));
    talk.tell(&[
        r#"{"open":"step-1"}"#,
        r#"{"close":"step-1"}"#,
        r#"{"plan":["a"]}"#,
        r#"{"finish":"ok"}"#,
    ]);
    assert_eq!(talk.end(), Some(0));
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn end_that_was_cut_short_is_completed() {
    let temp = tempfile::tempdir().unwrap();
    let mut talk = Talk::new(temp.path(), &["--task", "t"]);
    talk.tell(&[r#"{"remember":{"key":"a","value":1}}"#, r#"{"persist":{}}"#]);
    let (id, dir) = (talk.id.clone(), talk.dir.clone());
    let early = fs::read(dir.join("state.json")).unwrap();
    talk.tell(&[r#"{"finish":"ok"}"#]);
    assert_eq!(talk.end(), Some(0));
    let whole = files(&dir);
    // As if the process had died before the manifest.
    fs::write(dir.join("state.json"), early).unwrap();
    fs::remove_file(dir.join("manifest.json")).unwrap();
    let recovered = runvet("recover", temp.path(), &[&id, "--json"]);
    let said = answer(stdout(&recovered));
    assert_eq!(
        (&said["recovered"], &said["status"]),
        (&json!("completed"), &json!("ok"))
    );
    assert!(files(&dir) == whole, "the same bytes");
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn run_is_named_by_its_whole_id_as_the_latest_or_by_a_path() {
    let temp = tempfile::tempdir().unwrap();
    let (id, dir) = killed(temp.path(), b"");
    for name in [&*id, "@latest", dir.to_str().unwrap()] {
        let output = runvet("recover", temp.path(), &[name]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
    }
    // A path needs no run data around it, nor a given form.
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_runvet"));
    let output = command
        .args(["recover", "."])
        .current_dir(&dir)
        .env_clear();
    assert_eq!(output.output().unwrap().status.code(), Some(0));
    let unknown = runvet("abandon", temp.path(), &["ep_other", "--json"]);
    assert_eq!(unknown.status.code(), Some(2));
    let absent = answer(stdout(&unknown));
    assert_eq!(absent["error"]["kind"], "absent");
    let said = absent["error"]["message"]
        .as_str()
        .unwrap();
    assert!(said.contains("`runvet list` shows the runs"), "{said}");
    let slashed = format!("{}/", dir.display());
    for name in [&*id, "@latest", &slashed] {
        let talk = Talk::new(temp.path(), &["--resume", name]);
        assert_eq!(talk.id, id, "{name}");
        assert_eq!(talk.end(), Some(0));
    }
    // The answer has the path in the form in which the run data is named.
    for name in [&*id, "@latest", &slashed] {
        let mut command = recording(Path::new("."), &["--resume", name]);
        command.current_dir(temp.path());
        let output = fed(command, b"");
        let first = answer(stdout(&output).lines().next().unwrap());
        assert_eq!(first["path"], format!("./episodes/{id}"), "{name}");
    }
}

#[test]
fn run_of_another_writer_is_left_alone() {
    let (temp, dir) = copy_of("good/paused");
    let events = dir.join("events.jsonl");
    let text = fs::read_to_string(&events).unwrap();
    let without = |line: &str| {
        let mut event: Value = serde_json::from_str(line).unwrap();
        let members = event.as_object_mut().unwrap();
        members.retain(|key, _| key != "agent_id" && key != "id");
        event.to_string() + "\n"
    };
    fs::write(
        &events,
        text.lines()
            .map(without)
            .collect::<String>(),
    )
    .unwrap();
    let before = files(&dir);
    let lacks = "the recorder can't go on with the run ep_paused: line 1 of events.jsonl has no \
                 `agent_id` and no `id`, which the recorder writes in every event; only its own \
                 writer can repair or end it";
    for command in ["recover", "abandon"] {
        let name = dir
            .file_name()
            .unwrap()
            .to_str()
            .unwrap();
        let output = runvet(command, temp.path(), &[name, "--json"]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert_eq!(
            answer(stdout(&output))["error"]["kind"],
            "untrusted",
            "{command}"
        );
        assert!(stderr(&output).contains(lacks), "{}", stderr(&output));
        assert!(files(&dir) == before, "{command} changed a file");
    }
    let group = temp.path().join("episodes/group");
    fs::create_dir(&group).unwrap();
    fs::rename(&dir, group.join("ep_moved")).unwrap();
    let output = runvet("recover", temp.path(), &["ep_moved"]);
    assert!(
        stderr(&output).contains("is not directly in a directory called `episodes`"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn message_says_what_the_recorder_does_not_write() {
    let long = vec![b' '; (64 << 20) + 2];
    for (torn, why) in [
        (
            &b"\n"[..],
            "line 6 of events.jsonl is blank, which the recorder never writes",
        ),
        (&long, "a line is larger than the limit of 64 MiB"),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let (id, _) = killed(temp.path(), torn);
        let output = runvet("recover", temp.path(), &[&id]);
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}

#[test]
fn run_that_is_being_recorded_is_busy() {
    let temp = tempfile::tempdir().unwrap();
    let talk = Talk::new(temp.path(), &["--task", "t"]);
    for command in ["recover", "abandon"] {
        let output = runvet(command, temp.path(), &[&talk.id, "--json"]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(answer(stdout(&output))["error"]["kind"], "busy");
    }
    assert_eq!(talk.end(), Some(0));
}

#[test]
fn learn_is_written_again_for_a_run_that_has_ended() {
    let temp = tempfile::tempdir().unwrap();
    let workspace = temp.path().join("workspace");
    fs::create_dir(&workspace).unwrap();
    let arguments = ["--task", "t", "--workspace", workspace.to_str().unwrap()];
    let mut talk = Talk::new(&temp.path().join("runs"), &arguments);
    talk.tell(&[r#"{"finish":"ok"}"#]);
    let (id, dir) = (talk.id.clone(), talk.dir.clone());
    assert_eq!(talk.end(), Some(0));
    fs::remove_file(dir.join("learn.jsonl")).unwrap();
    // What was changed since then is not made to look sound.
    fs::write(dir.join("snapshots/post.json"), "{}").unwrap();
    let manifest = fs::read(dir.join("manifest.json")).unwrap();
    let recovered = runvet("recover", &temp.path().join("runs"), &[&id, "--json"]);
    assert_eq!(answer(stdout(&recovered))["recovered"], "completed");
    assert!(dir.join("learn.jsonl").is_file());
    assert_eq!(fs::read(dir.join("manifest.json")).unwrap(), manifest);
}

#[test]
fn workspace_of_another_run_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let (runs, own, other) = (
        temp.path().join("runs"),
        temp.path().join("own"),
        temp.path().join("other"),
    );
    fs::create_dir(&own).unwrap();
    fs::create_dir(&other).unwrap();
    let missing = temp.path().join("missing");
    let output = fed(
        recording(
            &runs,
            &["--task", "t", "--workspace", missing.to_str().unwrap()],
        ),
        b"",
    );
    assert_eq!(answer(stdout(&output))["error"]["kind"], "io");
    assert!(!runs.exists());
    let talk = Talk::new(
        &runs,
        &["--task", "t", "--workspace", own.to_str().unwrap()],
    );
    let (id, dir) = (talk.id.clone(), talk.dir.clone());
    assert_eq!(talk.end(), Some(0));
    let before = files(&dir);
    let refused = runvet(
        "abandon",
        &runs,
        &[&id, "--json", "--workspace", other.to_str().unwrap()],
    );
    let answer = answer(stdout(&refused));
    assert_eq!(answer["error"]["kind"], "refused");
    let said = answer["error"]["message"]
        .as_str()
        .unwrap();
    assert!(said.contains(own.to_str().unwrap()), "{said}");
    assert_eq!(files(&dir), before);

    // That nobody named the workspace is not why the run ended.
    let abandoned = runvet("abandon", &runs, &[&id, "--reason", "the machine died"]);
    assert_eq!(abandoned.status.code(), Some(0));
    let view = runvet("view", &runs, &[&id]);
    assert!(
        stdout(&view).contains("\nRun: aborted: the machine died\n"),
        "{}",
        stdout(&view)
    );
}

#[test]
fn damaged_beginning_is_not_said_to_be_no_run() {
    let temp = tempfile::tempdir().unwrap();
    let (id, dir) = killed(temp.path(), b"");
    let events = fs::read(dir.join("events.jsonl")).unwrap();
    let mut hole = events.clone();
    hole[..8].fill(0);
    let first = events
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap();
    let refused = |events: &[u8], expected: &str| {
        fs::write(dir.join("events.jsonl"), events).unwrap();
        let refused = runvet("recover", temp.path(), &[&id]);
        assert!(stderr(&refused).contains(expected), "{}", stderr(&refused));
    };
    refused(&events[..first], "put that line back from a copy");
    fs::remove_file(dir.join("state.json")).unwrap();
    refused(&hole, "put that line back from a copy");
    refused(&events[..first], "the run never began");
}

#[test]
fn hostile_ids_lead_nowhere() {
    let temp = tempfile::tempdir().unwrap();
    let runs = temp.path().join("runs");
    let (id, dir) = killed(&runs, b"");
    let elsewhere = temp
        .path()
        .join("other/episodes")
        .join(&id);
    fs::create_dir_all(&elsewhere).unwrap();
    for (file, bytes) in files(&dir) {
        fs::write(elsewhere.join(file.file_name().unwrap()), bytes).unwrap();
    }
    let before = (files(&dir), files(&elsewhere));
    let up = format!("../../other/episodes/{id}");
    let part = &id[..20];
    let named = [
        ("", "absent"),
        ("\u{1b}[31mred", "absent"),
        ("a\nb", "absent"),
        ("ep_\u{202e}x", "absent"),
        (&up, "argument"),
        (elsewhere.to_str().unwrap(), "argument"),
        (part, "argument"),
    ];
    for (id, kind) in named {
        let mut command = recording(&runs, &["--resume", id]);
        command.current_dir(runs.join("episodes"));
        let output = fed(command, b"");
        assert_eq!(output.status.code(), Some(2), "{id:?}");
        assert_eq!(answer(stdout(&output))["error"]["kind"], kind, "{id:?}");
        for printed in [stdout(&output), stderr(&output)] {
            let is_safe = |c: char| c == '\n' || !runvet::printable::is_hostile(c);
            assert!(printed.chars().all(is_safe), "{printed:?}");
            assert_eq!(printed.lines().count(), 1, "{printed:?}");
        }
    }
    assert!(before == (files(&dir), files(&elsewhere)));
}
