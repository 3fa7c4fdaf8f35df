//! What is accepted, by a baseline or an ignore, is what was seen and no more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use runvet::finding::{EpisodeReport, Finding};
use runvet::gate::Gate;
use runvet::source::Artifact;
use serde_json::Value;

use crate::support::corpus::corpus;
use crate::support::random::config;
use crate::support::runs::{copy_of, replace};

type Artifacts = Vec<(Artifact, Vec<u8>)>;

/// Every episode of the corpus.
fn episodes() -> impl Iterator<Item = Artifacts> {
    let found = Gate::default().discover(&[corpus()]);
    found
        .episodes
        .into_iter()
        .map(|episode| {
            let read = |artifact: Artifact| {
                let bytes = fs::read(episode.path.join(artifact.file_name()));
                Some((artifact, bytes.ok()?))
            };
            Artifact::ALL
                .into_iter()
                .filter_map(read)
                .collect()
        })
}

fn check(artifacts: &Artifacts) -> EpisodeReport {
    let records: Vec<(Artifact, &[u8])> = artifacts
        .iter()
        .map(|(artifact, bytes)| (*artifact, &bytes[..]))
        .collect();
    Gate::default().records("ep", &records)
}

/// What tells a finding from others, apart from where in the file it is.
fn essence(finding: &Finding) -> String {
    // That it lacks its state is one defect, whatever else it has.
    let circumstances = match &*finding.rule {
        "state/missing" => ", but",
        "state/not-yet" => " state.json",
        _ => "\0",
    };
    let message = finding
        .message
        .split(circumstances)
        .next()
        .unwrap();
    let mut words = message.split(' ').peekable();
    let mut told = String::new();
    while let Some(word) = words.next() {
        told += word;
        told.push(' ');
        if word == "line" {
            words.next();
        }
    }
    let location = &finding.location;
    format!(
        "{} {:?} {:?} {told}",
        finding.rule, location.artifact, location.pointer
    )
}

/// Two findings that differ have different fingerprints, in whatever episodes they are.
#[derive(Default)]
struct Known(BTreeMap<String, String>);

impl Known {
    fn learn(&mut self, report: &EpisodeReport) {
        for finding in &report.findings {
            let essence = essence(finding);
            let known = self
                .0
                .entry(finding.fingerprint.clone())
                .or_insert_with(|| essence.clone());
            assert_eq!(*known, essence, "one fingerprint for two findings");
        }
    }
}

/// The records of an artifact: one, or a line for each event.
fn texts(bytes: &[u8]) -> Option<Vec<Value>> {
    let text = std::str::from_utf8(bytes).ok()?;
    serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect::<Result<_, _>>()
        .ok()
}

/// A value whose members are in the opposite order of that of `serde_json`.
fn reversed(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .rev()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), reversed(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(reversed).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    }
}

fn written(values: &[Value], write: impl Fn(&Value) -> String) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| (write(value) + "\n").into_bytes())
        .collect()
}

#[test]
fn fingerprint_is_one_defect_s_over_the_corpus() {
    let mut known = Known::default();
    episodes().for_each(|artifacts| known.learn(&check(&artifacts)));
    assert!(known.0.len() > 100);
}

#[test]
fn fingerprint_does_not_depend_on_the_order_of_keys() {
    let mut compared = 0;
    // A digest of the state holds its keys in their order.
    let sealed =
        |(_, bytes): &(Artifact, Vec<u8>)| String::from_utf8_lossy(bytes).contains("state_sha256");
    for artifacts in episodes().filter(|artifacts| !artifacts.iter().any(sealed)) {
        let rewritten = |write: &dyn Fn(&Value) -> String| -> Option<BTreeSet<String>> {
            let artifacts = artifacts
                .iter()
                .map(|(artifact, bytes)| Some((*artifact, written(&texts(bytes)?, write))));
            let report = check(&artifacts.collect::<Option<_>>()?);
            Some(
                report
                    .findings
                    .into_iter()
                    .map(|finding| finding.fingerprint)
                    .collect(),
            )
        };
        let sorted = rewritten(&Value::to_string);
        compared += sorted.as_ref().map_or(0, BTreeSet::len);
        assert_eq!(
            sorted,
            rewritten(&reversed),
            "{:?}",
            check(&artifacts).findings
        );
    }
    assert!(compared > 100);
}

/// The places in a value that can be changed.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                places(value, &format!("{at}/{key}"), all);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), all);
            }
        }
        _ => {}
    }
}

#[test]
fn fingerprint_is_one_defect_s_in_damaged_runs() {
    let good: Vec<Artifacts> = Gate::default()
        .discover(&[corpus().join("good")])
        .episodes
        .iter()
        .map(|episode| {
            let read = |artifact: Artifact| {
                Some((
                    artifact,
                    fs::read(episode.path.join(artifact.file_name())).ok()?,
                ))
            };
            Artifact::ALL
                .into_iter()
                .filter_map(read)
                .collect()
        })
        .collect();
    let known = std::cell::RefCell::new(Known::default());
    let changes = prop::collection::vec(
        (any::<Index>(), any::<Index>(), any::<Index>(), 0..8_u8),
        1..4,
    );
    let mut runner = proptest::test_runner::TestRunner::new(config(600));
    runner
        .run(&(any::<Index>(), changes), |(run, changes)| {
            let mut artifacts = run.get(&good).clone();
            for (file, record, place, change) in changes {
                let index = file.index(artifacts.len());
                if change == 7 {
                    artifacts.remove(index);
                    continue;
                }
                let Some(mut records) = texts(&artifacts[index].1).filter(|all| !all.is_empty())
                else {
                    continue;
                };
                let at = record.index(records.len());
                if change >= 5 {
                    let copy = records[at].clone();
                    match change {
                        5 => drop(records.remove(at)),
                        _ => records.insert(at, copy),
                    }
                } else {
                    let mut all = Vec::new();
                    places(&records[at], "", &mut all);
                    let pointer = place.get(&all);
                    let new = match change {
                        0 => Value::Null,
                        1 => 7.into(),
                        2 => "error".into(),
                        3 => Value::Array(Vec::new()),
                        _ => serde_json::json!({"x": 1}),
                    };
                    *records[at]
                        .pointer_mut(pointer)
                        .unwrap() = new;
                }
                artifacts[index].1 = written(&records, Value::to_string);
            }
            known
                .borrow_mut()
                .learn(&check(&artifacts));
            Ok(())
        })
        .unwrap();
    assert!(known.borrow().0.len() > 100);
}

/// The rules of the findings that count, and that are suppressed.
fn judged(gate: &mut Gate, path: &Path) -> (Vec<String>, usize) {
    let report = gate.run([path]).unwrap();
    let episode = &report.episodes[0];
    let rules = episode
        .findings
        .iter()
        .map(|finding| finding.rule.clone());
    (rules.collect(), episode.suppressed.len())
}

#[test]
fn baseline_knows_how_many_events_are_foreign() {
    let (temp, dir) = copy_of("good/terminal");
    let file = dir.join("events.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let foreign = |lines: usize| {
        let text: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(index, line)| {
                let id = if index < lines {
                    "ep_other"
                } else {
                    "ep_answer"
                };
                let mut event: Value = serde_json::from_str(line).unwrap();
                event["episode_id"] = id.into();
                format!("{event}\n")
            })
            .collect();
        fs::write(&file, text.concat()).unwrap();
    };
    foreign(1);
    let known = temp.path().join("known.json");
    let mut gate = Gate::default().record_baseline(&known);
    assert_eq!(judged(&mut gate, &dir), (vec![], 1));
    let known = gate.baseline().unwrap().clone();
    let mut gate = Gate::default().with_baseline(known);
    assert_eq!(judged(&mut gate, &dir), (vec![], 1));
    foreign(3);
    assert_eq!(judged(&mut gate, &dir), (vec!["episode/id".to_owned()], 0));
}

#[test]
fn ignore_in_one_file_shows_the_same_pointer_in_another() {
    let (temp, dir) = copy_of("good/terminal");
    replace(
        &dir.join("summary.json"),
        "\"episode_id\":\"ep_answer\"",
        "\"episode_id\":\"ep_x\"",
    );
    let first = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    let mut event: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    event["episode_id"] = "ep_y".into();
    let rest = first.split_once('\n').unwrap().1;
    fs::write(dir.join("events.jsonl"), format!("{event}\n{rest}")).unwrap();
    let config = temp.path().join("runvet.toml");
    let gate = |file: &str| {
        let text = format!(
            "[[ignore]]\nrule = 'episode/id'\nepisode = 'ep_answer'\n{file}pointer = '/episode_id'\nreason = 'r'"
        );
        Gate::default().with_config(&config, &text, None)
    };
    assert_eq!(judged(&mut gate("").unwrap(), &dir), (vec![], 2));
    let rule = vec!["episode/id".to_owned()];
    assert_eq!(
        judged(&mut gate("file = 'summary.json'\n").unwrap(), &dir),
        (rule.clone(), 1)
    );
    assert_eq!(
        judged(&mut gate("file = 'state.json'\n").unwrap(), &dir),
        ([&rule[..], &rule].concat(), 0)
    );
    let error = gate("file = 'events.json'\n").unwrap_err();
    assert!(error.message.contains("unknown value"), "{error}");
}
