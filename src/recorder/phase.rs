//! The name of a phase -> whether an agent may write its events.

/// Why an agent can't add events of a phase itself.
pub(super) fn reserved(phase: &str) -> Option<String> {
    /// The phases that the recorder writes, and those that a reader gives a meaning to.
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
    const TAKEN_FOR: [&str; 7] = [
        "start",
        "plan",
        "direction",
        "reflect",
        "runtime",
        "terminate",
        "act",
    ];
    const COMMON: [&str; 7] = [
        "observe",
        "interpret",
        "reason",
        "insight",
        "intuition",
        "governance",
        "reflect",
    ];
    if phase.is_empty() {
        return Some("it has no name".into());
    }
    if OWN.contains(&phase) {
        return Some(format!("the recorder itself writes `{phase}` events"));
    }
    if COMMON.contains(&phase) {
        return None;
    }
    let plain = |text: &str| text.replace(['-', '_'], "").to_lowercase();
    let near = TAKEN_FOR.into_iter().find(|known| {
        plain(known) == plain(phase) || (*known != "act" && strsim::osa_distance(known, phase) <= 1)
    });
    near.map(|known| format!("{phase:?} is easily mistaken for `{known}`"))
}
