//! A writer that crashes at any point: every prefix of its output is checked as the contract says.

use std::collections::BTreeSet;
use std::fs;

use runvet::finding::Lifecycle;
use runvet::gate::Gate;
use runvet::source::Artifact;

use crate::support::corpus::corpus;

/// What is on the disk at some point.
type Files<'f> = Vec<(Artifact, &'f [u8])>;

/// The files of a good run.
fn files(case: &str) -> Vec<(Artifact, Vec<u8>)> {
    let dir = Gate::default()
        .discover(&[corpus().join("good").join(case)])
        .episodes
        .remove(0)
        .path;
    let read =
        |artifact: Artifact| Some((artifact, fs::read(dir.join(artifact.file_name())).ok()?));
    Artifact::ALL
        .into_iter()
        .filter_map(read)
        .collect()
}

fn rules(files: &Files<'_>) -> (Lifecycle, BTreeSet<String>) {
    let report = Gate::default().records("ep_answer", files);
    let rules: BTreeSet<String> = report
        .findings
        .into_iter()
        .map(|finding| finding.rule)
        .collect();
    (report.lifecycle, rules)
}

fn set<const N: usize>(rules: [&str; N]) -> BTreeSet<String> {
    rules.map(str::to_owned).into()
}

/// Whether the last line lacks a part of itself: it is not empty, and its object is not closed.
fn is_cut(timeline: &[u8]) -> bool {
    let last = timeline
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap();
    !last.is_empty() && serde_json::from_slice::<serde_json::Value>(last).is_err()
}

#[test]
fn crashed_run_is_judged_at_every_byte() {
    let files = files("terminal");
    let bytes = |artifact: Artifact| {
        &*files
            .iter()
            .find(|(known, _)| *known == artifact)
            .unwrap()
            .1
    };
    let order = [
        Artifact::Events,
        Artifact::State,
        Artifact::Summary,
        Artifact::Learn,
        Artifact::Manifest,
    ];
    let mut prefixes = 0;
    for (index, written) in order.into_iter().enumerate() {
        let before: Files<'_> = order[..index]
            .iter()
            .map(|artifact| (*artifact, bytes(*artifact)))
            .collect();
        for end in 0..=bytes(written).len() {
            prefixes += 1;
            let part = &bytes(written)[..end];
            let (lifecycle, found) = rules(&[&before[..], &[(written, part)]].concat());
            let is_json = serde_json::from_slice::<serde_json::Value>(part).is_ok();
            let expected = match written {
                // The run may have just started, and its writer may be in the middle of a line.
                Artifact::Events if is_cut(part) => (
                    Lifecycle::NonTerminal,
                    set(["state/not-yet", "events/unfinished-line"]),
                ),
                Artifact::Events => (Lifecycle::NonTerminal, set(["state/not-yet"])),
                // Half a state does not say whether the run has ended.
                Artifact::State if !is_json => (Lifecycle::Unknown, set(["record/json-syntax"])),
                Artifact::Summary if !is_json => (
                    Lifecycle::Terminal,
                    set([
                        "record/json-syntax",
                        "lifecycle/artifacts",
                        "lifecycle/learn-missing",
                    ]),
                ),
                // A state that says that the run has ended requires artifacts that do not exist
                // yet.
                Artifact::State => (
                    Lifecycle::Terminal,
                    set(["lifecycle/artifacts", "lifecycle/learn-missing"]),
                ),
                // A summary that counts proposals requires lines that do not exist yet.
                Artifact::Summary => (
                    Lifecycle::Terminal,
                    set([
                        "lifecycle/artifacts",
                        "lifecycle/learn-missing",
                        "summary/learning",
                    ]),
                ),
                Artifact::Learn if part.is_empty() => (
                    Lifecycle::Terminal,
                    set(["lifecycle/artifacts", "summary/learning"]),
                ),
                Artifact::Learn => (Lifecycle::Terminal, set(["lifecycle/artifacts"])),
                // Of these two it matters that they are there.
                Artifact::Manifest => (Lifecycle::Terminal, set([])),
            };
            assert_eq!((lifecycle, found), expected, "{written} after {end} bytes");
        }
    }
    eprintln!("{prefixes} prefixes");
    assert!(prefixes > 5000);
}

#[test]
fn resumed_run_is_valid_at_every_byte() {
    let files = files("events-beyond-the-snapshot");
    let (_, events) = files
        .iter()
        .find(|(artifact, _)| *artifact == Artifact::Events)
        .unwrap();
    let text = std::str::from_utf8(events).unwrap();
    let evidence = text
        .rfind("run.state_projection")
        .unwrap();
    let snapshot = evidence + text[evidence..].find('\n').unwrap() + 1;
    assert!(snapshot < events.len(), "events lie beyond the snapshot");
    let id = Gate::default()
        .discover(&[corpus().join("good/events-beyond-the-snapshot")])
        .episodes
        .remove(0)
        .id
        .unwrap();
    for end in snapshot..=events.len() {
        let part = &events[..end];
        let there = files
            .iter()
            .map(|(artifact, bytes)| match artifact {
                Artifact::Events => (*artifact, part),
                _ => (*artifact, &**bytes),
            });
        let report = Gate::default().records(&id, &there.collect::<Vec<_>>());
        let found: BTreeSet<String> = report
            .findings
            .into_iter()
            .map(|finding| finding.rule)
            .collect();
        let expected = if is_cut(part) {
            set(["events/unfinished-line"])
        } else {
            set([])
        };
        assert_eq!(
            (report.lifecycle, found),
            (Lifecycle::NonTerminal, expected),
            "after {end} bytes"
        );
        assert_eq!(report.valid, Some(true));
    }
}

#[test]
fn ended_run_with_a_cut_timeline_is_found_at_every_byte() {
    let files = files("terminal");
    let (_, events) = files
        .iter()
        .find(|(artifact, _)| *artifact == Artifact::Events)
        .unwrap();
    for end in 0..events.len() {
        let part = &events[..end];
        let there = files
            .iter()
            .map(|(artifact, bytes)| match artifact {
                Artifact::Events => (*artifact, part),
                _ => (*artifact, &**bytes),
            });
        let (lifecycle, found) = rules(&there.collect());
        assert_eq!(lifecycle, Lifecycle::Terminal);
        assert_eq!(
            found.contains("events/torn-tail"),
            is_cut(part),
            "after {end} bytes"
        );
        // Only the last event follows the projection event of the final state; without it, nothing
        // else is wrong.
        let text = String::from_utf8_lossy(part);
        let has_evidence = text
            .lines()
            .any(|line| line.contains("run.state_projection") && line.ends_with('}'));
        assert!(
            has_evidence || is_cut(part) || found.contains("projection/missing"),
            "after {end} bytes: {found:?}"
        );
    }
}
