//! `runvet record --exec`: a command is executed as without it, and its run is recorded.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::support::process::exited;
use crate::support::recording::{complaints, json, only_run, recording};

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

/// Spawns a command whose script prints ids of processes, its own first; returns them once the
/// script has ended.
fn left_behind(command: &mut Command) -> (Child, Vec<Pid>) {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
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
