//! The reports of episodes -> totals, and statistics by rule, mode and adapter.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EpisodeReport, Severity, Suppression};
use crate::printable::brief;

/// Totals over all episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Totals {
    /// The number of episodes that were checked.
    pub episodes: u64,
    /// The number of episodes without an error.
    pub valid: u64,
    /// The number of episodes with at least one error.
    pub invalid: u64,
    /// The number of episodes that kept changing while they were read, so that findings were held
    /// back.
    pub undecided: u64,
    /// The number of findings of severity `error`.
    pub errors: u64,
    /// The number of findings of severity `warning`.
    pub warnings: u64,
    /// The number of findings that do not count because the configuration ignores them.
    #[serde(default)]
    pub ignored: u64,
    /// The number of findings that do not count because the baseline contains them.
    #[serde(default)]
    pub baselined: u64,
}

impl Totals {
    /// Counts one more episode in.
    pub fn add(&mut self, episode: &EpisodeReport) {
        self.episodes += 1;
        *match episode.valid {
            Some(true) => &mut self.valid,
            Some(false) => &mut self.invalid,
            None => &mut self.undecided,
        } += 1;
        for finding in &episode.findings {
            *match finding.severity {
                Severity::Error => &mut self.errors,
                Severity::Warning => &mut self.warnings,
            } += 1;
        }
        for suppressed in &episode.suppressed {
            *match suppressed.by {
                Suppression::Ignore => &mut self.ignored,
                Suppression::Baseline => &mut self.baselined,
            } += 1;
        }
    }
}

/// Totals by rule, by mode and by adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Statistics {
    /// For each rule with findings: the number of episodes that have them, and the number of
    /// findings.
    pub rules: BTreeMap<String, Tally>,
    /// For each mode of the runtime: the number of episodes, and of all findings in them. `(none)`
    /// stands for runs without a mode, `(others)` for the modes beyond the first 1,000. Long names
    /// are shortened.
    pub modes: BTreeMap<String, Tally>,
    /// The same for each adapter.
    pub adapters: BTreeMap<String, Tally>,
}

/// Totals over some episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Tally {
    /// The number of episodes.
    pub episodes: u64,
    /// The number of findings of severity `error`.
    pub errors: u64,
    /// The number of findings of severity `warning`.
    pub warnings: u64,
}

/// The number of modes and adapters that are counted separately: run data may have any number.
const MAX_NAMES: usize = 1_000;

impl Tally {
    fn add(&mut self, severity: Severity) {
        *match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        } += 1;
    }
}

impl Statistics {
    /// Counts one more episode in.
    pub fn add(&mut self, episode: &EpisodeReport) {
        let mut all = Tally {
            episodes: 1,
            ..Tally::default()
        };
        let mut met = BTreeSet::new();
        for finding in &episode.findings {
            all.add(finding.severity);
            let of_rule = self.rules.entry(finding.rule.clone()).or_default();
            of_rule.add(finding.severity);
            of_rule.episodes += u64::from(met.insert(&finding.rule));
        }
        for (names, name) in [
            (&mut self.modes, &episode.mode),
            (&mut self.adapters, &episode.adapter),
        ] {
            let mut name = name.as_deref().map_or_else(|| "(none)".into(), brief);
            if names.len() >= MAX_NAMES && !names.contains_key(&name) {
                name = "(others)".into();
            }
            let tally = names.entry(name).or_default();
            tally.episodes += all.episodes;
            tally.errors += all.errors;
            tally.warnings += all.warnings;
        }
    }
}
