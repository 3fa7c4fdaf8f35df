//! A machine that lacks something: threads, memory, file descriptors, room on the disk. What can
//! still be done is done, and the rest is a fault: never a panic, never a wrong verdict.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::binary::{stderr, stdout};
use crate::support::process::{Unprivileged, ended};
use crate::support::run_data;
use crate::support::runs::copy_of_good_run;
use crate::support::skip::leave_out;

#[test]
fn check_goes_on_when_threads_run_out() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    let temp = Unprivileged::scratch();
    run_data::write(temp.path(), 400, 4).unwrap();
    let long = temp.path().join("long");
    run_data::write_long(&long, 3 << 20).unwrap();
    // No thread at all, some of those asked for, and all of them.
    let validate = |through: &[&str], dir: &Path| {
        let args = ["validate", "--format=json", "--jobs=16"];
        let output = ended(user.runvet(through, &args).arg(dir));
        (
            output.status.code(),
            stdout(&output).to_owned(),
            stderr(&output).to_owned(),
        )
    };
    for (dir, code) in [(temp.path(), 1), (&long, 0)] {
        let expected = validate(&[], dir);
        assert_eq!((expected.0, &*expected.2), (Some(code), ""));
        for threads in ["--nproc=1", "--nproc=5"] {
            assert_eq!(validate(&["prlimit", threads], dir), expected, "{threads}");
        }
    }
}

#[test]
fn too_few_file_descriptors_are_a_fault() {
    let temp = tempfile::tempdir().unwrap();
    run_data::write(temp.path(), 60, 0).unwrap();
    let (mut faults, mut valid) = (0, 0);
    for files in (3..20).chain([64, 256, 1024]) {
        let mut command = Command::new("prlimit");
        command
            .arg(format!("--nofile={files}"))
            .arg(env!("CARGO_BIN_EXE_runvet"))
            .args(["validate", "--format=concise", "--jobs=8"])
            .arg(temp.path())
            .env_clear();
        let output = ended(&mut command);
        match output.status.code() {
            Some(0) => valid += 1,
            Some(2) => {
                faults += 1;
                assert!(
                    stderr(&output).contains("(os error 24)"),
                    "{}",
                    stderr(&output)
                );
            }
            // The dynamic linker has none for the libraries of the program.
            Some(127) => {}
            other => panic!("{files} files: {other:?} {}", stdout(&output)),
        }
    }
    assert!(faults > 1 && valid > 1, "{faults} faults, {valid} valid");
}

#[test]
fn full_disk_is_a_fault_that_names_the_file() {
    let (temp, _) = copy_of_good_run();
    let report = temp.path().join("report.json");
    for option in ["--output=json=", "--write-baseline="] {
        fs::write(&report, "as it was").unwrap();
        let output = Command::new("env")
            // A limit on the size of files, so that writing beyond it is an error and not a signal.
            .args(["--ignore-signal=XFSZ", "prlimit", "--fsize=16"])
            .arg(env!("CARGO_BIN_EXE_runvet"))
            .args(["validate", "--rule=plan/*=off"])
            .arg(format!("{option}{}", report.display()))
            .arg(temp.path())
            .output()
            .unwrap();
        let expected = format!(
            "error: can't write {}: File too large (os error 27)\n",
            report.display()
        );
        assert_eq!(
            (output.status.code(), stderr(&output)),
            (Some(2), &*expected)
        );
        assert_eq!(fs::read_to_string(&report).unwrap(), "as it was");
        assert_eq!(names(temp.path()), ["episodes", "report.json"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_of_reports_when_a_signal_ends_it() {
    for signal in ["TERM", "KILL", "INT"] {
        let (temp, _) = copy_of_good_run();
        let report = temp.path().join("report.json");
        // It waits for the paths while the report is open.
        let mut child = Command::new("env")
            .arg("--default-signal=INT")
            .arg(env!("CARGO_BIN_EXE_runvet"))
            .args(["validate", "--files-from=-"])
            .arg(format!("--output=json={}", report.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let open = format!("/proc/{}/fd", child.id());
        let opened = loop {
            let files = fs::read_dir(&open).unwrap();
            let mut files = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
            if let Some(file) = files.find(|file| file.starts_with(temp.path())) {
                break file;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let id = child.id().to_string();
        let kill = Command::new("kill")
            .args(["-s", signal, &id])
            .status();
        assert!(kill.unwrap().success());
        child.wait().unwrap();
        let is_unnamed = opened
            .to_string_lossy()
            .ends_with(" (deleted)");
        if !is_unnamed && !temp.path().starts_with("/dev/shm") {
            leave_out("the file system may have no files without names");
            return;
        }
        assert_eq!(names(temp.path()), ["episodes"], "{signal}");
    }
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(Result::unwrap);
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn too_little_memory_for_a_record_is_a_fault() {
    for artifact in ["state.json", "events.jsonl"] {
        let (temp, dir) = copy_of_good_run();
        let long = format!("{{\"x\":\"{}\"}}\n", "x".repeat(60 << 20));
        fs::write(dir.join(artifact), long).unwrap();
        let mut command = Command::new("prlimit");
        command
            // Room for the program, and not for the record besides.
            .arg(format!("--as={}", 100 << 20))
            .arg(env!("CARGO_BIN_EXE_runvet"))
            .args(["validate", "--format=concise", "--jobs=1"])
            .arg(temp.path())
            .env_clear();
        let output = ended(&mut command);
        let fault = format!("{}: fault: out of memory\n", dir.display());
        let said = (output.status.code(), stdout(&output));
        assert_eq!(said, (Some(2), &*fault), "{artifact}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("out of memory"),
            "{}",
            stderr(&output)
        );
    }
}
