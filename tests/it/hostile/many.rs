//! More runs than are opened before the first is judged: they are judged as if there were few.
//!
//! Two paths to one directory make runvet open all of its runs first, so that one is the other's
//! second opinion.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Output;

use crate::support::binary::{runvet, stderr, stdout};
use crate::support::runs::{bad_run, copy_dir, run_of};

/// Run data with many runs, and a few directories that are no runs or hold something else.
fn many_runs(dir: &Path) {
    let episodes = dir.join("episodes");
    let good = run_of("good/terminal");
    for number in 0..70 {
        copy_dir(&good, &episodes.join(format!("ep_{number:02}")));
    }
    copy_dir(&bad_run(), &episodes.join("ep_03_edited"));
    copy_dir(&bad_run(), &episodes.join("ep_69-b"));
    fs::create_dir(episodes.join("ep_50_empty")).unwrap();
    fs::create_dir_all(episodes.join("ep_51/checkpoint")).unwrap();
    fs::create_dir(episodes.join("ep_52_summary")).unwrap();
    fs::copy(
        good.join("summary.json"),
        episodes.join("ep_52_summary/summary.json"),
    )
    .unwrap();
}

fn validate(dir: &Path, args: &[&str]) -> Output {
    let args = [&["validate", "--format", "json", "--quiet"], args].concat();
    runvet(&args)
        .current_dir(dir)
        .output()
        .unwrap()
}

/// The report on many runs, and the faults in it; it must be the same if all are opened first.
fn judged(dir: &Path) -> (usize, Vec<String>) {
    let told = |output: &Output| {
        let mut lines: Vec<String> = stderr(output)
            .lines()
            .map(str::to_owned)
            .collect();
        lines.sort();
        lines.dedup();
        lines
    };
    let at_once = validate(dir, &[".", "./"]);
    for jobs in ["1", "2", "7"] {
        let in_turn = validate(dir, &["--jobs", jobs, "."]);
        assert_eq!(stdout(&in_turn), stdout(&at_once), "{jobs} jobs");
        assert_eq!(told(&in_turn), told(&at_once), "{jobs} jobs");
        assert_eq!(in_turn.status, at_once.status, "{jobs} jobs");
    }
    let report: serde_json::Value = serde_json::from_slice(&at_once.stdout).unwrap();
    let faults = report["faults"]
        .as_array()
        .unwrap()
        .iter();
    let faults = faults.map(|fault| {
        fault["path"]
            .as_str()
            .unwrap()
            .to_owned()
    });
    (
        report["episodes"]
            .as_array()
            .unwrap()
            .len(),
        faults.collect(),
    )
}

#[test]
fn many_runs_are_judged_as_few_are() {
    let dir = tempfile::tempdir().unwrap();
    many_runs(dir.path());
    assert_eq!(judged(dir.path()), (73, vec![]));
    // Runs below a directory, with a name that sorts before the slash beside it.
    copy_dir(&bad_run(), &dir.path().join("episodes/ep_30x/ep_1"));
    copy_dir(&bad_run(), &dir.path().join("episodes/ep_30x/ep_2"));
    copy_dir(&bad_run(), &dir.path().join("episodes/ep_30x-b"));
    assert_eq!(judged(dir.path()), (76, vec![]));
    // A group with a summary of its own, and a run that another one displaces.
    let summary = |run: &str| {
        dir.path()
            .join("episodes")
            .join(run)
            .join("summary.json")
    };
    fs::write(summary("ep_30x"), "{}").unwrap();
    assert_eq!(judged(dir.path()), (76, vec![]));
    fs::copy(summary("ep_00"), summary("ep_30x")).unwrap();
    assert_eq!(judged(dir.path()), (76, vec!["episodes/ep_30x".into()]));
}

#[test]
fn many_runs_hide_none() {
    let dir = tempfile::tempdir().unwrap();
    many_runs(dir.path());
    let path = |below: &str| dir.path().join("episodes").join(below);
    symlink("ep_07", path("latest")).unwrap();
    symlink("../ep_08", path("ep_07/copy_of")).unwrap();
    assert_eq!(judged(dir.path()), (73, vec![]));
    let elsewhere = tempfile::tempdir().unwrap();
    copy_dir(&bad_run(), &elsewhere.path().join("ep_x"));
    symlink(elsewhere.path().join("ep_x"), path("ep_x")).unwrap();
    // A link to a directory that holds no run hides none.
    symlink("ep_50_empty", path("nothing")).unwrap();
    symlink(elsewhere.path().join("ep_x"), path("ep_09/ep_x")).unwrap();
    copy_dir(&bad_run(), &path("ep_51/checkpoint"));
    let faults = ["ep_09/ep_x", "ep_51/checkpoint", "ep_x"];
    let faults = faults.map(|name| format!("episodes/{name}"));
    assert_eq!(judged(dir.path()), (73, faults.to_vec()));
    // Directories that were searched instead make no difference.
    copy_dir(&bad_run(), &path("ep_20x/ep_1"));
    assert_eq!(judged(dir.path()), (74, faults.to_vec()));
    fs::copy(path("ep_00/state.json"), path("state.json")).unwrap();
    let with_stray = [&["episodes".to_owned()], &faults[..]].concat();
    assert_eq!(judged(dir.path()), (74, with_stray));
}

#[test]
fn many_directories_without_a_run_exit_3() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..100 {
        let episode = dir
            .path()
            .join(format!("episodes/{number:03}"));
        fs::create_dir_all(episode).unwrap();
    }
    for args in [&["."][..], &[".", "./"]] {
        assert_eq!(validate(dir.path(), args).status.code(), Some(3));
    }
    let output = validate(dir.path(), &["--allow-empty", "."]);
    assert_eq!(output.status.code(), Some(0));
}
