//! The format for programs that read words: short, complete in its counts, and clear about what to
//! repair.

use crate::support::binary::{run, stdout};

fn validate(format: &str, path: &str) -> String {
    stdout(&run(&["validate", "--format", format, path])).to_owned()
}

#[test]
fn agent_takes_two_fifths_of_what_human_takes_at_most() {
    let (agent, human) = (validate("agent", "."), validate("human", "."));
    let share = agent.len() * 100 / human.len();
    assert!(share <= 40, "{share} %");
}

#[test]
fn agent_names_every_rule_once_with_its_counts() {
    let json: serde_json::Value = serde_json::from_str(&validate("json", "bad")).unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for episode in json["episodes"].as_array().unwrap() {
        for finding in episode["findings"].as_array().unwrap() {
            let [severity, rule] = ["severity", "rule"].map(|key| {
                finding[key]
                    .as_str()
                    .unwrap()
                    .to_owned()
            });
            *counts
                .entry((severity, rule))
                .or_insert(0) += 1;
        }
    }
    let agent = validate("agent", "bad");
    let mut severities = Vec::new();
    for ((severity, rule), count) in counts {
        let head = format!("\n{severity} {rule}: {count} finding");
        assert_eq!(agent.matches(&head).count(), 1, "{head}: {agent}");
    }
    for line in agent.lines() {
        let severity = line
            .split(' ')
            .next()
            .unwrap_or_default();
        if ["error", "warning"].contains(&severity) {
            severities.push(severity.to_owned());
        }
    }
    assert!(severities.is_sorted(), "errors come first");
}

#[test]
fn agent_is_told_to_repair_the_writer() {
    let agent = validate("agent", "demo");
    assert!(agent.contains("Repair the program that writes these records, never the records"));
    assert!(!validate("agent", "good/terminal").contains("Repair"));
}
