//! What people write by mistake gets a sentence, its place and help that fits.

use std::fs;
use std::num::NonZeroUsize;

use runvet::finding::{EpisodeReport, Finding};
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

fn check(records: &[(Artifact, Vec<u8>)], jobs: usize) -> EpisodeReport {
    let records: Vec<_> = records
        .iter()
        .map(|(artifact, bytes)| (*artifact, bytes.as_slice()))
        .collect();
    let jobs = NonZeroUsize::new(jobs).unwrap();
    Gate::default().jobs(jobs).records("ep_answer", &records)
}

/// The good run with another content of one artifact.
pub(super) fn with(artifact: Artifact, change: impl FnOnce(String) -> Vec<u8>) -> EpisodeReport {
    let mut records = good_run();
    let (_, bytes) = records.iter_mut().find(|(of, _)| *of == artifact).unwrap();
    *bytes = change(String::from_utf8(bytes.clone()).unwrap());
    check(&records, 1)
}

/// The good run with a text that occurs in an artifact replaced.
pub(super) fn replaced(artifact: Artifact, from: &str, to: &str) -> EpisodeReport {
    with(artifact, |text| {
        assert!(text.contains(from), "{from} in {text}");
        text.replacen(from, to, 1).into_bytes()
    })
}

/// A finding of a rule says this, at this line and column, and helps with that.
#[track_caller]
pub(super) fn assert_told(
    report: &EpisodeReport,
    rule: &str,
    message: &str,
    place: Option<(u64, u64)>,
    help: &str,
) -> Finding {
    let of_rule = report
        .findings
        .iter()
        .filter(|finding| finding.rule == rule);
    let told: Vec<_> = of_rule.clone().map(ToString::to_string).collect();
    let found = of_rule
        .clone()
        .find(|finding| finding.message.contains(message));
    let finding = found.unwrap_or_else(|| panic!("{message:?} is not said: {:?}", report.findings));
    let at = finding.location.line.zip(finding.location.column);
    assert_eq!(at, place, "{told:?}");
    assert!(finding.help.contains(help), "{}", finding.help);
    finding.clone()
}

pub(super) const STATE: Artifact = Artifact::State;
pub(super) const EVENTS: Artifact = Artifact::Events;

#[test]
fn timestamp_without_an_offset_is_told() {
    let report = replaced(EVENTS, "12:00:00.010000+00:00", "12:00:00.010000");
    let message = "`timestamp` is \"2026-03-01T12:00:00.010000\", not an RFC 3339 date-time";
    assert_told(
        &report,
        "events/schema",
        message,
        Some((2, 140)),
        "with an offset",
    );
}

#[test]
fn nan_and_infinity_are_told() {
    for text in ["NaN", "-Infinity"] {
        let report = replaced(STATE, "0.75", text);
        let finding = assert_told(
            &report,
            "record/json-syntax",
            "NaN and Infinity are not JSON",
            report.findings[0]
                .location
                .line
                .zip(report.findings[0].location.column),
            "allow_nan=False",
        );
        assert!(finding.location.length.is_some_and(|length| length == 1));
    }
}

#[test]
fn near_misses_of_a_timestamp_say_what_is_wrong() {
    let right = "2026-03-01T12:00:00.010000+00:00";
    for (wrong, what) in [
        (
            "2026-03-01T12:00:00.010000+0000",
            "its offset lacks the colon",
        ),
        (
            "2026-03-01 12:00:00.010000+00:00",
            "it lacks `T` between date and time",
        ),
        (
            "2026-03-01T12:00:00,010000+00:00",
            "a fraction of a second comes after `.`",
        ),
        (
            "2026-03-01T12:00:00Z[UTC]",
            "nothing comes after the offset",
        ),
        ("2026-03-01T12:00:00", "it lacks an offset"),
    ] {
        let report = replaced(EVENTS, right, wrong);
        let told = report.findings.iter().find(|it| it.rule == "events/schema");
        let told = &told.unwrap().message;
        assert!(told.ends_with(&format!("with an offset: {what}")), "{told}");
    }
}

#[test]
fn python_repr_gets_its_own_help() {
    for text in ["'step-1'", "None", "True"] {
        let report = replaced(STATE, "\"step-1\"", text);
        assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
        assert!(
            report.findings[0].help.contains("json.dumps"),
            "{:?}",
            report.findings
        );
        let report = replaced(EVENTS, "\"step-1\"", text);
        let syntax = report
            .findings
            .iter()
            .find(|finding| finding.rule == "events/syntax");
        assert!(syntax.unwrap().help.contains("json.dumps"), "{text}");
    }
    let report = with(STATE, |_| b"{'version': '1.0'}".to_vec());
    let message = "JSON strings need double quotes";
    assert_told(
        &report,
        "record/json-syntax",
        message,
        Some((1, 2)),
        "json.dumps",
    );
}

#[test]
fn encodings_are_told() {
    let bom = with(STATE, |text| [b"\xef\xbb\xbf", text.as_bytes()].concat());
    let help = "without a byte order mark";
    assert_told(
        &bom,
        "record/json-syntax",
        "byte order mark",
        Some((1, 1)),
        help,
    );
    for mark in ["", "\u{feff}"] {
        let utf16 = with(STATE, |text| {
            let units = mark.encode_utf16().chain(text.encode_utf16());
            units.flat_map(u16::to_le_bytes).collect()
        });
        let message = "UTF-16, not UTF-8";
        assert_told(
            &utf16,
            "record/json-syntax",
            message,
            Some((1, 1)),
            "PowerShell",
        );
    }
}

#[test]
fn comments_commas_and_empty_files_are_told() {
    for (text, help) in [
        ("{} // the state", "Remove the comment"),
        ("{\"version\": \"1.0\",}", "Remove the comma"),
        ("{\"a\": \"\\ud83d\"}", "Write the whole character"),
        ("", "Nothing was written"),
    ] {
        let report = with(STATE, |_| text.as_bytes().to_vec());
        assert!(
            report.findings[0].help.contains(help),
            "{text}: {:?}",
            report.findings
        );
    }
}

#[test]
fn word_outside_of_a_vocabulary_is_told_with_the_one_meant() {
    for (word, meant) in [
        ("completed", "\"ok\"? The run"),
        ("success", "\"ok\"? The run"),
        ("failed", "\"error\"? The run"),
        ("OK", "\"ok\"? The run"),
    ] {
        let report = replaced(
            STATE,
            "\"status\":\"ok\"",
            &format!("\"status\":\"{word}\""),
        );
        let message = format!("`outcomes.status` is \"{word}\", not one of \"ok\"");
        let place = report
            .findings
            .iter()
            .find(|finding| finding.rule == "state/schema");
        let place = place
            .unwrap()
            .location
            .line
            .zip(place.unwrap().location.column);
        assert_told(&report, "state/schema", &message, place, meant);
    }
}

#[test]
fn absent_fields_of_one_object_are_one_finding() {
    let report = with(EVENTS, |text| {
        [&*text, "{\"phase\":\"learn\"}\n"].concat().into()
    });
    let message = "the event lacks the required fields `payload` and `timestamp`";
    let help = "Add the fields `payload` and `timestamp`. `payload`: The details of the event. `timestamp`: The time";
    assert_told(&report, "events/schema", message, Some((12, 1)), help);
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    let report = with(STATE, |_| b"{\"version\":\"1.0\"}".to_vec());
    let of_rule = |rule: &str| {
        report
            .findings
            .iter()
            .filter(|found| found.rule == rule)
            .count()
    };
    assert_eq!(of_rule("state/schema"), 1, "{:?}", report.findings);
}

#[test]
fn violation_is_told_with_the_description_of_its_field() {
    let report = replaced(STATE, "\"task\":\"", "\"task\":7,\"was\":\"");
    let finding = report
        .findings
        .iter()
        .find(|finding| finding.rule == "state/schema")
        .unwrap();
    assert!(finding.help.starts_with("`task`: "), "{}", finding.help);
}

#[test]
fn missing_start_event_is_told_with_what_to_emit() {
    let report = with(EVENTS, |text| text.split_once('\n').unwrap().1.into());
    let help = "Emit a `start` event first";
    assert_told(
        &report,
        "started-at/start-event",
        "no `start` event",
        None,
        help,
    );
}

#[test]
fn array_of_events_is_told() {
    let report = with(EVENTS, |text| {
        let lines: Vec<&str> = text.lines().collect();
        format!("[{}]\n", lines.join(",")).into()
    });
    let message = "line 1 is an array, not an object";
    assert_told(
        &report,
        "events/syntax",
        message,
        Some((1, 1)),
        "Write each item of the array",
    );
}

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
fn pretty_printed_events_are_one_finding() {
    let mut first = 0;
    for end in ["\n", ""] {
        let report = with(EVENTS, |text| {
            let (text, lines) = pretty(&text);
            first = lines;
            [text.trim_end(), end].concat().into()
        });
        let message = format!(
            "lines 1–{first} are one object: write it on one line; the same holds for 10 more objects"
        );
        assert_told(
            &report,
            "events/syntax",
            &message,
            Some((1, 1)),
            "without line breaks",
        );
        assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    }
}

#[test]
fn lines_that_are_no_object_together_are_told_one_by_one() {
    for (text, count) in [
        // An event alone or a line too much is between.
        ("{\n{}\n}\n", 2),
        ("{\n\n{}\n}\n", 2),
        ("{\n\"a\":1\n}}\n", 3),
        ("\"a\": {\n}\n", 2),
        ("{\"a\":\n{\n\"b\":1\n}\n", 4),
        // The second attempt is the right one.
        ("{\n\"a\":[\n{\n}\n]\nx\n{\n}\n", 7),
        ("{\"a\"\n{\n\"b\":1\n}\n", 2),
    ] {
        let report = with(EVENTS, |events| [&*events, text].concat().into());
        let found = report
            .findings
            .iter()
            .filter(|found| found.rule == "events/syntax");
        assert_eq!(found.count(), count, "{text:?}: {:?}", report.findings);
    }
    let (commas, blank) = (",1\n", "\n\t\r\n");
    for (between, inner, count) in [
        (commas, 998, 1),
        (commas, 999, 1_001),
        (blank, 499, 1),
        (blank, 500, 2),
    ] {
        let text = format!("{{\"a\":[0\n{}]}}\n", between.repeat(inner));
        let report = with(EVENTS, |events| [events, text].concat().into());
        let found = report
            .findings
            .iter()
            .filter(|found| found.rule == "events/syntax");
        assert_eq!(found.count(), count, "{between:?} {inner}");
    }
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
fn projection_event_that_lacks_a_field_is_told_with_the_state() {
    for (from, rule, pointer) in [
        ("\"links\":{", "projection/links", "/links"),
        ("\"outcomes\":{", "projection/outcomes", "/outcomes"),
        ("\"status\":\"ok\"}}", "projection/outcomes", "/outcomes"),
    ] {
        let report = replaced(EVENTS, from, &from.replacen('"', "\"x-", 1));
        let found = report.findings.iter().find(|finding| finding.rule == rule);
        let related = &found
            .unwrap_or_else(|| panic!("{from}: {:?}", report.findings))
            .related;
        let [state] = &related[..] else {
            panic!("{from}: {related:?}");
        };
        assert_eq!(state.location.artifact, Some(STATE));
        assert_eq!(state.location.pointer.as_deref(), Some(pointer), "{from}");
    }
}

#[test]
fn phase_in_another_case_is_told_before_what_follows() {
    let report = replaced(EVENTS, "\"phase\":\"act\"", "\"phase\":\"Act\"");
    let message = "line 5 has the phase \"Act\"; did you mean `act`?";
    let slip = assert_told(
        &report,
        "events/misspelled",
        message,
        Some((5, 281)),
        "Write the phase as `act`",
    );
    for rule in ["plan/projection", "actions/mirror"] {
        let follows = report.findings.iter().find(|finding| finding.rule == rule);
        let related = &follows.unwrap().related;
        let cause = related
            .iter()
            .find(|related| related.location.offset == slip.location.offset);
        let cause = cause.unwrap_or_else(|| panic!("{rule}: {related:?}"));
        assert_eq!(
            cause.message,
            "this may follow from the phase \"Act\" on line 5, if `act` is meant"
        );
    }
}

#[test]
fn key_in_camel_case_is_told_with_what_follows() {
    let report = replaced(EVENTS, "\"step_id\":\"step-1\"", "\"stepId\":\"step-1\"");
    let message = "line 5 has `stepId` in the payload of its `act` event, but no `step_id`";
    let help = "Rename the key to `step_id`";
    assert_told(&report, "events/misspelled", message, Some((5, 188)), help);
    let follows = report
        .findings
        .iter()
        .find(|finding| finding.rule == "plan/projection");
    let related = &follows.unwrap().related;
    assert!(
        related
            .iter()
            .any(|related| related.message.contains("`stepId` on line 5"))
    );
}

#[test]
fn slips_of_required_keys_are_told_beside_the_schema() {
    let report = replaced(EVENTS, "\"phase\":\"start\"", "\"Phase\":\"start\"");
    for rule in [
        "events/misspelled",
        "events/schema",
        "started-at/start-event",
    ] {
        assert!(
            report.findings.iter().any(|finding| finding.rule == rule),
            "{rule}"
        );
    }
    let damaged = with(EVENTS, |text| {
        [
            "oops\n",
            &*text.replace("\"phase\":\"learn\"", "\"phase\":\"Reflect\""),
        ]
        .concat()
        .into()
    });
    assert!(
        damaged
            .findings
            .iter()
            .any(|finding| finding.rule == "events/misspelled")
    );
}

#[test]
fn missing_manifest_alone_is_told_so() {
    let mut records = good_run();
    records.retain(|(artifact, _)| *artifact != Artifact::Manifest);
    let report = check(&records, 1);
    let message = "there is no manifest.json";
    let finding = assert_told(
        &report,
        "lifecycle/artifacts",
        message,
        None,
        "Write manifest.json",
    );
    assert!(!finding.help.contains("summary"), "{}", finding.help);
}

/// A timeline of more than a megabyte is read by several threads.
#[test]
fn mistakes_are_told_alike_by_any_number_of_threads() {
    let mut records = good_run();
    let (_, events) = records.iter_mut().find(|(of, _)| *of == EVENTS).unwrap();
    let text = String::from_utf8(events.clone()).unwrap();
    let sound = r#"{"phase":"observe","timestamp":"2026-03-01T12:00:00Z","payload":{"n":0}}"#;
    let slip = r#"{"phase":"act","timestamp":"2026-03-01T12:00:00Z","payload":{"stepId":0}}"#;
    let other = sound.replace("\"phase\"", "\"agentId\":\"a\",\"phase\"");
    let filler = [sound, "\n"].concat().repeat(5_000);
    let (many, _) = pretty(&text);
    let many = many.replace('\n', "\n\n");
    let broken = ["{\n\n", sound, "\n\n}\n"].concat();
    for part in [slip, &*other, slip] {
        events.extend(filler.as_bytes());
        events.extend([&*broken, part, "\n", &*many].concat().as_bytes());
    }
    let alone = check(&records, 1);
    let counted = |rule: &str| {
        alone
            .findings
            .iter()
            .filter(|found| found.rule == rule)
            .count()
    };
    assert_eq!(counted("events/syntax"), 1 + 6);
    assert_eq!(counted("events/misspelled"), 2);
    assert_eq!(check(&records, 4), alone);
}

#[test]
fn phase_of_its_own_is_named_where_an_event_is_missed() {
    let report = replaced(EVENTS, "\"phase\":\"plan\"", "\"phase\":\"planing\"");
    let missed = report
        .findings
        .iter()
        .find(|finding| finding.rule == "plan/no-event");
    let related = &missed.unwrap().related;
    let message = "the phase \"planing\" on line 3 does not count as `plan`";
    let named = related.iter().find(|related| related.message == message);
    assert_eq!(named.unwrap().location.line, Some(3), "{related:?}");
}
