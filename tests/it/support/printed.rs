//! Run data with many findings -> what each format prints of it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

use runvet::finding::{Finding, Report};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::corpus::corpus;
use crate::support::hostile::hostile_run;
use crate::support::runs::copy_dir;

/// A copy of the corpus, with a run in which every text is hostile, and one whose directory has an
/// odd name.
pub(crate) static RUN_DATA: LazyLock<TempDir> = LazyLock::new(|| {
    let (temp, _) = hostile_run();
    let copied = Command::new("cp")
        .arg("-r")
        .arg(corpus())
        .arg(temp.path())
        .status()
        .unwrap();
    assert!(copied.success());
    let odd = temp
        .path()
        .join("c:/episodes")
        .join(OsStr::from_bytes(b"-ep \xff%41#?:[x](y)`,@me"));
    copy_dir(&corpus().join("demo/episodes/ep_03_edited"), &odd);
    temp
});

pub(crate) fn runvet(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command
        .arg("validate")
        .args(args)
        .arg(".")
        .current_dir(dir)
        .env_clear()
        .output()
        .unwrap()
}

pub(crate) fn print(format: &str) -> String {
    let output = runvet(RUN_DATA.path(), &["--format", format]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn json(format: &str) -> Value {
    serde_json::from_str(&print(format)).unwrap()
}

pub(crate) static REPORT: LazyLock<Report> =
    LazyLock::new(|| serde_json::from_value(json("json")).unwrap());

pub(crate) fn findings() -> impl Iterator<Item = &'static Finding> {
    REPORT
        .episodes
        .iter()
        .flat_map(|episode| &episode.findings)
}
