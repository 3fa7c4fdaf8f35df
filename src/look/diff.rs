//! Two runs side by side: their records, counts of events and findings -> the differences.
//!
//! Both runs are compared as one *comparison document* each:
//!
//! `state` and `summary` are the records as they are stored, `findings` the number of findings by
//! rule. Members are compared by name and items by position, but actions and steps are aligned:
//! actions by their tool and input, steps by their kind and description. Numbers are compared by
//! their value; what is absent equals null. Ids, times, durations and digests are expected to
//! differ, and do not count.

pub(crate) mod align;
mod linear;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::gate::Gate;
use crate::ground::document::Node;
use crate::ground::source::Artifact;
use crate::look::read::{Error, RunReader};
use crate::look::view::OpenedRun;
use crate::report::json_bytes;
use walk::DiffWalk;
pub(crate) use walk::{differs, is_expected};

/// The maximum number of differences that are listed.
pub(super) const MAX_DIFFERENCES: usize = 1_000;

/// The differences between two runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet diff --json",
    extend("$id" = crate::ground::record::schema_id("diff"))
)]
pub(crate) struct Diff {
    /// `true` if nothing that counts differs.
    pub(crate) same: bool,
    /// The run that was named first.
    pub(crate) left: Side,
    /// The run that was named second.
    pub(crate) right: Side,
    /// The first action that is not the same in both runs, else the first step; null where all are.
    pub(crate) first_divergence: Option<Divergence>,
    /// The differences that count, at most 1,000.
    pub(crate) differences: Vec<Difference>,
    /// The number of differences that count and are not listed.
    pub(crate) more: u64,
    /// The differences between ids, times, durations and digests, which do not count; at most
    /// 1,000.
    pub(crate) uncounted: Vec<Difference>,
    /// The number of differences that do not count and are not listed.
    pub(crate) uncounted_more: u64,
}

/// One of the runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Side {
    /// The run's id.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    episode_id: String,
    /// The path of the episode's directory, as the user would type it.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(crate) dir: String,
}

/// The first item of aligned lists that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Divergence {
    /// The JSON Pointer to it in the first run's comparison document; null where that lacks it.
    #[schemars(extend("examples" = ["/state/outcomes/actions/0"]))]
    pub(crate) left: Option<String>,
    /// The same for the second run.
    pub(crate) right: Option<String>,
}

impl Divergence {
    /// Finds it in lists that each run has at a path.
    fn of(runs: [&OpenedRun; 2], pointer: &str, path: &[&str]) -> Option<Self> {
        let lists = runs.map(|run| run.records.in_state(path));
        let [left, right] = lists.map(|list| {
            list.into_iter()
                .flat_map(Node::items)
                .collect()
        });
        let (left, right): (Vec<Node<'_>>, Vec<Node<'_>>) = (left, right);
        let differ = |[a, b]: &align::Row| {
            let [a, b] = [(&left, a), (&right, b)].map(|(list, at)| list.get((*at)?).copied());
            differs(a, b)
        };

        let rows = align::rows(pointer, &left, &right);
        let [left, right] = rows.into_iter().find(differ)?;
        let [left, right] = [left, right].map(|at| at.map(|at| format!("{pointer}/{at}")));

        Some(Self { left, right })
    }
}

/// A place at which the two runs differ.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Difference {
    /// A JSON Pointer into the comparison documents of both runs; into that of one, if only that
    /// has the value. A comparison document has `lifecycle`, `state` and `summary` as stored,
    /// `events` with `total`, `broken_lines` and `phases`, and `findings`, the number of findings
    /// by rule.
    #[schemars(extend("examples" = ["/state/goal/task", "/findings/plan~1projection"]))]
    pub(crate) pointer: String,
    /// The pointer into the second run's document, if the item stands at another position there;
    /// otherwise it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("examples" = ["/state/outcomes/actions/1/tool"]))]
    pub(crate) right_pointer: Option<String>,
    /// The value in the first run; null where it is absent. A value of more than 4 KiB is a text
    /// that starts with its beginning or describes it.
    #[schemars(schema_with = "crate::ground::record::any_value")]
    pub(crate) left: Box<RawValue>,
    /// The value in the second run, in the same way.
    #[schemars(schema_with = "crate::ground::record::any_value")]
    pub(crate) right: Box<RawValue>,
}

/// Reads and judges two runs, and returns the JSON object that `runvet diff --json` prints, which
/// [`Schema::Diff`](crate::Schema::Diff) describes.
///
/// # Errors
///
/// [`Error::Artifact`] where a directory can't be opened, an artifact is there and can't be read,
/// or neither run has a state, so that they can't be compared.
pub fn json(left: &RunReader, right: &RunReader, gate: &mut Gate) -> Result<Vec<u8>, Error> {
    let (left, right) = (opened(left, gate)?, opened(right, gate)?);
    Ok(json_bytes(&compare(&left, &right)?))
}

/// Reads and judges a run that is to be compared.
///
/// # Errors
///
/// [`Error::Artifact`] where the directory can't be opened, or an artifact is there and can't be
/// read, so that it can't be compared.
pub(crate) fn opened(run: &RunReader, gate: &mut Gate) -> Result<OpenedRun, Error> {
    let opened = OpenedRun::judged(run, gate)?;
    let entries = opened.records.entries;
    if entries.has(Artifact::State)
        && let Err(error) = opened.records.state
    {
        return Err(error);
    }

    if entries.has(Artifact::Summary)
        && let Err(error) = opened.records.summary
    {
        return Err(error);
    }

    if entries.has(Artifact::Events)
        && let Some(reason) = opened.timeline.fault
    {
        let path = run
            .path()
            .join(Artifact::Events.file_name());
        return Err(Error::at(path, &reason));
    }

    if opened.report.kept_changing() {
        return Err(Error::at(
            run.path(),
            &crate::ground::finding::STILL_CHANGING,
        ));
    }

    Ok(opened)
}

/// Returns the number of findings by rule.
pub(crate) fn findings(run: &OpenedRun) -> BTreeMap<&str, u64> {
    let mut findings = BTreeMap::new();
    for finding in &run.report.findings {
        *findings
            .entry(&*finding.rule)
            .or_default() += 1;
    }

    findings
}

/// Returns the id and the directory of a run.
fn side(run: &OpenedRun) -> Side {
    Side {
        episode_id: run.records.entry.episode_id.clone(),
        dir: run.timeline.dir.clone(),
    }
}

/// Compares two runs, in time and memory that grow no faster than their records.
///
/// # Errors
///
/// [`Error::Artifact`] if neither run has a state: nothing has their plans and actions.
pub(crate) fn compare(left: &OpenedRun, right: &OpenedRun) -> Result<Diff, Error> {
    if [left, right]
        .iter()
        .all(|run| !run.records.entries.has(Artifact::State))
    {
        let why = "neither run has a state.json, so their plans and actions can't be compared";
        return Err(Error::at(&left.timeline.dir, &why));
    }

    let mut walk = DiffWalk::default();
    let lifecycle = |run: &OpenedRun| Some(run.report.lifecycle.word());
    walk.at("lifecycle", |walk| {
        walk.plain(lifecycle(left), lifecycle(right));
    });

    let [a, b] = [left, right].map(|run| run.records.in_state(&[]));
    walk.at("state", |walk| walk.value(a, b));
    let [a, b] = [left, right].map(|run| run.records.in_summary(&[]));
    walk.at("summary", |walk| walk.value(a, b));
    walk.at("events", |walk| {
        let read = |run: &OpenedRun, count: u64| {
            run.timeline
                .fault
                .is_none()
                .then_some(count)
        };

        let (a, b) = (&left.timeline, &right.timeline);
        walk.at("total", |walk| {
            walk.plain(read(left, a.events), read(right, b.events));
        });
        walk.at("broken_lines", |walk| {
            walk.plain(read(left, a.broken_lines), read(right, b.broken_lines));
        });
        walk.at("phases", |walk| counts(walk, &a.phases, &b.phases));
    });
    walk.at("findings", |walk| {
        counts(walk, &findings(left), &findings(right));
    });

    let (differences, uncounted) = walk.done();
    let of_list = |pointer, path: &[&str]| Divergence::of([left, right], pointer, path);
    let first_divergence = of_list(align::ACTIONS, &["outcomes", "actions"]);

    Ok(Diff {
        first_divergence: first_divergence.or_else(|| of_list(align::STEPS, &["plan", "steps"])),
        same: differences.is_none(),
        left: side(left),
        right: side(right),
        differences: differences.listed,
        more: differences.more,
        uncounted: uncounted.listed,
        uncounted_more: uncounted.more,
    })
}

/// Compares numbers by name.
fn counts<K: AsRef<str> + Ord>(
    walk: &mut DiffWalk,
    left: &BTreeMap<K, u64>,
    right: &BTreeMap<K, u64>,
) {
    let names: BTreeSet<&K> = left
        .keys()
        .chain(right.keys())
        .collect();

    for name in names {
        let [a, b] = [left, right].map(|counts| counts.get(name).copied());
        walk.at(name.as_ref(), |walk| walk.plain(a, b));
    }
}
