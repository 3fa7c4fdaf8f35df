//! Mistakes are reported in the same order, with any number of threads.

use std::fs;

use runvet::finding::EpisodeReport;
use runvet::gate::Gate;
use runvet::source::Artifact;

use crate::support::corpus::corpus;

/// The records of a good run, by their artifacts.
fn good_run() -> Vec<(Artifact, Vec<u8>)> {
    let dir = corpus().join("good/terminal/episodes/ep_answer");
    Artifact::ALL
        .into_iter()
        .map(|artifact| (artifact, fs::read(dir.join(artifact.file_name())).unwrap()))
        .collect()
}

fn check(records: &[(Artifact, Vec<u8>)]) -> EpisodeReport {
    let records: Vec<_> = records
        .iter()
        .map(|(artifact, bytes)| (*artifact, bytes.as_slice()))
        .collect();
    Gate::default().records("ep_answer", &records)
}

/// The good run with another content of one artifact.
fn with(artifact: Artifact, change: impl FnOnce(String) -> Vec<u8>) -> EpisodeReport {
    let mut records = good_run();
    let (_, bytes) = records
        .iter_mut()
        .find(|(of, _)| *of == artifact)
        .unwrap();
    *bytes = change(String::from_utf8(bytes.clone()).unwrap());
    check(&records)
}

const EVENTS: Artifact = Artifact::Events;

/// The events of the good run, each over several lines, and the number of lines of the first.
fn pretty(text: &str) -> (String, usize) {
    let events = text.lines().map(|line| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        serde_json::to_string_pretty(&event).unwrap() + "\n"
    });
    let events: Vec<String> = events.collect();
    (events.concat(), events[0].lines().count())
}

#[test]
fn findings_at_one_place_are_sorted_by_rule() {
    let report = with(EVENTS, |text| [&*text, "x1\nx1\n"].concat().into());
    let keys = report
        .findings
        .iter()
        .map(|it| (&it.location.file, it.location.offset, &it.rule));
    assert!(keys.is_sorted(), "{:?}", report.findings);
}

#[test]
fn mistakes_are_counted_wherever_they_stand() {
    let mut records = good_run();
    let (_, events) = records
        .iter_mut()
        .find(|(of, _)| *of == EVENTS)
        .unwrap();
    let text = String::from_utf8(events.clone()).unwrap();
    let sound = r#"{"phase":"observe","timestamp":"2026-03-01T12:00:00Z","payload":{"n":0}}"#;
    let typo = r#"{"phase":"act","timestamp":"2026-03-01T12:00:00Z","payload":{"stepId":0}}"#;
    let other = sound.replace("\"phase\"", "\"agentId\":\"a\",\"phase\"");
    let (many, _) = pretty(&text);
    let many = many.replace('\n', "\n\n");
    let broken = ["{\n\n", sound, "\n\n}\n"].concat();
    for part in [typo, &*other, typo] {
        events.extend(
            [sound, "\n", &*broken, part, "\n", &*many]
                .concat()
                .as_bytes(),
        );
    }
    let report = check(&records);
    let counted = |rule: &str| {
        report
            .findings
            .iter()
            .filter(|it| it.rule == rule)
            .count()
    };
    assert_eq!(counted("events/syntax"), 1 + 6);
    assert_eq!(counted("events/misspelled"), 2);
}
