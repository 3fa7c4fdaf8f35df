//! The binary, and what it takes to build it -> rows.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::Bench;
use crate::goals::{Goal, Row};

/// The environment variable that adds build times.
const BUILDS: &str = "RUNVET_BENCH_BUILDS";

pub(crate) fn binary(bench: &mut Bench) {
    let bytes = fs::metadata(&bench.runvet)
        .expect("the binary")
        .len();
    let work = "the release binary, stripped";
    bench.row(Row::megabytes(work, bytes, Goal::AtMost(18.0)));
}

/// Builds from nothing, once each: they take minutes.
pub(crate) fn builds(bench: &mut Bench) {
    if std::env::var_os(BUILDS).is_none() {
        let why = format!("they take minutes; set {BUILDS}=1 to time them");
        return bench.leave_out("clean builds", &why);
    }
    for (work, profile, goal) in [
        ("a clean build for release", "release", 240.0),
        ("a clean build for development", "dev", 60.0),
    ] {
        let seconds = clean_build(profile, &bench.data.0.join("target"));
        bench.keep(json!({"case": "builds", "name": profile, "seconds": [seconds]}));
        bench.row(Row::plain(work, seconds, "s", Goal::AtMost(goal)));
    }
}

fn clean_build(profile: &str, target: &Path) -> f64 {
    let _ = fs::remove_dir_all(target);
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--locked", "--quiet", "--profile", profile])
        .arg("--target-dir")
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null());
    let start = Instant::now();
    let status = cargo.status().expect("cargo runs");
    let seconds = start.elapsed().as_secs_f64();
    assert!(status.success(), "the {profile} build succeeds");
    let _ = fs::remove_dir_all(target);
    seconds
}
