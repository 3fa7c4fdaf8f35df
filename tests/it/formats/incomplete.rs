//! A check that could not look at everything, or judge it: each format says so, and has all the
//! rest.

use std::cell::Cell;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use runvet::finding::{EpisodeReport, Totals};
use runvet::gate::Gate;
use runvet::report::{Closing, Format, Options};
use runvet::source::{Artifact, Entries, EpisodeKey};
use runvet::store::{Artifacts, Opened, Unreadable, Version};
use serde_json::{Value, json};

use crate::support::binary::{formats, stderr, stdout};
use crate::support::process::{Unprivileged, ended};
use crate::support::run_data;
use crate::support::sarif::hold_to_the_sarif_schema;

/// Makes directories that only the superuser can list.
fn close(run_data: &Path, names: &[&str]) {
    for name in names {
        let dir = run_data.join("episodes").join(name);
        fs::create_dir_all(&dir).unwrap();
        fs::set_permissions(&dir, Permissions::from_mode(0o000)).unwrap();
    }
}

/// What a user without privileges gets for each format, from a directory with two that are closed.
fn reports(user: &Unprivileged, args: &[&str]) -> Vec<(String, String)> {
    let temp = Unprivileged::scratch();
    run_data::write(temp.path(), 6, 3).unwrap();
    close(temp.path(), &["ep_closed_b", "ep_closed_a"]);
    let report = |format: &str| {
        let args = [&["validate", "--format", format], args, &["."]].concat();
        let output = ended(
            user.runvet(&[], &args)
                .current_dir(temp.path()),
        );
        assert_eq!(output.status.code(), Some(2), "{format}");
        let told = stderr(&output);
        for name in ["ep_closed_a", "ep_closed_b"] {
            let line = format!("error: episodes/{name}: Permission denied (os error 13)\n");
            assert!(told.contains(&line), "{told}");
        }
        (format.to_owned(), stdout(&output).to_owned())
    };
    formats()
        .into_iter()
        .map(report)
        .collect()
}

#[test]
fn every_format_tells_of_directories_that_are_closed() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    let faults = json!([
        {"path": "episodes/ep_closed_a", "message": "Permission denied (os error 13)"},
        {"path": "episodes/ep_closed_b", "message": "Permission denied (os error 13)"}
    ]);
    let count =
        "6 episodes: 4 valid, 2 invalid, 1 not ended (3 errors); 2 directories could not be read\n";
    for (format, text) in reports(&user, &[]) {
        match &*format {
            "human" | "github" | "markdown" | "agent" => assert!(text.contains(count), "{text}"),
            "json" => {
                let report: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(
                    (&report["complete"], &report["faults"]),
                    (&json!(false), &faults)
                );
                assert_eq!(report["totals"]["episodes"], 6);
            }
            "ndjson" => {
                let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
                assert_eq!(
                    (&last["complete"], &last["faults"]),
                    (&json!(false), &faults)
                );
                assert_eq!(text.lines().count(), 7);
            }
            "sarif" => {
                let log: Value = serde_json::from_str(&text).unwrap();
                hold_to_the_sarif_schema(&log);
                let invocation = &log["runs"][0]["invocations"][0];
                assert_eq!(invocation["executionSuccessful"], false);
                let notifications = &invocation["toolExecutionNotifications"];
                assert_eq!(notifications.as_array().unwrap().len(), 2);
                assert_eq!(notifications[0]["level"], "error");
            }
            "junit" => {
                let suite = r#"<testsuite name="faults" tests="2" failures="0" errors="2">"#;
                assert!(text.contains(suite), "{text}");
            }
            _ => {}
        }
        if format != "human" {
            let named = ["ep_closed_a", "ep_closed_b"].map(|name| text.find(name));
            assert!(
                named[0].is_some() && named[0] < named[1],
                "{format}: {text}"
            );
            assert!(text.contains("Permission denied"), "{format}: {text}");
        }
    }
}

#[test]
fn quiet_report_still_counts_faults() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    let (_, text) = reports(&user, &["--quiet"]).swap_remove(0);
    assert!(
        text.ends_with("\n2 directories could not be read\n"),
        "{text}"
    );
    // A finding is still written; only what is sound is left out.
    assert_eq!(text.matches("\nerror[").count(), 3, "{text}");
    assert!(!text.contains("6 episodes"), "{text}");
}

/// Reports in every format, and a baseline, of some runs and 32 directories that are closed.
#[test]
fn closed_directories_leave_every_report_written() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    let runs = if std::env::var_os("RUNVET_TESTS").is_some_and(|tests| tests == "all") {
        20_000
    } else {
        500
    };
    let temp = Unprivileged::scratch();
    run_data::write(temp.path(), runs, 0).unwrap();
    let closed: Vec<String> = (0..32)
        .map(|it| format!("ep_{:08}_closed", it * 15))
        .collect();
    let dirs: Vec<&str> = closed
        .iter()
        .map(String::as_str)
        .collect();
    close(temp.path(), &dirs);
    let out = temp.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::set_permissions(&out, Permissions::from_mode(0o777)).unwrap();
    let outputs = formats();
    let outputs: Vec<String> = outputs
        .iter()
        .map(|format| format!("--output={format}=out/{format}"))
        .collect();
    let outputs: Vec<&str> = outputs
        .iter()
        .map(String::as_str)
        .collect();
    let args = [
        "validate",
        "--quiet",
        "--write-baseline=out/known",
        "episodes",
    ];
    let args = [&args[..], &outputs].concat();
    let output = ended(
        user.runvet(&[], &args)
            .current_dir(temp.path()),
    );
    assert_eq!(output.status.code(), Some(2));
    let told: Vec<&str> = stderr(&output).lines().collect();
    let baseline = "error: the baseline out/known is not written, because the check is not \
                    complete: 32 directories could not be read";
    assert_eq!((told.len(), told[32]), (33, baseline));
    assert!(told[..32].is_sorted() && told[0].contains("_closed: Permission denied"));
    assert_eq!(stdout(&output), "32 directories could not be read\n");
    assert_eq!(fs::read_dir(&out).unwrap().count(), formats().len());
    let report = fs::read_to_string(out.join("json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["totals"]["valid"], runs);
    let faults = report["faults"]
        .as_array()
        .unwrap()
        .iter();
    let paths = faults.map(|fault| {
        fault["path"]
            .as_str()
            .unwrap()
            .to_owned()
    });
    let expected = closed
        .iter()
        .map(|name| format!("episodes/{name}"));
    assert!(paths.eq(expected), "{}", report["faults"]);
    for format in formats() {
        let text = fs::read_to_string(out.join(format)).unwrap();
        let named = closed
            .iter()
            .filter(|name| text.contains(&**name))
            .count();
        // GitHub shows no more than ten annotations, and people want a list that ends.
        let expected = match format {
            "github" => 10,
            "human" => 20,
            _ => 32,
        };
        assert_eq!(named, expected, "{format}: {text}");
    }
}

#[test]
fn findings_count_when_no_baseline_can_be_written() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    for (is_closed, code) in [(true, 2), (false, 0)] {
        let temp = Unprivileged::scratch();
        run_data::write(temp.path(), 6, 3).unwrap();
        if is_closed {
            close(temp.path(), &["ep_closed"]);
        }
        fs::set_permissions(temp.path(), Permissions::from_mode(0o777)).unwrap();
        let report = |format: &str, args: &[&str]| {
            let json = "--output=json=report.json";
            let args = [&["validate", "--format", format, json, "."], args].concat();
            let output = ended(
                user.runvet(&[], &args)
                    .current_dir(temp.path()),
            );
            let file = fs::read_to_string(temp.path().join("report.json")).unwrap();
            (output.status.code(), stdout(&output).to_owned(), file)
        };
        for format in formats() {
            let plain = report(format, &[]);
            let accepted = report(format, &["--write-baseline=known"]);
            assert_eq!(accepted.0, Some(code), "{format}");
            assert_eq!(is_closed, plain == accepted, "{format}: {}", accepted.1);
            assert_eq!(temp.path().join("known").exists(), !is_closed);
            let report: Value = serde_json::from_str(&accepted.2).unwrap();
            let (errors, baselined) = if is_closed { (3, 0) } else { (0, 3) };
            let totals = &report["totals"];
            assert_eq!(
                (&totals["errors"], &totals["baselined"]),
                (&json!(errors), &json!(baselined))
            );
        }
    }
}

#[test]
fn list_and_view_tell_of_closed_directories() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    let temp = Unprivileged::scratch();
    run_data::write(temp.path(), 2, 0).unwrap();
    close(temp.path(), &["ep_closed"]);
    // A run that is named in full is not elsewhere.
    for (args, code, is_told) in [
        (&["list"][..], 2, true),
        (&["view", "ep_00000001"], 0, true),
        (&["view", "episodes/ep_00000001"], 0, false),
        (&["view", "0000001"], 0, true),
        (&["view", "ep_closed"], 2, true),
        (&["view", "ep_0000000x"], 2, true),
    ] {
        let output = ended(
            user.runvet(&[], args)
                .current_dir(temp.path()),
        );
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {told}");
        assert_eq!(
            told.contains("episodes/ep_closed: Permission denied"),
            is_told,
            "{args:?}: {told}"
        );
    }
}

#[test]
fn list_and_view_tell_of_runs_that_are_only_named() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    let temp = Unprivileged::scratch();
    run_data::write(temp.path(), 2, 0).unwrap();
    // A group that may be listed, but not entered.
    let group = temp.path().join("episodes/group");
    fs::create_dir_all(group.join("ep_named")).unwrap();
    fs::set_permissions(&group, Permissions::from_mode(0o444)).unwrap();
    for args in [&["list"][..], &["list", "--invalid"], &["view", "ep_named"]] {
        let output = ended(
            user.runvet(&[], args)
                .current_dir(temp.path()),
        );
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        let fault = "error: episodes/group/ep_named: Permission denied (os error 13)\n";
        assert!(told.contains(fault), "{args:?}: {told}");
    }
    fs::set_permissions(&group, Permissions::from_mode(0o755)).unwrap();
}

/// A record that has another version each time it is asked for.
#[derive(Default)]
struct Restless(Cell<u64>);

impl Artifacts for Restless {
    fn entries(&self) -> Entries {
        Entries::from_iter([Artifact::State])
    }

    fn open(&self, _: Artifact) -> Result<Opened<'_>, Unreadable> {
        Ok(Opened::from_bytes(b"{}"))
    }

    fn version(&self, _: Artifact) -> Option<Version> {
        self.0.set(self.0.get() + 1);
        Some(Version::new(self.0.get().to_string()))
    }
}

fn restless() -> EpisodeReport {
    Gate::default().artifacts(&EpisodeKey::from("runs/ep_1"), None, &Restless::default())
}

#[test]
fn episode_is_undecided_where_findings_are_held_back() {
    let episode = restless();
    assert_eq!((episode.valid, &*episode.findings), (None, &[][..]));
    let mut totals = Totals::default();
    totals.add(&episode);
    let counted = [
        totals.episodes,
        totals.valid,
        totals.invalid,
        totals.undecided,
    ];
    assert_eq!(counted, [1, 0, 0, 1]);
    let skip = json!({"rule": "state/schema", "kind": "changing",
        "reason": "the episode kept changing while it was read"});
    let json = serde_json::to_value(&episode).unwrap();
    assert_eq!(json["valid"], Value::Null);
    assert!(
        json["skipped"]
            .as_array()
            .unwrap()
            .contains(&skip),
        "{json}"
    );
}

#[test]
fn every_format_tells_of_an_undecided_episode() {
    let episode = restless();
    let mut totals = Totals::default();
    totals.add(&episode);
    let faults: Vec<_> = episode.fault().into_iter().collect();
    for format in Format::ALL {
        let mut renderer = format.renderer(&Options::default());
        let mut text = Vec::new();
        renderer.begin(&mut text).unwrap();
        renderer
            .episode(&mut text, &episode)
            .unwrap();
        let closing = Closing::new(&totals).faults(&faults);
        renderer
            .end(&mut text, &closing)
            .unwrap();
        let text = String::from_utf8(text).unwrap();
        let expected: &[&str] = match format {
            Format::Human | Format::Github | Format::Markdown | Format::Agent => {
                &["0 valid, 0 invalid, 1 undecided"]
            }
            Format::Json | Format::Ndjson => {
                &["\"valid\":null", "\"undecided\":1", "\"complete\":false"]
            }
            Format::Sarif => &["\"executionSuccessful\":false"],
            Format::Junit => &["failures=\"0\" errors=\"1\"", "<error "],
            Format::Gitlab => &["\"check_name\":\"fault\""],
            Format::Html => &[
                "<b>1</b><span>undecided</span>",
                "This check is not complete",
            ],
            _ => &["runs/ep_1: fault: "],
        };
        if *format == Format::Json {
            let schema: Value = serde_json::from_str(runvet::Schema::Report.text()).unwrap();
            let report = serde_json::from_str(&text).unwrap();
            jsonschema::validate(&schema, &report).unwrap();
        }
        for part in [expected, &["the episode kept changing while it was read"]].concat() {
            assert!(text.contains(part), "{format}: {part}: {text}");
        }
    }
}
