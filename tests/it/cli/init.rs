//! `runvet init`: what it writes works as it is, and nothing is overwritten.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::corpus;

fn run_in(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command.args(args).current_dir(dir).env_clear();
    command.output().unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    let mut copy = Command::new("cp");
    assert!(copy.arg("-r").args([from, to]).status().unwrap().success());
}

#[test]
fn init_writes_files_that_work_and_says_what_is_there() {
    let temp = tempfile::tempdir().unwrap();
    copy(&corpus().join("demo"), &temp.path().join("runs/demo"));
    copy(&corpus().join("good/terminal"), &temp.path().join("old"));
    let output = run_in(
        temp.path(),
        &["init", "--pack", "--pre-commit", "--workflow"],
    );
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    assert_eq!(
        stdout(&output),
        "wrote runvet.toml\nwrote gate/team.toml\nwrote gate/refund.schema.json\n\
         wrote .pre-commit-config.yaml\nwrote .github/workflows/runvet.yml\n\
         found 6 runs below .\n  old: 1 run\n  runs/demo: 5 runs\n\
         next: runvet rules --test && runvet validate\n"
    );
    let tested = run_in(temp.path(), &["rules", "--test"]);
    assert_eq!(tested.status.code(), Some(0), "{}", stdout(&tested));
    assert_eq!(
        stdout(&tested)
            .matches("all with the declared result")
            .count(),
        3
    );
    let checked = run_in(temp.path(), &["validate", "old"]);
    assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
}

#[test]
fn each_setting_of_the_file_that_init_writes_is_one() {
    let temp = tempfile::tempdir().unwrap();
    assert_eq!(run_in(temp.path(), &["init"]).status.code(), Some(0));
    let path = temp.path().join("runvet.toml");
    assert_eq!(run_in(temp.path(), &["config"]).status.code(), Some(0));
    let text = fs::read_to_string(&path).unwrap();
    let is_setting = |line: &str| line.starts_with(['[', '"']) || line.contains(" = ");
    let lines = text.lines().map(|line| match line.strip_prefix("# ") {
        Some(setting) if is_setting(setting) => setting,
        _ => line,
    });
    let text: Vec<&str> = lines.filter(|line| !line.starts_with("packs")).collect();
    fs::write(&path, text.join("\n")).unwrap();
    let output = run_in(temp.path(), &["config", "--no-baseline"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for shown in [
        "strict/*",
        "scratch",
        "in runs/old",
        "/outcomes/actions/*/tools",
    ] {
        assert!(
            stdout(&output).contains(shown),
            "{shown}: {}",
            stdout(&output)
        );
    }
}

#[test]
fn init_overwrites_nothing_and_keeps_out_of_run_data() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join(".pre-commit-config.yaml"), "repos: []\n").unwrap();
    copy(&corpus().join("demo"), &temp.path().join("runs"));
    for (args, said) in [
        (
            &["init", "--pre-commit"][..],
            ".pre-commit-config.yaml exists",
        ),
        (&["init", "runs"], "runs holds run data"),
        (&["init", "runs/episodes"], "runs/episodes holds run data"),
        (&["init", "gone"], "can't use gone: "),
    ] {
        let output = run_in(temp.path(), args);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{args:?}"
        );
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
    let left = fs::read_dir(temp.path()).unwrap().count();
    assert_eq!(left, 2, "nothing was written");
}
