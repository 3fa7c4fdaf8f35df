//! The news of a watch -> the runs that the service lists.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::entry::{Entry, Names};
use crate::finding::{EpisodeReport, ReportedFault, Statistics, Tally, Totals};

/// The maximum number of faults that are kept.
const MAX_FAULTS: usize = 1_000;

/// The maximum number of values of a kind that are counted one by one.
const MAX_NAMES: usize = 1_000;

/// What stands for a value that a run does not have.
pub(super) const NONE: &str = "(none)";

/// What stands for the values after those that are counted one by one.
const OTHERS: &str = "(others)";

/// What the service knows of the runs.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The runs by their paths.
    entries: BTreeMap<Arc<OsStr>, Arc<Entry>>,
    /// The ids of the runs, each with the path of the run.
    ids: BTreeSet<(Box<str>, Arc<OsStr>)>,
    names: Names,
    faults: BTreeMap<PathBuf, String>,
    /// Whether all runs that were there at the start were looked at.
    all_seen: bool,
    /// The number of changes so far.
    version: u64,
}

impl Index {
    /// Takes in a report; returns the entry, unless it says what was known.
    pub(super) fn put(&mut self, report: &EpisodeReport) -> Option<Arc<Entry>> {
        let entry = Arc::new(Entry::of(report, &mut self.names));
        let path = Arc::clone(&entry.path);
        if let Some(known) = self.entries.insert(path, Arc::clone(&entry)) {
            if known == entry {
                return None;
            }
            self.remove_id(&known);
        }
        let id = (entry.id.clone(), Arc::clone(&entry.path));
        self.ids.insert(id);
        self.version += 1;
        Some(entry)
    }

    /// Forgets a run; whether it was known.
    pub(super) fn remove(&mut self, dir: &Path) -> bool {
        self.version += 1;
        let known = self.entries.remove(dir.as_os_str());
        known.inspect(|known| self.remove_id(known)).is_some()
    }

    fn remove_id(&mut self, entry: &Entry) {
        let id = (entry.id.clone(), Arc::clone(&entry.path));
        self.ids.remove(&id);
    }

    pub(super) fn fault(&mut self, path: &Path, message: String) {
        self.version += 1;
        if self.faults.len() < MAX_FAULTS {
            self.faults.insert(path.to_owned(), message);
        }
    }

    /// Forgets what kept a path from being searched.
    pub(super) fn fault_gone(&mut self, path: &Path) {
        self.version += 1;
        self.faults.remove(path);
    }

    pub(super) fn see_all(&mut self) {
        self.version += 1;
        self.all_seen = true;
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.entries.values()
    }

    /// The runs with an id; where there are none, the run with this directory.
    pub(super) fn find(&self, name: &str) -> Vec<&Arc<Entry>> {
        let first: (Box<str>, Arc<OsStr>) = (name.into(), OsStr::new("").into());
        let of_id = self.ids.range(first..).take_while(|(id, _)| **id == *name);
        let of_id: Vec<_> = of_id
            .filter_map(|(_, path)| self.entries.get(path))
            .collect();
        if of_id.is_empty() {
            self.at(name).into_iter().collect()
        } else {
            of_id
        }
    }

    /// The run with a directory.
    pub(super) fn at(&self, dir: &str) -> Option<&Arc<Entry>> {
        let known = self.entries.get(OsStr::new(dir));
        // A path that is no text is named by the nearest text.
        known.or_else(|| self.entries().find(|entry| *entry.dir == *dir))
    }

    pub(super) fn faults(&self) -> Vec<ReportedFault> {
        let faults = self.faults.iter().map(|(path, message)| ReportedFault {
            path: path.to_string_lossy().into_owned(),
            message: message.clone(),
            sort: crate::finding::FaultSort::Other,
        });
        faults.collect()
    }

    /// Whether runs that were there at the start are still being looked at.
    pub(super) fn is_under_way(&self) -> bool {
        !self.all_seen
    }

    pub(super) fn is_complete(&self) -> bool {
        self.all_seen && self.faults.is_empty()
    }

    /// The sums over all runs.
    pub(super) fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for entry in self.entries() {
            totals.episodes += 1;
            *match entry.valid {
                Some(true) => &mut totals.valid,
                Some(false) => &mut totals.invalid,
                None => &mut totals.undecided,
            } += 1;
            totals.errors += entry.errors as u64;
            totals.warnings += entry.warnings as u64;
            totals.ignored += entry.ignored as u64;
            totals.baselined += entry.baselined as u64;
        }
        totals
    }

    /// The sums by rule, mode and adapter.
    pub(super) fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        for entry in self.entries() {
            for (rule, tally) in &entry.rules {
                add(&mut statistics.rules, Some(rule), *tally);
            }
            let all = entry.tally();
            add(&mut statistics.modes, entry.mode.as_deref(), all);
            add(&mut statistics.adapters, entry.adapter.as_deref(), all);
        }
        statistics
    }

    /// All sums, as the service gives them.
    pub(super) fn sums(&self) -> Sums {
        let mut sums = Sums {
            totals: self.totals(),
            statistics: self.statistics(),
            statuses: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            tags: BTreeMap::new(),
            duration_sec: None,
            latencies_ms: BTreeMap::new(),
            complete: self.is_complete(),
            faults: self.faults(),
        };
        let (mut durations, mut latencies) = (Vec::new(), BTreeMap::<&str, Vec<f64>>::new());
        for entry in self.entries() {
            let all = entry.tally();
            add(&mut sums.statuses, entry.status.as_deref(), all);
            add(&mut sums.outcomes, entry.outcome.as_deref(), all);
            for tag in &entry.tags {
                add(&mut sums.tags, Some(tag), all);
            }
            durations.extend(entry.duration_sec);
            for (name, ms) in &entry.latencies {
                if latencies.contains_key(&**name) || latencies.len() < MAX_NAMES {
                    latencies.entry(name).or_default().push(*ms);
                }
            }
        }
        sums.duration_sec = quantiles(durations);
        sums.latencies_ms = latencies
            .into_iter()
            .filter_map(|(name, values)| Some((name.to_owned(), quantiles(values)?)))
            .collect();
        sums
    }
}

impl Entry {
    fn tally(&self) -> Tally {
        Tally {
            episodes: 1,
            errors: self.errors as u64,
            warnings: self.warnings as u64,
        }
    }
}

fn add(names: &mut BTreeMap<String, Tally>, name: Option<&str>, tally: Tally) {
    let name = name.unwrap_or(NONE);
    let is_known = names.contains_key(name) || names.len() < MAX_NAMES;
    let name = if is_known { name } else { OTHERS };
    let sum = names.entry(name.to_owned()).or_default();
    sum.episodes += tally.episodes;
    sum.errors += tally.errors;
    sum.warnings += tally.warnings;
}

/// Sums over all runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Sums {
    /// The totals, as in a report.
    pub(super) totals: Totals,
    /// The same by rule, mode and adapter, as in a report.
    pub(super) statistics: Statistics,
    /// The same by status; `(none)` stands for runs without one, `(others)` for the values beyond
    /// the first 1,000.
    pub(super) statuses: BTreeMap<String, Tally>,
    /// The same by outcome.
    pub(super) outcomes: BTreeMap<String, Tally>,
    /// The same by tag.
    pub(super) tags: BTreeMap<String, Tally>,
    /// How long runs take, in seconds; null where no run says so.
    #[schemars(required, schema_with = "crate::record::nullable::<Quantiles>")]
    pub(super) duration_sec: Option<Quantiles>,
    /// How long parts of runs take, by their names, in milliseconds.
    pub(super) latencies_ms: BTreeMap<String, Quantiles>,
    /// Whether all runs were looked at, and there are no faults.
    pub(super) complete: bool,
    /// What could not be looked at, sorted by path; at most 1,000.
    pub(super) faults: Vec<ReportedFault>,
}

/// The middle and the upper end of some values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct Quantiles {
    /// The number of values.
    pub(super) count: usize,
    /// Half of the values are not above it.
    pub p50: f64,
    /// 95 of 100 values are not above it.
    pub p95: f64,
}

/// The middle and the upper end of values, by the nearest rank.
fn quantiles(mut values: Vec<f64>) -> Option<Quantiles> {
    values.sort_by(f64::total_cmp);
    let at = |percent: usize| {
        let rank = (values.len() * percent).div_ceil(100);
        values.get(rank.saturating_sub(1)).copied()
    };
    Some(Quantiles {
        count: values.len(),
        p50: at(50)?,
        p95: at(95)?,
    })
}
