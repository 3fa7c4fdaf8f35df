//! A finding that follows from a mistake elsewhere names the mistake, and helps with that.

use std::fs;

use runvet::finding::{EpisodeReport, Finding};
use runvet::source::Artifact;

use crate::support::binary::{run, stdout};
use crate::support::runs::run_of;

use super::mistakes::{EVENTS, STATE, assert_told, replaced, with};

/// The findings of a rule.
fn of_rule<'r>(report: &'r EpisodeReport, rule: &str) -> Vec<&'r Finding> {
    let findings = report.findings.iter();
    findings.filter(|finding| finding.rule == rule).collect()
}

/// The only finding of a rule.
#[track_caller]
fn only<'r>(report: &'r EpisodeReport, rule: &str) -> &'r Finding {
    let found = of_rule(report, rule);
    assert_eq!(found.len(), 1, "{rule}: {:?}", report.findings);
    found[0]
}

/// An array of the events, with this text between items and these ends.
fn array(text: &str, [open, between, close]: [&str; 3]) -> Vec<u8> {
    let items: Vec<&str> = text.lines().collect();
    [open, &items.join(between), close].concat().into()
}

#[test]
fn array_over_several_lines_is_told_on_each() {
    let indented = with(EVENTS, |text| {
        let events: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        (serde_json::to_string_pretty(&events).unwrap() + "\n").into()
    });
    let syntax = of_rule(&indented, "events/syntax");
    let first = syntax[0].message.clone();
    assert!(
        first.starts_with("lines 1–") && first.contains("are one JSON array"),
        "{first}"
    );
    let is_of_array = |finding: &&&Finding| finding.help.contains("are one array");
    // The last item has no comma after it, and is one object.
    assert_eq!(syntax.iter().filter(is_of_array).count(), syntax.len() - 1);
    assert!(
        syntax
            .iter()
            .any(|finding| finding.message.contains("are one object"))
    );
}

#[test]
fn array_with_an_item_on_each_line_is_told() {
    for (parts, count) in [
        (["[\n", ",\n", "\n]\n"], 12),
        (["[\n", "\n,", "\n]\n"], 12),
        (["[", ",\n", "]\n"], 11),
    ] {
        let report = with(EVENTS, |text| array(&text, parts));
        let syntax = of_rule(&report, "events/syntax");
        assert_eq!(syntax.len(), count, "{parts:?}");
        assert!(syntax[0].message.contains("are one JSON array"));
        assert!(syntax.iter().all(|found| found.help.contains("one array")));
    }
    let torn = with(EVENTS, |text| array(&text, ["[\n", ",\n", "\n]"]));
    assert!(only(&torn, "events/torn-tail").help.contains("one array"));
}

#[test]
fn lines_that_are_no_array_are_told_one_by_one() {
    for parts in [["[\n", "\n", "\n]\n"], ["[\n", ",\n", "\n}\n"]] {
        let report = with(EVENTS, |text| array(&text, parts));
        let syntax = of_rule(&report, "events/syntax");
        assert!(syntax.iter().all(|found| !found.help.contains("one array")));
    }
}

#[test]
fn nul_bytes_are_told() {
    for text in ["\0\0\0\0", "{}\0\0\0\n\0"] {
        let report = with(STATE, |_| text.into());
        let found = only(&report, "record/json-syntax");
        assert!(found.message.ends_with("the text has NUL bytes"));
        assert!(found.help.contains("power failed"), "{}", found.help);
    }
}

#[test]
fn required_key_of_an_event_is_told_with_its_slip() {
    let report = replaced(EVENTS, "\"timestamp\":\"", "\"timestmp\":\"");
    let slip = only(&report, "events/misspelled");
    assert_eq!(
        slip.message,
        "the event on line 1 has `timestmp`, but no `timestamp`"
    );
    let found = only(&report, "events/schema");
    let help = "Rename `timestmp` to `timestamp`, if that is what it means.";
    assert!(found.help.starts_with(help), "{}", found.help);
    assert_eq!(found.related[0].location.offset, slip.location.offset);
    assert_eq!(
        found.related[0].message,
        "`timestamp` is absent, but the object has `timestmp`"
    );
}

#[test]
fn required_field_of_a_record_is_told_with_its_slip() {
    let report = replaced(STATE, "\"started_at\"", "\"startedAt\"");
    let slip = only(&report, "record/misspelled-field");
    let found = only(&report, "state/schema");
    let help = "Rename `startedAt` to `started_at`, if that is what it means.";
    assert!(found.help.starts_with(help), "{}", found.help);
    assert_eq!(found.related[0].location.offset, slip.location.offset);
}

#[test]
fn status_without_its_prefix_is_named_beside_the_plan() {
    let report = with(EVENTS, |text| {
        text.replace("\"step_status\"", "\"status\"").into()
    });
    let found = of_rule(&report, "plan/projection");
    let message = "the `act` event on line 5 has `status`, but no `step_status`";
    let names = |finding: &&Finding| {
        let mut related = finding.related.iter();
        related.any(|related| related.message == message && related.location.line == Some(5))
    };
    assert!(found.iter().any(names), "{:?}", report.findings);
    assert!(of_rule(&report, "events/misspelled").is_empty());
}

#[test]
fn status_of_another_kind_is_not_named() {
    let report = with(EVENTS, |text| {
        text.replace("\"step_status\":\"", "\"status\":\"x").into()
    });
    let mut related = report.findings.iter().flat_map(|found| &found.related);
    assert!(related.all(|related| !related.message.contains("has `status`")));
}

#[test]
fn phase_of_its_own_is_asked_about_in_the_help() {
    for (phase, written, rule) in [
        ("plan", "planing", "plan/no-event"),
        ("plan", "Plan", "plan/no-event"),
        ("start", "started", "started-at/start-event"),
        ("runtime", "run.state_projection", "projection/missing"),
    ] {
        let report = with(EVENTS, |text| {
            let key = |phase: &str| format!("\"phase\":\"{phase}\"");
            text.replace(&key(phase), &key(written)).into()
        });
        let found = only(&report, rule);
        let mut related = found.related.iter();
        let event = related.find(|at| at.location.pointer.as_deref() == Some("/phase"));
        let line = event.unwrap().location.line.unwrap();
        let asked =
            format!("Line {line} has the phase \"{written}\": did you mean `{phase}`? Emit");
        assert!(found.help.starts_with(&asked), "{}", found.help);
    }
}

#[test]
fn event_type_that_is_nearly_that_of_a_projection_is_asked_about() {
    for written in [
        "run.state_projecton",
        "run.stateProjection",
        "state_projection",
    ] {
        let report = replaced(EVENTS, "run.state_projection", written);
        let found = only(&report, "projection/missing");
        let related = &found.related[0].location;
        assert_eq!(related.pointer.as_deref(), Some("/event_type"));
        let asked = format!(
            "Line {} has the event type \"{written}\": did you mean `run.state_projection`? Emit",
            related.line.unwrap()
        );
        assert!(found.help.starts_with(&asked), "{}", found.help);
    }
    let report = replaced(EVENTS, "run.state_projection", "run.projected");
    assert!(only(&report, "projection/missing").related.is_empty());
}

#[test]
fn record_of_another_version_is_told_where_it_differs() {
    let version = (
        "\"schema_version\":\"1.3.0\"",
        "\"schema_version\":\"1.2.0\"",
    );
    let report = replaced(Artifact::Summary, version.0, version.1);
    let help = &only(&report, "summary/version").help;
    assert!(
        help.starts_with("Only the version differs from 1.3.0"),
        "{help}"
    );
    let report = with(Artifact::Summary, |text| {
        let text = text.replace(version.0, version.1);
        text.replace("\"outcome\":", "\"result\":")
            .replace("\"plan_count\":1", "\"plan_count\":-1")
            .into()
    });
    let help = &only(&report, "summary/version").help;
    let said = "The record differs from version 1.3.0 in `outcome`, `metrics.plan_count`. Convert the record";
    assert!(help.starts_with(said), "{help}");
}

#[test]
fn version_as_a_number_is_told_with_the_text() {
    for (field, number, text) in [
        ("version", "1.0", "1.0"),
        ("version", "1", "1.0"),
        ("state_schema_version", "1.0", "1.0.0"),
    ] {
        let from = format!("\"{field}\":\"{text}\"");
        let report = replaced(STATE, &from, &format!("\"{field}\":{number}"));
        let message = format!("`{field}` is a number ({number}), not a string");
        let help = format!("Write the text \"{text}\", with its quotes.");
        let place = report.findings[0].location.line;
        let column = report.findings[0].location.column;
        assert_told(&report, "state/schema", &message, place.zip(column), &help);
    }
}

/// A change of a file.
type Edit<'e> = &'e dyn Fn(&str) -> Vec<u8>;

#[test]
fn file_that_is_something_else_says_what_it_is_once() {
    let conflict = |text: &str| {
        let ends: Vec<&str> = text.split_inclusive('\n').collect();
        let (before, after) = ends.split_at(ends.len() / 2);
        let ends = [&before.concat(), "<<<<<<< ours\n=======\n>>>>>>> theirs\n"];
        [ends[0], ends[1], &after.concat()].concat().into_bytes()
    };
    let lines = |text: &str, edit: fn(&str) -> String| {
        let lines: Vec<String> = text.lines().map(edit).collect();
        (lines.join("\n") + "\n").into_bytes()
    };
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    let table: [(Edit<'_>, &str, &str); 8] = [
        (&|_| pointer.into(), "Git LFS", "git lfs pull"),
        (
            &|_| b"\x1f\x8b\x08\0\n\n\0\n".into(),
            "compressed",
            "Unpack",
        ),
        (&|_| b"<html>\n<body>\n".into(), "HTML", "curl --fail"),
        (
            &|_| b"../../store/ab/x.json".into(),
            "symbolic link",
            "core.symlinks",
        ),
        (
            &|text| text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            "UTF-16",
            "PowerShell",
        ),
        (&conflict, "conflict", "--theirs"),
        (
            &|text| lines(text, |line| format!("12:00:00 agent[7]: {line}")),
            "as a log writes it",
            "journalctl",
        ),
        (
            &|text| lines(text, |line| format!("\u{1b}[32m{line}\u{1b}[0m")),
            "colours",
            "NO_COLOR",
        ),
    ];
    for (edit, told, help) in table {
        let events = with(EVENTS, |text| edit(&text));
        let state = with(STATE, |text| edit(&text.replace('\n', "")));
        for (report, rule) in [(events, "events/syntax"), (state, "record/json-syntax")] {
            if told == "conflict" && rule != "events/syntax" {
                continue;
            }
            let found = only(&report, rule);
            assert!(found.message.contains(told), "{}", found.message);
            assert!(found.help.contains(help), "{}", found.help);
            assert!(of_rule(&report, "events/torn-tail").is_empty());
        }
    }
}

#[test]
fn two_writers_in_one_line_are_told_with_what_fits_the_file() {
    let interleaved = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        let (first, second) = (lines[4], lines[5]);
        let at = first.find(",\"").unwrap() + 1;
        let both = format!("{}{second}\n{}", &first[..at], &first[at..]);
        let lines = [&lines[..4], &[&*both], &lines[6..]].concat();
        (lines.join("\n") + "\n").into_bytes()
    };
    let events = with(EVENTS, |text| interleaved(&text));
    let found = only(&events, "events/syntax");
    assert!(
        found
            .message
            .starts_with("line 5 is not JSON: another object begins inside of one")
            && found.message.ends_with("the same holds for 1 more line"),
        "{}",
        found.message
    );
    assert!(found.help.contains("O_APPEND"), "{}", found.help);
    let state = with(STATE, |text| text.replacen(',', ",{\"a\": 1}", 1).into());
    let found = only(&state, "record/json-syntax");
    assert!(
        found.message.contains("another object"),
        "{}",
        found.message
    );
    assert!(found.help.contains("rename"), "{}", found.help);
}

#[test]
fn digest_that_fits_but_for_line_ends_says_how_to_keep_them() {
    for (case, rule, option) in [
        ("good/sealed", "projection/digest", "--quiet"),
        (
            "good/strict-near-misses",
            "manifest/digest",
            "--verify-manifest",
        ),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("episodes/ep_answer");
        fs::create_dir_all(&dir).unwrap();
        for artifact in Artifact::ALL.map(Artifact::file_name) {
            fs::copy(run_of(case).join(artifact), dir.join(artifact)).unwrap();
        }
        let state = dir.join("state.json");
        let text = fs::read_to_string(&state).unwrap();
        let args = ["validate", option, "--select", rule];
        let args = [&args[..], &[temp.path().to_str().unwrap()]].concat();
        for (text, is_told) in [
            (text.replace('\n', "\r\n"), true),
            (text.replace('\n', "\n "), false),
        ] {
            fs::write(&state, text).unwrap();
            let output = run(&args);
            let told = stdout(&output);
            assert_eq!(output.status.code(), Some(1), "{told}");
            assert_eq!(
                told.contains("only the line ends differ"),
                is_told,
                "{told}"
            );
        }
        let text = fs::read_to_string(&state).unwrap().replace("\n ", "\r\n");
        fs::write(&state, text).unwrap();
        let human = run(&args);
        assert!(
            stdout(&human).contains("`*.json -text`"),
            "{}",
            stdout(&human)
        );
    }
}
