//! Tests that can't run here say so, and are counted in the closing line of `make test`.
//!
//! `RUNVET_TESTS=all` says that every test must run, as in CI: then one that can't is a failure.

use std::fs::OpenOptions;
use std::io::Write;
use std::panic::Location;

pub(crate) fn all_must_run() -> bool {
    std::env::var_os("RUNVET_TESTS").is_some_and(|tests| tests == "all")
}

/// Says that the calling test is skipped, and why.
#[track_caller]
pub(crate) fn skip(reason: &str) {
    assert!(!all_must_run(), "this test can't run here: {reason}");
    note("skipped", reason);
}

/// Says that a part of the calling test is left out, because the machine does not allow it: a
/// container can seldom mount anything. This is not a failure even if all tests must run.
#[track_caller]
pub(crate) fn leave_out(reason: &str) {
    note("left out", reason);
}

/// A line on standard error, which the test harness does not capture, and in the file that
/// `tests/run` counts the lines of.
#[track_caller]
fn note(kind: &str, reason: &str) {
    let (test, reason) = (Location::caller(), reason.trim().replace('\n', " "));
    let line = format!("{kind}: {}:{}: {reason}\n", test.file(), test.line());
    std::io::stderr()
        .write_all(line.as_bytes())
        .unwrap();
    if let Some(file) = std::env::var_os("RUNVET_SKIPPED") {
        let mut file = OpenOptions::new()
            .append(true)
            .open(file)
            .unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
}
