//! One run -> the coverage of each rule, and a finding for each required rule that did not judge
//! it.

use std::collections::BTreeMap;

use super::CheckSettings;
use crate::ground::draft::{Draft, Drafted};
use crate::ground::finding::{Coverage, EpisodeReport, Level, Lifecycle, Skip};
use crate::ground::source::{Artifact, Place};
use crate::judge::load::Loaded;
use crate::judge::rule::{Check, Rule};
use crate::judge::rules::coverage::required;

/// Returns the coverage before any rule has answered: each rule that is on has nothing to compare.
pub(super) fn silent(settings: &CheckSettings, levels: &[Level]) -> BTreeMap<String, Coverage> {
    let rules = settings.rules.iter().zip(levels);
    let is_judged = |rule: &Rule| !matches!(rule.check, Check::Hook);
    rules
        .filter(|(rule, level)| **level != Level::Off && is_judged(rule))
        .map(|(rule, _)| (rule.info.id.to_string(), Coverage::Nothing))
        .collect()
}

/// Adds a finding for each rule that is required, and has not judged a run that has ended.
pub(super) fn demand(
    settings: &CheckSettings,
    levels: &[Level],
    loaded: &Loaded<'_, '_>,
    coverage: &mut BTreeMap<String, Coverage>,
    drafts: &mut Vec<Drafted>,
    skips: &[Skip],
) {
    let has_ended = loaded.run.stage.lifecycle == Lifecycle::Terminal;
    let id = &required::RULE.info.id;
    let demanding = settings
        .rules
        .placed()
        .zip(levels)
        .find(|(of, _)| of.rule.info.id == *id);
    let Some((of, level)) = demanding.filter(|_| has_ended && !settings.required.is_empty()) else {
        return;
    };
    let (rule_index, Some(severity)) = (of.index, level.severity()) else {
        return;
    };

    for &index in &settings.required {
        let rule = settings.rules.own(index);
        let id = &*rule.info.id;
        let skip = skips
            .iter()
            .find(|skip| skip.rule == id);
        let why = match (skip, coverage.get(id)) {
            _ if drafts
                .iter()
                .any(|it| it.rule_index == index) =>
            {
                continue;
            }
            (Some(skip), _) => format!("could not be checked: {}", skip.reason),
            (None, Some(Coverage::Nothing)) => "has nothing to compare in this run".to_owned(),
            (None, Some(_)) => continue,
            (None, None) => "is off".to_owned(),
        };

        // The state is there: it says that the run has ended.
        let message = format!("`{id}` is required, but {why}");
        drafts.push(Drafted {
            rule_index,
            severity,
            draft: Draft::new(Place::whole(Artifact::State), message).besides(id),
        });
    }

    coverage.insert(id.to_string(), Coverage::Sound);
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
    let found = report
        .findings
        .iter()
        .map(|it| (&it.rule, Coverage::Found));

    for (rule, coverage_of_rule) in skipped.chain(found) {
        coverage.insert(rule.clone(), coverage_of_rule);
    }
}
