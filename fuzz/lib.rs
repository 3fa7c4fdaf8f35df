//! Shared by the targets: bytes from the fuzzer -> the artifacts of an episode, a text as
//! `serde_json` reads it, or a run that is recorded.

#[path = "../tests/it/support/second_look.rs"]
mod second_look;

use std::path::PathBuf;

use runvet::recorder::{Durability, Recorder, Session, Task};
use runvet::source::Artifact;
pub use second_look::{found, indented, same};
use serde_json::Value;

/// The byte between two artifacts. It never occurs in UTF-8 text.
pub const SEPARATOR: u8 = 0xff;

/// The artifacts in the bytes, in the order of [`Artifact::ALL`]; any after the last one are
/// missing.
pub fn artifacts(data: &[u8]) -> Vec<(Artifact, &[u8])> {
    Artifact::ALL
        .into_iter()
        .zip(data.split(|byte| *byte == SEPARATOR))
        .collect()
}

/// The result of `serde_json` for a text; `None` where its limits differ: it refuses numbers beyond
/// the range of a double, and allows one level of nesting less.
pub fn second_opinion(bytes: &[u8]) -> Option<Result<Value, serde_json::Error>> {
    let opinion = serde_json::from_slice(bytes);
    let is_a_limit = |error: &serde_json::Error| {
        let error = error.to_string();
        error.starts_with("number out of range") || error.starts_with("recursion limit exceeded")
    };
    if opinion
        .as_ref()
        .err()
        .is_some_and(is_a_limit)
    {
        None
    } else {
        Some(opinion)
    }
}

/// Records the lines of a session, in the place of the run before it. Returns the recorder, the
/// directory of the run and its id.
pub fn record(lines: &[u8]) -> (Recorder, PathBuf, String) {
    let runs = std::env::temp_dir().join(format!("runvet-fuzz-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&runs);
    let recorder = Recorder::new(&runs).durability(Durability::Process);
    let run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    let (path, id) = (run.path().to_owned(), run.id().to_owned());
    let mut session = Session::new(run);
    for line in lines.split(|byte| *byte == b'\n') {
        let reply: Value = serde_json::from_slice(&session.reply(line)).unwrap();
        // Only what a command asks for may be refused, not what the machine does.
        let faults = ["io", "not_durable", "lost", "poisoned", "forked"];
        assert!(
            !faults
                .iter()
                .any(|kind| reply["error"]["kind"] == *kind),
            "{reply}"
        );
    }
    (recorder, path, id)
}
