//! Property: a check of any artifacts ends with a report, always the same one, and what a reader
//! learned of earlier lines does not change it: indented lines give the same findings.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use runvet::finding::EpisodeReport;
use runvet::gate::{Gate, all_rules};
use runvet::source::Artifact;
use runvet_fuzz::{artifacts, found, indented};

static CHECK: LazyLock<Gate> = LazyLock::new(Gate::default);

fuzz_target!(|data: &[u8]| {
    let artifacts = artifacts(data);
    let report = CHECK
        .clone()
        .records("ep_answer", &artifacts);
    let is_rule = |id: &str| all_rules().any(|rule| rule.id == id);
    assert!(
        report
            .findings
            .iter()
            .all(|finding| is_rule(&finding.rule))
    );
    assert!(
        report
            .skipped
            .iter()
            .all(|skip| is_rule(&skip.rule))
    );
    assert_eq!(
        report,
        CHECK
            .clone()
            .records("ep_answer", &artifacts)
    );

    let timeline = artifacts
        .iter()
        .find(|(artifact, _)| *artifact == Artifact::Events);
    if let Some((_, events)) = timeline {
        // The order of keys is learned from the lines before.
        let alike = [*events; 12].join(&b'\n');
        assert_eq!(
            found(&with(&artifacts, &alike)),
            found(&with(&artifacts, &indented(&alike)))
        );
    }
});

/// The report of the artifacts with another timeline.
fn with(artifacts: &[(Artifact, &[u8])], events: &[u8]) -> EpisodeReport {
    let artifacts = artifacts
        .iter()
        .map(|(artifact, bytes)| match artifact {
            Artifact::Events => (*artifact, events),
            _ => (*artifact, *bytes),
        });
    CHECK
        .clone()
        .records("ep_answer", &artifacts.collect::<Vec<_>>())
}
