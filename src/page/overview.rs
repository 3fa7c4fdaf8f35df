//! The reports on many runs -> sums for an overview: by day, outcome, rule, adapter, mode and tag,
//! and how long runs and their parts take.

use std::collections::BTreeMap;

use super::calendar::day_of;
use super::row::RunRow;
use crate::finding::{EpisodeReport, NONE, ReportedFault, Tally, Totals, by_rule, sum_of};

/// The maximum number of latencies, by their names, whose values are kept.
const MAX_LATENCIES: usize = 1_000;

/// Sums over many runs. Of a run it keeps its duration and its latencies, and counts the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunSums {
    pub(crate) all: Totals,
    /// Runs in which a rule could not be judged.
    pub(super) unjudged: u64,
    pub(super) days: BTreeMap<i64, Day>,
    /// Runs whose start is not known.
    pub(super) undated: u64,
    pub(crate) rules: BTreeMap<String, Tally>,
    pub(crate) outcomes: BTreeMap<String, Totals>,
    pub(crate) statuses: BTreeMap<String, Totals>,
    pub(crate) adapters: BTreeMap<String, Totals>,
    pub(crate) modes: BTreeMap<String, Totals>,
    pub(crate) tags: BTreeMap<String, Totals>,
    pub(crate) durations: Vec<f64>,
    pub(crate) latencies: BTreeMap<String, Vec<f64>>,
}

/// The runs that started on a day.
#[derive(Clone, Debug, Default)]
pub(super) struct Day {
    pub(super) all: Totals,
    pub(super) outcomes: BTreeMap<String, u64>,
}

/// What is known of a check at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completion<'c> {
    /// What could not be looked at or judged, sorted by path.
    pub(crate) faults: &'c [ReportedFault],
    pub(crate) is_complete: bool,
    /// Whether runs are still being judged for the first time.
    pub(crate) is_under_way: bool,
}

impl RunSums {
    /// Counts one more run in.
    pub(crate) fn add(&mut self, report: &EpisodeReport) {
        let rules = by_rule(&report.findings);
        self.add_row(&RunRow::of(report), &Totals::of(report), rules.into_iter());
    }

    /// Counts one more run in: its row, its part of the totals, and its findings by rule.
    pub(crate) fn add_row<'r>(
        &mut self,
        row: &RunRow<'_>,
        totals: &Totals,
        rules: impl Iterator<Item = (&'r str, Tally)>,
    ) {
        self.all.plus(totals);
        self.unjudged += u64::from(row.unjudged > 0);
        for (rule, tally) in rules {
            self.rules.entry(rule.to_owned()).or_default().plus(tally);
        }
        for (sums, name) in [
            (&mut self.outcomes, row.outcome),
            (&mut self.statuses, row.status),
            (&mut self.adapters, row.adapter.as_deref()),
            (&mut self.modes, row.mode.as_deref()),
        ] {
            sum_of(sums, name).plus(totals);
        }
        for tag in &row.tags {
            sum_of(&mut self.tags, Some(tag)).plus(totals);
        }
        match row.started_sec {
            None => self.undated += 1,
            Some(started) => {
                let day = self.days.entry(day_of(started)).or_default();
                day.all.plus(totals);
                let ended = row.outcome.or(row.status).unwrap_or(NONE);
                *day.outcomes.entry(ended.to_owned()).or_default() += 1;
            }
        }
        self.durations.extend(row.duration_sec);
        for (name, value) in &row.latencies {
            let is_known = self.latencies.contains_key(*name);
            if is_known || self.latencies.len() < MAX_LATENCIES {
                let values = self.latencies.entry((*name).to_owned()).or_default();
                values.push(*value);
            }
        }
    }
}
