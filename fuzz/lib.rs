//! Shared by the targets: bytes from the fuzzer -> the artifacts of an episode, or a text as
//! `serde_json` reads it.

#[path = "../tests/it/support/second_look.rs"]
mod second_look;

use runvet::source::Artifact;
pub use second_look::{found, indented, same};
use serde_json::Value;

/// The byte between two artifacts. It never occurs in UTF-8 text.
const SEPARATOR: u8 = 0xff;

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
    if opinion.as_ref().err().is_some_and(is_a_limit) {
        None
    } else {
        Some(opinion)
    }
}
