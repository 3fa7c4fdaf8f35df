//! The examples of the recorder -> runs that every rule accepts.

use std::path::Path;

use runvet::check::{Check, all_rules};
use runvet::finding::Level;

#[expect(dead_code, reason = "an example has a `main` of its own")]
#[path = "../../../examples/adapter.rs"]
mod adapter;
#[expect(dead_code, reason = "an example has a `main` of its own")]
#[path = "../../../examples/agent.rs"]
mod agent;

/// What is found in a run-data directory with every rule at `error`, those that are off by default
/// included.
fn findings(dir: &Path) -> Vec<String> {
    let check = all_rules().fold(Check::new(), |check, rule| {
        check.level(rule.id, Level::Error).unwrap()
    });
    let report = check.run([dir]).unwrap();
    let findings = report.episodes.iter().flat_map(|episode| &episode.findings);
    let skipped = report.episodes.iter().flat_map(|episode| &episode.skipped);
    let skipped = skipped.map(|skip| format!("{}: {}", skip.rule, skip.reason));
    findings.map(ToString::to_string).chain(skipped).collect()
}

#[test]
fn run_of_the_agent_example_passes_every_rule() {
    let dir = tempfile::tempdir().unwrap();
    let episode = agent::record(dir.path()).unwrap();
    assert_eq!(findings(dir.path()), [""; 0]);
    assert!(episode.join("summary.json").is_file());
}

#[test]
fn run_of_the_adapter_example_passes_every_rule() {
    let dir = tempfile::tempdir().unwrap();
    adapter::record(dir.path()).unwrap();
    assert_eq!(findings(dir.path()), [""; 0]);
}
