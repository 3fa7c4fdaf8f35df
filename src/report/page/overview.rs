//! The reports on many runs -> sums for an overview: by day, outcome, rule, adapter, mode and tag,
//! and how long runs and their parts take.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::calendar::{date, day_of};
use super::item::tag_text;
use crate::ground::finding::{EpisodeReport, ReportedFault, RunEntry, Tally, Totals, sum_of};
use crate::ground::printable::shortened;

/// The maximum number of latencies, by their names, whose values are kept, and of metrics.
const MAX_FIGURES: usize = 1_000;

/// The number of runs that failed last of which an overview tells.
const MAX_FAILED: usize = 5;

/// The outcomes and statuses of runs that failed.
const FAILED: [&str; 6] = [
    "error",
    "failed",
    "goal_not_achieved",
    "vetoed",
    "aborted",
    "partial",
];

/// The number of characters of a message that is kept for a rule.
const MAX_MESSAGE_CHARS: usize = 400;

/// Sums over many runs. Of a run it keeps its duration, its latencies and its metrics, and counts
/// the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunSums {
    pub(crate) all: Totals,
    /// Runs in which a rule could not be judged.
    pub(super) unjudged: u64,
    pub(super) days: BTreeMap<i64, DaySums>,
    /// Runs whose start is not known.
    pub(crate) undated: u64,
    /// The directory that all runs are below, once one is known.
    pub(super) dir: Option<String>,
    pub(crate) rules: BTreeMap<String, Tally>,
    /// By rule, the newest run in which it found something.
    pub(super) newest: BTreeMap<String, Newest>,
    /// The newest runs that failed.
    pub(super) failed: BTreeMap<RunAge, FailedRun>,
    pub(crate) outcomes: BTreeMap<String, Totals>,
    pub(crate) statuses: BTreeMap<String, Totals>,
    pub(crate) adapters: BTreeMap<String, Totals>,
    pub(crate) modes: BTreeMap<String, Totals>,
    pub(crate) tags: BTreeMap<String, Totals>,
    /// By the tools that were called.
    pub(crate) tools: BTreeMap<String, Totals>,
    pub(crate) durations: Vec<f64>,
    pub(crate) latencies: BTreeMap<String, Vec<f64>>,
    pub(crate) metrics: BTreeMap<String, Vec<f64>>,
    /// The paths that could not be read or judged, with the reasons, sorted by path.
    pub(crate) faults: Vec<ReportedFault>,
    /// `true` if everything that was found so far could be read and judged.
    pub(crate) is_complete: bool,
    /// `true` if runs are still being judged for the first time.
    pub(crate) is_under_way: bool,
    /// The settings that runs were judged with; empty where they are not known.
    pub(crate) settings: String,
}

/// The runs that started on a day.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct DaySums {
    /// The number of runs by verdict: `invalid` are those whose records can't be trusted, and
    /// `breaks_rule` those whose records agree and that break a rule of the team.
    pub(in crate::report) verdicts: BTreeMap<&'static str, u64>,
    /// The number of runs by outcome, or else by status; `(none)` stands for runs without either.
    pub(in crate::report) outcomes: BTreeMap<String, u64>,
}

/// The key by which runs are sorted: the newest first, those without a start last, then by
/// directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunAge {
    pub(super) started: Reverse<Option<i64>>,
    pub(super) dir: String,
}

/// A run that failed, was stopped or missed its goal.
#[derive(Clone, Debug)]
pub(super) struct FailedRun {
    pub(super) id: String,
    pub(super) task: Option<String>,
    /// How it ended.
    pub(super) ended: String,
}

/// The newest run in which a rule found something.
#[derive(Clone, Debug)]
pub(super) struct Newest {
    pub(super) started_sec: Option<i64>,
    pub(super) dir: String,
    pub(super) id: String,
    /// The message of the rule's first finding, where reports are at hand.
    pub(super) message: Option<String>,
}

impl RunSums {
    /// Adds a run and its report to the sums.
    pub(in crate::report) fn add(&mut self, run: &RunEntry, report: &EpisodeReport) {
        self.add_run(run);
        for finding in &report.findings {
            let newest = self.newest.get_mut(&*finding.rule);
            if let Some(newest) = newest.filter(|it| it.dir == report.dir && it.message.is_none()) {
                newest.message = Some(shortened(&finding.message, MAX_MESSAGE_CHARS));
            }
        }
    }

    /// Counts one more run in.
    pub(crate) fn add_run(&mut self, run: &RunEntry) {
        let totals = &run.totals;
        self.all.plus(totals);
        self.widen(&run.dir);
        self.unjudged += u64::from(run.unjudged > 0);
        for (rule, tally) in &run.rules {
            self.rules
                .entry(rule.to_string())
                .or_default()
                .plus(*tally);
            self.keep_newest(rule, run);
        }

        for (sums, name) in [
            (&mut self.outcomes, run.outcome.as_deref()),
            (&mut self.statuses, run.status.as_deref()),
            (&mut self.adapters, run.adapter.as_deref()),
            (&mut self.modes, run.mode.as_deref()),
        ] {
            sum_of(sums, name).plus(totals);
        }

        for tag in &run.tags {
            sum_of(&mut self.tags, Some(&tag_text(tag))).plus(totals);
        }
        for tool in &run.tools {
            sum_of(&mut self.tools, tool.tool.as_deref()).plus(totals);
        }

        match run.started_sec() {
            None => self.undated += 1,
            Some(started) => {
                let day = self
                    .days
                    .entry(day_of(started))
                    .or_default();
                for (verdict, number) in totals.verdicts() {
                    *day.verdicts
                        .entry(verdict.word())
                        .or_default() += number;
                }

                let ended = run
                    .outcome
                    .as_deref()
                    .or(run.status.as_deref());
                *sum_of(&mut day.outcomes, ended) += 1;
            }
        }

        self.keep_failed(run);
        self.durations.extend(run.duration_sec);
        for (kept, figures) in [
            (&mut self.latencies, &run.latencies),
            (&mut self.metrics, &run.metrics),
        ] {
            for (name, value) in figures {
                if kept.contains_key(&**name) || kept.len() < MAX_FIGURES {
                    kept.entry(name.to_string())
                        .or_default()
                        .push(*value);
                }
            }
        }
    }

    /// Returns the last days with runs, by their dates.
    pub(crate) fn by_date(&self, most: usize) -> impl Iterator<Item = (String, DaySums)> {
        self.days
            .iter()
            .rev()
            .take(most)
            .map(|(day, sums)| (date(*day), sums.clone()))
    }

    fn keep_failed(&mut self, run: &RunEntry) {
        let mut bad = [run.outcome.as_deref(), run.status.as_deref()]
            .into_iter()
            .flatten()
            .filter(|end| FAILED.contains(end));
        let Some(ended) = bad.next() else {
            return;
        };
        let failed = FailedRun {
            id: run.episode_id.clone(),
            task: run
                .task
                .as_deref()
                .map(|task| shortened(task, MAX_MESSAGE_CHARS)),
            ended: ended.to_owned(),
        };

        let age = RunAge {
            started: Reverse(run.started_sec()),
            dir: run.dir.clone(),
        };
        self.failed.insert(age, failed);
        if self.failed.len() > MAX_FAILED {
            self.failed.pop_last();
        }
    }

    fn keep_newest(&mut self, rule: &str, run: &RunEntry) {
        let age = (run.started_sec(), &*run.dir);
        let known = self.newest.get(rule);
        if known.is_none_or(|known| (known.started_sec, &*known.dir) < age) {
            let newest = Newest {
                started_sec: run.started_sec(),
                dir: run.dir.clone(),
                id: run.episode_id.clone(),
                message: None,
            };
            self.newest
                .insert(rule.to_owned(), newest);
        }
    }

    /// Takes the directory that all runs are below up to where it holds one more.
    fn widen(&mut self, dir: &str) {
        let parent = dir
            .rsplit_once('/')
            .map_or("", |(parent, _)| parent);
        let shared = self
            .dir
            .as_deref()
            .map_or(parent, |known| {
                let length = known
                    .split('/')
                    .zip(parent.split('/'))
                    .take_while(|(one, other)| one == other)
                    .map(|(part, _)| part.len() + 1)
                    .sum::<usize>();
                parent
                    .get(..length.saturating_sub(1))
                    .unwrap_or_default()
            });

        if self.dir.as_deref() != Some(shared) {
            self.dir = Some(shared.to_owned());
        }
    }
}
