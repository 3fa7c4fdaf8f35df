//! `runvet diff`: two runs side by side, and what counts as a difference.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use unicode_width::UnicodeWidthStr;

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::process::Unprivileged;
use crate::support::runs::copy_dir;
use crate::support::terminal::{Width, command, runvet, snapshot};

fn demo() -> std::path::PathBuf {
    corpus().join("demo")
}

#[test]
fn diff_of_the_demo_matches_the_snapshots() {
    for width in Width::BOTH {
        let output = runvet(&demo(), &["diff", "ep_01", "ep_03"], width);
        assert_eq!((output.status.code(), stderr(&output)), (Some(1), ""));
        snapshot(&format!("diff-edited-{width}"), &output);
    }
    let coloured = ["diff", "ep_01", "ep_02", "--color", "always"];
    snapshot(
        "diff-paused-colour",
        &runvet(&demo(), &coloured, Width::Narrow),
    );
}

#[test]
fn diff_tells_a_fault_of_run_data_once() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    let temp = Unprivileged::scratch();
    let episodes = temp.path().join("episodes");
    let sound = corpus().join("good/terminal/episodes/ep_answer");
    copy_dir(&sound, &episodes.join("ep_answer"));
    let closed = episodes.join("closed");
    fs::create_dir(&closed).unwrap();
    let chmod = |mode| fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).unwrap();
    chmod(0o000);
    let dir = temp.path().to_str().unwrap();
    let args = ["diff", "ep_answer", "@latest", "--run-data", dir];
    let output = user
        .runvet(&[], &args)
        .output()
        .unwrap();
    chmod(0o755);
    assert_eq!(
        stderr(&output)
            .matches("closed: ")
            .count(),
        1,
        "{output:?}"
    );
}

#[test]
fn diff_lines_fit_the_width() {
    for columns in [40, 80, 120] {
        let output = command(&demo(), &["diff", "ep_01", "ep_02"], Width::Narrow)
            .env("COLUMNS", columns.to_string())
            .output()
            .unwrap();
        let beyond = |line: &&str| line.width() > columns && !line.contains("episodes/");
        assert_eq!(stdout(&output).lines().find(beyond), None, "{columns}");
    }
}
