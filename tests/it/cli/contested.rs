//! `runvet view` and `runvet plan` mark the steps about which the timeline says otherwise.

use std::fs;

use serde_json::Value;

use crate::support::binary::stdout;
use crate::support::runs::copy_of;
use crate::support::terminal::{Width, runvet};

/// A run whose persisted plan lacks the second of three steps, and has one more at its end.
fn edited_run() -> (tempfile::TempDir, std::path::PathBuf) {
    let (temp, dir) = copy_of("good/terminal");
    let file = dir.join("state.json");
    let mut state: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let steps = state["plan"]["steps"].as_array_mut().unwrap();
    let mut added = steps.remove(1);
    added["id"] = "step-9".into();
    steps.push(added);
    fs::write(file, state.to_string()).unwrap();
    (temp, dir)
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
    assert!(
        marked.len() == 1 && marked[0].starts_with("! ✓ step-9 "),
        "{text}"
    );
}
