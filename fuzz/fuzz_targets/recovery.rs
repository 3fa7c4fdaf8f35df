//! Property: whatever is left of a run is recovered and ended, or refused; what was recovered is
//! whole.

#![no_main]

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

use libfuzzer_sys::fuzz_target;
use runvet::finding::Severity;
use runvet::gate::Gate;
use runvet::recorder::Recovered;
use runvet::source::Artifact;
use runvet_fuzz::{SEPARATOR, record};

fuzz_target!(|data: &[u8]| {
    // The lines of a session, and after each separator a file, a place in it, and other bytes.
    let mut parts = data.split(|byte| *byte == SEPARATOR);
    let (recorder, path, id) = record(parts.next().unwrap_or_default());
    for part in parts {
        let [which, high, low, bytes @ ..] = part else {
            continue;
        };
        let name = Artifact::ALL[usize::from(*which) % Artifact::ALL.len()].file_name();
        let at = u64::from(*high) << 8 | u64::from(*low);
        let opened = OpenOptions::new()
            .write(true)
            .open(path.join(name));
        let Ok(file) = opened else { continue };
        if bytes.is_empty() {
            let length = file.metadata().unwrap().len();
            file.set_len(length.min(at)).unwrap();
        } else {
            file.write_all_at(bytes, at).unwrap();
        }
    }
    if recorder.recover(&id).is_ok() {
        let again = recorder.recover(&id);
        assert!(matches!(again, Ok(Recovered::Intact)), "{again:?}");
        let _ = recorder.abandon(&id, "it was damaged");
        let report = Gate::default().run([path]).unwrap();
        let mut findings = report
            .episodes
            .iter()
            .flat_map(|episode| &episode.findings);
        let error = findings.find(|finding| finding.severity == Severity::Error);
        assert_eq!(error, None);
    }
});
