//! Records with many keys and values: up to the limit they are read, and one beyond it is refused,
//! alike in every door.

use std::fs;
use std::path::Path;

use runvet::finding::{EpisodeReport, Finding};
use runvet::gate::Gate;
use runvet::read::RunReader;
use runvet::source::Artifact;

use crate::support::runs::copy_of_good_run;

/// The limit of keys and values in `docs/limits.md`.
const LIMIT: usize = 1_000_000;

/// An array in which this many values are counted, itself included.
fn values(count: usize) -> String {
    format!("[{}1]", "1,".repeat(count - 2))
}

/// An event in which this many keys and values are counted.
fn event(count: usize) -> String {
    let blob = values(count - 10);
    format!(
        r#"{{"phase":"observe","timestamp":"2026-03-01T12:00:00Z","payload":{{"blob":{blob}}},"z":null}}"#
    )
}

/// Puts a member with a value before the others of a record.
fn with_member(path: &Path, value: &str) {
    let text = fs::read_to_string(path).unwrap();
    fs::write(path, text.replacen('{', &format!("{{\"x\":{value},"), 1)).unwrap();
}

/// The number of keys and values of a record.
fn count(path: &Path) -> usize {
    fn of(value: &serde_json::Value) -> usize {
        match value {
            serde_json::Value::Array(items) => 1 + items.iter().map(of).sum::<usize>(),
            serde_json::Value::Object(members) => {
                1 + members
                    .values()
                    .map(|value| 1 + of(value))
                    .sum::<usize>()
            }
            _ => 1,
        }
    }
    of(&serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
}

fn judge(dir: &Path) -> EpisodeReport {
    Gate::default()
        .run([dir])
        .unwrap()
        .episodes
        .swap_remove(0)
}

fn unreadable(report: &EpisodeReport) -> Vec<&Finding> {
    let found = report.findings.iter();
    found
        .filter(|finding| finding.rule == "record/unreadable")
        .collect()
}

#[test]
fn record_is_unreadable_when_one_value_beyond_limit() {
    for artifact in [Artifact::State, Artifact::Summary] {
        let (_temp, dir) = copy_of_good_run();
        let path = dir.join(artifact.file_name());
        let (good, room) = (fs::read(&path).unwrap(), LIMIT - count(&path) - 1);
        with_member(&path, &values(room));
        let report = judge(&dir);
        assert_eq!((&*report.findings, &*report.skipped), (&[][..], &[][..]));
        let run = RunReader::open(&dir).unwrap();
        assert!(run.state().is_ok() && run.summary().is_ok());

        fs::write(&path, good).unwrap();
        with_member(&path, &values(room + 1));
        let report = judge(&dir);
        let message = format!("{artifact} can't be read: it has more than 1000000 keys and values");
        let found: Vec<&str> = unreadable(&report)
            .iter()
            .map(|finding| &*finding.message)
            .collect();
        assert_eq!(found, [message]);
        assert!(report.valid == Some(false) && !report.skipped.is_empty());
        let run = RunReader::open(&dir).unwrap();
        let read = match artifact {
            Artifact::State => run.state().map(drop),
            _ => run.summary().map(drop),
        };
        let said = format!(
            "{}: it has more than 1000000 keys and values",
            path.display()
        );
        assert_eq!(read.unwrap_err().to_string(), said);
    }
}

#[test]
fn line_is_no_event_when_one_value_beyond_limit() {
    let (_temp, dir) = copy_of_good_run();
    let path = dir.join("events.jsonl");
    let good = fs::read_to_string(&path).unwrap();
    let line = |number: usize| event(20).replace("null", &number.to_string()) + "\n";
    let padding: String = (0..200).map(line).collect();
    for padding in ["", &*padding] {
        let with = |long: &str, end: &str| {
            let (first, rest) = good.split_once('\n').unwrap();
            let text = format!("{first}\n{padding}{long}\n{padding}{rest}{end}");
            fs::write(&path, text).unwrap();
            judge(&dir)
        };
        let report = with(&event(LIMIT), "");
        assert_eq!(report.findings, []);
        let report = with(&event(LIMIT + 1), "");
        let line = 2 + padding.lines().count() as u64;
        let found: Vec<_> = unreadable(&report)
            .iter()
            .map(|finding| (finding.message.clone(), finding.location.line))
            .collect();
        let message = format!("line {line} has more than 1000000 keys and values");
        assert_eq!(found, [(message, Some(line))]);
        let is_skipped = |rule: &str| {
            report
                .skipped
                .iter()
                .any(|skip| skip.rule == rule)
        };
        assert!(is_skipped("projection/outcomes") && is_skipped("plan/projection"));
        assert_eq!(report.findings.len(), 1, "{:?}", report.findings);

        // What is not JSON within the limit is an error of syntax, and beyond it nobody looks.
        let broken = |count| event(count).replacen("1,1]", "1,x]", 1);
        let report = with(&broken(LIMIT), "");
        assert_eq!(report.findings[0].rule, "events/syntax");
        let report = with(&event(LIMIT + 100).replacen('}', "x", 1), "");
        assert_eq!(unreadable(&report).len(), 1);
    }

    let run = RunReader::open(&dir).unwrap();
    let errors: Vec<String> = run
        .events()
        .unwrap()
        .filter_map(|event| Some(event.err()?.to_string()))
        .collect();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].ends_with(":1: it has more than 1000000 keys and values"));
}
