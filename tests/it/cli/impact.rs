//! `runvet impact` and `runvet validate --against`: what changed between two reports.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::binary::{run, stderr, stdout};

/// A report on the corpus, in a file.
fn report(dir: &Path, name: &str, format: &str, options: &[&str]) -> PathBuf {
    let path = dir.join(name);
    let output = run(&[
        &["validate", "bad", "broken", "demo", "--format", format],
        options,
    ]
    .concat());
    fs::write(&path, &output.stdout).unwrap();
    path
}

fn impact(before: &Path, after: &Path, options: &[&str]) -> Output {
    let paths = [before, after].map(|path| path.to_str().unwrap());
    run(&[&["impact"], &paths[..], options].concat())
}

fn json(output: &Output) -> Value {
    serde_json::from_str(stdout(output)).unwrap_or_else(|_| panic!("{}", stderr(output)))
}

/// The line of a run in a report in NDJSON.
fn line(dir: &str, rest: &str) -> String {
    format!("{{\"dir\":\"{dir}\",\"valid\":true,\"findings\":[],\"skipped\":[]{rest}}}\n")
}

const END: &str = "{\"totals\":{},\"complete\":true,\"faults\":[]}\n";

#[test]
fn report_against_itself_is_empty() {
    let dir = tempfile::tempdir().unwrap();
    let reports = ["json", "ndjson"].map(|format| report(dir.path(), format, format, &[]));
    for before in &reports {
        for after in &reports {
            let output = impact(before, after, &["--format", "json"]);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let impact = json(&output);
            assert!(impact["runs"].as_u64().unwrap() > 50);
            assert_eq!(impact["affected"], 0);
            assert_eq!(impact["rules"], serde_json::json!({}));
            assert_eq!(impact["flipped"], Value::Array(Vec::new()));
        }
    }
}

#[test]
fn change_of_levels_and_rules_is_counted_by_rule() {
    let dir = tempfile::tempdir().unwrap();
    let before = report(
        dir.path(),
        "before",
        "ndjson",
        &["--rule", "summary/counts=off"],
    );
    let options = [
        "--rule",
        "summary/counts=error",
        "--rule",
        "state/schema=warning",
    ];
    let after = report(dir.path(), "after", "json", &options);
    let output = impact(&before, &after, &["--format", "json"]);
    let changed = json(&output);
    let rules: Vec<&String> = changed["rules"].as_object().unwrap().keys().collect();
    assert_eq!(rules, ["state/schema", "summary/counts"]);
    let counts = &changed["rules"]["summary/counts"];
    assert!(counts["new"].as_u64() > Some(0) && counts["gone"] == 0);
    let schema = &changed["rules"]["state/schema"];
    assert!(schema["changed_level"].as_u64() > Some(5) && schema["new"] == 0);
    let examples = schema["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 5);
    assert_eq!(examples[0]["before"], "error");
    assert_eq!(examples[0]["after"], "warning");
    assert!(!changed["flipped"].as_array().unwrap().is_empty());
    let human = impact(&before, &after, &[]);
    assert!(
        stdout(&human).contains("summary/counts: "),
        "{}",
        stdout(&human)
    );
    let markdown = impact(&before, &after, &["--format", "markdown"]);
    assert!(stdout(&markdown).contains("| summary/counts |"));

    // The other way round, what is new is gone.
    let back = json(&impact(&after, &before, &["--format", "json"]));
    assert_eq!(back["rules"]["summary/counts"]["gone"], counts["new"]);
    assert_eq!(back["affected"], changed["affected"]);
}

#[test]
fn one_pass_says_what_two_reports_say() {
    let dir = tempfile::tempdir().unwrap();
    let before = report(dir.path(), "before", "ndjson", &[]);
    let options = ["--rule", "state/schema=warning", "--rule", "events/*=off"];
    let after = report(dir.path(), "after", "ndjson", &options);
    for format in ["human", "json", "markdown"] {
        let expected = impact(&before, &after, &["--format", format]);
        for jobs in ["1", "8"] {
            let against = ["--against", before.to_str().unwrap(), "--format", format];
            let given = ["validate", "bad", "broken", "demo", "--jobs", jobs];
            let output = run(&[&given[..], &against, &options].concat());
            assert_eq!(stdout(&output), stdout(&expected), "{}", stderr(&output));
        }
    }
}

#[test]
fn limits_decide_the_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let demo = |name: &str, options: &[&str]| {
        let path = dir.path().join(name);
        let output = run(&[&["validate", "demo", "--format", "ndjson"], options].concat());
        fs::write(&path, &output.stdout).unwrap();
        path
    };
    let (before, after) = (
        demo("a", &[]),
        demo("b", &["--rule", "projection/outcomes=off"]),
    );
    for (limit, expected) in [("0", 1), ("1", 0), ("19%", 1), ("20%", 0)] {
        let output = impact(&before, &after, &["--fail-above", limit]);
        assert_eq!(output.status.code(), Some(expected), "{limit}");
        // In one pass, the limit stands in the place of the findings.
        let before = before.to_str().unwrap();
        let options = ["--rule", "projection/outcomes=off", "--fail-above", limit];
        let output = run(&[&["validate", "demo", "--against", before], &options[..]].concat());
        assert_eq!(output.status.code(), Some(expected), "{limit}");
    }
    let before = before.to_str().unwrap();
    let output = run(&["validate", "demo", "--against", before]);
    assert_eq!(output.status.code(), Some(1), "the findings decide");

    // What can't be compared never makes a gate green.
    let fewer = dir.path().join("c");
    let text = fs::read_to_string(before).unwrap();
    let (_, rest) = text.split_once('\n').unwrap();
    fs::write(&fewer, rest).unwrap();
    for (options, expected) in [
        (&["--fail-above", "0"][..], 2),
        (&[], 0),
        (&["--max-incomparable", "0"], 2),
        (&["--max-incomparable", "19%"], 2),
        (&["--fail-above", "0", "--max-incomparable", "20%"], 0),
    ] {
        let output = impact(Path::new(before), &fewer, options);
        assert_eq!(output.status.code(), Some(expected), "{options:?}");
    }
    for wrong in [
        &["impact", "a", "b", "--fail-above", "101%"][..],
        &["impact", "a", "b", "--fail-above", "-1"],
        &["impact", "a", "b", "--fail-above", "many"],
        &["validate", "demo", "--fail-above", "1"],
        &["validate", "demo", "--against", before, "--format", "sarif"],
    ] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn what_is_not_judged_is_not_gone() {
    let dir = tempfile::tempdir().unwrap();
    let (before, after) = (dir.path().join("before"), dir.path().join("after"));
    let finding = r#"{"rule":"a/b","severity":"error","message":"x","fingerprint":"1"}"#;
    let was =
        format!("{{\"dir\":\"a\",\"valid\":false,\"findings\":[{finding}],\"skipped\":[]}}\n");
    let is = r#"{"dir":"a","valid":null,"findings":[],"skipped":[{"rule":"a/b"}]}"#;
    fs::write(&before, was + &line("b", "") + END).unwrap();
    let end = r#"{"totals":{},"faults":[{"path":"a","message":"m"},{"path":"z","message":"m"}]}"#;
    fs::write(&after, format!("{is}\n{}{end}\n", line("c", ""))).unwrap();
    let changed = json(&impact(&before, &after, &["--format", "json"]));
    assert_eq!(changed["affected"], 0);
    let listed = changed["not_compared"].as_array().unwrap().iter();
    let listed: Vec<String> = listed
        .map(|it| {
            format!(
                "{} {}",
                it["dir"].as_str().unwrap(),
                it["why"].as_str().unwrap()
            )
        })
        .collect();
    let expected = ["a undecided", "b only_before", "c only_after", "z fault"];
    assert_eq!(listed, expected);
    assert_eq!(changed["incomparable"], 4);
}

#[test]
fn wrong_reports_are_refused_with_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let good = dir.path().join("good");
    fs::write(&good, line("a", "") + END).unwrap();
    let other = r#"{"schema_version":"3.0.0","episodes":[],"totals":{}}"#;
    for (text, said) in [
        (String::new(), "cut off"),
        (line("a", ""), "cut off"),
        (line("a", "") + "{\"dir\":\"b\",\"fin", "cut off"),
        ("{\"episodes\":[{\"dir\":\"a\"}".to_owned(), "cut off"),
        (line("b", "") + &line("a", "") + END, "not sorted"),
        (line("a", "") + &line("a", "") + END, "two episodes"),
        (line("a", "") + "nonsense\n", "line 2 column"),
        ("{\"x\":1}".to_owned(), "not a report of runvet"),
        (other.to_owned(), "\"3.0.0\", but this runvet reads 2."),
        (
            format!("{{\"dir\":\"a\",\"findings\":[{{}}]}}\n{END}"),
            "missing field",
        ),
    ] {
        let wrong = dir.path().join("wrong");
        fs::write(&wrong, &text).unwrap();
        for output in [impact(&good, &wrong, &[]), impact(&wrong, &good, &[])] {
            assert_eq!(output.status.code(), Some(2), "{text}");
            let error = stderr(&output);
            assert!(
                error.contains(said) && error.contains("wrong"),
                "{text}: {error}"
            );
            assert_eq!(stdout(&output), "");
        }
        let against = wrong.to_str().unwrap();
        let output = run(&["validate", "demo", "--against", against]);
        assert_eq!(output.status.code(), Some(2), "{text}");
    }
    let output = impact(&good, &dir.path().join("none"), &[]);
    assert!(
        stderr(&output).contains("can't read"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn text_of_a_report_is_harmless() {
    let dir = tempfile::tempdir().unwrap();
    let (before, after) = (dir.path().join("before"), dir.path().join("after"));
    fs::write(&before, line("a", "") + END).unwrap();
    let hostile = r"\u001b[2J|<b>::error::\u202e";
    let finding = format!(
        r#"{{"rule":"{hostile}","severity":"error","message":"{hostile}","fingerprint":"1"}}"#
    );
    let run =
        format!("{{\"dir\":\"a\",\"valid\":false,\"findings\":[{finding}],\"skipped\":[]}}\n");
    fs::write(&after, run + &line("a-\\u001b[2J|<b>", "") + END).unwrap();
    for format in ["human", "markdown", "json"] {
        let output = impact(&before, &after, &["--format", format]);
        let text = stdout(&output);
        assert!(
            !text.contains('\u{1b}') && !text.contains('\u{202e}'),
            "{text}"
        );
        if format == "markdown" {
            assert!(!text.contains("<b>") && !text.contains("::error"), "{text}");
        }
    }
}

#[test]
fn share_of_many_runs_is_that_of_all() {
    let dir = tempfile::tempdir().unwrap();
    let (before, after) = (dir.path().join("before"), dir.path().join("after"));
    let runs = |verdict: &str| {
        let line = |at: u32| line(&format!("ep_{at:04}"), "").replace("true", verdict);
        (0..3_000).map(line).collect::<String>() + END
    };
    fs::write(&before, runs("true")).unwrap();
    fs::write(&after, runs("null")).unwrap();
    let output = impact(&before, &after, &["--max-incomparable", "99%"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    let output = impact(&before, &after, &["--max-incomparable", "100%"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

#[test]
fn runs_whose_names_are_not_utf8_are_compared() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let dir = tempfile::tempdir().unwrap();
    let episodes = dir.path().join("runs/episodes");
    for name in [
        &b"ep_\xf1"[..],
        b"ep_\xff",
        b"ep_\xffa",
        "ep_\u{1f600}".as_bytes(),
        b"ep_a",
    ] {
        let from = crate::support::corpus::corpus().join("demo/episodes/ep_01_answer");
        crate::support::runs::copy_dir(&from, &episodes.join(OsStr::from_bytes(name)));
    }
    let runs = dir.path().join("runs");
    let report = dir.path().join("report.ndjson");
    let arguments = [
        "validate",
        "--no-config",
        "--format",
        "ndjson",
        runs.to_str().unwrap(),
    ];
    let written = run(&arguments);
    fs::write(&report, &written.stdout).unwrap();
    let output = impact(
        &report,
        &report,
        &["--format", "json", "--max-incomparable", "0"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(
        (&json(&output)["runs"], &json(&output)["affected"]),
        (&5.into(), &0.into())
    );
    let against = ["--against", report.to_str().unwrap(), "--fail-above", "0"];
    let output = run(&[&arguments[..], &against].concat());
    assert!(
        !stderr(&output).contains("not sorted"),
        "{}",
        stderr(&output)
    );
    // One of two that are shown alike is gone.
    fs::remove_dir_all(episodes.join(OsStr::from_bytes(b"ep_\xff"))).unwrap();
    let later = dir.path().join("later.ndjson");
    fs::write(&later, &run(&arguments).stdout).unwrap();
    let output = impact(&report, &later, &["--format", "json"]);
    assert_eq!(json(&output)["incomparable"], 1, "{}", stdout(&output));
}
