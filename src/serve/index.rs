//! The news of a watch -> the runs that the service lists.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::ground::digest::Digest;
use crate::ground::finding::{
    FaultSort, Lifecycle, ReportedFault, RunEntry, SharedTexts, Statistics, Tally, Totals, quantile,
};
use crate::look::watch::{FoundCounts, News};
use crate::report::page::{DaySums, RunSums};

/// The maximum number of faults that are listed.
const MAX_FAULTS: usize = 1_000;

/// Runs by their paths.
pub(super) type Entries = BTreeMap<Arc<OsStr>, Arc<RunEntry>>;

/// The runs as the service knows them.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The runs by their paths.
    entries: Entries,
    /// The digests of the ids of the runs, each with the path of the run.
    ids: BTreeSet<(Digest, Arc<OsStr>)>,
    texts: SharedTexts,
    totals: Totals,
    /// The messages by the paths that they are about.
    faults: BTreeMap<PathBuf, BTreeSet<(String, FaultSort)>>,
    /// The number of these messages.
    fault_count: usize,
    /// What was found; `None` while it is searched for the first time.
    found: Option<FoundCounts>,
    /// `true` if all runs that were there at the start were looked at.
    all_seen: bool,
    /// The number of changes so far.
    version: u64,
}

impl Index {
    /// Takes in a run; returns whether it says more than that a file was written, and what the run
    /// does now.
    pub(super) fn put(&mut self, path: &Path, mut entry: RunEntry) -> bool {
        entry.bound(&mut self.texts);
        let (path, known) = match self
            .entries
            .get_key_value(path.as_os_str())
        {
            Some((path, known)) => (Arc::clone(path), Some(Arc::clone(known))),
            None => (path.as_os_str().into(), None),
        };

        let is_new = known
            .as_ref()
            .is_none_or(|known| !entry.is_but_for_progress(known));
        if is_new {
            if let Some(known) = known {
                self.leave(&path, &known);
            }
            self.totals.plus(&entry.totals);
            self.ids
                .insert((digest(&entry.episode_id), Arc::clone(&path)));
            self.version += 1;
        }

        self.entries
            .insert(path, Arc::new(entry));
        is_new
    }

    /// Forgets a run; whether it was known.
    pub(super) fn remove(&mut self, dir: &Path) -> bool {
        self.version += 1;
        let known = self
            .entries
            .remove_entry(dir.as_os_str());

        known
            .inspect(|(path, known)| self.leave(path, known))
            .is_some()
    }

    /// Takes a run out of what is known of all.
    fn leave(&mut self, path: &Arc<OsStr>, entry: &RunEntry) {
        self.totals.minus(&entry.totals);
        let id = (digest(&entry.episode_id), Arc::clone(path));
        self.ids.remove(&id);
    }

    /// Takes in how far the watch is with looking at all runs, and what keeps it from that.
    pub(super) fn note(&mut self, news: News) {
        self.version += 1;
        match news {
            News::Fault(fault) => {
                let of_path = self
                    .faults
                    .entry(fault.path().to_owned())
                    .or_default();
                let sort = ReportedFault::from(&fault).sort;
                self.fault_count += usize::from(of_path.insert((fault.to_string(), sort)));
            }
            News::FaultGone(path) => {
                let gone = self.faults.remove(&path);
                self.fault_count -= gone.map_or(0, |gone| gone.len());
            }
            News::Found(found) => self.found = Some(found),
            News::AllSeen => self.all_seen = true,
            News::Judged(_) | News::Gone(_) | News::PassedOver(_) => {}
        }
    }

    /// Returns how many runs were found; at least those that were judged.
    pub(super) fn found(&self) -> Option<usize> {
        self.found
            .map(|found| found.runs.max(self.entries.len()))
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Returns the runs that were judged.
    pub(super) const fn entries(&self) -> &Entries {
        &self.entries
    }

    /// Returns the runs that have not ended.
    pub(super) fn running(&self) -> Vec<Arc<RunEntry>> {
        self.entries
            .values()
            .filter(|run| run.lifecycle == Lifecycle::NonTerminal)
            .cloned()
            .collect()
    }

    /// Returns the run with a directory; where there is none, the runs with this id.
    pub(super) fn find(&self, name: &str) -> Vec<(&Arc<OsStr>, &Arc<RunEntry>)> {
        if let Some(run) = self.at(name) {
            return vec![run];
        }

        let named = digest(name);
        self.ids
            .range((named, OsStr::new("").into())..)
            .take_while(|(id, _)| *id == named)
            .filter_map(|(_, path)| self.entries.get_key_value(path))
            .collect()
    }

    /// Returns the run with a directory.
    pub(super) fn at(&self, dir: &str) -> Option<(&Arc<OsStr>, &Arc<RunEntry>)> {
        let known = self
            .entries
            .get_key_value(OsStr::new(dir));
        // A path that is not UTF-8 is named by the nearest text, which has this character.
        if known.is_some() || !dir.contains(char::REPLACEMENT_CHARACTER) {
            return known;
        }

        self.entries
            .iter()
            .find(|(_, entry)| *entry.dir == *dir)
    }

    pub(super) fn faults(&self) -> Vec<ReportedFault> {
        self.faults
            .iter()
            .flat_map(|(path, messages)| {
                messages
                    .iter()
                    .map(move |it| (path, it))
            })
            .take(MAX_FAULTS)
            .map(|(path, (message, sort))| ReportedFault {
                path: path.to_string_lossy().into_owned(),
                message: message.clone(),
                sort: *sort,
            })
            .collect()
    }

    pub(super) fn fault_count(&self) -> usize {
        self.fault_count
    }

    /// Returns `true` if runs that were there at the start are still being looked at.
    pub(super) fn is_under_way(&self) -> bool {
        !self.all_seen
    }

    pub(super) fn is_complete(&self) -> bool {
        self.all_seen && self.faults.is_empty()
    }

    /// Returns the sums over all runs and by their properties.
    pub(super) fn overview(&self, settings: &str) -> RunSums {
        let mut sums = RunSums::default();
        self.entries
            .values()
            .for_each(|run| sums.add_run(run));

        let links = self
            .faults
            .values()
            .flatten()
            .filter(|(_, sort)| *sort == FaultSort::Link)
            .count();
        sums.all.not_judged.links = links as u64;
        sums.all.not_judged.empty = self
            .found
            .map_or(0, |found| found.empty);
        sums.faults = self.faults();
        sums.is_complete = self.faults.is_empty();
        sums.is_under_way = self.is_under_way();
        settings.clone_into(&mut sums.settings);

        sums
    }

    /// Returns all sums, as the service gives them.
    pub(super) fn sums(&self, sums: RunSums) -> IndexSums {
        let tallies = |sums: BTreeMap<String, Totals>| {
            sums.into_iter()
                .map(|(name, sum)| (name, sum.tally()))
                .collect()
        };

        let all = |figures: BTreeMap<String, Vec<f64>>| {
            figures
                .into_iter()
                .filter_map(|(name, values)| Some((name, quantiles(values)?)))
                .collect()
        };

        let verdicts = self
            .totals
            .verdicts()
            .into_iter()
            .map(|(verdict, runs)| (verdict.word(), runs));
        let mut totals = self.totals;
        totals.not_judged = sums.all.not_judged;

        IndexSums {
            totals,
            verdicts: verdicts.collect(),
            days: sums.by_date(MAX_DAYS).collect(),
            undated: sums.undated,
            judged: self.entries.len(),
            found: self.found(),
            statistics: Statistics {
                rules: sums.rules,
                modes: tallies(sums.modes),
                adapters: tallies(sums.adapters),
            },
            statuses: tallies(sums.statuses),
            outcomes: tallies(sums.outcomes),
            tags: tallies(sums.tags),
            tools: tallies(sums.tools),
            duration_sec: quantiles(sums.durations),
            latencies_ms: all(sums.latencies),
            metrics: all(sums.metrics),
            complete: self.is_complete(),
            faults: sums.faults,
        }
    }
}

fn digest(id: &str) -> Digest {
    Digest::of([id.as_bytes()])
}

/// The days that are listed, at most.
const MAX_DAYS: usize = 1_000;

/// Sums over all runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Sums")]
pub(super) struct IndexSums {
    /// The totals, as in a report.
    pub(super) totals: Totals,
    /// The number of runs by verdict: `invalid` are those whose records can't be trusted, and
    /// `breaks_rule` those whose records agree and that break a rule of the team.
    pub(super) verdicts: BTreeMap<&'static str, u64>,
    /// The runs that started on each of the last 1,000 days with runs, by its date in UTC.
    pub(super) days: BTreeMap<String, DaySums>,
    /// The number of runs whose start is not known.
    pub(super) undated: u64,
    /// The number of runs that were judged.
    pub(super) judged: usize,
    /// The number of runs that were found, judged or not; null while they are searched for the
    /// first time.
    #[schemars(required, schema_with = "crate::ground::record::nullable::<usize>")]
    pub(super) found: Option<usize>,
    /// The sums by rule, mode and adapter, as in a report.
    pub(super) statistics: Statistics,
    /// The sums by status; `(none)` stands for runs without one, `(others)` for the values beyond
    /// the first 1,000.
    pub(super) statuses: BTreeMap<String, Tally>,
    /// The sums by outcome.
    pub(super) outcomes: BTreeMap<String, Tally>,
    /// The sums by tag.
    pub(super) tags: BTreeMap<String, Tally>,
    /// The sums by tool that was called; `(none)` stands for calls whose tool is not known.
    pub(super) tools: BTreeMap<String, Tally>,
    /// The durations of runs, in seconds; null where no run gives one.
    #[schemars(required, schema_with = "crate::ground::record::nullable::<Quantiles>")]
    pub(super) duration_sec: Option<Quantiles>,
    /// The durations of parts of runs, by their names, in milliseconds.
    pub(super) latencies_ms: BTreeMap<String, Quantiles>,
    /// The metrics of outcomes, by their names.
    pub(super) metrics: BTreeMap<String, Quantiles>,
    /// `true` if all runs were looked at, and there are no faults.
    pub(super) complete: bool,
    /// The paths that could not be examined, sorted; at most 1,000.
    pub(super) faults: Vec<ReportedFault>,
}

/// The middle and the upper end of some values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct Quantiles {
    /// The number of values.
    pub(super) count: usize,
    /// Half of the values are not above it.
    pub(in crate::serve) p50: f64,
    /// 95 of 100 values are not above it.
    pub(in crate::serve) p95: f64,
}

/// Returns the middle and the upper end of values.
fn quantiles(mut values: Vec<f64>) -> Option<Quantiles> {
    values.sort_by(f64::total_cmp);
    Some(Quantiles {
        count: values.len(),
        p50: quantile(&values, 50)?,
        p95: quantile(&values, 95)?,
    })
}
