//! Property: every place in a report exists, its line and column match its offset, and a place with
//! a pointer is JSON.

#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use runvet::finding::Location;
use runvet::gate::Gate;
use runvet::source::Artifact;
use runvet_fuzz::{artifacts, second_opinion};

static CHECK: LazyLock<Gate> = LazyLock::new(Gate::default);

fuzz_target!(|data: &[u8]| {
    let artifacts = artifacts(data);
    for finding in CHECK
        .clone()
        .records("ep_answer", &artifacts)
        .findings
    {
        holds(&finding.location, &artifacts);
        finding
            .related
            .iter()
            .for_each(|related| holds(&related.location, &artifacts));
    }
});

fn holds(location: &Location, artifacts: &[(Artifact, &[u8])]) {
    let name = Path::new(&location.file)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap();
    let Some(offset) = location.offset else {
        return;
    };
    let (_, bytes) = artifacts
        .iter()
        .find(|(artifact, _)| artifact.file_name() == name)
        .unwrap();
    let start = usize::try_from(offset).unwrap();
    let end = start + usize::try_from(location.length.unwrap()).unwrap();
    let before = &bytes[..start];
    let line_start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let lines = before
        .iter()
        .filter(|byte| **byte == b'\n')
        .count();
    assert_eq!(location.line, Some(lines as u64 + 1), "{location:?}");
    if let Ok(text) = std::str::from_utf8(&before[line_start..]) {
        assert_eq!(
            location.column,
            Some(text.chars().count() as u64 + 1),
            "{location:?}"
        );
    }
    let place = &bytes[start..end];
    if location.pointer.is_some() {
        assert!(
            second_opinion(place).is_none_or(|opinion| opinion.is_ok()),
            "{location:?}"
        );
    }
    if let Some((excerpt, span)) = location.excerpt() {
        let is_within = excerpt.get(span).is_some();
        assert!(is_within && !excerpt.contains('\n'), "{excerpt:?}");
    }
}
