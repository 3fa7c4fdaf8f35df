//! The reports on many runs -> sums for an overview: by day, outcome, rule, adapter, mode and tag,
//! and how long runs and their parts take.

use std::collections::BTreeMap;

use super::calendar::day_of;
use super::row::Row;
use crate::finding::{EpisodeReport, NONE, ReportedFault, Statistics, Totals, sum_of};

/// The maximum number of latencies, by their names, whose values are kept.
const MAX_LATENCY_NAMES: usize = 12;

/// Sums over many runs. Of a run it keeps its duration and its latencies, and counts the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overview {
    pub(super) all: Validity,
    pub(super) errors: u64,
    pub(super) warnings: u64,
    /// Runs in which a rule could not be judged.
    pub(super) unjudged: u64,
    /// Findings that do not count.
    pub(super) suppressed: u64,
    pub(super) days: BTreeMap<i64, Day>,
    /// Runs whose start is not known.
    pub(super) undated: u64,
    pub(super) outcomes: BTreeMap<String, Validity>,
    pub(super) statuses: BTreeMap<String, Validity>,
    pub(super) adapters: BTreeMap<String, Validity>,
    pub(super) modes: BTreeMap<String, Validity>,
    pub(super) tags: BTreeMap<String, Validity>,
    pub(super) statistics: Statistics,
    pub(super) durations: Vec<f64>,
    pub(super) latencies: BTreeMap<String, Vec<f64>>,
}

/// Runs by their verdict.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Validity {
    pub(super) valid: u64,
    pub(super) invalid: u64,
    pub(super) undecided: u64,
}

impl Validity {
    pub(super) fn runs(self) -> u64 {
        self.valid + self.invalid + self.undecided
    }

    fn add(&mut self, verdict: Option<bool>) {
        *match verdict {
            Some(true) => &mut self.valid,
            Some(false) => &mut self.invalid,
            None => &mut self.undecided,
        } += 1;
    }
}

/// The runs that started on a day.
#[derive(Clone, Debug, Default)]
pub(super) struct Day {
    pub(super) validity: Validity,
    pub(super) outcomes: BTreeMap<String, u64>,
}

/// What is known of a check at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending<'c> {
    pub(crate) totals: &'c Totals,
    /// What could not be looked at or judged, sorted by path.
    pub(crate) faults: &'c [ReportedFault],
    pub(crate) is_complete: bool,
    /// Whether runs are still being judged for the first time.
    pub(crate) is_under_way: bool,
}

impl Overview {
    /// Counts one more run in.
    pub(crate) fn add(&mut self, report: &EpisodeReport) {
        self.statistics.add(report);
        self.add_row(&Row::of(report));
    }

    /// Sums over rows, whose findings by rule are summed up elsewhere.
    #[cfg(feature = "cli")]
    pub(crate) fn of<'r>(rows: impl Iterator<Item = Row<'r>>, statistics: Statistics) -> Self {
        let mut sums = Self {
            statistics,
            ..Self::default()
        };
        rows.for_each(|row| sums.add_row(&row));
        sums
    }

    fn add_row(&mut self, row: &Row<'_>) {
        self.all.add(row.valid);
        self.errors += row.errors;
        self.warnings += row.warnings;
        self.unjudged += u64::from(row.unjudged > 0);
        self.suppressed += row.suppressed as u64;
        let outcome = row.outcome.or(row.status).unwrap_or(NONE);
        for (names, name) in [
            (&mut self.outcomes, row.outcome),
            (&mut self.statuses, row.status),
            (&mut self.adapters, row.adapter.as_deref()),
            (&mut self.modes, row.mode.as_deref()),
        ] {
            sum_of(names, name).add(row.valid);
        }
        for tag in &row.tags {
            sum_of(&mut self.tags, Some(tag)).add(row.valid);
        }
        match row.started_sec {
            None => self.undated += 1,
            Some(started) => {
                let day = self.days.entry(day_of(started)).or_default();
                day.validity.add(row.valid);
                *day.outcomes.entry(outcome.to_owned()).or_default() += 1;
            }
        }
        self.durations.extend(row.duration_sec);
        for (name, value) in &row.latencies {
            let is_known = self.latencies.contains_key(*name);
            if is_known || self.latencies.len() < MAX_LATENCY_NAMES {
                self.latencies
                    .entry((*name).to_owned())
                    .or_default()
                    .push(*value);
            }
        }
    }
}
