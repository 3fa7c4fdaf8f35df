//! Sound runs of the corpus and of the benchmark -> no text of them is parsed twice.
#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "the corpus is no run data of others"
)]

use std::fs;
use std::path::{Path, PathBuf};

use super::Gate;
use crate::ground::document::work;
use crate::ground::source::Artifact;

#[path = "../../benches/run_data/mod.rs"]
#[expect(dead_code, reason = "the benchmark uses more of it")]
mod run_data;

const ARTIFACTS: [Artifact; 5] = [
    Artifact::State,
    Artifact::Summary,
    Artifact::Events,
    Artifact::Learn,
    Artifact::Manifest,
];

/// Adds the directories of runs below a directory, sorted.
fn runs(dir: &Path, found: &mut Vec<PathBuf>) {
    if dir.join("state.json").is_file() {
        found.push(dir.to_owned());
    }
    let entries = fs::read_dir(dir).unwrap();
    let mut below: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .collect();
    below.sort();
    for path in below
        .iter()
        .filter(|path| path.is_dir())
    {
        runs(path, found);
    }
}

/// Runs of which values are compared by what they mean: labels of older runtimes, keys that are
/// near to known ones, and equal values that are written in two ways.
const BY_MEANING: [&str; 4] = ["ep_alike", "ep_answer", "ep_labels", "ep_names"];

#[test]
fn sound_runs_are_judged_as_they_are_written() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/good");
    let mut found = Vec::new();
    runs(&corpus, &mut found);
    let mut sound = 0;
    for run in &found {
        let files = ARTIFACTS.map(|artifact| fs::read(run.join(artifact.file_name())).ok());
        let records: Vec<(Artifact, &[u8])> = ARTIFACTS
            .iter()
            .zip(&files)
            .filter_map(|(artifact, bytes)| Some((*artifact, bytes.as_deref()?)))
            .collect();
        let name = run
            .file_name()
            .unwrap()
            .to_str()
            .unwrap();
        let (report, tapes) = work::tapes_of(|| Gate::default().records(name, &records));
        if report.findings.is_empty() {
            sound += 1;
            assert!(
                tapes == 0 || BY_MEANING.contains(&name),
                "{}",
                run.display()
            );
        }
    }
    assert!(sound > 30, "{sound}");
}

#[test]
fn runs_of_the_benchmark_are_judged_as_they_are_written() {
    let mut random = run_data::Random(20_261_129);
    for number in 0..300 {
        let records = run_data::differing_records("ep_1", &mut random);
        let mut artifacts = vec![
            (Artifact::State, records.state.as_bytes()),
            (Artifact::Events, records.events.as_bytes()),
            (Artifact::Learn, b""),
        ];
        if let Some(summary) = &records.summary {
            artifacts.push((Artifact::Summary, summary.as_bytes()));
            artifacts.push((Artifact::Manifest, b"{\"files\":[]}\n"));
        }

        let (report, tapes) = work::tapes_of(|| Gate::default().records("ep_1", &artifacts));
        assert_eq!(report.findings, [], "run {number}: {}", records.state);
        assert_eq!(tapes, 0, "run {number}: {}", records.state);
    }
}
