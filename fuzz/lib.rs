//! What the targets share: bytes from the fuzzer -> the artifacts of an episode, and a text in both
//! readers.

#[path = "../tests/it/support/second_look.rs"]
mod second_look;

use runvet::source::Artifact;
pub use second_look::{found, indented, same};
use serde_json::Value;

/// What stands between two artifacts. No UTF-8 text holds it, so a fuzzer seldom makes it by
/// itself.
const SEPARATOR: u8 = 0xff;

/// The artifacts that the bytes hold, in the order of their names in [`Artifact::ALL`]; those
/// behind the last one are missing.
pub fn artifacts(data: &[u8]) -> Vec<(Artifact, &[u8])> {
    Artifact::ALL
        .into_iter()
        .zip(data.split(|byte| *byte == SEPARATOR))
        .collect()
}

/// What `serde_json` makes of a text; `None` where it can't tell: it has no place for a number
/// beyond a double, and allows one level of nesting less.
pub fn second_opinion(bytes: &[u8]) -> Option<Result<Value, serde_json::Error>> {
    let opinion = serde_json::from_slice(bytes);
    let is_at_a_loss = |error: &serde_json::Error| {
        let error = error.to_string();
        error.starts_with("number out of range") || error.starts_with("recursion limit exceeded")
    };
    if opinion.as_ref().err().is_some_and(is_at_a_loss) {
        None
    } else {
        Some(opinion)
    }
}
