//! The news of a watch -> the runs that the service lists, in little memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::{
    EpisodeReport, Lifecycle, ReportedFault, Severity, Statistics, Suppression, Tally, Totals,
};
use crate::page::Row;

/// The maximum number of faults that are kept.
const MAX_FAULTS: usize = 1_000;

/// The maximum number of values of a kind that are counted one by one.
const MAX_NAMES: usize = 1_000;

/// What stands for a value that a run does not have.
pub(super) const NONE: &str = "(none)";

/// What stands for the values after those that are counted one by one.
const OTHERS: &str = "(others)";

/// The maximum number of texts that runs share.
const MAX_SHARED: usize = 10_000;

/// A text that many runs have, such as a status: it is kept once.
type Name = Arc<str>;

/// The texts that runs share. A text beyond the limit is kept by its run alone.
#[derive(Debug, Default)]
struct Names(BTreeSet<Name>);

impl Names {
    fn get(&mut self, text: &str) -> Name {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let name = Name::from(text);
        if self.0.len() < MAX_SHARED {
            self.0.insert(Arc::clone(&name));
        }
        name
    }
}

/// A run as an item of a list. What its records do not say is absent. Texts are short, and safe to
/// print.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct RunItem {
    /// The run's id, as in a report.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(super) id: Box<str>,
    /// The path of the episode's directory, as the user would type it. It names the run among all.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(super) dir: Box<str>,
    /// Whether the episode has no finding of severity `error`; null where that is undecided,
    /// because the episode kept changing while it was read.
    #[schemars(required, schema_with = "crate::record::nullable::<bool>")]
    pub(super) valid: Option<bool>,
    /// Whether the run has ended.
    pub(super) lifecycle: Lifecycle,
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) task: Option<Box<str>>,
    /// The status that the state gives, whether or not it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<Name>,
    /// The outcome that the summary gives, whether or not it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<Name>,
    /// When the run started, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) started_at: Option<Box<str>>,
    /// The same in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) started_sec: Option<i64>,
    /// The duration in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_sec: Option<f64>,
    /// The mode of the runtime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mode: Option<Name>,
    /// The adapter that executed the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) adapter: Option<Name>,
    /// Tags as `key:value`, at most 8.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) tags: Box<[Name]>,
    /// The names of latencies, each with its milliseconds; at most 12.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) latencies: Box<[(Name, f64)]>,
    /// The number of findings of severity `error`.
    pub(super) errors: usize,
    /// The number of findings of severity `warning`.
    pub(super) warnings: usize,
    /// The number of rules that could not be judged.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unjudged: usize,
    /// The number of findings that do not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) suppressed: usize,
    /// The rules of the findings, each once; at most 24.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) rules: Box<[Name]>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl RunItem {
    fn of(report: &EpisodeReport, names: &mut Names) -> Self {
        let row = Row::of(report);
        let text = |text: Option<&str>| text.map(Box::from);
        let latencies = row.latencies.iter();
        Self {
            id: row.id.into(),
            dir: row.dir.into(),
            valid: row.valid,
            lifecycle: row.lifecycle,
            task: text(row.task),
            status: row.status.map(|text| names.get(text)),
            outcome: row.outcome.map(|text| names.get(text)),
            started_at: text(row.started_at),
            started_sec: row.started_sec,
            duration_sec: row.duration_sec,
            mode: row.mode.as_deref().map(|text| names.get(text)),
            adapter: row.adapter.as_deref().map(|text| names.get(text)),
            latencies: latencies.map(|(name, ms)| (names.get(name), *ms)).collect(),
            errors: row.errors,
            warnings: row.warnings,
            unjudged: row.unjudged,
            suppressed: row.suppressed,
            rules: row.rules.iter().map(|rule| names.get(rule)).collect(),
            tags: row.tags.iter().map(|tag| names.get(tag)).collect(),
        }
    }

    /// The same as a row of a page.
    pub(super) fn row(&self) -> Row<'_> {
        Row {
            id: &self.id,
            dir: &self.dir,
            valid: self.valid,
            lifecycle: self.lifecycle,
            task: self.task.as_deref(),
            status: self.status.as_deref(),
            outcome: self.outcome.as_deref(),
            started_at: self.started_at.as_deref(),
            started_sec: self.started_sec,
            duration_sec: self.duration_sec,
            mode: self.mode.as_deref().map(Into::into),
            adapter: self.adapter.as_deref().map(Into::into),
            tags: self.tags.iter().map(ToString::to_string).collect(),
            latencies: self
                .latencies
                .iter()
                .map(|(name, ms)| (&**name, *ms))
                .collect(),
            errors: self.errors,
            warnings: self.warnings,
            unjudged: self.unjudged,
            suppressed: self.suppressed,
            rules: self.rules.iter().map(|rule| &**rule).collect(),
        }
    }
}

/// A run of the index: its item, and what only sums need.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) item: RunItem,
    /// The findings by rule.
    tallies: Box<[(Name, Tally)]>,
    ignored: u64,
    baselined: u64,
}

impl Entry {
    fn of(report: &EpisodeReport, names: &mut Names) -> Self {
        let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
        for finding in &report.findings {
            let tally = tallies.entry(&finding.rule).or_default();
            tally.episodes = 1;
            *match finding.severity {
                Severity::Error => &mut tally.errors,
                Severity::Warning => &mut tally.warnings,
            } += 1;
        }
        let suppressed = |by| {
            let suppressed = report.suppressed.iter();
            suppressed.filter(|suppressed| suppressed.by == by).count() as u64
        };
        Self {
            item: RunItem::of(report, names),
            tallies: tallies
                .into_iter()
                .map(|(rule, tally)| (names.get(rule), tally))
                .collect(),
            ignored: suppressed(Suppression::Ignore),
            baselined: suppressed(Suppression::Baseline),
        }
    }

    /// The findings of a rule, or of one that a test accepts.
    pub(super) fn has_rule(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        self.tallies.iter().any(|(rule, _)| is_wanted(rule))
    }
}

/// What the service knows of the runs.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: BTreeMap<PathBuf, Arc<Entry>>,
    faults: BTreeMap<PathBuf, String>,
    names: Names,
    /// Whether all runs that were there at the start were looked at.
    all_seen: bool,
    /// The number of changes so far.
    version: u64,
}

impl Index {
    /// Takes in a report; returns the item, unless it says what was known.
    pub(super) fn put(&mut self, report: &EpisodeReport) -> Option<Arc<Entry>> {
        let entry = Arc::new(Entry::of(report, &mut self.names));
        let known = self
            .entries
            .insert(report.key.as_path().to_owned(), Arc::clone(&entry));
        if known.is_some_and(|known| known.item == entry.item) {
            return None;
        }
        self.version += 1;
        Some(entry)
    }

    pub(super) fn remove(&mut self, dir: &Path) -> Option<Arc<Entry>> {
        self.version += 1;
        self.entries.remove(dir)
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
    pub(super) fn find(&self, name: &str) -> Vec<(&Path, &Arc<Entry>)> {
        let runs = || self.entries.iter().map(|(path, entry)| (&**path, entry));
        let of_id: Vec<_> = runs()
            .filter(|(_, entry)| &*entry.item.id == name)
            .collect();
        if !of_id.is_empty() {
            return of_id;
        }
        runs()
            .filter(|(_, entry)| &*entry.item.dir == name)
            .collect()
    }

    /// The run with a directory.
    pub(super) fn at(&self, dir: &str) -> Option<(PathBuf, Arc<Entry>)> {
        let mut runs = self.entries.iter();
        let (path, entry) = runs.find(|(_, entry)| &*entry.item.dir == dir)?;
        Some((path.clone(), Arc::clone(entry)))
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
        for entry in self.entries.values() {
            totals.episodes += 1;
            *match entry.item.valid {
                Some(true) => &mut totals.valid,
                Some(false) => &mut totals.invalid,
                None => &mut totals.undecided,
            } += 1;
            totals.errors += entry.item.errors as u64;
            totals.warnings += entry.item.warnings as u64;
            totals.ignored += entry.ignored;
            totals.baselined += entry.baselined;
        }
        totals
    }

    /// The sums by rule, mode and adapter.
    pub(super) fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        for entry in self.entries.values() {
            for (rule, tally) in &entry.tallies {
                add(&mut statistics.rules, Some(rule), *tally);
            }
            let all = entry.tally();
            add(&mut statistics.modes, entry.item.mode.as_deref(), all);
            add(&mut statistics.adapters, entry.item.adapter.as_deref(), all);
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
        for entry in self.entries.values() {
            let (item, all) = (&entry.item, entry.tally());
            add(&mut sums.statuses, item.status.as_deref(), all);
            add(&mut sums.outcomes, item.outcome.as_deref(), all);
            for tag in &item.tags {
                add(&mut sums.tags, Some(tag), all);
            }
            durations.extend(item.duration_sec);
            for (name, ms) in &item.latencies {
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
            errors: self.item.errors as u64,
            warnings: self.item.warnings as u64,
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
