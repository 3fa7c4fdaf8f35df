//! What a rule of a team in the expression language finds -> findings.

use super::unjudged;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::UNKNOWN_LIFECYCLE;
use crate::finding::{Lifecycle, SkipReason};
use crate::load::Loaded;
use crate::source::Artifact;
use crate::team::{FoundByRule, TeamRule};

/// Words the findings of a rule; `None` where it could not be judged.
pub(super) fn judge(
    index: usize,
    loaded: &Loaded<'_, '_>,
    findings: &mut Findings<'_>,
) -> Option<Compared> {
    let rule = loaded.team.rules.get(index)?;
    let found = loaded.declared.by_rule.get(index)?;
    if let Some(reason) = unmet(rule, found, loaded) {
        findings.skip(&reason);
        return None;
    }
    by_rule(found, findings);
    Compared::when(found.examined)
}

/// Words what a rule found, and that it could not judge all.
pub(super) fn by_rule(found: &FoundByRule, findings: &mut Findings<'_>) {
    for (place, message) in &found.met {
        findings.push(Draft::new(place.clone(), message.clone()));
    }
    findings.more(found.more);
    if let Some(spent) = found.spent {
        findings.skip(&SkipReason::bound(&spent));
    }
}

/// Why a rule can't be judged.
fn unmet(rule: &TeamRule, found: &FoundByRule, loaded: &Loaded<'_, '_>) -> Option<SkipReason> {
    if rule.needs_end && loaded.run.stage.lifecycle == Lifecycle::Unknown {
        return Some(UNKNOWN_LIFECYCLE);
    }
    if rule.each.is_some() || rule.counts_events() {
        if let Some(reason) = unjudged(Artifact::Events, loaded) {
            return Some(reason);
        }
        let timeline = loaded.run.timeline.read();
        let broken = timeline.and_then(|timeline| timeline.broken_line);
        if let Some(line) = broken.filter(|_| rule.counts_events()) {
            return Some(SkipReason::no_event(line.number));
        }
    }
    found.unmet.clone()
}
