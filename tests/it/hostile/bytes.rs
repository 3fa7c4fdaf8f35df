//! Malicious bytes: records of extreme sizes and shapes are checked correctly, in linear time.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::time::Duration;

use runvet::finding::EpisodeReport;
use runvet::gate::Gate;
use runvet::source::Artifact;
use rustix::time::{ClockId, clock_gettime};

use crate::support::corpus::corpus;

/// The records of a good run, some of them with other bytes.
fn judge(changed: &[(Artifact, &str)]) -> EpisodeReport {
    judge_by(&Gate::default(), changed)
}

fn judge_by(gate: &Gate, changed: &[(Artifact, &str)]) -> EpisodeReport {
    let dir = corpus().join("good/terminal/episodes/ep_answer");
    let good = |artifact: Artifact| fs::read(dir.join(artifact.file_name())).unwrap();
    let mut records: BTreeMap<Artifact, Vec<u8>> = Artifact::ALL
        .into_iter()
        .map(|artifact| (artifact, good(artifact)))
        .collect();
    for (artifact, text) in changed {
        records.insert(*artifact, text.as_bytes().to_vec());
    }
    let records: Vec<(Artifact, &[u8])> = records
        .iter()
        .map(|(artifact, bytes)| (*artifact, &**bytes))
        .collect();
    gate.clone()
        .records("ep_answer", &records)
}

fn text(artifact: Artifact) -> String {
    fs::read_to_string(
        corpus()
            .join("good/terminal/episodes/ep_answer")
            .join(artifact.file_name()),
    )
    .unwrap()
}

/// The number of findings of each rule.
fn counts(report: &EpisodeReport) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for finding in &report.findings {
        *counts
            .entry(&*finding.rule)
            .or_default() += 1;
    }
    counts
}

/// State and timeline with another number for the score that both contain.
fn with_scores(state: &str, evidence: &str) -> EpisodeReport {
    let score = "\"task_score\":0.75";
    let (good_state, good_events) = (text(Artifact::State), text(Artifact::Events));
    assert!(
        good_state.contains(score) && good_events.contains(score),
        "both records name the score"
    );
    let state = good_state.replace(score, &format!("\"task_score\":{state}"));
    judge(&[
        (Artifact::State, &state),
        (
            Artifact::Events,
            &good_events.replace(score, &format!("\"task_score\":{evidence}")),
        ),
    ])
}

#[test]
fn numbers_of_any_size_are_compared_by_value() {
    let digits = "7".repeat(1_000_000);
    let equal = [
        ("1", "1.000e0"),
        ("-0", "0"),
        ("-0.0e99", "0"),
        ("1e400", "10e399"),
        ("9007199254740993", "9007199254740993.0"),
        (&*digits, &*format!("{digits}.0")),
        (&format!("1{}", "0".repeat(1_000_000)), "1e1000000"),
    ];
    for (one, other) in equal {
        let report = with_scores(one, other);
        assert_eq!(report.findings, [], "{one:.20} = {other:.20}");
    }
    let different = [
        ("9007199254740993", "9007199254740992"),
        ("9007199254740993", "9007199254740992.0"),
        ("0.1", "0.1000000000000000055511151231257827"),
        ("1e400", "1e401"),
        ("1e-400", "0"),
        (&*digits, &*format!("{}8", &digits[1..])),
        (&digits, &format!("{digits}.{}1", "0".repeat(1_000_000))),
    ];
    for (one, other) in different {
        let report = with_scores(one, other);
        assert_eq!(
            counts(&report),
            BTreeMap::from([("projection/outcomes", 1)]),
            "{one:.20} and {other:.20}"
        );
        assert!(
            report.findings[0].message.len() < 1000,
            "a message stays a sentence"
        );
    }
}

#[test]
fn windows_line_ends_are_blanks() {
    let with = |artifact| text(artifact).replace('\n', "\r\n");
    let events = with(Artifact::Events);
    let state = text(Artifact::State).replace(",\"", ",\r\n\"");
    assert_eq!(
        judge(&[(Artifact::Events, &events), (Artifact::State, &state)]).findings,
        []
    );
    let report = judge(&[(
        Artifact::Events,
        &events.replace("\r\n{", "\r\n\r\n \t\r\n{"),
    )]);
    assert_eq!(report.findings, [], "blank lines are passed over");
    // A carriage return alone does not end a line.
    let report = judge(&[(
        Artifact::Events,
        &text(Artifact::Events).replacen('\n', "\r", 1),
    )]);
    assert_eq!(report.findings[0].rule, "events/syntax");
}

#[test]
fn million_bad_lines_are_reported_up_to_the_limit() {
    let report = judge(&[(Artifact::Events, &"1\n".repeat(1_000_000))]);
    assert_eq!(counts(&report)["events/syntax"], 10_001);
    let last = report.findings.iter().find(|finding| {
        finding
            .message
            .contains("990000 more findings")
    });
    assert!(last.is_some(), "the rest is counted");
    assert_eq!(
        judge(&[(Artifact::Events, &"\n".repeat(1_000_000))])
            .findings
            .len(),
        judge(&[(Artifact::Events, "")])
            .findings
            .len()
    );
}

/// The factor between the two input sizes: eight times the time is linear, sixty-four times is
/// quadratic.
const FACTOR: usize = 8;

/// The least processor time of this thread, of a few, that it takes to judge records: other
/// programs and tests that run meanwhile do not count.
fn cost(records: &[(Artifact, &str)]) -> Duration {
    let used = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
    let check = Gate::default().jobs(NonZeroUsize::MIN);
    let one = || {
        let before = used();
        assert!(
            !judge_by(&check, records)
                .findings
                .is_empty(),
            "it is looked at"
        );
        used().saturating_sub(before)
    };
    (0..3).map(|_| one()).min().unwrap()
}

#[test]
fn cost_grows_linearly_with_the_input() {
    // The repeated part, the texts before and after it, and its artifact.
    let cases = [
        ("one-byte values", Artifact::State, "[", "1,", "1]"),
        ("keys", Artifact::State, "{", "\"a#\":1,", "\"z\":1}"),
        ("the same key", Artifact::State, "{", "\"a\":1,", "\"a\":1}"),
        (
            "the same key, escaped",
            Artifact::State,
            "{",
            "\"\\u0061\":1,",
            "\"a\":1}",
        ),
        ("escapes", Artifact::State, "[\"", "\\u00e9\\n", "\"]"),
        ("digits", Artifact::State, "[", "1", "]"),
        ("a number cut off", Artifact::State, "[", "1", "e"),
        ("a text cut off", Artifact::State, "[\"", "a", ""),
        ("brackets", Artifact::State, "", "[", ""),
        ("blanks", Artifact::State, "", " \n", ""),
        (
            "bytes that are not text",
            Artifact::State,
            "[\"",
            "\u{fffd}",
            "\u{1}\"]",
        ),
        (
            "wrong actions",
            Artifact::State,
            "{\"outcomes\":{\"actions\":[",
            "{\"a\":1},",
            "1]}}",
        ),
        (
            "wrong steps",
            Artifact::State,
            "{\"plan\":{\"steps\":[",
            "1,\n",
            "1]}}",
        ),
        (
            "steps of one id",
            Artifact::State,
            "{\"plan\":{\"steps\":[",
            "{\"id\":\"a\"},",
            "1]}}",
        ),
        (
            "misspellings",
            Artifact::State,
            "{\"beliefs\":[",
            "{\"confidenc\":1},",
            "1]}",
        ),
        ("one line", Artifact::Events, "", "a", ""),
        ("lines", Artifact::Events, "", "1\n", ""),
        ("blank lines", Artifact::Events, "", "\n", ""),
        (
            "events",
            Artifact::Events,
            "",
            "{\"phase\":\"act\",\"payload\":{\"id\":\"#\"}}\n",
            "",
        ),
        ("an event cut off", Artifact::Events, "{\"a\":[", "{},", ""),
    ];
    for (name, artifact, before, repeated, after) in cases {
        let text = |count: usize| {
            let middle = match repeated.split_once('#') {
                Some((start, end)) => (0..count)
                    .map(|number| [start, &*number.to_string(), end].concat())
                    .collect(),
                None => repeated.repeat(count),
            };
            [before, &middle, after].concat()
        };
        // The smaller input is so large that the cost of the rest of the run does not matter.
        let mut timed = std::iter::successors(Some(64), |count| Some(count * 2))
            .map(|count| (count, cost(&[(artifact, &text(count))])));
        let (count, short) = timed
            .find(|(_, cost)| *cost > Duration::from_millis(4))
            .unwrap();
        let long = cost(&[(artifact, &text(count * FACTOR))]);
        let ratio = long.as_secs_f64() / short.as_secs_f64();
        assert!(
            ratio < 24.0,
            "{name}: {count} times {short:?}, {FACTOR} times as many {long:?}"
        );
    }
}

#[test]
fn outcomes_findings_stay_when_keys_of_the_event_move() {
    let state =
        text(Artifact::State).replace("\"outcomes\":{", "\"outcomes\":{\"x-b\":1,\"x-c\":1,");
    let with_keys = |keys: &str| {
        let events =
            text(Artifact::Events).replace("\"outcomes\":{", &format!("\"outcomes\":{{{keys},"));
        let report = judge(&[(Artifact::State, &state), (Artifact::Events, &events)]);
        assert_eq!(
            counts(&report),
            BTreeMap::from([("projection/outcomes", 3)])
        );
        let found = report.findings.into_iter();
        let mut found: Vec<(String, String)> = found
            .map(|finding| (finding.fingerprint, finding.message))
            .collect();
        found.sort();
        found
    };
    assert_eq!(
        with_keys(r#""x-b":2,"x-c":3,"x-a":4"#),
        with_keys(r#""x-a":4,"x-c":3,"x-b":2"#)
    );
}

#[test]
fn pointers_stay_short_when_a_long_key_is_above_many_values() {
    let keys: Vec<&str> = std::iter::repeat_n("\"a\":1", 2_001).collect();
    let long = format!(
        "\"x\":{{\"{}\":{{{}}}}}",
        "k".repeat(10_000),
        keys.join(",")
    );
    let state = text(Artifact::State).replacen('{', &format!("{{{long},"), 1);
    let report = judge(&[(Artifact::State, &state)]);
    assert_eq!(
        counts(&report),
        BTreeMap::from([("record/duplicate-key", 2_000)])
    );
    for finding in &report.findings {
        let (location, related) = (&finding.location, &finding.related[0].location);
        assert_eq!(location.pointer.as_deref(), Some("/x"));
        let key = usize::try_from(location.offset.unwrap()).unwrap();
        assert_eq!(state.get(key..key + 3), Some("\"a\""), "its own place");
        assert!(related.offset < location.offset, "{finding:?}");
    }
    assert!(
        serde_json::to_string(&report)
            .unwrap()
            .len()
            < 4 << 20
    );
}
