//! `runvet table`: its rows against an independent reading, its options and errors.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use runvet::gate::Gate;
use runvet::table::{RowFormat, Table, TableWriter};
use serde_json::{Value, json};

use crate::support::binary::{run, runvet, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::project::Project;
use crate::support::python::python;
use crate::support::run_data;
use crate::support::runs::{copy_dir, copy_of};

/// The number of runs that are compared with an independent reading.
const RUNS: u64 = 240;

/// Compares all tables of run data with the rows that a script makes of it.
fn agrees(data: &Path) -> String {
    let Some(mut python) = python("tables", &[]) else {
        return String::new();
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/rows.py");
    let args = [
        script.as_path(),
        data,
        Path::new(env!("CARGO_BIN_EXE_runvet")),
    ];
    let ran = python.args(args).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}{wrong}");
    said
}

#[test]
fn rows_equal_those_of_an_independent_reading() {
    let dir = tempfile::tempdir().unwrap();
    run_data::write(&dir.path().join("broken"), RUNS / 2, 7).unwrap();
    run_data::write_differing(&dir.path().join("differ"), RUNS / 2).unwrap();
    let said = agrees(dir.path());
    let runs = format!("runs {RUNS}\n");
    assert!(said.is_empty() || said.starts_with(&runs), "{said}");
}

#[test]
fn rows_of_a_long_run_are_those_of_an_independent_reading() {
    let dir = tempfile::tempdir().unwrap();
    run_data::write(&dir.path().join("short"), 40, 0).unwrap();
    run_data::write_long(&dir.path().join("long"), 300_000).unwrap();
    agrees(dir.path());
}

fn rows(args: &[&str]) -> Vec<Value> {
    let mut all = vec!["table"];
    all.extend(args);
    all.extend(["--format", "ndjson"]);
    let output = run(&all);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines = stdout(&output).lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn filters_choose_the_runs_that_have_rows() {
    let ids = |args: &[&str]| {
        let rows = rows(&[&["runs", "demo"], args].concat());
        let ids = rows.iter().map(|row| row["episode_id"].as_str().unwrap());
        ids.map(|id| id[..5].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&[]), ["ep_01", "ep_02", "ep_03", "ep_04", "ep_05"]);
    assert_eq!(ids(&["--status", "pending"]), ["ep_02"]);
    assert_eq!(ids(&["--search", "ep_03"]), ["ep_03"]);
    let invalid = ids(&["--invalid"]);
    assert_eq!(invalid, ["ep_03", "ep_04", "ep_05"]);
}

/// The digest of settings in the rows that a command writes in a directory of a project.
fn settings(project: &Project, dir: &str, args: &[&str]) -> String {
    let given = ["table", "runs", "--format", "ndjson"];
    let output = project.run_in(dir, &[], &[&given, args].concat());
    let row = stdout(&output).lines().next();
    let row = row.unwrap_or_else(|| panic!("{}", stderr(&output)));
    let row: Value = serde_json::from_str(row).unwrap();
    row["settings"].as_str().unwrap().to_owned()
}

#[test]
fn settings_differ_where_rules_are_required_or_declared() {
    let rule = |check: &str| {
        let rule = "[[rule]]\nid = 'a/b'\neach = { phase = 'start' }\nmessage = 'm'";
        format!("{rule}\ncheck = '{check}'\n")
    };
    let settings = |config: &str, args: &[&str]| {
        settings(&Project::new(config), "", &[&["runs"], args].concat())
    };
    let all = BTreeSet::from([
        settings(&rule("true"), &[]),
        settings(&rule("false"), &[]),
        settings(&rule("true"), &["--require", "strict/learn"]),
        settings(&rule("true"), &["--require", "strict/steps"]),
    ]);
    assert_eq!(all.len(), 4);
    // The library has no configuration, the command an empty one.
    assert_eq!(settings("", &[]), settings("", &["--no-config"]));
    let gate = Gate::default();
    let found = gate.discover(&["corpus/demo"]);
    let mut rows = Vec::new();
    let writer = TableWriter::new(Table::Runs, RowFormat::Ndjson, &gate);
    let mut wrong = |fault| panic!("{fault}");
    writer
        .write(&found.episodes, &mut rows, &mut wrong)
        .unwrap();
    let plain = format!("\"settings\":\"{}\"", settings("", &[]));
    assert!(String::from_utf8(rows).unwrap().contains(&plain));
}

#[test]
fn settings_do_not_depend_on_the_directory_of_the_project() {
    const CONFIG: &str = "
        packs = ['gate/pack.toml']
        exclude = ['old']
        baseline = 'accepted.json'
        [[override]]
        paths = ['runs']
        rules = { 'plan/*' = 'off' }
        [[ignore]]
        rule = '*'
        episode = 'ep_03_*'
        reason = 'edited by hand'
    ";
    const PACK: &str = "
        [[rule]]
        id = 'acme/start'
        each = { phase = 'start' }
        check = 'true'
        message = 'm'
    ";
    const BASELINE: &str = r#"{"version":2,"episodes":{},"skips":{"runs/ep_1":[]}}"#;
    let project = |pack: &str, baseline: &str| {
        let project = Project::new(CONFIG);
        fs::create_dir(project.path("gate")).unwrap();
        project.write("gate/pack.toml", pack);
        project.write("accepted.json", baseline);
        project
    };
    let (one, other) = (project(PACK, BASELINE), project(PACK, BASELINE));
    let digest = settings(&one, "", &["runs"]);
    assert_eq!(settings(&other, "", &["runs"]), digest);
    assert_eq!(settings(&one, "runs/demo", &["."]), digest);
    let by_path = other.path("runvet.toml");
    let by_path = ["--config", by_path.to_str().unwrap(), "../runs"];
    assert_eq!(settings(&other, "gate", &by_path), digest);
    let others = [
        project(&PACK.replace("true", "false"), BASELINE),
        project(PACK, &BASELINE.replace("ep_1", "ep_2")),
    ];
    assert!(
        others
            .iter()
            .all(|other| settings(other, "", &["runs"]) != digest)
    );
}

#[test]
fn number_that_no_double_holds_is_text_in_a_column_of_its_own() {
    let (_temp, dir) = copy_of("demo/episodes/ep_01_answer");
    let state = fs::read_to_string(dir.join("state.json")).unwrap();
    let seed = state.find("\"seed\":").unwrap() + 7;
    let end = seed + state[seed..].find([',', '}']).unwrap();
    let state = format!("{}18446744073709551617{}", &state[..seed], &state[end..]);
    fs::write(dir.join("state.json"), state).unwrap();
    let row = &rows(&["runs", dir.to_str().unwrap()])[0];
    assert_eq!(row["seed"], Value::Null);
    assert_eq!(row["beyond_double"], r#"{"seed":"18446744073709551617"}"#);
}

#[test]
fn broken_line_is_a_row_that_says_why() {
    let (_temp, dir) = copy_of("demo/episodes/ep_01_answer");
    let events = dir.join("events.jsonl");
    let text = fs::read_to_string(&events).unwrap();
    fs::write(&events, format!("[1]\n{text}")).unwrap();
    let rows = rows(&["events", dir.to_str().unwrap()]);
    assert_eq!(rows[0]["line"], 1);
    assert_eq!(rows[0]["fault"], "an array, not an object");
    assert_eq!(
        (&rows[1]["phase"], &rows[1]["fault"]),
        (&"start".into(), &Value::Null)
    );
}

#[test]
fn table_says_what_it_could_not_do() {
    let code = |args: &[&str]| {
        let output = run(args);
        (output.status.code(), stderr(&output).to_owned())
    };
    let (status, said) = code(&["table", "runs", "demo", "--format", "parquet"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("in Python"), "{said}");
    let empty = tempfile::tempdir().unwrap();
    let path = empty.path().to_str().unwrap();
    assert_eq!(
        code(&["table", "runs", path]),
        (Some(3), "error: no episode found\n".into())
    );
    assert_eq!(code(&["table", "runs", "nowhere"]).0, Some(2));
    let file = empty.path().join("runs.csv");
    let to_file = ["table", "runs", "demo", "--output", file.to_str().unwrap()];
    assert_eq!(code(&to_file), (Some(0), String::new()));
    let printed = run(&["table", "runs", "demo"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), stdout(&printed));
}

#[test]
fn rows_are_safe_to_print_and_say_what_the_record_says() {
    let temp = tempfile::tempdir().unwrap();
    let run = temp.path().join("episodes/ep_answer");
    copy_dir(&corpus().join("good/terminal/episodes/ep_answer"), &run);
    let hostile = "\u{9b}2J\u{202e}\u{2066}";
    let line = json!({"phase": hostile, "timestamp": "2026-03-01T12:00:00Z", "payload": {"text": hostile}});
    fs::write(run.join("events.jsonl"), format!("{line}\n")).unwrap();
    let output = runvet(&["table", "events", "--format", "ndjson"])
        .arg(temp.path())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        !printed.contains(['\u{9b}', '\u{202e}', '\u{2066}']),
        "{printed:?}"
    );
    let row: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(row["phase"], hostile);
    let payload: Value = serde_json::from_str(row["payload"].as_str().unwrap()).unwrap();
    assert_eq!(payload["text"], hostile);
}
