//! The reports of episodes -> totals, and statistics by rule, mode and adapter.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EpisodeReport, Finding, Lifecycle, Severity, Skip, Suppression, Verdict};
use crate::ground::printable::brief;

/// Totals over all episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Totals {
    /// The number of episodes that were checked.
    pub episodes: u64,
    /// The number of episodes without an error.
    pub valid: u64,
    /// The number of episodes with at least one error.
    pub invalid: u64,
    /// The number of those whose records agree and that break a rule of the team.
    #[serde(default)]
    pub breaks_rule: u64,
    /// The number of episodes of which it is open whether they are valid: `valid` is null.
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
    /// The number of skips that `--deny-unjudged` counts as errors: all in a run that has ended,
    /// and in other runs those of kind `unreadable`, `syntax`, `version`, `no_event` or `limit`.
    #[serde(default)]
    pub unjudged: u64,
    /// The number of episodes for which no rule is on that applies to them.
    #[serde(default)]
    pub unchecked: u64,
    /// What a check did not judge. These count besides: a run that has not ended may be `valid`.
    #[serde(default)]
    pub not_judged: NotJudged,
}

/// The number of what a check did not judge, of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct NotJudged {
    /// The number of episodes that have not ended.
    pub not_ended: u64,
    /// The number of episodes in which a rule could not be judged because of what the records hold:
    /// those with a skip that `unjudged` counts.
    pub skipped: u64,
    /// The number of symbolic links that may lead to runs and were not followed.
    pub links: u64,
    /// The number of empty directories in directories called `episodes`.
    pub empty: u64,
    /// The number of rules of the team that can't be judged on a part of the runs.
    pub rules: u64,
}

impl NotJudged {
    /// Returns `true` if everything was judged.
    pub(crate) fn is_nothing(self) -> bool {
        self == Self::default()
    }
}

/// The conditions that fail a check besides errors.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Deny {
    /// `true` if warnings do.
    pub warnings: bool,
    /// `true` if rules do that could not be judged, as far as [`Totals::unjudged`] and
    /// [`NotJudged::rules`] count them.
    pub unjudged: bool,
}

impl Totals {
    /// Returns the totals of one episode.
    pub(crate) fn of(episode: &EpisodeReport) -> Self {
        let mut totals = Self::default();
        totals.add(episode);
        totals
    }

    /// Adds other totals.
    pub(crate) fn plus(&mut self, other: &Self) {
        for (sum, number) in self
            .numbers()
            .into_iter()
            .zip({ *other }.numbers())
        {
            *sum += *number;
        }
    }

    /// Takes away totals that were added.
    pub(crate) fn minus(&mut self, other: &Self) {
        for (sum, number) in self
            .numbers()
            .into_iter()
            .zip({ *other }.numbers())
        {
            *sum = sum.saturating_sub(*number);
        }
    }

    fn numbers(&mut self) -> [&mut u64; 16] {
        let not_judged = &mut self.not_judged;
        [
            &mut self.episodes,
            &mut self.valid,
            &mut self.invalid,
            &mut self.breaks_rule,
            &mut self.undecided,
            &mut self.errors,
            &mut self.warnings,
            &mut self.ignored,
            &mut self.baselined,
            &mut self.unjudged,
            &mut self.unchecked,
            &mut not_judged.not_ended,
            &mut not_judged.skipped,
            &mut not_judged.links,
            &mut not_judged.empty,
            &mut not_judged.rules,
        ]
    }

    /// Counts one more episode in.
    pub fn add(&mut self, episode: &EpisodeReport) {
        self.episodes += 1;
        *match episode.valid {
            Some(true) => &mut self.valid,
            Some(false) => &mut self.invalid,
            None => &mut self.undecided,
        } += 1;
        self.breaks_rule += u64::from(episode.verdict == Verdict::BreaksRule);
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

        let denied = |skip: &&Skip| skip.kind.is_denied(episode.lifecycle);
        let denied: Vec<&Skip> = episode
            .skipped
            .iter()
            .filter(denied)
            .collect();
        self.unjudged += denied.len() as u64;
        self.unchecked += u64::from(episode.is_unchecked);

        let is_skipped = denied
            .iter()
            .any(|skip| !skip.is_momentary());
        self.not_judged.skipped += u64::from(is_skipped);
        let is_open = episode.lifecycle == Lifecycle::NonTerminal;
        self.not_judged.not_ended += u64::from(is_open);
    }

    /// Returns the number of episodes of each verdict.
    pub(crate) const fn verdicts(&self) -> [(Verdict, u64); 4] {
        [
            (Verdict::Valid, self.valid),
            (Verdict::Invalid, self.invalid - self.breaks_rule),
            (Verdict::BreaksRule, self.breaks_rule),
            (Verdict::Undecided, self.undecided),
        ]
    }

    /// Returns the episodes and their findings.
    pub(crate) const fn tally(&self) -> Tally {
        Tally {
            episodes: self.episodes,
            errors: self.errors,
            warnings: self.warnings,
        }
    }

    /// Returns `true` if what was found fails a check.
    #[must_use]
    pub const fn fails(&self, deny: Deny) -> bool {
        self.errors > 0
            || (deny.warnings && self.warnings > 0)
            || (deny.unjudged && self.unjudged + self.not_judged.rules > 0)
    }
}

/// Totals by rule, by mode and by adapter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Statistics {
    /// For each rule with findings: the number of episodes that have them, and the number of
    /// findings.
    pub(crate) rules: BTreeMap<String, Tally>,
    /// For each mode of the runtime: the number of episodes, and of all findings in them. `(none)`
    /// stands for runs without a mode, `(others)` for the modes beyond the first 1,000. Long names
    /// are shortened.
    pub(crate) modes: BTreeMap<String, Tally>,
    /// The sums for each adapter, with the same words.
    pub(crate) adapters: BTreeMap<String, Tally>,
}

/// Totals over some episodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Default)]
pub(crate) struct Tally {
    /// The number of episodes.
    pub episodes: u64,
    /// The number of findings of severity `error`.
    pub errors: u64,
    /// The number of findings of severity `warning`.
    pub warnings: u64,
}

/// The number of values of a kind, such as adapters or tags, that are counted one by one: run data
/// may have any number.
const MAX_NAMES: usize = 1_000;

/// The name for a value that a run does not have.
pub(crate) const NONE: &str = "(none)";

/// The name for the values after those that are counted one by one.
pub(crate) const OTHERS: &str = "(others)";

/// Returns the sum of the runs with a value, or without any.
pub(crate) fn sum_of<'s, S: Default>(
    sums: &'s mut BTreeMap<String, S>,
    value: Option<&str>,
) -> &'s mut S {
    let value = value.unwrap_or(NONE);
    let is_counted = sums.len() < MAX_NAMES || sums.contains_key(value);
    let value = if is_counted { value } else { OTHERS };
    sums.entry(value.to_owned())
        .or_default()
}

/// Returns the value that a percentage of sorted values does not exceed, by the nearest rank.
pub(crate) fn quantile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted
        .get(rank.saturating_sub(1))
        .copied()
}

impl Tally {
    pub(crate) fn plus(&mut self, other: Self) {
        self.episodes += other.episodes;
        self.errors += other.errors;
        self.warnings += other.warnings;
    }
}

/// Findings by rule. In each sum there is one episode.
pub(crate) fn by_rule(findings: &[Finding]) -> BTreeMap<&str, Tally> {
    let mut sums: BTreeMap<&str, Tally> = BTreeMap::new();
    for finding in findings {
        let sum = sums.entry(&finding.rule).or_default();
        sum.episodes = 1;
        *match finding.severity {
            Severity::Error => &mut sum.errors,
            Severity::Warning => &mut sum.warnings,
        } += 1;
    }

    sums
}

impl Statistics {
    /// Counts one more episode in.
    pub fn add(&mut self, episode: &EpisodeReport) {
        for (rule, tally) in by_rule(&episode.findings) {
            self.rules
                .entry(rule.to_owned())
                .or_default()
                .plus(tally);
        }

        let all = Totals::of(episode).tally();
        for (names, name) in [
            (&mut self.modes, &episode.mode),
            (&mut self.adapters, &episode.adapter),
        ] {
            sum_of(names, name.as_deref().map(brief).as_deref()).plus(all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Totals, quantile};

    #[test]
    fn quantile_is_the_nearest_rank() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(quantile(&values, 50), Some(50.0));
        assert_eq!(quantile(&values, 95), Some(95.0));
        assert_eq!(quantile(&[7.0], 95), Some(7.0));
        assert_eq!(quantile(&[], 50), None);
    }

    #[test]
    fn run_is_added_and_taken_away_again() {
        let one = Totals {
            episodes: 1,
            invalid: 1,
            errors: 3,
            unjudged: 2,
            ..Totals::default()
        };
        let mut sums = Totals::default();
        sums.plus(&one);
        sums.plus(&one);
        sums.minus(&one);
        assert_eq!(sums, one);
    }
}
