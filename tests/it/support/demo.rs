//! The demo of the corpus, and what runvet prints of runs.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::runs::{copy_dir, touch};
use crate::support::terminal::{Width, runvet};

/// The output of a command that prints no error.
pub(crate) fn printed(dir: &Path, args: &[&str]) -> String {
    let output = runvet(dir, args, Width::Narrow);
    assert_eq!(
        (output.status.code(), stderr(&output)),
        (Some(0), ""),
        "{args:?}"
    );
    stdout(&output).to_owned()
}

pub(crate) fn json_of(dir: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&printed(dir, args)).unwrap()
}

/// A text without the escapes for the colours that runvet uses.
pub(crate) fn without_colour(text: &str) -> String {
    ["1", "2", "31", "32", "33", "0"]
        .iter()
        .fold(text.to_owned(), |text, code| {
            text.replace(&format!("\u{1b}[{code}m"), "")
        })
}

pub(crate) fn demo() -> PathBuf {
    corpus().join("demo")
}

/// A copy of the demo, whose runs changed in the order 3, 1, 5, 2, 4, newest first.
pub(crate) fn demo_in_order() -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    for (day, name) in [
        "ep_04_crashed",
        "ep_02_paused",
        "ep_05_misnamed",
        "ep_01_answer",
        "ep_03_edited",
    ]
    .iter()
    .enumerate()
    {
        let dir = temp.path().join("episodes").join(name);
        copy_dir(&demo().join("episodes").join(name), &dir);
        touch(&dir, day as u64);
    }
    temp
}

pub(crate) fn ids(dir: &Path, args: &[&str]) -> Vec<String> {
    printed(dir, &[&["list", "--format", "ids"], args].concat())
        .lines()
        .map(str::to_owned)
        .collect()
}
