//! `runvet table`: its rows against an independent reading, its options and errors.

use std::path::Path;

use runvet::gate::Gate;
use runvet::table::{RowFormat, Table, TableWriter};
use serde_json::Value;

use crate::support::binary::{run, stdout};
use crate::support::corpus::corpus;
use crate::support::python::python;
use crate::support::run_data;

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

/// The library has no configuration, the command an empty one.
#[test]
fn settings_of_the_library_are_those_of_the_command() {
    let gate = Gate::default();
    let found = gate.discover(&[corpus().join("demo")]);
    let mut rows = Vec::new();
    let writer = TableWriter::new(Table::Runs, RowFormat::Ndjson, &gate);
    let mut wrong = |fault| panic!("{fault}");
    writer
        .write(&found.episodes, &mut rows, &mut wrong)
        .unwrap();
    let digest = |text: &str| {
        let row: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        row["settings"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let printed = run(&["table", "runs", "demo", "--no-config", "--format", "ndjson"]);
    assert_eq!(
        digest(&String::from_utf8(rows).unwrap()),
        digest(stdout(&printed))
    );
}
