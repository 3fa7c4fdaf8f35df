//! Reports in files: written whole, and never in the place of a link or a device.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use runvet::finding::Report;

use crate::support::binary::{formats, stderr};
use crate::support::corpus::corpus;
use crate::support::printed::{RUN_DATA, print, runvet};

#[test]
fn report_in_a_file_is_the_one_on_stdout() {
    let temp = tempfile::tempdir().unwrap();
    let file = |format: &str| {
        temp.path()
            .join(format!("{format}.out"))
    };
    let outputs: Vec<String> = formats()
        .iter()
        .map(|format| format!("{format}={}", file(format).display()))
        .collect();
    let args: Vec<&str> = outputs
        .iter()
        .flat_map(|output| ["--output", output])
        .collect();
    let output = runvet(RUN_DATA.path(), &args);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), print("human"));
    for format in formats() {
        assert_eq!(
            fs::read_to_string(file(format)).unwrap(),
            print(format),
            "{format}"
        );
    }
    assert_eq!(
        fs::read_dir(temp.path())
            .unwrap()
            .count(),
        formats().len(),
        "nothing else is left"
    );
}

#[test]
fn report_file_is_written_whole_or_left_alone() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("report.json");
    let setting = format!("json={}", file.display());
    let demo = corpus().join("demo");
    let code = |args: &[&str]| {
        runvet(&demo, &[&["--output", &setting], args].concat())
            .status
            .code()
    };
    let names = || {
        fs::read_dir(temp.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect::<BTreeSet<_>>()
    };

    assert_eq!(
        (code(&["nowhere"]), names().len()),
        (Some(2), 0),
        "what is not done is not written"
    );
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(code(&["nowhere"]), Some(2));
    assert_eq!(
        code(&["--output", "sarif=/nowhere/at/all"]),
        Some(2),
        "another can't be written"
    );
    assert_eq!(
        code(&["--output", &format!("sarif={}", file.display())]),
        Some(2),
        "two in one file"
    );
    assert_eq!(
        code(&["--output", "json=/dev/null"]),
        Some(2),
        "a device is never replaced by a file"
    );
    assert_eq!(code(&["--output", "yaml=report.yaml"]), Some(2));
    assert_eq!(code(&["--output", "json="]), Some(2));
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");

    let link = temp.path().join("link.json");
    std::os::unix::fs::symlink("report.json", &link).unwrap();
    let through = format!("json={}", link.display());
    assert_eq!(
        runvet(&demo, &["--output", &through])
            .status
            .code(),
        Some(1)
    );
    assert!(
        fs::symlink_metadata(&link)
            .unwrap()
            .is_symlink(),
        "a link stays"
    );
    let report: Report = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(report.totals.episodes, 5);
    assert_eq!(
        fs::metadata(&file)
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o640,
        "as do permissions"
    );
    assert_eq!(names().len(), 2);
    // A new file has the same permissions as the files of other programs.
    let fresh = temp.path().join("fresh");
    let touched = temp.path().join("touched");
    fs::write(&touched, "").unwrap();
    runvet(&demo, &["--output", &format!("json={}", fresh.display())]);
    let mode = |path: &Path| {
        fs::metadata(path)
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode(&fresh), mode(&touched));
}

#[test]
fn report_file_never_replaces_a_link_or_a_device() {
    let temp = tempfile::tempdir().unwrap();
    let demo = corpus().join("demo");
    for (name, target) in [
        ("dangling", "missing.json"),
        ("dangling-dir", "missing/x.json"),
        ("loop", "loop"),
        ("out", "/proc/self/fd/1"),
    ] {
        let link = temp.path().join(name);
        std::os::unix::fs::symlink(target, &link).unwrap();
        for option in [
            vec!["--output".to_owned(), format!("json={}", link.display())],
            vec!["--write-baseline".to_owned(), link.display().to_string()],
        ] {
            let output = runvet(
                &demo,
                &option
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>(),
            );
            assert_eq!(output.status.code(), Some(2), "{name}");
            assert!(
                stderr(&output).starts_with(&format!("error: can't write {}: ", link.display())),
                "{}",
                stderr(&output)
            );
            assert!(
                fs::symlink_metadata(&link)
                    .unwrap()
                    .is_symlink(),
                "{name} stays"
            );
        }
    }
    assert_eq!(
        fs::read_dir(temp.path())
            .unwrap()
            .count(),
        4
    );
    // Otherwise a log to which other programs also print would be lost.
    let log = temp.path().join("log");
    let stdout = fs::File::create(&log).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command
        .current_dir(&demo)
        .args(["validate", "--output"])
        .arg(format!("json={}", log.display()))
        .stdout(stdout);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("standard output or standard error is redirected to it"),
        "{}",
        stderr(&output)
    );
    let output = runvet(&demo, &["--output", "json=-"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("`-` is not a file"),
        "{}",
        stderr(&output)
    );
    let output = runvet(&demo, &["--output", "json=nowhere/x.json"]);
    assert_eq!(
        stderr(&output),
        "error: can't write nowhere/x.json: its directory does not exist\n"
    );
}
