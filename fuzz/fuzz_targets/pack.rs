//! Property: whatever a configuration says, it is read, or refused with its mistakes; and what it
//! declares judges a run.
//!
//! The configuration and the timeline are separated by a byte that no text has.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use runvet::gate::Gate;
use runvet::source::Artifact;
use runvet_fuzz::SEPARATOR;

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(2, |byte| *byte == SEPARATOR);
    let (Some(config), events) = (parts.next(), parts.next().unwrap_or_default()) else {
        return;
    };
    let Ok(config) = std::str::from_utf8(config) else {
        return;
    };
    // Files that it names are not there.
    let path = Path::new("/nowhere/runvet.toml");
    if let Ok(mut gate) = Gate::default().with_config(path, config, None) {
        let _ = gate.records("ep", &[(Artifact::Events, events)]);
    }
});
