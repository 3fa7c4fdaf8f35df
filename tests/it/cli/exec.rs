//! `runvet record --exec`: a command is executed as without it, and its run is recorded.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use crate::support::binary::runvet;
use crate::support::process::{ended, exited};
use crate::support::recording::{complaints, fed, json, only_run, recording};

/// The exit code of a command that is executed and recorded, and the state of its run.
fn executed(run_data: &Path, words: &[&str]) -> (Option<i32>, Value) {
    let output = fed(
        recording(run_data, &[&["--exec", "--"], words].concat()),
        b"",
    );
    assert_eq!(complaints(run_data), [""; 0], "{words:?}");
    (
        output.status.code(),
        json(only_run(run_data).join("state.json")),
    )
}

#[test]
fn exit_code_is_that_of_the_command() {
    let missing = "can't be executed: No such file or directory (os error 2)";
    let denied = "can't be executed: Permission denied (os error 13)";
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("no-program");
    fs::write(&file, "x").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let sh = |script: &'static str| vec!["sh", "-c", script];
    for (words, code, error) in [
        (vec!["true"], 0, Value::Null),
        (
            vec!["false"],
            1,
            json!({"exit_code": 1, "message": "the command exited with 1"}),
        ),
        (
            sh("exit 2"),
            2,
            json!({"exit_code": 2, "message": "the command exited with 2"}),
        ),
        (
            sh("exit 255"),
            255,
            json!({"exit_code": 255, "message": "the command exited with 255"}),
        ),
        (
            sh("kill -9 $$"),
            137,
            json!({"signal": 9, "message": "the signal 9 killed the command"}),
        ),
        (
            sh("kill -15 $$"),
            143,
            json!({"signal": 15, "message": "the signal 15 killed the command"}),
        ),
        (
            vec!["runvet-no-such-program"],
            127,
            json!({"message": format!("the command {missing}")}),
        ),
        (
            vec![file.to_str().unwrap()],
            126,
            json!({"message": format!("the command {denied}")}),
        ),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let (exit, state) = executed(temp.path(), &words);
        assert_eq!(exit, Some(code), "{words:?}");
        assert_eq!(state["outcomes"]["error"], error, "{words:?}");
        let (status, step) = if code == 0 {
            ("ok", "done")
        } else {
            ("error", "failed")
        };
        assert_eq!(state["outcomes"]["status"], status, "{words:?}");
        assert_eq!(state["plan"]["steps"][0]["status"], step, "{words:?}");
        assert_eq!(
            state["outcomes"]["actions"][0]["result_status"] == "ok",
            code == 0
        );
    }
}

#[test]
fn input_and_output_pass_through_and_are_excerpted() {
    let temp = tempfile::tempdir().unwrap();
    let script = "cat; printf 'wrong\\377' >&2";
    let input = ["é".repeat(40_000).as_bytes(), b"\0\xff end"].concat();
    let command = recording(temp.path(), &["--exec", "--", "sh", "-c", script]);
    let output = fed(command, &input);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout == input, "{} bytes", output.stdout.len());
    assert_eq!(output.stderr, b"wrong\xff");
    let action = &json(only_run(temp.path()).join("state.json"))["outcomes"]["actions"][0];
    let printed = &action["output"];
    assert_eq!(printed["exit_code"], 0);
    assert_eq!(printed["stderr"], "wrong\u{fffd}");
    assert_eq!(printed["stderr_bytes"], 6);
    assert_eq!(printed["stdout_bytes"], input.len());
    let excerpt = printed["stdout"].as_str().unwrap();
    assert!(
        excerpt.starts_with("…é") && excerpt.ends_with("\0\u{fffd} end"),
        "{excerpt}"
    );
    assert!((4_000..4_200).contains(&excerpt.len()), "{}", excerpt.len());
    assert!(action["duration_ms"].as_f64().unwrap() > 0.0);
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn command_line_is_the_task_unless_there_is_one() {
    let temp = tempfile::tempdir().unwrap();
    let (_, state) = executed(temp.path(), &["printf", "a b", "it's", ""]);
    assert_eq!(state["goal"]["task"], r"printf 'a b' 'it'\''s' ''");
    let step = &state["plan"]["steps"][0];
    assert_eq!(step["inputs"]["argv"], json!(["printf", "a b", "it's", ""]));
    assert_eq!(step["description"], state["goal"]["task"]);
    assert_eq!(state["outcomes"]["actions"][0]["tool"], "printf");

    let temp = tempfile::tempdir().unwrap();
    let args = [
        "--task",
        "Say nothing",
        "--seed",
        "7",
        "--exec",
        "--",
        "true",
        "--task",
        "x",
    ];
    assert_eq!(
        fed(recording(temp.path(), &args), b"").status.code(),
        Some(0)
    );
    let state = json(only_run(temp.path()).join("state.json"));
    assert_eq!(state["goal"]["task"], "Say nothing");
    assert_eq!(state["episode"]["seed"], 7);
}

#[test]
fn signal_is_passed_on_and_the_end_is_recorded() {
    for (signal, exit) in [(Signal::TERM, 7), (Signal::HUP, 129)] {
        let temp = tempfile::tempdir().unwrap();
        let script = "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done";
        let mut child = recording(temp.path(), &["--exec", "--", "sh", "-c", script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 6]).unwrap();
        // While the command is executed, its run is there to see.
        let state = json(only_run(temp.path()).join("state.json"));
        assert_eq!(state["plan"]["steps"][0]["status"], "running");
        let pid = i32::try_from(child.id()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(exit));
        assert_eq!(complaints(temp.path()), [""; 0]);
    }
}

#[test]
fn command_ends_when_nobody_reads_its_output() {
    let temp = tempfile::tempdir().unwrap();
    let mut child = recording(temp.path(), &["--exec", "--", "yes"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    // SIGPIPE, as in a pipeline without a recorder.
    assert_eq!(child.wait().unwrap().code(), Some(141));
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn command_is_not_executed_when_its_run_cannot_begin() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("file");
    fs::write(&file, "").unwrap();
    let made = temp.path().join("made");
    let args = ["--exec", "--", "touch", made.to_str().unwrap()];
    let output = fed(recording(&file.join("runs"), &args), b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(!made.exists());
}

#[test]
fn slow_reader_of_a_pipe_that_does_not_block_gets_all() {
    let temp = tempfile::tempdir().unwrap();
    let (mut reader, writer) = std::io::pipe().unwrap();
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    let script = "head -c 1000000 /dev/zero";
    let mut child = recording(temp.path(), &["--exec", "--", "sh", "-c", script])
        .stdout(writer)
        .spawn()
        .unwrap();
    // The pipe is full before anybody reads.
    while rustix::io::ioctl_fionread(&reader).unwrap() < 60_000 {
        assert!(child.try_wait().unwrap().is_none(), "it gave up");
        thread::sleep(Duration::from_millis(1));
    }
    let mut read = Vec::new();
    reader.read_to_end(&mut read).unwrap();
    assert_eq!(
        (exited(&mut child).code(), read.len()),
        (Some(0), 1_000_000)
    );
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn output_that_is_lost_is_a_fault() {
    for (script, code) in [("echo x", 2), ("echo x; exit 7", 7)] {
        let temp = tempfile::tempdir().unwrap();
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let output = recording(temp.path(), &["--exec", "--", "sh", "-c", script])
            .stdout(full.unwrap())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("can't pass on the output"), "{said}");
        assert_eq!(complaints(temp.path()), [""; 0]);
    }
}

/// Spawns a command whose script prints ids of processes, its own first; returns them once the
/// script has ended.
fn left_behind(command: &mut Command) -> (Child, Vec<Pid>) {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    child.stdout = Some(stdout.into_inner());
    let pids = line.split_whitespace();
    let pids: Vec<Pid> = pids
        .map(|pid| Pid::from_raw(pid.parse().unwrap()).unwrap())
        .collect();
    while test_kill_process(pids[0]).is_ok() {
        thread::sleep(Duration::from_millis(1));
    }
    (child, pids)
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap()
}

#[test]
fn process_that_holds_the_output_can_be_left_behind() {
    let temp = tempfile::tempdir().unwrap();
    let script = "sleep 1000 & echo $$ $!";
    let mut command = recording(temp.path(), &["--exec", "--", "sh", "-c", script]);
    let (mut child, pids) = left_behind(&mut command);
    kill_process(pid(&child), Signal::TERM).unwrap();
    let status = exited(&mut child);
    kill_process(pids[1], Signal::KILL).unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn signal_ends_a_look_at_a_large_workspace() {
    let temp = tempfile::tempdir().unwrap();
    let (runs, work) = (temp.path().join("runs"), temp.path().join("work"));
    fs::create_dir(&work).unwrap();
    let script = format!("truncate -s 15G {}/large; echo $$", work.display());
    let workspace = work.to_str().unwrap();
    let args = [
        "--workspace",
        workspace,
        "--exec",
        "--",
        "sh",
        "-c",
        &script,
    ];
    let (mut child, _) = left_behind(&mut recording(&runs, &args));
    kill_process(pid(&child), Signal::TERM).unwrap();
    assert_eq!(exited(&mut child).code(), Some(0));
    let summary = json(only_run(&runs).join("summary.json"));
    assert_eq!(summary["verification"]["error"], "workspace_unavailable");
    assert_eq!(complaints(&runs), [""; 0]);
}

#[test]
fn signal_that_is_ignored_stays_ignored() {
    let temp = tempfile::tempdir().unwrap();
    let command = recording(temp.path(), &["--exec", "--", "sh", "-c", "kill -HUP $$"]);
    let mut nohup = Command::new("sh");
    nohup.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]);
    nohup.arg(command.get_program()).args(command.get_args());
    assert_eq!(ended(&mut nohup).status.code(), Some(0));
    assert_eq!(complaints(temp.path()), [""; 0]);
}

#[test]
fn output_and_errors_that_go_to_one_place_keep_their_order() {
    let temp = tempfile::tempdir().unwrap();
    let log = fs::File::create(temp.path().join("log")).unwrap();
    let script = "for i in $(seq 200); do echo out $i; echo err $i >&2; done";
    let data = temp.path().join("runs");
    let run = [
        "record",
        "--run-data",
        data.to_str().unwrap(),
        "--exec",
        "--",
    ];
    let status = runvet(&[&run[..], &["sh", "-c", script]].concat())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .status()
        .unwrap();
    assert!(status.success());
    let lines = (1..=200).map(|index| format!("out {index}\nerr {index}\n"));
    let log = fs::read_to_string(temp.path().join("log")).unwrap();
    assert_eq!(log, lines.collect::<String>());
}
