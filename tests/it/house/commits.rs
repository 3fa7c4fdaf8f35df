//! The hook that `make hooks` installs lets a commit message pass, or refuses it, by its form.

use std::fs;
use std::process::{Command, Output};

use crate::support::binary::{stderr, stdout};
use crate::support::markdown::{root, shown};
use crate::support::repository::{Repository, without_settings};

fn hook(message: &str) -> Output {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("COMMIT_EDITMSG");
    fs::write(&file, message).unwrap();
    let mut hook = Command::new(root().join(".githooks/commit-msg"));
    hook.arg(file).output().unwrap()
}

fn subject_of(length: usize) -> String {
    format!("store: {}", "é".repeat(length - "store: ".len()))
}

#[test]
fn commit_hook_passes_good_messages() {
    let example = shown(
        "CONTRIBUTING.md",
        "text",
        "store: refuse links that leave the episode",
    );
    for message in [
        &*example,
        "store: refuse links that leave the episode",
        "ci/run: install what is missing\n\nA fresh machine has no cargo-deny.\n",
        "# a comment of git\n\ndocs: say where reports go\n# a comment\n\nwhy; because.\n",
        "gate: count once\n# ------------------------ >8 ------------------------\nmore\n",
        "schema, facts: use the terms that readers know",
        &subject_of(72),
        "Merge branch 'main' into a-branch-with-a-very-long-name-that-nobody-shortens-for-this; really.",
        "Revert \"store: refuse links that leave the episode\"\n\nThis reverts commit 1.",
        "fixup! store: refuse links; all of them.",
    ] {
        let output = hook(message);
        assert_eq!(
            (output.status.code(), stderr(&output)),
            (Some(0), ""),
            "{message}"
        );
    }
}

#[test]
fn commit_hook_refuses_bad_messages() {
    for (message, why) in [
        ("", "area"),
        ("Fix what reviews found", "area"),
        ("Store: refuse links", "area"),
        ("store : refuse links", "area"),
        ("store:refuse links", "area"),
        ("store, : refuse links", "area"),
        (&*subject_of(73), "73 characters"),
        ("store: refuse links; count them", "\";\""),
        ("store: refuse links.", "full stop"),
        ("store: refuse links\nthat leave the episode", "second line"),
    ] {
        let output = hook(message);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(
            stderr(&output).contains(why),
            "{message}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn make_hooks_installs_the_commit_hook() {
    let repository = Repository::with(&[]);
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    fs::write(repository.path().join("Makefile"), makefile).unwrap();
    let mut copy = Command::new("cp");
    copy.arg("-r")
        .arg(root().join(".githooks"))
        .arg(repository.path());
    assert!(copy.status().unwrap().success());
    let run = |program: &str, args: &[&str]| {
        let mut command = without_settings(program);
        command
            .current_dir(repository.path())
            .args(args)
            .output()
            .unwrap()
    };
    let made = run("make", &["hooks"]);
    assert!(made.status.success(), "{}{}", stdout(&made), stderr(&made));
    let commit = ["commit", "--quiet", "--allow-empty", "--message"];
    let refused = run("git", &[&commit[..], &["Fix things."]].concat());
    assert!(
        stderr(&refused).contains("commit-msg: "),
        "{}",
        stderr(&refused)
    );
    let passed = run("git", &[&commit[..], &["store: mend things"]].concat());
    assert!(passed.status.success(), "{}", stderr(&passed));
}
