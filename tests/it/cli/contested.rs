//! `runvet view` and `runvet plan` mark the steps about which the timeline says otherwise.

use std::fs;

use serde_json::Value;

use crate::support::binary::stdout;
use crate::support::runs::copy_of;
use crate::support::terminal::{Width, runvet};

/// A run whose persisted plan lacks the second of three steps, and has one more at its end.
fn edited_run() -> (tempfile::TempDir, std::path::PathBuf) {
    run_with(|state| {
        let steps = state["plan"]["steps"].as_array_mut().unwrap();
        let mut added = steps.remove(1);
        added["id"] = "step-9".into();
        steps.push(added);
    })
}

#[test]
fn plan_marks_the_steps_that_only_one_side_has() {
    let (temp, _dir) = edited_run();
    let output = runvet(temp.path(), &["plan", "@latest"], Width::Narrow);
    let text = stdout(&output);
    let rows: Vec<&str> = text
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .collect();
    assert_eq!(rows.len(), 4, "{text}");
    let is_marked: Vec<bool> = rows.iter().map(|row| row.starts_with('!')).collect();
    assert_eq!(is_marked, [false, true, false, true], "{text}");
    assert!(
        rows[1].contains("│ ✓ step-2")
            && !rows[1].contains("✓ step-2 done: Summarize the tickets │")
    );
    assert!(
        rows[3].starts_with("! ✓ step-9") && rows[3].ends_with('│'),
        "{text}"
    );
}

#[test]
fn dashboard_marks_the_steps_that_the_timeline_contests() {
    let (temp, _dir) = edited_run();
    let output = runvet(temp.path(), &["view", "@latest"], Width::Narrow);
    let text = stdout(&output);
    let marked: Vec<&str> = text.lines().filter(|line| line.starts_with("! ")).collect();
    assert!(marked[0].starts_with("! ✓ step-2 "), "{text}");
    assert!(marked[0].contains(" (only in the timeline) "), "{text}");
    assert!(marked[1].starts_with("! ✓ step-9 "), "{text}");
    assert_eq!(marked.len(), 2, "{text}");
}

/// A run whose state is changed.
fn run_with(change: impl FnOnce(&mut Value)) -> (tempfile::TempDir, std::path::PathBuf) {
    let (temp, dir) = copy_of("good/terminal");
    let file = dir.join("state.json");
    let mut state: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    change(&mut state);
    fs::write(file, state.to_string()).unwrap();
    (temp, dir)
}

#[test]
fn plan_says_what_it_does_not_compare() {
    let (temp, _dir) = run_with(|state| state["plan"]["steps"][1]["status"] = "completed".into());
    let output = runvet(temp.path(), &["plan", "@latest"], Width::Narrow);
    let text = stdout(&output);
    assert!(text.contains("step-2 completed"), "{text}");
    assert_eq!(
        text.lines().filter(|line| line.starts_with("? ")).count(),
        2,
        "{text}"
    );
    assert!(text.contains("/plan/steps/1/status"), "{text}");
    assert!(
        text.ends_with("what can be compared of the persisted plan equals the rebuilt one\n"),
        "{text}"
    );
}

#[test]
fn plan_names_the_step_that_one_side_lacks() {
    let (temp, _dir) = run_with(|state| {
        state["plan"]["steps"].as_array_mut().unwrap().remove(1);
    });
    let output = runvet(temp.path(), &["plan", "@latest"], Width::Narrow);
    let text = stdout(&output).replace("\n  ", " ");
    assert!(text.contains("; the state lacks \"step-2\""), "{text}");
}

#[test]
fn step_with_a_repeated_id_stands_beside_the_other() {
    let (temp, _dir) = run_with(|state| state["plan"]["steps"][1]["id"] = "step-1".into());
    let output = runvet(temp.path(), &["plan", "@latest"], Width::Narrow);
    let text = stdout(&output);
    let rows = text.lines().filter(|line| line.contains('│'));
    let marks: Vec<char> = rows.filter_map(|row| row.chars().next()).collect();
    assert_eq!(marks, [' ', '!', ' '], "{text}");
}
