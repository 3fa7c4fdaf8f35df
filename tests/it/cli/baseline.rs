//! The baseline: what it accepts, what it no longer knows, and how it is written.

use std::collections::BTreeSet;
use std::fs;

use runvet::finding::Report;
use serde_json::Value;

use crate::support::binary::{formats, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::project::Project;
use crate::support::runs::copy_dir;

/// 200 episodes, 30 of them bad, as in a repository that adopts runvet.
fn adopted() -> Project {
    let project = Project::new("baseline = 'known.json'");
    fs::remove_dir_all(project.path("runs/demo")).unwrap();
    for number in 0..200 {
        let name = if number % 7 == 1 && number < 210 {
            "ep_03_edited"
        } else {
            "ep_01_answer"
        };
        let to = project.path(&format!("runs/episodes/run_{number:03}/{name}"));
        copy_dir(&corpus().join("demo/episodes").join(name), &to);
    }
    project
}

#[test]
fn baseline_fails_only_new_findings_in_every_format() {
    let project = adopted();
    let missing = project.run(&["validate", "runs"]);
    assert_eq!(
        missing.status.code(),
        Some(2),
        "the baseline that the configuration names is not there yet"
    );
    let start = "error: can't read the baseline known.json: ";
    assert!(stderr(&missing).starts_with(start), "{}", stderr(&missing));
    let written = project.run(&["validate", "--write-baseline", "known.json", "runs"]);
    assert_eq!(written.status.code(), Some(0));
    assert_eq!(
        stdout(&written),
        "200 episodes: no other errors; 58 findings in the baseline\n"
    );
    assert_eq!(
        stderr(&written),
        "note: known.json lists 58 findings in 29 episodes\n"
    );
    for format in formats() {
        assert_eq!(
            project
                .run(&["validate", "--format", format, "runs"])
                .status
                .code(),
            Some(0),
            "{format}"
        );
    }
    // From another directory the same episodes have other paths.
    let below = project.run_in("runs/episodes", &[], &["validate", ".."]);
    assert_eq!(below.status.code(), Some(0), "{}", stdout(&below));
    assert_eq!(
        project
            .run(&["validate", "--no-config", "runs"])
            .status
            .code(),
        Some(1)
    );
    let variable = [("RUNVET_BASELINE", "known.json")];
    assert_eq!(
        project
            .run_in("", &variable, &["validate", "--no-baseline", "runs"])
            .status
            .code(),
        Some(1)
    );

    let broken = "runs/episodes/run_150/ep_01_answer/summary.json";
    let text = fs::read_to_string(project.path(broken)).unwrap();
    project.write(
        broken,
        &text.replace("\"outcome\":\"success\"", "\"outcome\":\"succes\""),
    );
    for format in formats() {
        let output = project.run(&["validate", "--format", format, "runs"]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        let text = stdout(&output);
        assert!(text.contains("run_150"), "{format}: {text}");
        // The other episodes appear only in formats that list suppressed findings or all episodes.
        let names_all = ["json", "ndjson", "sarif", "junit", "html"].contains(&format);
        assert!(names_all || !text.contains("run_001"), "{format}: {text}");
    }
}

#[test]
fn baseline_matches_values_not_places() {
    let project = adopted();
    project.run(&["validate", "--write-baseline", "known.json", "runs"]);
    let state = "runs/episodes/run_001/ep_03_edited/state.json";
    let text = fs::read_to_string(project.path(state)).unwrap();
    project.write(state, &format!("\n\n{text}"));
    assert_eq!(
        project.run(&["validate", "runs"]).status.code(),
        Some(0),
        "the same, two lines below"
    );
    project.write(state, &text.replace("0.95", "0.99"));
    let output = project.run(&["validate", "runs"]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "another value is another finding"
    );
    assert_eq!(
        stderr(&output).lines().collect::<Vec<_>>(),
        [
            "note: no longer found, and can be removed from the baseline: runs/episodes/run_001/ep_03_edited: projection/outcomes events.jsonl \
          /payload/outcomes/metrics/task_score"
        ]
    );
    // Vanished findings are reported, a few by name. A finding that could not be judged, or whose
    // rule is off, has not vanished.
    for number in (1..200).step_by(7) {
        let dir = project.path(&format!("runs/episodes/run_{number:03}/ep_03_edited"));
        let answer = fs::read_to_string(dir.join("state.json")).unwrap();
        fs::write(
            dir.join("state.json"),
            answer.replace("0.95", "0.75").replace("0.99", "0.75"),
        )
        .unwrap();
    }
    let output = project.run(&["validate", "runs"]);
    assert_eq!(output.status.code(), Some(0));
    let notes: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(notes.len(), 11);
    assert_eq!(
        notes[10],
        "note: no longer found, and can be removed from the baseline: 19 more"
    );
    assert_eq!(
        stderr(&project.run(&["validate", "--rule", "projection/*=off", "--quiet", "runs"])),
        ""
    );
    assert_eq!(
        stderr(&project.run(&["validate", "--rule", "projection/*=off", "runs"])),
        ""
    );
    project.write(state, "{");
    let notes = stderr(&project.run(&["validate", "runs/episodes/run_001"])).to_owned();
    assert!(!notes.contains("plan/projection"), "{notes}");
}

#[test]
fn baseline_accepts_skips_until_they_change() {
    let project = Project::new("");
    let crashed = "runs/demo/episodes/ep_04_crashed";
    let written = project.run(&["validate", "--write-baseline", "known.json", crashed]);
    let report = |args: &[&str]| {
        let common = [
            "validate",
            "--format=json",
            "--baseline=known.json",
            crashed,
        ];
        let output = project.run(&[&common, args].concat());
        let report: Report = serde_json::from_slice(&output.stdout).unwrap();
        (report, stderr(&output).to_owned())
    };
    let (known, notes) = report(&[]);
    let [episode] = &*known.episodes else {
        panic!()
    };
    let skips = episode.suppressed_skips.len();
    assert!(episode.skipped.is_empty() && skips > 10 && notes.is_empty());
    assert_eq!(
        stderr(&written),
        format!("note: known.json lists 3 findings and {skips} rules not judged in 1 episode\n")
    );
    let output = project.run(&["validate", "--baseline", "known.json", crashed]);
    let expected = "1 episode: no other errors; 3 findings in the baseline\n";
    assert_eq!(stdout(&output), expected);

    // The sentence is for people: another version of runvet may word it otherwise.
    let entries = fs::read_to_string(project.path("known.json")).unwrap();
    project.write(
        "known.json",
        &entries.replace("\"reason\":\"", "\"reason\":\"once: "),
    );
    let (worded_otherwise, notes) = report(&[]);
    assert!(worded_otherwise.episodes[0].skipped.is_empty() && notes.is_empty());

    // Another kind of reason is another skip, and the report names one that is gone.
    let summary = format!("{crashed}/summary.json");
    project.write(&summary, "{");
    let (other, _) = report(&[]);
    let skipped = &other.episodes[0].skipped;
    assert!(!skipped.is_empty());
    assert!(
        skipped.iter().all(|skip| skip.kind() == "syntax"),
        "{skipped:?}"
    );
    let answer = "runs/demo/episodes/ep_01_answer/summary.json";
    fs::copy(project.path(answer), project.path(&summary)).unwrap();
    let (mended, notes) = report(&[]);
    let skipped = &mended.episodes[0].skipped;
    assert!(
        skipped.iter().all(|skip| skip.kind() == "no_event"),
        "{skipped:?}"
    );
    let gone = format!("baseline: {crashed}: not judged: ");
    assert!(notes.contains(&gone), "{notes}");
}

#[test]
fn baseline_covers_one_broken_text_and_no_other() {
    let project = Project::new("");
    let dir = "runs/demo/episodes/ep_01_answer";
    let [events, state] = ["events.jsonl", "state.json"].map(|file| format!("{dir}/{file}"));
    let good = |file: &str| fs::read_to_string(project.path(file)).unwrap();
    let (good_events, good_state) = (good(&events), good(&state));
    let code = |option: &str| {
        let run = project.run(&["validate", option, "known.json", dir]);
        run.status.code()
    };
    // Both are cut off, so the place of the finding is empty.
    for (file, known, other) in [
        (
            &events,
            format!("{good_events}{{\"x\":1\n"),
            format!("{good_events}{{\"phase\":\"runtime\"\n"),
        ),
        (&state, "{\"x\":1".to_owned(), "{\"version\":1".to_owned()),
    ] {
        project.write(file, &known);
        assert_eq!(code("--write-baseline"), Some(0), "{file}");
        assert_eq!(code("--baseline"), Some(0), "{file}");
        project.write(file, &other);
        assert_eq!(code("--baseline"), Some(1), "{file}");
        project.write(&events, &good_events);
        project.write(&state, &good_state);
    }
}

#[test]
fn baseline_of_another_version_is_refused() {
    let project = Project::new("");
    project.write("known.json", r#"{"version":1,"episodes":{},"more":0}"#);
    let output = project.run(&["validate", "--baseline", "known.json", "runs"]);
    assert_eq!(output.status.code(), Some(2));
    let start = "error: the baseline known.json has version 1, but this runvet reads version 2 ";
    assert!(stderr(&output).starts_with(start), "{}", stderr(&output));
}

#[test]
fn baseline_reports_findings_of_a_vanished_episode() {
    let project = adopted();
    project.run(&["validate", "--write-baseline", "known.json", "runs"]);
    let answer = project.path("runs/episodes/run_000/ep_01_answer");
    fs::remove_dir_all(answer).unwrap();
    for number in [1, 8] {
        fs::remove_dir_all(project.path(&format!("runs/episodes/run_{number:03}/ep_03_edited")))
            .unwrap();
    }
    let gone = |number| {
        format!(
            "note: no longer found, and can be removed from the baseline: runs/episodes/run_{number:03}/ep_03_edited: \
             the episode no longer exists (2 findings)"
        )
    };
    // Episodes that were not named are reported too. Episodes that exist but were not judged have
    // not vanished.
    for paths in [&["runs"][..], &["runs/episodes/run_015"]] {
        let output = project.run(&[&["validate"], paths].concat());
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(
            stderr(&output).lines().collect::<Vec<_>>(),
            [gone(1), gone(8)]
        );
    }
    let below = project.run_in("runs/episodes/run_015", &[], &["validate"]);
    assert_eq!(stderr(&below).lines().count(), 2, "{}", stderr(&below));
    // At any place and with any name of the baseline.
    std::os::unix::fs::symlink(project.path("runs"), project.path("link")).unwrap();
    let link = [
        "validate",
        "--no-config",
        "--baseline",
        "link/known.json",
        "runs",
    ];
    project.run(&[
        "validate",
        "--no-config",
        "--write-baseline",
        "link/known.json",
        "runs",
    ]);
    assert_eq!(stderr(&project.run(&link)), "");
    assert_eq!(
        stderr(&project.run(&[&link[..4], &["runs/episodes/run_015"]].concat())),
        ""
    );
    let here = "runs/episodes/run_015/ep_03_edited";
    project.run_in(
        here,
        &[],
        &["validate", "--no-config", "--write-baseline", "known.json"],
    );
    let beside = project.run_in(
        here,
        &[],
        &[
            "validate",
            "--no-config",
            "--baseline",
            "known.json",
            "../../run_014",
        ],
    );
    assert_eq!((beside.status.code(), stderr(&beside)), (Some(0), ""));
    fs::remove_file(project.path("link")).unwrap();
    // A few are named, the rest are counted.
    fs::remove_dir_all(project.path("runs/episodes")).unwrap();
    let output = project.run(&["validate", "--allow-empty", "runs"]);
    let notes: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(
        (notes.len(), notes[10]),
        (
            12,
            "note: no longer found, and can be removed from the baseline: 38 more"
        )
    );
}

#[test]
fn baseline_is_sorted_small_and_written_atomically() {
    let project = adopted();
    let write = |args: &[&str]| {
        project.run(&[&["validate", "--write-baseline", "known.json"], args].concat())
    };
    write(&["--jobs", "1", "runs"]);
    let text = fs::read_to_string(project.path("known.json")).unwrap();
    write(&["--jobs", "4", "runs/episodes/../episodes", "runs"]);
    assert_eq!(
        fs::read_to_string(project.path("known.json")).unwrap(),
        text
    );
    let dirs: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with(" \""))
        .collect();
    assert_eq!(dirs.len(), 29);
    assert!(dirs.is_sorted());
    assert_eq!(
        text.lines().filter(|line| line.starts_with("  {")).count(),
        58,
        "a line for each finding"
    );
    assert!(text.lines().all(|line| line.len() < 180), "{text}");
    assert!(text.len() < 58 * 150 + 29 * 60, "{} bytes", text.len());
    let digests: BTreeSet<&str> = text
        .split("fingerprint\":\"")
        .skip(1)
        .map(|rest| &rest[..32])
        .collect();
    assert!(!digests.is_empty());
    assert_eq!(write(&["runs", "nowhere"]).status.code(), Some(2));
    assert_eq!(
        fs::read_to_string(project.path("known.json")).unwrap(),
        text,
        "a check that was not done leaves it"
    );
    for broken in [
        "",
        "{}",
        "[]",
        "{\"version\":3,\"episodes\":{}}",
        "{\"version\":2,\"episodes\":{}}",
        "{\"version\":2,\"episodes\":{},\"skips\":{},\"more\":1}",
    ] {
        project.write("known.json", broken);
        let output = project.run(&["validate", "runs"]);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{broken}"
        );
    }
    // Without findings it is empty, and can be read again.
    write(&["--rule", "plan/*=off", "--rule", "projection/*=off", "runs"]);
    assert_eq!(
        fs::read_to_string(project.path("known.json")).unwrap(),
        "{\"version\":2,\"episodes\":{},\n\"skips\":{}}\n"
    );
    assert_eq!(
        project
            .run(&["validate", "runs/episodes/run_000"])
            .status
            .code(),
        Some(0)
    );
}

#[test]
fn baseline_is_never_also_a_report() {
    let project = adopted();
    project.run(&["validate", "--write-baseline", "known.json", "runs"]);
    let text = fs::read_to_string(project.path("known.json")).unwrap();
    std::os::unix::fs::symlink("known.json", project.path("link.json")).unwrap();
    let whole = project.path("known.json");
    let spellings = [
        "known.json",
        "./known.json",
        "runs/../known.json",
        "link.json",
    ];
    for spelling in spellings.into_iter().chain(whole.to_str()) {
        for option in ["--baseline", "--write-baseline"] {
            let report = format!("json={spelling}");
            let output = project.run(&[
                "validate",
                option,
                "known.json",
                "--output",
                &report,
                "runs",
            ]);
            assert_eq!(output.status.code(), Some(2), "{option} {spelling}");
            let told = format!("{spelling} can't be both a report and the baseline");
            assert!(stderr(&output).contains(&told), "{}", stderr(&output));
            assert_eq!(
                fs::read_to_string(&whole).unwrap(),
                text,
                "{option} {spelling}"
            );
        }
        let new = format!(
            "json={}",
            spelling.replace("known", "new").replace("link", "new")
        );
        let output = project.run(&[
            "validate",
            "--write-baseline",
            "new.json",
            "--output",
            &new,
            "runs",
        ]);
        assert_eq!(
            output.status.code(),
            Some(2),
            "a file that is not there: {new}"
        );
    }
    let twice = [
        "validate",
        "--output",
        "json=o",
        "--output",
        "sarif=./o",
        "runs",
    ];
    let output = project.run(&twice);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("two reports can't both be written to ./o"));
}

#[test]
fn suppressed_findings_keep_the_schemas() {
    let project = Project::new(
        "[[ignore]]\nrule = 'lifecycle/*'\nepisode = '*'\nreason = 'it [crashed](x)'\n\
         [[override]]\npaths = ['ep_05*']\nrules = { 'state/schema' = 'warning' }",
    );
    project.run(&[
        "validate",
        "--write-baseline",
        "known.json",
        "runs/demo/episodes/ep_03_edited",
    ]);
    let json = |format: &str| -> Value {
        let args = [
            "validate",
            "--baseline",
            "known.json",
            "--format",
            format,
            "runs",
        ];
        serde_json::from_slice(&project.run(&args).stdout).unwrap()
    };
    let report = json("json");
    let schema: Value = serde_json::from_str(runvet::Schema::Report.text()).unwrap();
    assert!(
        jsonschema::validator_for(&schema)
            .unwrap()
            .is_valid(&report)
    );
    assert_eq!(
        (&report["totals"]["ignored"], &report["totals"]["baselined"]),
        (&2.into(), &2.into())
    );
    let log = json("sarif");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let suppressed = results
        .iter()
        .filter(|result| result["suppressions"][0]["kind"] == "external")
        .count();
    assert_eq!((results.len(), suppressed), (7, 4));
    assert!(
        results
            .iter()
            .all(|result| result["suppressions"].is_array()),
        "if one has it, all must"
    );
    crate::support::sarif::hold_to_the_sarif_schema(&log);
}
