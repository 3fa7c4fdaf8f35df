//! Property: whatever the lines of a session are, each is answered, and what they leave can be
//! recovered, ended and checked without an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use runvet::finding::Severity;
use runvet::gate::Gate;
use runvet::recorder::{Error, Recovered};
use runvet_fuzz::record;

fuzz_target!(|data: &[u8]| {
    let (recorder, path, id) = record(data);
    let recovered = recorder.recover(&id);
    assert!(matches!(recovered, Ok(Recovered::Intact)), "{recovered:?}");
    let ended = recorder.abandon(&id, "the input ended");
    assert!(
        matches!(ended, Ok(_) | Err(Error::Ended { .. })),
        "{ended:?}"
    );
    let report = Gate::default().run([path]).unwrap();
    let mut findings = report
        .episodes
        .iter()
        .flat_map(|episode| &episode.findings);
    let error = findings.find(|finding| finding.severity == Severity::Error);
    assert_eq!(error, None);
});
