//! What `cargo bench --bench stages` prints -> the median time of each stage.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The benchmarks, and what each does.
const STAGES: [(&str, &str); 9] = [
    ("parse/state", "bytes to a tape"),
    ("parse/summary", "the same"),
    ("parse/events", "the same, line by line"),
    ("schema/state", "a tape against its schema"),
    ("schema/summary", "the same"),
    ("schema/events", "the same, line by line"),
    ("episode/facts", "an episode, all rules off"),
    ("episode/rules", "an episode, all rules on"),
    (
        "episode/locate",
        "an episode in which a rule finds something",
    ),
];

/// A benchmark with its time, as printed.
pub(crate) struct Stage {
    name: &'static str,
    work: &'static str,
    time: String,
}

/// Runs the micro-benchmarks.
pub(crate) fn measured() -> Vec<Stage> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["bench", "--locked", "--quiet", "--bench", "stages"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "the stages can be measured");
    let printed = String::from_utf8_lossy(&output.stdout);
    let medians = medians(&printed);
    let median = |name: &str| {
        let found = medians
            .iter()
            .find(|(benchmark, _)| benchmark == name);
        let (_, time) = found.unwrap_or_else(|| panic!("{name} is not in:\n{printed}"));
        time.clone()
    };
    let stages = STAGES.iter().map(|(name, work)| Stage {
        name,
        work,
        time: median(name),
    });
    stages.collect()
}

/// The name and the median of each benchmark of a tree that divan prints: a line for each group,
/// and below it a line for each benchmark, with times in columns.
fn medians(printed: &str) -> Vec<(String, String)> {
    let mut group = String::new();
    let mut medians = Vec::new();
    for line in printed.lines() {
        let Some((tree, rest)) = line.split_once("─ ") else {
            continue;
        };
        let columns: Vec<&str> = rest.split('│').map(str::trim).collect();
        let name = columns[0]
            .split_whitespace()
            .next()
            .unwrap_or_default();
        if tree.chars().count() == 1 {
            name.clone_into(&mut group);
        } else if let Some(median) = columns.get(2) {
            medians.push((format!("{group}/{name}"), (*median).to_owned()));
        }
    }
    medians
}

pub(crate) fn text(stages: &[Stage]) -> String {
    let lines = stages
        .iter()
        .map(|stage| format!("{:<16}{:>10}\n", stage.name, stage.time));
    lines.collect()
}

pub(crate) fn markdown(stages: &[Stage]) -> String {
    let head = "| benchmark | what it does | time |\n|-----------|--------------|-----:|\n";
    let rows = stages
        .iter()
        .map(|stage| format!("| {} | {} | {} |\n", stage.name, stage.work, stage.time));
    rows.fold(head.to_owned(), |table, row| table + &row)
}

pub(crate) fn json(stages: &[Stage]) -> Vec<Value> {
    let values = stages
        .iter()
        .map(|stage| json!({"name": stage.name, "median": stage.time}));
    values.collect()
}
