//! Whatever the artifacts of an episode hold, it is judged, and judged alike a second time.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use runvet::check::{Check, all_rules};
use runvet_fuzz::artifacts;

static CHECK: LazyLock<Check> = LazyLock::new(Check::new);

fuzz_target!(|data: &[u8]| {
    let artifacts = artifacts(data);
    let report = CHECK.records("ep_answer", &artifacts);
    let is_rule = |id: &str| all_rules().any(|rule| rule.id == id);
    assert!(report.findings.iter().all(|finding| is_rule(&finding.rule)));
    assert!(report.skipped.iter().all(|skip| is_rule(&skip.rule)));
    assert_eq!(report, CHECK.records("ep_answer", &artifacts));
});
