//! The page of what is checked, and the guide for writers: complete, and true.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use runvet::gate::{Gate, all_rules};

use runvet::finding::Level;

use crate::support::corpus::corpus;

fn document(name: &str) -> String {
    fs::read_to_string(corpus().join("../docs").join(name)).unwrap()
}

#[test]
fn every_rule_is_on_the_page_of_what_is_checked() {
    let page = document("what-is-checked.md");
    let is_id = |text: &&str| {
        let is_word = |word: &str| {
            word.chars()
                .all(|c| c.is_ascii_lowercase() || c == '-')
        };
        text.split_once('/')
            .is_some_and(|(group, name)| {
                is_word(group) && is_word(name) && !group.is_empty() && !name.is_empty()
            })
    };
    let named: BTreeSet<&str> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(is_id)
        .collect();
    let rules: BTreeSet<&str> = all_rules()
        .map(|rule| &*rule.id)
        .collect();
    let lacking: Vec<_> = rules.difference(&named).collect();
    assert!(lacking.is_empty(), "the page does not name {lacking:?}");
    let unknown: Vec<_> = named.difference(&rules).collect();
    assert!(unknown.is_empty(), "there are no rules {unknown:?}");
}

/// The fenced blocks of the guide that are written into a file: its name and the text.
fn written() -> Vec<(String, String)> {
    let guide = document("writing-runs.md");
    let mut blocks = Vec::new();
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("```json write=") {
            let text = lines
                .by_ref()
                .take_while(|line| *line != "```");
            let text: Vec<&str> = text.collect();
            blocks.push((name.to_owned(), text.join("\n") + "\n"));
        } else if line.starts_with("```") {
            assert!(
                !line.starts_with("```json") || line.contains("file="),
                "{line} is not tried"
            );
            lines
                .by_ref()
                .find(|line| *line == "```");
        }
    }
    blocks
}

/// What is found when every rule is an error, and no artifact is still expected.
fn found(dir: &Path) -> Vec<String> {
    // It finds every run in progress.
    let rules = all_rules().filter(|rule| rule.id != "lifecycle/unended");
    let mut gate = rules.fold(Gate::default(), |gate, rule| {
        gate.level(&rule.id, Level::Error)
            .unwrap()
    });
    let report = gate.run([dir]).unwrap();
    let findings = report
        .episodes
        .iter()
        .flat_map(|episode| &episode.findings);
    findings
        .map(|finding| format!("{}: {}", finding.rule, finding.message))
        .collect()
}

#[test]
fn guide_for_writers_writes_a_run_that_every_rule_accepts() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("episodes/ep_1");
    fs::create_dir_all(&dir).unwrap();
    let (mut states, mut timeline) = (0, String::new());
    for (name, text) in written() {
        if name == "events.jsonl" {
            let event: serde_json::Value = serde_json::from_str(&text).unwrap();
            timeline += &(event.to_string() + "\n");
            fs::write(dir.join(&name), &timeline).unwrap();
            continue;
        }
        fs::write(dir.join(&name), text).unwrap();
        if name == "state.json" {
            states += 1;
            let digest = std::process::Command::new("sha256sum")
                .args(
                    fs::read_dir(&dir)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                )
                .output()
                .map(|output| String::from_utf8(output.stdout).unwrap());
            assert_eq!(found(&dir), [""; 0], "after state {states}: {digest:?}");
        }
    }
    assert_eq!(states, 2, "one while the run goes on, and one at its end");
}
