//! What each rule says of a run, and a finding for each required rule that says nothing of it.

use std::collections::BTreeMap;

use super::{Checker, findings};
use crate::draft::{Draft, Drafted};
use crate::finding::{Coverage, EpisodeReport, Level, Lifecycle, Severity, Skip};
use crate::load::Loaded;
use crate::rules::coverage::required;
use crate::source::{Artifact, Place};

/// The coverage before any rule has answered: each rule that is on has nothing to compare.
pub(super) fn silent(check: &Checker) -> BTreeMap<String, Coverage> {
    let rules = check.rules.iter().zip(&check.levels);
    let on = rules.filter(|(_, level)| **level != Level::Off);
    on.map(|(rule, _)| (rule.info.id.to_string(), Coverage::Nothing))
        .collect()
}

/// Adds a finding for each rule that is required, and has not judged a run that has ended.
pub(super) fn demand(
    check: &Checker,
    loaded: &Loaded<'_, '_>,
    coverage: &mut BTreeMap<String, Coverage>,
    drafts: &mut Vec<Drafted>,
    skips: &[Skip],
) {
    let has_ended = loaded.run.stage.lifecycle == Lifecycle::Terminal;
    let Some(demand) = Demand::of(check, &check.levels).filter(|_| has_ended) else {
        return;
    };
    for &index in &check.required {
        let Some(rule) = check.rules.get(index) else {
            continue;
        };
        let id = &*rule.info.id;
        let skip = skips.iter().find(|skip| skip.rule == id);
        let why = match (skip, coverage.get(id)) {
            _ if drafts.iter().any(|it| it.rule_index == index) => continue,
            (Some(skip), _) => format!("could not be checked: {}", skip.reason),
            (None, Some(Coverage::Nothing)) => "has nothing to compare in this run".to_owned(),
            (None, Some(_)) => continue,
            (None, None) => IS_OFF.to_owned(),
        };
        drafts.push(demand.unmet(id, &why));
    }
    coverage.insert(required::RULE.info.id.to_string(), Coverage::Sound);
}

/// Why a rule that is required has not judged a run, where its level is off.
const IS_OFF: &str = "is off";

/// The rule about required rules, where it is on and any is required.
struct Demand {
    rule_index: usize,
    severity: Severity,
}

impl Demand {
    fn of(check: &Checker, levels: &[Level]) -> Option<Self> {
        let id = &required::RULE.info.id;
        let mut placed = check.rules.placed().zip(levels);
        let (of, level) = placed.find(|(of, _)| of.rule.info.id == *id)?;
        let severity = level.severity().filter(|_| check.requires_any())?;
        Some(Self {
            rule_index: of.index,
            severity,
        })
    }

    /// The finding about a rule. The state is there: it says that the run has ended.
    fn unmet(&self, rule: &str, why: &str) -> Drafted {
        let message = format!("`{rule}` is required, but {why}");
        Drafted {
            rule_index: self.rule_index,
            severity: self.severity,
            draft: Draft::new(Place::whole(Artifact::State), message).besides(rule),
        }
    }
}

/// Fits the coverage of a report to the levels in the directory of its run: a rule that is off
/// there says nothing of the run, and is missed where it is required.
pub(crate) fn fit_coverage(check: &Checker, levels: &[Level], report: &mut EpisodeReport) {
    let placed = check.rules.placed().zip(levels);
    let off = placed.filter_map(|(of, level)| (*level == Level::Off).then_some(of));
    let off: Vec<_> = off.collect();
    if let Some(coverage) = &mut report.coverage {
        for of in &off {
            coverage.remove(&*of.rule.info.id);
        }
    }
    let is_settled = report.lifecycle == Lifecycle::Terminal && !report.kept_changing();
    let Some(demand) = Demand::of(check, levels).filter(|_| is_settled) else {
        return;
    };
    let is_missed = |rule: &str| {
        let mut findings = report.findings.iter();
        findings.any(|it| it.rule_index == Some(demand.rule_index) && it.besides == rule)
    };
    let required = off
        .iter()
        .filter(|of| check.required.contains(&of.index) && !is_missed(&of.rule.info.id));
    let drafts: Vec<_> = required
        .map(|of| demand.unmet(&of.rule.info.id, IS_OFF))
        .collect();
    let findings = findings::locate(&check.rules, drafts, &[], &report.id, |places| {
        places.locate_in_lines(&report.key, |_, _, _| None)
    });
    if !findings.is_empty() {
        report.findings.extend(findings);
        findings::sort(&mut report.findings);
        cover(report);
    }
}

/// Adds to the coverage of a report which rules were skipped, and which found something.
pub(super) fn cover(report: &mut EpisodeReport) {
    let Some(coverage) = &mut report.coverage else {
        return;
    };
    let skipped = report
        .skipped
        .iter()
        .map(|it| (&it.rule, Coverage::Skipped));
    let found = report.findings.iter().map(|it| (&it.rule, Coverage::Found));
    for (rule, said) in skipped.chain(found) {
        coverage.insert(rule.clone(), said);
    }
}
