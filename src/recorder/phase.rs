//! The name of a phase -> whether an agent may write its events.

use crate::record::phases::is_known;

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
    if phase.is_empty() {
        return Some("it has no name".into());
    }
    if OWN.contains(&phase) {
        return Some(format!("the recorder itself writes `{phase}` events"));
    }
    if is_known(phase) {
        return None;
    }
    let plain = |text: &str| text.replace(['-', '_'], "").to_lowercase();
    let near = TAKEN_FOR.into_iter().find(|known| {
        plain(known) == plain(phase) || (*known != "act" && strsim::osa_distance(known, phase) <= 1)
    });
    near.map(|known| format!("{phase:?} is easily mistaken for `{known}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Check;
    use crate::record::phases;
    use crate::source::Artifact;

    /// Whether the check takes a phase for another one.
    fn is_taken_for_another(phase: &str) -> bool {
        let event = |phase: &str| {
            let event = serde_json::json!({
                "episode_id": "ep_1",
                "payload": {},
                "phase": phase,
                "timestamp": "2026-03-01T12:00:00.000000+00:00",
            });
            format!("{event}\n")
        };
        let events = event("start") + &event(phase);
        let records = [(Artifact::Events, events.as_bytes())];
        let report = Check::new().records("ep_1", &records);
        let mut findings = report.findings.iter();
        findings.any(|finding| finding.rule == "events/misspelled")
    }

    #[test]
    fn phase_that_is_noted_is_taken_for_no_other() {
        let mut noted = 0;
        for phase in phases::KNOWN {
            let at = |at: usize| phase.split_at(at);
            let lacking = (0..phase.len()).map(|i| at(i).0.to_owned() + &at(i).1[1..]);
            let more = (0..=phase.len()).map(|i| format!("{}x{}", at(i).0, at(i).1));
            let other = (0..phase.len()).map(|i| format!("{}x{}", at(i).0, &at(i).1[1..]));
            let split = (1..phase.len()).map(|i| format!("{}_{}", at(i).0, at(i).1));
            let upper = [
                phase.to_uppercase(),
                phase.replace('a', "A"),
                phase.to_owned(),
            ];
            let near = lacking.chain(more).chain(other).chain(split).chain(upper);
            for near in near.filter(|near| reserved(near).is_none()) {
                assert!(!is_taken_for_another(&near), "{near}");
                noted += 1;
            }
        }
        assert!(noted > 100, "{noted}");
        assert!(is_taken_for_another("plann") && reserved("plann").is_some());
    }
}
