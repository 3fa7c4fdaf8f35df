//! One law of exit: what was not judged comes before what was found, and that before nothing.

use std::fs::{self, File};

use serde_json::Value;

use crate::support::binary::{formats, stderr, stdout};
use crate::support::project::Project;

const SOUND: &str = "runs/demo/episodes/ep_01_answer";
const PAUSED: &str = "runs/demo/episodes/ep_02_paused";

fn code(project: &Project, args: &[&str]) -> i32 {
    let output = project.run(&[&["validate", "--quiet"], args].concat());
    output.status.code().unwrap()
}

fn json(project: &Project, args: &[&str]) -> Value {
    let output = project.run(&[&["validate", "--format=json"], args].concat());
    serde_json::from_str(stdout(&output)).unwrap()
}

/// Makes the manifest larger than what is read.
fn pad_manifest(project: &Project) {
    let manifest = project.path(SOUND).join("manifest.json");
    File::create(manifest).unwrap().set_len(65 << 20).unwrap();
}

#[test]
fn error_rule_that_meets_a_limit_leaves_the_run_undecided() {
    let project = Project::new("");
    pad_manifest(&project);
    assert_eq!(code(&project, &[SOUND]), 0, "nobody asks for the manifest");
    let verify = "--verify-manifest";
    assert_eq!(code(&project, &[verify, SOUND]), 2);
    let report = json(&project, &[verify, SOUND]);
    let (episode, totals) = (&report["episodes"][0], &report["totals"]);
    assert_eq!(episode["valid"], Value::Null);
    assert_eq!(episode["skipped"][0]["kind"], "limit");
    assert_eq!(
        (&totals["undecided"], &totals["valid"]),
        (&1.into(), &0.into())
    );
    assert_eq!(report["complete"], false);
    let message = report["faults"][0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("manifest/digest could not be judged: manifest.json"),
        "{message}"
    );
    // It comes before errors.
    assert_eq!(code(&project, &[verify, "runs"]), 2);
    assert_eq!(code(&project, &["runs"]), 1);
    // As a warning, it is a skip like any other.
    let warning = "--rule=manifest/digest=warning";
    assert_eq!(code(&project, &[verify, warning, SOUND]), 0);
    // Who accepts it knows of it.
    assert_eq!(
        code(&project, &[verify, "--write-baseline=known.json", SOUND]),
        0
    );
    assert_eq!(code(&project, &[verify, "--baseline=known.json", SOUND]), 0);
}

#[test]
fn every_format_shows_a_run_that_is_undecided() {
    let project = Project::new("");
    pad_manifest(&project);
    for format in formats() {
        let format = format!("--format={format}");
        let output = project.run(&["validate", "--verify-manifest", &format, SOUND]);
        assert_eq!(output.status.code(), Some(2), "{format}");
        let said = stdout(&output);
        let is_said = said.contains("could not be judged") || said.contains("not judged");
        assert!(is_said, "{format}: {said}");
        assert!(stderr(&output).contains("manifest/digest could not be judged"));
    }
    let human = project.run(&["validate", "--verify-manifest", SOUND]);
    assert!(
        stdout(&human).contains("undecided, because"),
        "{}",
        stdout(&human)
    );
    let last = stdout(&human).lines().last().unwrap();
    assert!(last.contains("1 undecided"), "{last}");
    let view = project.run(&["view", "--verify-manifest", SOUND]);
    assert!(stdout(&view).contains("undecided"), "{}", stdout(&view));
    let listing = project.run(&["list", "--verify-manifest", "--invalid", "runs"]);
    assert!(
        stdout(&listing).contains("undecided"),
        "{}",
        stdout(&listing)
    );
}

#[test]
fn error_rule_that_can_not_read_leaves_the_run_undecided() {
    let project = Project::new("");
    let manifest = project.path(SOUND).join("manifest.json");
    fs::remove_file(&manifest).unwrap();
    fs::create_dir(&manifest).unwrap();
    // A finding says what is wrong, so the run is invalid.
    assert_eq!(code(&project, &["--verify-manifest", SOUND]), 1);
    let off = "--rule=record/unreadable=off";
    assert_eq!(code(&project, &["--verify-manifest", off, SOUND]), 2);
    let state = project.path(PAUSED).join("state.json");
    File::create(state).unwrap().set_len(65 << 20).unwrap();
    assert_eq!(code(&project, &[PAUSED]), 1);
    assert_eq!(code(&project, &[off, PAUSED]), 2);
}

#[test]
fn deny_unjudged_fails_on_skips() {
    let project = Project::new("");
    let deny = "--deny-unjudged";
    assert_eq!(code(&project, &[deny, SOUND, PAUSED]), 0);
    pad_manifest(&project);
    let warning = "--rule=manifest/digest=warning";
    assert_eq!(code(&project, &[deny, SOUND]), 0);
    assert_eq!(code(&project, &[warning, SOUND]), 0);
    assert_eq!(code(&project, &[warning, deny, SOUND]), 1);
    assert_eq!(json(&project, &[warning, SOUND])["totals"]["unjudged"], 1);
    let junit = project.run(&["validate", warning, deny, "--format=junit", SOUND]);
    assert!(stdout(&junit).contains("<failure"), "{}", stdout(&junit));
    assert_eq!(
        code(&project, &[warning, "--write-baseline=known.json", SOUND]),
        0
    );
    assert_eq!(
        code(&project, &[warning, deny, "--baseline=known.json", SOUND]),
        0
    );
    project.write(
        "runvet.toml",
        "deny-unjudged = true\nrules = { 'manifest/*' = 'warning' }",
    );
    assert_eq!(code(&project, &[SOUND]), 1);
    assert_eq!(code(&project, &["--deny-unjudged=false", SOUND]), 0);
    // In a run that has ended, every skip counts; in one in progress, those that lie in its data.
    project.write(
        "runvet.toml",
        "rules = { 'manifest/*' = 'warning', 'lifecycle/*' = 'off' }",
    );
    fs::remove_file(project.path(SOUND).join("manifest.json")).unwrap();
    assert_eq!(
        json(&project, &[SOUND])["episodes"][0]["skipped"][0]["kind"],
        "missing"
    );
    assert_eq!(code(&project, &[deny, SOUND]), 1);
    let events = project.path(PAUSED).join("events.jsonl");
    let text = fs::read_to_string(&events).unwrap();
    let without = text
        .lines()
        .filter(|line| !line.contains("run.state_projection"));
    fs::write(
        &events,
        without.flat_map(|line| [line, "\n"]).collect::<String>(),
    )
    .unwrap();
    assert_eq!(
        json(&project, &[PAUSED])["episodes"][0]["skipped"][0]["kind"],
        "unreached"
    );
    assert_eq!(code(&project, &[deny, PAUSED]), 0);
    fs::write(&events, text + "junk\n").unwrap();
    assert_eq!(code(&project, &[deny, "--rule=events/*=off", PAUSED]), 1);
}

#[test]
fn no_rule_that_is_on_is_nothing_looked_at() {
    let project = Project::new("");
    let off = "--rule=*=off";
    assert_eq!(code(&project, &[off, "runs"]), 3);
    assert_eq!(code(&project, &[off, "--allow-empty", "runs"]), 0);
    let output = project.run(&["validate", off, "--output=json=report.json", "runs"]);
    assert!(
        stderr(&output).contains("no rule is on for 5 episodes"),
        "{}",
        stderr(&output)
    );
    assert!(!project.path("report.json").exists());
    let everywhere = "[[override]]\npaths = ['runs']\nrules = { '*' = 'off' }";
    project.write("runvet.toml", everywhere);
    assert_eq!(code(&project, &["runs"]), 3);
    // Where some are judged, the others are said.
    project.write(
        "runvet.toml",
        &everywhere.replace("'runs'", "'ep_03*', 'ep_04*', 'ep_05*'"),
    );
    let output = project.run(&["validate", "runs"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stderr(&output).contains("no rule is on for 3 episodes"),
        "{}",
        stderr(&output)
    );
    assert_eq!(json(&project, &["runs"])["totals"]["unchecked"], 3);
}

#[test]
fn path_without_a_run_beside_others_is_noted() {
    let project = Project::new("");
    for dir in ["empty", "lonely"] {
        fs::create_dir(project.path(dir)).unwrap();
    }
    let learned = "lonely/learn.jsonl";
    fs::copy(
        project.path(SOUND).join("learn.jsonl"),
        project.path(learned),
    )
    .unwrap();
    let noted = |args: &[&str]| {
        let output = project.run(&[&["validate"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output).contains("no episode was found here")
    };
    for nothing in ["empty", "lonely", learned] {
        assert_eq!(code(&project, &[nothing]), 3);
        assert!(noted(&[SOUND, nothing]), "{nothing}");
        assert!(!noted(&["-q", SOUND, nothing]), "{nothing}");
    }
    fs::write(project.path("list"), format!("{SOUND}\nempty\n")).unwrap();
    assert!(noted(&["--files-from=list"]));
    // What a path leads to is judged, whatever other path leads there too.
    assert!(!noted(&[SOUND, &format!("{SOUND}/../ep_01_answer")]));
    let state = format!("{SOUND}/state.json");
    assert!(!noted(&["runs/demo/episodes/ep_02_paused", &state, SOUND]));
}
