//! Runs, and a tag -> the runs of each of its values side by side: means, their confidence
//! intervals, and the differences to one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::interval::Moments;
use super::reading::{SUCCESS, episodes_below, rank, why_apart};
use super::sign::{self, double};
use super::{Error, MAX_METRICS};
use crate::gate::Gate;
use crate::ground::finding::{ReportedFault, RunEntry};
use crate::ground::parallel::in_order;
use crate::ground::printable::{in_shell, quote};
use crate::look::read::RunReader;

/// The groups that are compared, at most: those with the most runs.
const MAX_GROUPS: usize = 20;

/// The runs of each value of a tag side by side.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet compare --by TAG --format json",
    extend("$id" = crate::ground::record::schema_id("groups"))
)]
pub(crate) struct GroupComparison {
    /// The tag.
    #[schemars(extend("examples" = ["model"]))]
    pub(super) by: String,
    /// The command that prints the same.
    #[schemars(extend("examples" = ["runvet compare runs --by model --base v1"]))]
    pub(super) command: String,
    /// The groups, first the one that others are compared with, then by value.
    pub(super) groups: Vec<Group>,
    /// The number of groups that are left out: those with the fewest runs, beyond 20 groups.
    pub(super) groups_more: usize,
    /// The number of runs that are not compared, by reason: `invalid`, `breaks_rule`, `undecided`,
    /// `unfinished`, `untagged`, or `no_task`.
    pub(super) apart_by: BTreeMap<&'static str, u64>,
    /// The number of metrics that are left out, beyond 256.
    pub(super) metrics_more: usize,
    /// The paths that could not be read or judged, with the reasons.
    pub(crate) faults: Vec<ReportedFault>,
}

/// The runs with a value of the tag.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct Group {
    /// The value.
    pub(super) value: String,
    /// The number of runs.
    pub(super) runs: u64,
    /// The number of tasks. Runs of one task are repeats, and count as one.
    pub(super) tasks: usize,
    /// Success first, then the duration and the metrics of the outcomes.
    pub(super) measures: Vec<GroupMeasure>,
}

/// A measure of the runs of a group.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct GroupMeasure {
    /// `success`, `duration_sec`, or `metric:` and the name of a metric.
    pub(super) name: String,
    /// The number of runs that have it.
    pub(super) runs: u64,
    /// The mean over tasks of the mean in the task; null where it is beyond a double.
    pub(super) mean: Option<f64>,
    /// The 95 % confidence interval of the mean, by the t-distribution over tasks; null for one
    /// task, and where all tasks have the same mean.
    pub(super) mean_ci: Option<[f64; 2]>,
    /// The number of tasks that the first group has too; 0 in the first group.
    pub(super) tasks: u64,
    /// The mean over these tasks of the mean in the task minus that of the first group.
    pub(super) difference: Option<f64>,
    /// The 95 % confidence interval of the difference.
    pub(super) difference_ci: Option<[f64; 2]>,
    /// The p-value of the two-sided sign test over these tasks, with mid-p; null without any.
    pub(super) p: Option<f64>,
}

/// The values of a measure in a task.
#[derive(Clone, Copy, Debug, Default)]
struct TaskMean {
    sum: f64,
    runs: u64,
}

impl TaskMean {
    fn mean(self) -> f64 {
        self.sum / double(self.runs)
    }
}

/// Groups on their way.
#[derive(Debug, Default)]
pub(crate) struct Grouping {
    by: String,
    groups: BTreeMap<String, GroupSums>,
    names: BTreeSet<String>,
    left_out: BTreeSet<String>,
    apart_by: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Default)]
struct GroupSums {
    runs: u64,
    tasks: BTreeSet<String>,
    /// By measure and task.
    measures: BTreeMap<String, BTreeMap<String, TaskMean>>,
}

impl GroupComparison {
    /// Reads and judges the runs below these paths, and compares those with each value of a tag
    /// with those with one of them, the first one unless it is given.
    pub(crate) fn read(
        paths: &[PathBuf],
        by: &str,
        base: Option<&str>,
        gate: &Gate,
    ) -> Result<Self, Error> {
        let found = episodes_below(paths, gate)?;
        let mut faults: Vec<ReportedFault> = found
            .faults
            .iter()
            .map(Into::into)
            .collect();
        let mut grouping = Grouping::by(by);
        let gate = gate.clone().keep_cards(true);

        in_order(
            &found.episodes,
            gate.parallelism(),
            || gate.clone(),
            |gate, episode| RunReader::from(episode.episode()).judge(gate),
            |judged| {
                match judged {
                    Ok(report) => {
                        faults.extend(report.fault());
                        grouping.add(&RunEntry::judged(&report));
                    }
                    Err(fault) => faults.push((&fault).into()),
                }
                std::ops::ControlFlow::Continue(())
            },
        );

        let paths: Vec<_> = paths
            .iter()
            .map(|path| path.to_string_lossy())
            .collect();
        let mut compared = grouping.finish(base, &paths)?;
        ReportedFault::tidy(&mut faults);
        compared.faults = faults;

        Ok(compared)
    }
}

impl Grouping {
    /// Returns no groups yet, by the values of a tag.
    pub(crate) fn by(tag: &str) -> Self {
        Self {
            by: tag.to_owned(),
            ..Self::default()
        }
    }

    /// Adds a run that was judged.
    pub(crate) fn add(&mut self, run: &RunEntry) {
        let tag = run
            .tags
            .iter()
            .find(|(name, _)| **name == *self.by);
        let why = why_apart(run.valid, run.verdict.unwrap_or_default(), run.lifecycle);
        let (value, task) = match (why, tag, &run.task) {
            (None, Some((_, value)), Some(task)) => (value, task),
            (why, tag, _) => {
                let lacks = if tag.is_none() { "untagged" } else { "no_task" };
                *self
                    .apart_by
                    .entry(why.unwrap_or(lacks))
                    .or_default() += 1;
                return;
            }
        };

        let of_group = self
            .groups
            .entry(value.to_string())
            .or_default();
        of_group.runs += 1;
        of_group.tasks.insert(task.clone());

        let single = [(SUCCESS, run.success), ("duration_sec", run.duration_sec)]
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let metrics = run
            .metrics
            .iter()
            .map(|(name, value)| (format!("metric:{name}"), *value));

        for (name, value) in single.chain(metrics) {
            if !self.names.contains(&name) && self.names.len() == MAX_METRICS {
                self.left_out.insert(name);
                continue;
            }

            self.names.insert(name.clone());
            let in_task = of_group
                .measures
                .entry(name)
                .or_default()
                .entry(task.clone())
                .or_default();
            in_task.sum += value;
            in_task.runs += 1;
        }
    }

    /// Compares the groups with one of them, which is the first unless it is given. The paths are
    /// those of the runs, for the command that prints the same.
    ///
    /// # Errors
    ///
    /// An error where no run has the tag, or this value of it.
    pub(crate) fn finish(
        mut self,
        base: Option<&str>,
        paths: &[impl AsRef<str>],
    ) -> Result<GroupComparison, Error> {
        let base = self.base(base)?.to_owned();
        let command = self.command(&base, paths);
        let first = self
            .groups
            .remove(&base)
            .unwrap_or_default();
        let mut groups: Vec<(String, GroupSums)> = self.groups.into_iter().collect();
        groups.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.runs));
        let groups_more = groups
            .len()
            .saturating_sub(MAX_GROUPS - 1);
        groups.truncate(MAX_GROUPS - 1);
        groups.sort_by(|(one, _), (other, _)| one.cmp(other));
        let others = groups
            .iter()
            .map(|(value, sums)| sums.group(value, Some(&first)));

        Ok(GroupComparison {
            by: self.by,
            command,
            groups: std::iter::once(first.group(&base, None))
                .chain(others)
                .collect(),
            groups_more,
            apart_by: self.apart_by,
            metrics_more: self.left_out.len(),
            faults: Vec::new(),
        })
    }

    /// Returns the value whose group others are compared with.
    fn base<'g>(&'g self, given: Option<&'g str>) -> Result<&'g str, Error> {
        let by = quote(&self.by);
        let Some(first) = self.groups.keys().next() else {
            let apart: Vec<_> = self
                .apart_by
                .iter()
                .map(|(why, runs)| format!("{runs} {why}"))
                .collect();
            return Err(Error(format!(
                "no run that can be compared has the tag {by}: {}",
                apart.join(", ")
            )));
        };

        let base = given.unwrap_or(first);
        if !self.groups.contains_key(base) {
            let values: Vec<_> = self
                .groups
                .keys()
                .map(|value| quote(value))
                .collect();
            return Err(Error(format!(
                "no run that can be compared has the tag {by} with the value {}; \
                 expected one of {}",
                quote(base),
                values.join(", ")
            )));
        }

        Ok(base)
    }

    /// Returns the command that prints the same.
    fn command(&self, base: &str, paths: &[impl AsRef<str>]) -> String {
        let paths = paths
            .iter()
            .map(|path| in_shell(path.as_ref()));
        ["runvet".into(), "compare".into()]
            .into_iter()
            .chain(paths)
            .chain(["--by".into(), in_shell(&self.by)])
            .chain(["--base".into(), in_shell(base)])
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl GroupSums {
    /// Returns the group, compared with the first one.
    fn group(&self, value: &str, first: Option<&Self>) -> Group {
        let mut measures: Vec<_> = (self.measures.iter())
            .map(|(name, by_task)| {
                let others = first.and_then(|first| first.measures.get(name));
                measure(name, by_task, others)
            })
            .collect();
        measures.sort_by(|a, b| (rank(&a.name), &a.name).cmp(&(rank(&b.name), &b.name)));

        Group {
            value: value.to_owned(),
            runs: self.runs,
            tasks: self.tasks.len(),
            measures,
        }
    }
}

/// Returns a measure by task, compared with that of the first group.
fn measure(
    name: &str,
    by_task: &BTreeMap<String, TaskMean>,
    of_first: Option<&BTreeMap<String, TaskMean>>,
) -> GroupMeasure {
    let (mut means, mut differences) = (Moments::default(), Moments::default());
    let (mut tasks, mut lower, mut higher) = (0, 0, 0);
    for (task, of_task) in by_task {
        means.add(of_task.mean());
        if let Some(other) = of_first.and_then(|first| first.get(task)) {
            let difference = of_task.mean() - other.mean();
            differences.add(difference);
            tasks += 1;
            lower += u64::from(difference < 0.0);
            higher += u64::from(difference > 0.0);
        }
    }

    GroupMeasure {
        name: name.to_owned(),
        runs: by_task.values().map(|it| it.runs).sum(),
        mean: means.mean(),
        mean_ci: means.interval(),
        tasks,
        difference: differences.mean().filter(|_| tasks > 0),
        difference_ci: differences.interval(),
        p: (tasks > 0).then(|| sign::p_value(lower, higher)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::finding::{Lifecycle, Verdict};

    fn run(value: &str, task: &str, success: f64, cost: f64) -> RunEntry {
        RunEntry {
            valid: Some(true),
            verdict: Some(Verdict::Valid),
            task: Some(task.to_owned()),
            tags: [("model".into(), value.into())].into(),
            success: Some(success),
            metrics: [("cost_usd".into(), cost)].into(),
            ..RunEntry::named("ep", "ep", Lifecycle::Terminal)
        }
    }

    #[test]
    fn repeats_of_a_task_count_as_one_and_differences_are_within_tasks() {
        let mut grouping = Grouping::by("model");
        // The first task is repeated; the second group lacks the third one.
        for (value, task, success, cost) in [
            ("a", "t1", 1.0, 1.0),
            ("a", "t1", 0.0, 3.0),
            ("a", "t2", 1.0, 4.0),
            ("a", "t3", 0.0, 9.0),
            ("b", "t1", 1.0, 3.0),
            ("b", "t2", 1.0, 6.0),
        ] {
            grouping.add(&run(value, task, success, cost));
        }
        grouping.add(&RunEntry::named("ep", "ep", Lifecycle::Terminal));
        let compared = grouping
            .finish(None, &["my runs"])
            .unwrap();
        assert_eq!(
            compared.command,
            "runvet compare 'my runs' --by model --base a"
        );
        assert_eq!(compared.apart_by, BTreeMap::from([("undecided", 1)]));
        let [a, b] = &*compared.groups else { panic!() };
        assert_eq!((a.runs, a.tasks, b.runs, b.tasks), (4, 3, 2, 2));
        let [success, cost] = &*a.measures else {
            panic!()
        };
        assert_eq!((&*success.name, success.mean), ("success", Some(0.5)));
        assert_eq!((&*cost.name, cost.mean), ("metric:cost_usd", Some(5.0)));
        assert_eq!((cost.tasks, cost.difference, cost.p), (0, None, None));
        let [success, cost] = &*b.measures else {
            panic!()
        };
        assert_eq!((success.difference, success.tasks), (Some(0.25), 2));
        // 1 and 2 more: the mean is 1.5, and half of the interval 12.7062 times half a step.
        assert_eq!((cost.mean, cost.difference), (Some(4.5), Some(1.5)));
        let [low, high] = cost.difference_ci.unwrap();
        assert!((low + 4.853_102).abs() < 1e-5 && (high - 7.853_102).abs() < 1e-5);
        assert_eq!(cost.p, Some(0.25));
    }
}
