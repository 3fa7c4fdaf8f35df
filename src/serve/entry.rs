//! The report on a run -> what the service keeps of it, in little memory.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::finding::{EpisodeReport, Lifecycle, Severity, Suppression, Tally};
use crate::page::{MAX_RULES, Row};

/// The maximum number of values of a kind that runs share.
const MAX_SHARED: usize = 10_000;

/// What stands between the texts of a run, so that no word is found across two of them.
const BETWEEN: char = '\n';

/// A text that many runs have, such as a status: it is kept once.
pub(super) type Name = Arc<str>;

/// What many runs have in common: it is kept once.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Labels {
    pub(super) status: Option<Name>,
    pub(super) outcome: Option<Name>,
    pub(super) mode: Option<Name>,
    pub(super) adapter: Option<Name>,
    pub(super) tags: Box<[Name]>,
    /// The names of latencies.
    pub(super) latencies: Box<[Name]>,
}

/// What runs share. What is beyond the limit is kept by its run alone.
#[derive(Debug, Default)]
pub(super) struct Shared {
    names: BTreeSet<Name>,
    labels: BTreeSet<Arc<Labels>>,
}

impl Shared {
    fn name(&mut self, text: &str) -> Name {
        if let Some(known) = self.names.get(text) {
            return Arc::clone(known);
        }
        let name = Name::from(text);
        if self.names.len() < MAX_SHARED {
            self.names.insert(Arc::clone(&name));
        }
        name
    }

    fn labels(&mut self, row: &Row<'_>) -> Arc<Labels> {
        let labels = Labels {
            status: row.status.map(|text| self.name(text)),
            outcome: row.outcome.map(|text| self.name(text)),
            mode: row.mode.as_deref().map(|text| self.name(text)),
            adapter: row.adapter.as_deref().map(|text| self.name(text)),
            tags: row.tags.iter().map(|tag| self.name(tag)).collect(),
            latencies: row
                .latencies
                .iter()
                .map(|(name, _)| self.name(name))
                .collect(),
        };
        if let Some(known) = self.labels.get(&labels) {
            return Arc::clone(known);
        }
        let labels = Arc::new(labels);
        if self.labels.len() < MAX_SHARED {
            self.labels.insert(Arc::clone(&labels));
        }
        labels
    }
}

/// A run of the index. What a row shows, and what sums need, in one block of memory besides a few
/// that most runs lack or share.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) labels: Arc<Labels>,
    /// The texts that the run has for itself, one after the other.
    texts: Box<str>,
    dir: Part,
    id: Part,
    task: Option<Part>,
    started_at: Option<Part>,
    /// The path of the directory, where no text can give it.
    path: Option<Box<Path>>,
    pub(super) started_sec: Option<i64>,
    pub(super) duration_sec: Option<f64>,
    /// The milliseconds of the latencies, in the order of their names.
    latencies: Box<[f64]>,
    /// What was found; most runs have no such thing.
    found: Option<Box<Found>>,
    pub(super) valid: Option<bool>,
    lifecycle: Lifecycle,
}

/// A part of the texts of a run. No part ends where they start.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    start: u32,
    end: NonZeroU32,
}

/// What the check of a run found.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Found {
    pub(super) errors: usize,
    pub(super) warnings: usize,
    pub(super) unjudged: usize,
    pub(super) ignored: usize,
    pub(super) baselined: usize,
    /// The findings by rule.
    pub(super) tallies: Vec<(Name, Tally)>,
}

/// Nothing was found.
static NOTHING: Found = Found {
    errors: 0,
    warnings: 0,
    unjudged: 0,
    ignored: 0,
    baselined: 0,
    tallies: Vec::new(),
};

impl Found {
    fn of(report: &EpisodeReport, row: &Row<'_>, shared: &mut Shared) -> Option<Box<Self>> {
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
            suppressed.filter(|suppressed| suppressed.by == by).count()
        };
        let found = Self {
            errors: row.errors,
            warnings: row.warnings,
            unjudged: row.unjudged,
            ignored: suppressed(Suppression::Ignore),
            baselined: suppressed(Suppression::Baseline),
            tallies: tallies
                .into_iter()
                .map(|(rule, tally)| (shared.name(rule), tally))
                .collect(),
        };
        (found != NOTHING).then(|| Box::new(found))
    }

    pub(super) fn suppressed(&self) -> usize {
        self.ignored + self.baselined
    }
}

/// Texts that are put together.
struct Texts(String);

impl Texts {
    fn add(&mut self, text: &str) -> Part {
        self.0.push(BETWEEN);
        let start = self.0.len();
        self.0.push_str(text);
        part(start, self.0.len())
    }
}

/// A part beyond 4 GiB, which no report has, is empty.
fn part(start: usize, end: usize) -> Part {
    let end = u32::try_from(end).ok().and_then(NonZeroU32::new);
    Part {
        start: u32::try_from(start).unwrap_or(u32::MAX),
        end: end.unwrap_or(NonZeroU32::MAX),
    }
}

impl Entry {
    pub(super) fn of(report: &EpisodeReport, shared: &mut Shared) -> Self {
        let row = Row::of(report);
        let texts = [Some(row.dir), row.task, row.started_at];
        let length = texts.iter().flatten().map(|text| text.len() + 1).sum();
        let mut texts = Texts(String::with_capacity(length));
        let dir = texts.add(row.dir);
        // The id is nearly always the name of the directory.
        let id = if row.dir.ends_with(row.id) {
            part(texts.0.len() - row.id.len(), texts.0.len())
        } else {
            texts.add(row.id)
        };
        let path = report.key.as_path();
        Self {
            dir,
            id,
            task: row.task.map(|text| texts.add(text)),
            started_at: row.started_at.map(|text| texts.add(text)),
            texts: texts.0.into(),
            path: (path.as_os_str() != row.dir).then(|| path.into()),
            started_sec: row.started_sec,
            duration_sec: row.duration_sec,
            latencies: row.latencies.iter().map(|(_, value)| *value).collect(),
            found: Found::of(report, &row, shared),
            valid: row.valid,
            lifecycle: row.lifecycle,
            labels: shared.labels(&row),
        }
    }

    fn text(&self, part: Part) -> &str {
        let (start, end) = (part.start as usize, part.end.get() as usize);
        self.texts.get(start..end).unwrap_or_default()
    }

    pub(super) fn id(&self) -> &str {
        self.text(self.id)
    }

    pub(super) fn dir(&self) -> &str {
        self.text(self.dir)
    }

    pub(super) fn task(&self) -> Option<&str> {
        self.task.map(|task| self.text(task))
    }

    /// The path of the directory.
    pub(super) fn path(&self) -> &Path {
        let path = self.path.as_deref();
        path.unwrap_or_else(|| Path::new(self.dir()))
    }

    /// The directory, the id and the task, with white space between them.
    pub(super) fn words(&self) -> &str {
        match self.started_at {
            None => &self.texts,
            // It comes last.
            Some(part) => self.texts.get(..part.start as usize).unwrap_or_default(),
        }
    }

    pub(super) fn latencies(&self) -> impl Iterator<Item = (&str, f64)> {
        let names = self.labels.latencies.iter().map(|name| &**name);
        names.zip(self.latencies.iter().copied())
    }

    pub(super) fn found(&self) -> &Found {
        self.found.as_deref().unwrap_or(&NOTHING)
    }

    /// The same as a row of a list.
    pub(super) fn row(&self) -> Row<'_> {
        let (labels, found) = (&*self.labels, self.found());
        let rules = found.tallies.iter().take(MAX_RULES);
        Row {
            id: self.id(),
            dir: self.dir(),
            valid: self.valid,
            lifecycle: self.lifecycle,
            task: self.task(),
            status: labels.status.as_deref(),
            outcome: labels.outcome.as_deref(),
            started_at: self.started_at.map(|text| self.text(text)),
            started_sec: self.started_sec,
            duration_sec: self.duration_sec,
            mode: labels.mode.as_deref().map(Into::into),
            adapter: labels.adapter.as_deref().map(Into::into),
            tags: labels.tags.iter().map(|tag| (&**tag).into()).collect(),
            latencies: self.latencies().collect(),
            errors: found.errors,
            warnings: found.warnings,
            unjudged: found.unjudged,
            suppressed: found.suppressed(),
            rules: rules.map(|(rule, _)| &**rule).collect(),
        }
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.row().serialize(serializer)
    }
}
