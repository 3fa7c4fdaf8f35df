//! The news of a watch -> the runs that the service lists, in little memory.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::entry::{Entry, Shared};
use crate::finding::{EpisodeReport, ReportedFault, Statistics, Tally, Totals};

/// The maximum number of faults that are kept.
const MAX_FAULTS: usize = 1_000;

/// The maximum number of values of a kind that are counted one by one.
const MAX_NAMES: usize = 1_000;

/// What stands for a value that a run does not have.
pub(super) const NONE: &str = "(none)";

/// What stands for the values after those that are counted one by one.
const OTHERS: &str = "(others)";

/// An entry in its place among all: they are in the order of their paths.
#[derive(Debug)]
struct Listed(Arc<Entry>);

impl Borrow<OsStr> for Listed {
    fn borrow(&self) -> &OsStr {
        self.0.path().as_os_str()
    }
}

impl Ord for Listed {
    fn cmp(&self, other: &Self) -> Ordering {
        Borrow::<OsStr>::borrow(self).cmp(other.borrow())
    }
}

impl PartialOrd for Listed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Listed {}

impl PartialEq for Listed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

/// What the service knows of the runs.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: BTreeSet<Listed>,
    faults: BTreeMap<PathBuf, String>,
    shared: Shared,
    /// Whether all runs that were there at the start were looked at.
    all_seen: bool,
    /// The number of changes so far.
    version: u64,
}

impl Index {
    /// Takes in a report; returns the entry, unless it says what was known.
    pub(super) fn put(&mut self, report: &EpisodeReport) -> Option<Arc<Entry>> {
        let entry = Arc::new(Entry::of(report, &mut self.shared));
        let known = self.entries.replace(Listed(Arc::clone(&entry)));
        if known.is_some_and(|known| known.0 == entry) {
            return None;
        }
        self.version += 1;
        Some(entry)
    }

    /// Forgets a run; whether it was known.
    pub(super) fn remove(&mut self, dir: &Path) -> bool {
        self.version += 1;
        self.entries.remove(dir.as_os_str())
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
        self.entries.iter().map(|listed| &listed.0)
    }

    /// The runs with an id; where there are none, the run with this directory.
    pub(super) fn find(&self, name: &str) -> Vec<&Arc<Entry>> {
        let of_id: Vec<_> = self.entries().filter(|entry| entry.id() == name).collect();
        if of_id.is_empty() {
            self.entries().filter(|entry| entry.dir() == name).collect()
        } else {
            of_id
        }
    }

    /// The run with a directory.
    pub(super) fn at(&self, dir: &str) -> Option<Arc<Entry>> {
        let known = self.entries.get(OsStr::new(dir)).map(|listed| &listed.0);
        let entry = known.or_else(|| self.entries().find(|entry| entry.dir() == dir));
        entry.cloned()
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
            let found = entry.found();
            totals.episodes += 1;
            *match entry.valid {
                Some(true) => &mut totals.valid,
                Some(false) => &mut totals.invalid,
                None => &mut totals.undecided,
            } += 1;
            totals.errors += found.errors as u64;
            totals.warnings += found.warnings as u64;
            totals.ignored += found.ignored as u64;
            totals.baselined += found.baselined as u64;
        }
        totals
    }

    /// The sums by rule, mode and adapter.
    pub(super) fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        for entry in self.entries() {
            for (rule, tally) in &entry.found().tallies {
                add(&mut statistics.rules, Some(rule), *tally);
            }
            let (labels, all) = (&entry.labels, entry.tally());
            add(&mut statistics.modes, labels.mode.as_deref(), all);
            add(&mut statistics.adapters, labels.adapter.as_deref(), all);
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
            let (labels, all) = (&entry.labels, entry.tally());
            add(&mut sums.statuses, labels.status.as_deref(), all);
            add(&mut sums.outcomes, labels.outcome.as_deref(), all);
            for tag in &labels.tags {
                add(&mut sums.tags, Some(tag), all);
            }
            durations.extend(entry.duration_sec);
            for (name, ms) in entry.latencies() {
                if latencies.contains_key(name) || latencies.len() < MAX_NAMES {
                    latencies.entry(name).or_default().push(ms);
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
            errors: self.found().errors as u64,
            warnings: self.found().warnings as u64,
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
