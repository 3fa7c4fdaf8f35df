//! The door to two runs side by side: their records, counts of events and findings -> where they
//! differ.
//!
//! Both runs are compared as one *comparison document* each:
//!
//! ```json
//! {"lifecycle": "terminal", "state": {}, "summary": {},
//!  "events": {"total": 11, "broken_lines": 0, "phases": {"act": 3}},
//!  "findings": {"plan/projection": 1}}
//! ```
//!
//! `state` and `summary` are the records as they are stored, `findings` the number of findings by
//! rule. Members are compared by name and items by position, numbers by their value; what is absent
//! equals null. Ids, times, durations and digests are expected to differ, and do not count.
//!
//! ```
//! use runvet::diff::{Subject, compare};
//!
//! let run_data = runvet::read::RunData::open("corpus/demo")?;
//! let (check, mut gate) = (runvet::check::Check::new(), runvet::gate::Gate::new());
//! let mut read = |id| Subject::new(&run_data.get(id)?, &check, &mut gate);
//! let diff = compare(&read("ep_01")?, &read("ep_03")?);
//! assert!(!diff.same);
//! assert_eq!(diff.differences[0].pointer, "/state/outcomes/metrics/task_score");
//! assert_eq!(diff.differences[0].right.get(), "0.95");
//! # Ok::<(), runvet::read::Error>(())
//! ```

#[cfg(test)]
#[cfg(feature = "cli")]
mod linear;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::check::Check;
use crate::dashboard::{Outline, Overview};
use crate::finding::EpisodeReport;
use crate::gate::Gate;
use crate::read::{Error, RunReader};
use crate::source::Artifact;
use crate::view::{Checked, View};
use walk::Walk;
#[cfg(feature = "cli")]
pub(crate) use walk::{differs, is_expected};

/// The maximum number of differences that are listed.
pub const MAX_DIFFERENCES: usize = 1_000;

/// The differences between two runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet diff --json",
    extend("$id" = crate::record::schema_id("diff"))
)]
#[non_exhaustive]
pub struct Diff {
    /// Whether nothing that counts differs.
    pub same: bool,
    /// The run that was named first.
    pub left: Side,
    /// The run that was named second.
    pub right: Side,
    /// The differences that count, at most 1,000.
    pub differences: Vec<Difference>,
    /// The number of differences that count and are not listed.
    pub more: u64,
    /// The differences between ids, times, durations and digests, which do not count; at most
    /// 1,000.
    pub uncounted: Vec<Difference>,
    /// The number of differences that do not count and are not listed.
    pub uncounted_more: u64,
}

/// One of the runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Side {
    /// The run's id.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub episode_id: String,
    /// The path of the episode's directory, as the user would type it.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub dir: String,
}

/// A place at which the two runs differ.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Difference {
    /// A JSON Pointer into the comparison documents of both runs. A comparison document has
    /// `lifecycle`, `state` and `summary` as stored, `events` with `total`, `broken_lines` and
    /// `phases`, and `findings`, the number of findings by rule.
    #[schemars(extend("examples" = ["/state/goal/task", "/findings/plan~1projection"]))]
    pub pointer: String,
    /// The value in the first run; null where it is absent. A value of more than 4 KiB is a text
    /// that starts with its beginning or describes it.
    #[schemars(schema_with = "crate::record::any_value")]
    pub left: Box<RawValue>,
    /// The value in the second run, in the same way.
    #[schemars(schema_with = "crate::record::any_value")]
    pub right: Box<RawValue>,
}

/// A run that is compared with another one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Subject {
    /// Its id and directory.
    pub side: Side,
    /// Its records.
    pub view: View,
    /// What a dashboard shows of its records.
    pub overview: Overview,
    /// Its timeline in outline.
    pub timeline: Outline,
    /// The report of a check.
    pub report: EpisodeReport,
}

impl Subject {
    /// Reads and judges a run.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where the directory can't be opened, or an artifact is there and can't
    /// be read, so that it can't be compared.
    pub fn new(run: &RunReader, check: &Check, gate: &mut Gate) -> Result<Self, Error> {
        let Checked {
            view,
            timeline,
            report,
            ..
        } = Checked::new(run, check, gate)?;
        let is_there = |artifact| view.artifacts.contains(&artifact);
        let (has_state, has_summary) = (is_there(Artifact::State), is_there(Artifact::Summary));
        let has_events = is_there(Artifact::Events);
        if has_state && let Err(error) = view.state {
            return Err(error);
        }
        if has_summary && let Err(error) = view.summary {
            return Err(error);
        }
        if has_events && let Some(reason) = timeline.fault {
            return Err(Error::Artifact {
                path: run.path().join(Artifact::Events.file_name()),
                place: None,
                reason,
            });
        }
        if report.kept_changing() {
            return Err(Error::Artifact {
                path: run.path().to_owned(),
                place: None,
                reason: crate::finding::STILL_CHANGING.to_string(),
            });
        }
        Ok(Self {
            side: Side {
                episode_id: view.entry.episode_id.clone(),
                dir: run.path().to_string_lossy().into_owned(),
            },
            overview: view.overview(run),
            view,
            timeline,
            report,
        })
    }

    /// The number of findings by rule.
    #[must_use]
    pub fn findings(&self) -> BTreeMap<&str, u64> {
        let mut findings = BTreeMap::new();
        for finding in &self.report.findings {
            *findings.entry(&*finding.rule).or_default() += 1;
        }
        findings
    }
}

/// Compares two runs, in time and memory that grow no faster than their records.
#[must_use]
pub fn compare(left: &Subject, right: &Subject) -> Diff {
    let mut walk = Walk::default();
    let lifecycle = |run: &Subject| Some(run.report.lifecycle.word());
    walk.at("lifecycle", |walk| {
        walk.word(lifecycle(left), lifecycle(right));
    });
    let [a, b] = [left, right].map(|run| Some(run.view.state.as_ref().ok()?.root()));
    walk.at("state", |walk| walk.value(a, b));
    let [a, b] = [left, right].map(|run| Some(run.view.summary.as_ref().ok()?.root()));
    walk.at("summary", |walk| walk.value(a, b));
    walk.at("events", |walk| {
        let read = |run: &Subject, count: u64| run.timeline.fault.is_none().then_some(count);
        let (a, b) = (&left.timeline, &right.timeline);
        walk.at("total", |walk| {
            walk.count(read(left, a.events), read(right, b.events));
        });
        walk.at("broken_lines", |walk| {
            walk.count(read(left, a.broken_lines), read(right, b.broken_lines));
        });
        walk.at("phases", |walk| counts(walk, &a.phases, &b.phases));
    });
    walk.at("findings", |walk| {
        counts(walk, &left.findings(), &right.findings());
    });
    let (differences, uncounted) = walk.done();
    Diff {
        same: differences.is_none(),
        left: left.side.clone(),
        right: right.side.clone(),
        differences: differences.listed,
        more: differences.more,
        uncounted: uncounted.listed,
        uncounted_more: uncounted.more,
    }
}

/// Compares numbers by name.
fn counts<K: AsRef<str> + Ord>(walk: &mut Walk, left: &BTreeMap<K, u64>, right: &BTreeMap<K, u64>) {
    let names: BTreeSet<&K> = left.keys().chain(right.keys()).collect();
    for name in names {
        let [a, b] = [left, right].map(|counts| counts.get(name).copied());
        walk.at(name.as_ref(), |walk| walk.count(a, b));
    }
}
