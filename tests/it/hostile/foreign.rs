//! Directories with the `state.json` of another program: no episodes, unless a user gives them.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use proptest::prelude::*;
use proptest::sample::select;
use runvet::gate::Gate;

use crate::support::binary::{runvet, stderr, stdout};
use crate::support::random::config;
use crate::support::runs::{copy_dir, run_of};

/// What another program keeps in its `state.json`.
const FOREIGN: &str = r#"{"serial": 4, "resources": [{"episode": {"id": "ep_1"}}]}"#;

fn write(dir: &Path, below: &str, text: &str) {
    let file = dir.join(below);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn told(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let output: Output = runvet(args).current_dir(dir).output().unwrap();
    (
        output.status.code().unwrap(),
        stdout(&output).to_owned(),
        stderr(&output).to_owned(),
    )
}

/// The exit code and the directories of the episodes that are judged.
fn judged(dir: &Path, args: &[&str]) -> (i32, Vec<String>) {
    let args = [&["validate", "--quiet", "--format", "ndjson"], args].concat();
    let (code, lines, _) = told(dir, &args);
    let dirs = lines.lines().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        Some(line["dir"].as_str()?.to_owned())
    });
    (code, dirs.collect())
}

#[test]
fn foreign_state_is_passed_over_with_a_note() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    write(dir, "node_modules/x/state.json", FOREIGN);
    let note = |number| {
        format!(
            "note: skipped {number} whose only artifact is a state.json of another program; to check \
             one, give its path\n"
        )
    };
    for args in [
        &["validate"][..],
        &["validate", "."],
        &["validate", ".", "node_modules"],
    ] {
        let (code, _, said) = told(dir, args);
        assert_eq!(code, 3, "{args:?}");
        assert!(said.starts_with(&note("1 directory")), "{said}");
    }
    write(dir, "node_modules/state.json", "{}");
    copy_dir(
        &run_of("good/terminal"),
        &dir.join("runs/episodes/ep_answer"),
    );
    let (code, report, said) = told(dir, &["validate", "--format", "json"]);
    assert_eq!((code, said), (0, note("2 directories")));
    assert!(!report.contains("node_modules"), "{report}");
    assert_eq!(told(dir, &["validate", "--quiet"]).2, "");
    // Where a user stands is not what the user gave.
    write(dir, "state.json", FOREIGN);
    assert_eq!(told(dir, &["validate"]).2, note("3 directories"));
    assert!(told(dir, &["list"]).1.contains("ep_answer"));
    assert!(told(dir, &["view"]).1.starts_with("ep_answer"));
}

#[test]
fn foreign_state_is_judged_when_its_path_is_given() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    write(dir, "x/state.json", FOREIGN);
    write(dir, "list", "x/state.json\n");
    for args in [
        &["x"][..],
        &["x/"],
        &["./x/state.json"],
        &[".", "x"],
        &["x/state.json", "."],
    ] {
        let (code, dirs) = judged(dir, args);
        assert_eq!((code, dirs.len()), (1, 1), "{args:?}");
        let (_, _, said) = told(dir, &[&["validate"], args].concat());
        assert!(!said.contains("passed over"), "{args:?}: {said}");
    }
    // A list is what a search found, so it is judged as a search judges.
    let listed = ["--files-from", "list"];
    assert_eq!(judged(dir, &listed), (3, Vec::new()));
    let (_, _, said) = told(dir, &["validate", "--files-from", "list"]);
    assert!(said.contains("state.json of another program"), "{said}");
    let inside = dir.join("x");
    assert_eq!(judged(&inside, &["."]), (1, vec![".".into()]));
    assert_eq!(judged(&inside, &[]), (3, Vec::new()));
    assert_eq!(told(dir, &["view", "x"]).0, 0);
    assert_eq!(told(dir, &["list", "--format", "ids", "x"]).1, "x\n");
}

#[test]
fn only_an_object_without_a_known_field_is_foreign() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let episodes = [
        ("known", r#"{"x": 1, "l\u0069nks": null}"#),
        ("repeated", r#"{"goal": 1, "x": 2, "goal": 3}"#),
        ("cut", r#"{"x": "#),
        ("empty", ""),
        ("list", "[]"),
        ("deep", &format!(r#"{{"x": {deep}}}"#)),
    ];
    for (name, text) in episodes {
        write(dir, &format!("{name}/state.json"), text);
    }
    for name in ["directory/state.json", "fifo", "huge", "link"] {
        fs::create_dir_all(dir.join(name)).unwrap();
    }
    let fifo = dir.join("fifo/state.json");
    assert!(Command::new("mkfifo").arg(fifo).status().unwrap().success());
    let huge = File::create(dir.join("huge/state.json")).unwrap();
    huge.set_len((64 << 20) + 1).unwrap();
    write(
        dir,
        "foreign/state.json",
        r#"{"x": 1, "x": 2, "Goal": {"goal": 3}}"#,
    );
    symlink("../foreign/state.json", dir.join("link/state.json")).unwrap();
    let named = [
        "events.jsonl",
        "learn.jsonl",
        "manifest.json",
        "summary.json",
    ];
    for artifact in named {
        write(dir, &format!("{artifact}.d/state.json"), FOREIGN);
        write(dir, &format!("{artifact}.d/{artifact}"), "");
    }
    let mut expected: Vec<String> = named.iter().map(|name| format!("{name}.d")).collect();
    expected.extend(["directory", "fifo", "huge", "link"].map(String::from));
    expected.extend(episodes.map(|(name, _)| name.to_owned()));
    expected.sort();
    for args in [&[][..], &["--follow-links"]] {
        assert_eq!(judged(dir, args), (1, expected.clone()), "{args:?}");
    }
    let found = Gate::default().discover(&[dir]);
    assert_eq!(found.foreign, [dir.join("foreign")]);
}

#[test]
fn state_below_episodes_is_never_foreign() {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "runs/episodes/group/ep_1/state.json", FOREIGN);
    let (code, dirs) = judged(temp.path(), &[]);
    assert_eq!(
        (code, &*dirs),
        (1, &["runs/episodes/group/ep_1".to_owned()][..])
    );
}

/// A path outside or inside `episodes`, none of them below a run.
fn place() -> impl Strategy<Value = String> {
    let name = select(&["a", "b", "c", ".hidden"]);
    prop::collection::vec(name, 0..4).prop_map(|names| names.join("/"))
}

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn foreign_state_changes_no_other_verdict(
        runs in prop::collection::btree_set(place(), 1..4),
        foreign in prop::collection::vec(place(), 1..5),
    ) {
        let temp = tempfile::tempdir().unwrap();
        for (index, dir) in runs.iter().enumerate() {
            let below = if index == 0 { "data/episodes" } else { "" };
            let dir = temp.path().join(below).join(dir).join(format!("run_{index}"));
            write(&dir, "events.jsonl", "");
            write(&dir, "state.json", FOREIGN);
        }
        let report = || Gate::default().run([temp.path()]).unwrap();
        let before = serde_json::to_string(&report()).unwrap();
        for dir in &foreign {
            write(&temp.path().join(dir), "state.json", FOREIGN);
        }
        // The top is given, so it would be an episode.
        let _ = fs::remove_file(temp.path().join("state.json"));
        prop_assert_eq!(serde_json::to_string(&report()).unwrap(), before);
    }
}
