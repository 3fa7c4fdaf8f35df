//! The report on a run -> what the service keeps of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};

use crate::finding::{EpisodeReport, Lifecycle, Tally, Totals, Verdict, by_rule};
use crate::page::RunRow;
use crate::read::{Facet, Listed, Tallied};
use crate::store;
use crate::timestamp::Timestamp;

/// The maximum number of names that runs share.
const MAX_SHARED: usize = 10_000;

/// A text that many runs have, such as a status.
pub(super) type Name = Arc<str>;

/// The names that runs share. One beyond the limit is kept by its run alone.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeSet<Name>);

impl Names {
    fn name(&mut self, text: &str) -> Name {
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

/// A run of the index: what a row shows, and what sums need.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    /// The path of the directory; `dir` is its text.
    pub(super) path: Arc<OsStr>,
    pub(super) dir: Box<str>,
    pub(super) id: Box<str>,
    pub(super) valid: Option<bool>,
    verdict: Verdict,
    lifecycle: Lifecycle,
    pub(super) task: Option<Box<str>>,
    pub(super) status: Option<Name>,
    pub(super) outcome: Option<Name>,
    started_at: Option<Box<str>>,
    pub(super) started_sec: Option<i64>,
    pub(super) duration_sec: Option<f64>,
    /// When a file of a run in progress was last written, in seconds since 1970. It is no part of
    /// the report.
    pub(super) written_sec: Option<i64>,
    pub(super) mode: Option<Name>,
    pub(super) adapter: Option<Name>,
    pub(super) tags: Box<[Name]>,
    /// The names of latencies, each with its milliseconds.
    pub(super) latencies: Box<[(Name, f64)]>,
    /// The names of metrics, each with its number.
    pub(super) metrics: Box<[(Name, f64)]>,
    /// Its part of the sums.
    pub(super) totals: Totals,
    pub(super) unjudged: usize,
    /// The findings by rule.
    pub(super) rules: BTreeMap<Name, Tally>,
}

impl Entry {
    pub(super) fn of(report: &EpisodeReport, names: &mut Names) -> Self {
        let row = RunRow::of(report);
        let rules = by_rule(&report.findings).into_iter();
        let mut figures = |figures: &[(&str, f64)]| {
            let figures = figures.iter();
            figures.map(|(name, it)| (names.name(name), *it)).collect()
        };
        let (latencies, metrics) = (figures(&row.latencies), figures(&row.metrics));
        Self {
            path: report.key.as_path().as_os_str().into(),
            dir: row.dir.into(),
            id: row.id.into(),
            valid: row.valid,
            verdict: row.verdict,
            lifecycle: row.lifecycle,
            task: row.task.map(Into::into),
            status: row.status.map(|text| names.name(text)),
            outcome: row.outcome.map(|text| names.name(text)),
            started_at: row.started_at.map(Into::into),
            started_sec: row.started_sec,
            duration_sec: row.duration_sec,
            written_sec: None,
            mode: row.mode.as_deref().map(|text| names.name(text)),
            adapter: row.adapter.as_deref().map(|text| names.name(text)),
            tags: row.tags.iter().map(|tag| names.name(tag)).collect(),
            latencies,
            metrics,
            totals: Totals::of(report),
            unjudged: row.unjudged,
            rules: rules
                .map(|(rule, tally)| (names.name(rule), tally))
                .collect(),
        }
    }

    /// The path of the directory.
    pub(super) fn path(&self) -> &Path {
        Path::new(&*self.path)
    }

    /// Whether the run is in progress or paused.
    pub(super) fn is_running(&self) -> bool {
        self.lifecycle == Lifecycle::NonTerminal
    }

    pub(super) fn suppressed(&self) -> usize {
        usize::try_from(self.totals.ignored + self.totals.baselined).unwrap_or(usize::MAX)
    }

    /// The row of a list.
    pub(super) fn row(&self) -> RunRow<'_> {
        RunRow {
            id: &self.id,
            dir: &self.dir,
            valid: self.valid,
            verdict: self.verdict,
            lifecycle: self.lifecycle,
            task: self.task.as_deref(),
            status: self.status.as_deref(),
            outcome: self.outcome.as_deref(),
            started_at: self.started_at.as_deref(),
            started_sec: self.started_sec,
            duration_sec: self.duration_sec,
            written_sec: self.written_sec,
            mode: self.mode.as_deref().map(Into::into),
            adapter: self.adapter.as_deref().map(Into::into),
            tags: self.tags.iter().map(|tag| (&**tag).into()).collect(),
            latencies: texts(&self.latencies),
            metrics: texts(&self.metrics),
            errors: self.totals.errors,
            warnings: self.totals.warnings,
            unjudged: self.unjudged,
            suppressed: self.suppressed(),
            rules: self.rules.keys().map(|rule| &**rule).collect(),
        }
    }
}

fn texts(figures: &[(Name, f64)]) -> Vec<(&str, f64)> {
    figures.iter().map(|(name, it)| (&**name, *it)).collect()
}

fn figure(figures: &[(Name, f64)], name: &str) -> Option<f64> {
    let named = figures.iter().find(|(known, _)| **known == *name);
    named.map(|(_, value)| *value)
}

/// When a file of a run in progress was last written, in seconds since 1970.
pub(super) fn written_sec(report: &EpisodeReport) -> Option<i64> {
    if report.lifecycle != Lifecycle::NonTerminal {
        return None;
    }
    let written = store::last_written(report.key.as_path())?;
    let since = written.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

impl Listed for Entry {
    fn facet(&self, facet: Facet) -> Option<&str> {
        match facet {
            Facet::Status => self.status.as_deref(),
            Facet::Outcome => self.outcome.as_deref(),
            Facet::Adapter => self.adapter.as_deref(),
            Facet::Mode => self.mode.as_deref(),
            Facet::Verdict => Some(self.verdict.word()),
        }
    }

    fn texts(&self) -> [&str; 3] {
        let task = self.task.as_deref().unwrap_or_default();
        [&self.dir, &self.id, task]
    }

    fn started(&self) -> Option<Timestamp> {
        let exact = self.started_at.as_deref().and_then(Timestamp::parse);
        // A long text is cut.
        exact.or_else(|| self.started_sec.map(Timestamp::from_unix_seconds))
    }

    fn duration_sec(&self) -> Option<f64> {
        self.duration_sec
    }

    fn valid(&self) -> Option<bool> {
        self.valid
    }

    fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(|tag| &**tag)
    }

    fn latency(&self, name: &str) -> Option<f64> {
        figure(&self.latencies, name)
    }

    fn metric(&self, name: &str) -> Option<f64> {
        figure(&self.metrics, name)
    }

    fn silence(&self) -> Option<Duration> {
        let since = Duration::from_secs(u64::try_from(self.written_sec?).ok()?);
        (SystemTime::UNIX_EPOCH + since).elapsed().ok()
    }

    fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.keys().map(|rule| &**rule)
    }

    fn count(&self, counted: Tallied) -> u64 {
        match counted {
            Tallied::Errors => self.totals.errors,
            Tallied::Warnings => self.totals.warnings,
            Tallied::Unjudged => self.unjudged as u64,
            Tallied::Suppressed => self.suppressed() as u64,
        }
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.row().serialize(serializer)
    }
}
