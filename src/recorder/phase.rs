//! The name of a phase -> whether an agent may write its events.

use crate::facts::phase_meant;

/// Returns why an agent can't add events of a phase itself.
pub(super) fn reserved(phase: &str) -> Option<String> {
    /// The phases that the recorder writes.
    const OWN: [&str; 8] = [
        "start",
        "plan",
        "act",
        "direction",
        "runtime",
        "terminate",
        "memory",
        "learn",
    ];
    if phase.is_empty() {
        return Some("it has no name".into());
    }
    if OWN.contains(&phase) {
        return Some(format!("the recorder itself writes `{phase}` events"));
    }
    let near = phase_meant(phase)?;
    Some(format!("{phase:?} is easily mistaken for `{near}`"))
}
