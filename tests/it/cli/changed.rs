//! `--changed-since` in scratch repositories: what counts as changed, and what git must not do.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::repository::{Repository, git, without_settings};

fn validate(dir: &Path, args: &[&str]) -> Output {
    without_settings(env!("CARGO_BIN_EXE_runvet"))
        .current_dir(dir)
        .arg("validate")
        .args(args)
        .output()
        .unwrap()
}

/// The ids of the episodes that are checked.
fn checked(dir: &Path, args: &[&str]) -> Vec<String> {
    let output = validate(dir, &[&["--format", "json"], args].concat());
    assert_ne!(output.status.code(), Some(2), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["episodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|episode| episode["id"].as_str().unwrap().into())
        .collect()
}

/// Makes an existing file longer.
fn touch(file: &Path) {
    fs::write(file, [&fs::read(file).unwrap()[..], b"\n"].concat()).unwrap();
}

#[test]
fn episode_is_checked_however_an_artifact_changed() {
    let repository = Repository::with(&[
        "clean",
        "committed",
        "deleted",
        "staged",
        "unstaged",
        "re\nnamed",
        "notes",
    ]);
    touch(&repository.episode("committed").join("state.json"));
    repository.commit();
    // A file that git considers renamed no longer exists at its old path.
    fs::rename(
        repository.episode("deleted").join("manifest.json"),
        repository.path().join("manifest.json"),
    )
    .unwrap();
    touch(&repository.episode("staged").join("summary.json"));
    repository.git(&["add", "--all"]);
    touch(&repository.episode("unstaged").join("events.jsonl"));
    fs::rename(
        repository.episode("re\nnamed"),
        repository.episode("mo\nved"),
    )
    .unwrap();
    repository.add_episode("untracked");
    fs::write(repository.episode("notes").join("notes.txt"), "no artifact").unwrap();
    let expected = [
        "committed",
        "deleted",
        "mo\nved",
        "staged",
        "unstaged",
        "untracked",
    ];
    assert_eq!(
        checked(repository.path(), &["--changed-since", "HEAD~1"]),
        expected
    );
    assert_eq!(
        checked(repository.path(), &["--changed-since", "HEAD", "runs"]),
        expected[1..]
    );
    // From any working directory, and for any named paths.
    assert_eq!(
        checked(
            &repository.path().join("runs"),
            &["--changed-since", "HEAD~1"]
        ),
        expected
    );
    let named = [
        "--changed-since",
        "HEAD~1",
        "episodes/staged",
        "../runs/episodes/clean/state.json",
    ];
    assert_eq!(checked(&repository.path().join("runs"), &named), ["staged"]);
}

#[test]
fn linked_artifact_counts_as_changed_when_links_are_followed() {
    let repository = Repository::with(&["clean", "linked"]);
    let linked = repository.episode("linked");
    fs::create_dir(linked.join("real")).unwrap();
    fs::rename(linked.join("state.json"), linked.join("real/s.json")).unwrap();
    std::os::unix::fs::symlink("real/s.json", linked.join("state.json")).unwrap();
    repository.commit();
    touch(&linked.join("real/s.json"));
    let since = ["--changed-since", "HEAD"];
    assert_eq!(checked(repository.path(), &since), [""; 0]);
    let followed = [&since[..], &["--follow-links"]].concat();
    assert_eq!(checked(repository.path(), &followed), ["linked"]);
}

#[test]
fn run_with_a_manifest_counts_when_manifests_are_verified() {
    let repository = Repository::with(&["bare", "named"]);
    fs::remove_file(repository.episode("bare").join("manifest.json")).unwrap();
    let named = repository.episode("named");
    let manifest = r#"{"files": [{"name": "out.txt", "size_bytes": 5}]}"#;
    fs::write(named.join("manifest.json"), manifest).unwrap();
    fs::write(named.join("out.txt"), "hello").unwrap();
    repository.commit();
    fs::write(named.join("out.txt"), "EVIL").unwrap();
    let since = ["--changed-since", "HEAD"];
    assert_eq!(checked(repository.path(), &since), [""; 0]);
    for on in ["--verify-manifest", "--rule=manifest/digest=warning"] {
        let verified = [&since[..], &[on]].concat();
        assert_eq!(checked(repository.path(), &verified), ["named"], "{on}");
    }
    let verified = [&since[..], &["--verify-manifest"]].concat();
    assert_eq!(
        validate(repository.path(), &verified).status.code(),
        Some(1)
    );
}

#[test]
fn other_file_counts_when_a_schema_judges_it() {
    let names = [
        "clean",
        "committed",
        "deleted",
        "ignored",
        "staged",
        "unstaged",
    ];
    let repository = Repository::with(&names);
    let other = |episode: &str| repository.episode(episode).join("scores[1].json");
    let write = |episode: &str, text: &str| fs::write(other(episode), text).unwrap();
    let config = "[[schema]]\nid = 'acme/scores'\nrecord = 'scores[1].json'\nexpect = 'ended'\n\
                  title = 't'\nschema = { type = 'object', required = ['a'] }\n";
    fs::write(repository.path().join("runvet.toml"), config).unwrap();
    for name in names.into_iter().filter(|name| *name != "ignored") {
        write(name, r#"{"a": 1}"#);
    }
    repository.commit();
    write("committed", "{}");
    repository.commit();
    fs::remove_file(other("deleted")).unwrap();
    fs::write(repository.path().join(".git/info/exclude"), "scores*").unwrap();
    write("ignored", "{}");
    write("staged", "{}");
    repository.git(&["add", "--update"]);
    write("unstaged", "{}");
    let since = ["--changed-since", "HEAD~1"];
    assert_eq!(checked(repository.path(), &since), names[1..]);
    let report = validate(
        repository.path(),
        &[&since[..], &["--format=concise"]].concat(),
    );
    let found = stdout(&report);
    assert_eq!(found.matches(": error acme/scores: ").count(), 5, "{found}");
    assert_eq!(report.status.code(), Some(1));
    let off = [&since[..], &["--rule=acme/scores=off"]].concat();
    assert_eq!(checked(repository.path(), &off), [""; 0]);
}

#[test]
fn run_data_cannot_hide_itself_from_git() {
    let repository = Repository::with(&["clean", "crooked"]);
    let ignored = repository.add_episode("ignored");
    fs::write(ignored.join(".gitignore"), "*\n").unwrap();
    let embedded = repository.add_episode("embedded");
    git(&embedded, &["init", "--quiet"]);
    git(&embedded, &["add", "--all"]);
    git(&embedded, &["commit", "--quiet", "--message=x"]);
    assert_eq!(
        checked(repository.path(), &["--changed-since", "HEAD"]),
        ["embedded", "ignored"]
    );
}

#[test]
fn git_runs_no_program_of_the_repository_and_writes_nothing() {
    let repository = Repository::with(&["clean", "changed"]);
    let (ran, script) = (
        repository.path().join("ran"),
        repository.path().join("script"),
    );
    fs::write(&script, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    for setting in [
        "core.fsmonitor",
        "diff.external",
        "diff.odd.command",
        "diff.odd.textconv",
    ] {
        repository.git(&["config", setting, script.to_str().unwrap()]);
    }
    fs::write(
        repository.episode("changed").join(".gitattributes"),
        "* diff=odd\n",
    )
    .unwrap();
    touch(&repository.episode("changed").join("state.json"));
    // Files of which only the times have changed make git rewrite its index, if allowed.
    let clean = repository.episode("clean").join("state.json");
    fs::write(&clean, fs::read(&clean).unwrap()).unwrap();
    let index = || fs::read(repository.path().join(".git/index")).unwrap();
    let before = index();
    assert_eq!(
        checked(repository.path(), &["--changed-since", "HEAD"]),
        ["changed"]
    );
    assert!(!ran.exists(), "a program was started");
    assert!(index() == before, "the index was written");
}

#[test]
fn no_change_exits_0_and_no_episode_exits_3() {
    let repository = Repository::with(&["clean"]);
    let output = validate(repository.path(), &["--changed-since", "HEAD"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), ""));
    assert_eq!(
        stderr(&output),
        "note: nothing to check: no change since HEAD in 1 episode\n"
    );
    assert_eq!(
        stderr(&validate(
            repository.path(),
            &["--changed-since", "HEAD", "--quiet"]
        )),
        ""
    );
    // A directory that is no longer an episode is reported; copies of records are not episodes.
    let lost = repository.add_episode("lost");
    fs::create_dir(repository.episode("clean").join("copy")).unwrap();
    fs::copy(
        lost.join("state.json"),
        repository.episode("clean").join("copy/state.json"),
    )
    .unwrap();
    repository.commit();
    for artifact in fs::read_dir(&lost).unwrap() {
        fs::remove_file(artifact.unwrap().path()).unwrap();
    }
    fs::remove_dir_all(repository.episode("clean").join("copy")).unwrap();
    let output = validate(repository.path(), &["--changed-since", "HEAD"]);
    let notes = "note: nothing to check: no change since HEAD in 1 episode\n\
                note: runs/episodes/lost had state.json or events.jsonl at HEAD and has neither now\n";
    assert_eq!(stderr(&output), notes);
    assert_eq!(
        stderr(&validate(
            &repository.path().join("runs"),
            &["--changed-since", "HEAD", "episodes/clean"]
        )),
        notes.lines().next().unwrap().to_owned() + "\n"
    );
    let many: Vec<PathBuf> = (0..12)
        .map(|index| repository.add_episode(&format!("run_{index:02}")))
        .collect();
    repository.commit();
    for dir in many {
        fs::remove_dir_all(dir).unwrap();
    }
    let notes = validate(repository.path(), &["--changed-since", "HEAD"]);
    let notes: Vec<&str> = stderr(&notes).lines().collect();
    assert_eq!(
        (notes.len(), notes[11]),
        (12, "note: and 2 more"),
        "{notes:?}"
    );
    fs::create_dir(repository.path().join("empty")).unwrap();
    assert_eq!(
        validate(repository.path(), &["--changed-since", "HEAD", "empty"])
            .status
            .code(),
        Some(3)
    );
}

#[test]
fn git_failure_is_a_fault() {
    let repository = Repository::with(&["clean"]);
    let said = |dir: &Path, args: &[&str]| {
        let output = validate(dir, args);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{args:?}"
        );
        stderr(&output).to_owned()
    };
    let path = repository.path();
    for revision in ["nowhere", "HEAD^{tree}", "", "--all", "HEAD\u{1b}[2J"] {
        let said = said(path, &[&format!("--changed-since={revision}")]);
        assert!(
            said.contains(" has no commit `") && !said.contains('\u{1b}'),
            "{said}"
        );
    }
    let outside = corpus().join("good/terminal");
    let message = said(
        path,
        &["--changed-since", "HEAD", outside.to_str().unwrap(), "runs"],
    );
    assert!(
        message.contains("good/terminal/episodes/ep_answer lies outside of "),
        "{message}"
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let message = said(
        elsewhere.path(),
        &["--changed-since", "HEAD", path.to_str().unwrap()],
    );
    assert!(
        message.starts_with("error: git failed: fatal: not a git repository"),
        "{message}"
    );
    let mut without_git = without_settings(env!("CARGO_BIN_EXE_runvet"));
    without_git
        .current_dir(path)
        .env("PATH", elsewhere.path())
        .args(["validate", "--changed-since", "HEAD"]);
    let output = without_git.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).starts_with("error: can't run git: "),
        "{}",
        stderr(&output)
    );
}
