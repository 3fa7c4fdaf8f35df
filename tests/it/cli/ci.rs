//! The action and the examples for pipelines, executed as far as possible outside of them: their
//! commands run in a repository with runs, in the same shell.

use std::fs;
use std::process::Output;

use crate::support::action::{act, repository, with_runvet};
use crate::support::binary::{stderr, stdout};
use crate::support::markdown::shown;
use crate::support::repository::Repository;

fn shell(repository: &Repository, script: &str) -> Output {
    let mut bash = with_runvet("bash");
    bash.current_dir(repository.path())
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
        .output()
        .unwrap()
}

#[test]
fn shell_examples_find_the_bad_run() {
    let repository = repository();
    for (line, total) in [
        (
            "runvet validate --deny-warnings runs/",
            "3 episodes: 2 valid, 1 invalid",
        ),
        (
            r#"runvet validate --changed-since "$(git merge-base origin/main HEAD)" runs/"#,
            "2 episodes: 1 valid, 1 invalid",
        ),
        (
            "find runs -name state.json -mmin -60 -print0 > list &&",
            "3 episodes: 2 valid, 1 invalid",
        ),
        (
            "git diff --name-only -z origin/main > list &&",
            "2 episodes: 1 valid, 1 invalid",
        ),
    ] {
        let output = shell(&repository, &shown("docs/ci.md", "sh", line));
        assert_eq!(output.status.code(), Some(1), "{line}: {}", stderr(&output));
        assert!(
            stdout(&output).contains(total),
            "{line}: {}",
            stdout(&output)
        );
    }
}

#[test]
fn shell_examples_fail_when_the_list_can_not_be_made() {
    let repository = repository();
    for (line, works, fails) in [
        (
            "git diff --name-only -z origin/main > list &&",
            "origin/main",
            "origin/gone",
        ),
        (
            "find runs -name state.json -mmin -60 -print0 > list &&",
            "find runs",
            "find rnus",
        ),
    ] {
        let command = shown("docs/ci.md", "sh", line).replace(works, fails);
        // The shell of a step of GitHub, and others like it.
        let mut bash = with_runvet("bash");
        let bash = bash.current_dir(repository.path());
        let bash = bash.args(["--noprofile", "--norc", "-e", "-c", &command]);
        let output = bash.output().unwrap();
        assert!(!output.status.success(), "{command}: {}", stdout(&output));
    }
}

#[test]
fn gitlab_example_finds_the_bad_run() {
    let repository = repository();
    let example = shown(
        "docs/ci.md",
        "yaml",
        "codequality: gl-code-quality-report.json",
    );
    let script = example
        .lines()
        .filter_map(|line| line.strip_prefix("    - "));
    // The installation can't run here, but the binary is on the search path already.
    let script: Vec<&str> = script
        .filter(|line| line.starts_with("runvet "))
        .collect();
    assert_eq!(script.len(), 1);
    let output = shell(&repository, script[0]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report = fs::read_to_string(
        repository
            .path()
            .join("gl-code-quality-report.json"),
    )
    .unwrap();
    assert!(
        report.contains("runs/episodes/ep_bad/state.json"),
        "{report}"
    );
}

#[test]
fn action_fails_and_gives_counts_when_a_run_is_bad() {
    let repository = repository();
    let inputs = r#"{"paths": "runs", "args": "--rule=state/*=warning\n--jobs=1\n", "outputs": "sarif=runvet.sarif"}"#;
    let Some(output) = act(&repository, inputs, &[]) else {
        return;
    };
    assert_eq!(stderr(&output), "");
    let last_line = stdout(&output).lines().last().unwrap();
    let expected = r#"{"code": 1, "status": "1", "episodes": "3", "valid": "2", "invalid": "1", "breaks_rule": "0", "undecided": "0", "errors": "1", "warnings": "0", "path": [".cache/runvet/bin"]}"#;
    assert_eq!(last_line, expected, "{}", stdout(&output));
    assert!(
        repository
            .path()
            .join("runvet.sarif")
            .is_file()
    );
}

#[test]
fn action_never_runs_its_inputs() {
    let repository = repository();
    for (inputs, code) in [
        (
            r#"{"paths": "runs/episodes/ep_good\nruns/episodes/ep_new"}"#,
            0,
        ),
        (r#"{"paths": "nowhere"}"#, 2),
        (r#"{"paths": "$(touch ran)\n`touch ran`; touch ran"}"#, 2),
        (r#"{"paths": "--help"}"#, 2),
        (r#"{"paths": ".git"}"#, 3),
        (r#"{"paths": ".git", "args": "--allow-empty"}"#, 0),
    ] {
        let Some(output) = act(&repository, inputs, &[]) else {
            return;
        };
        let last_line = stdout(&output)
            .lines()
            .last()
            .unwrap()
            .to_owned();
        assert!(
            last_line.starts_with(&format!("{{\"code\": {code}, \"status\": \"{code}\"")),
            "{inputs}: {last_line}"
        );
    }
    assert!(!repository.path().join("ran").exists());
}
