//! A path -> its runs by key, and the measures of each.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use super::{ByKey, Error, LeftOut, MAX_METRICS, PairBy, shown};
use crate::gate::Gate;
use crate::ground::document::{Kind, Node};
use crate::ground::finding::{EpisodeReport, Lifecycle, ReportedFault, Verdict};
use crate::ground::parallel::{in_order, while_ok};
use crate::ground::printable::{escape, quote};
use crate::judge::load::Loaded;
use crate::look::read::RunReader;
use crate::store::{GivenPaths, WalkFindings};

/// The measure that says how a run ended.
pub(super) const SUCCESS: &str = "success";

/// The measures of a summary: names and paths.
const BUILT_IN: [(&str, &[&str]); 10] = [
    (SUCCESS, &["metrics", "success"]),
    ("duration_sec", &["duration_sec"]),
    (
        "first_action_ms",
        &["metrics", "latencies", "first_action_ms"],
    ),
    ("total_ms", &["metrics", "latencies", "total_ms"]),
    ("planning_ms", &["metrics", "latencies", "planning_ms"]),
    ("execution_ms", &["metrics", "latencies", "execution_ms"]),
    ("plan_count", &["metrics", "plan_count"]),
    ("act_count", &["metrics", "act_count"]),
    ("reflect_count", &["metrics", "reflect_count"]),
    ("veto_count", &["metrics", "veto_count"]),
];

/// Returns the place of a measure in a list.
pub(super) fn rank(name: &str) -> usize {
    BUILT_IN
        .iter()
        .position(|(known, _)| *known == name)
        .unwrap_or(BUILT_IN.len())
}

/// Returns whether a lower value of a measure is better; `None` where nobody can tell.
pub(super) fn lower_is_better(name: &str) -> Option<bool> {
    (rank(name) < BUILT_IN.len()).then_some(name != SUCCESS)
}

/// A number as it was written.
pub(super) type Figure = Box<str>;

/// A run that can be compared.
pub(super) struct ComparedRun {
    pub(super) dir: String,
    pub(super) outcome: Option<String>,
    /// The places of measures, and their values.
    pub(super) figures: Vec<(usize, Figure)>,
}

/// A run as it was read.
struct ReadRun {
    key: Option<Vec<String>>,
    outcome: Option<String>,
    measures: Vec<ReadMeasure>,
}

/// A measure of a run: a number, or the kind of another value.
struct ReadMeasure {
    name: String,
    value: Result<Figure, Kind>,
}

/// The names of measures, and the runs in which each metric first is a number or something else.
#[derive(Default)]
pub(super) struct ComparedMetrics {
    pub(super) names: Vec<String>,
    met: BTreeMap<String, MetMetric>,
}

/// A metric in the runs that were read.
struct MetMetric {
    place: usize,
    /// The first run in which it is a number.
    number: Option<String>,
    /// The first run in which it is another value, and the kind of that.
    other: Option<(String, Kind)>,
}

impl ComparedMetrics {
    /// Returns the place of a measure, and notes a value that is no number.
    fn place(&mut self, name: &str, other: Option<Kind>, dir: &str) -> Result<usize, Error> {
        let next = self.names.len();
        if next == MAX_METRICS && !self.met.contains_key(name) {
            let message = format!("the runs have more than {MAX_METRICS} metrics");
            return Err(Error(message));
        }

        let met = self
            .met
            .entry(name.to_owned())
            .or_insert_with(|| {
                self.names.push(name.to_owned());
                MetMetric {
                    place: next,
                    number: None,
                    other: None,
                }
            });

        match other {
            None => drop(
                met.number
                    .get_or_insert_with(|| dir.to_owned()),
            ),
            Some(kind) => drop(
                met.other
                    .get_or_insert_with(|| (dir.to_owned(), kind)),
            ),
        }

        match met {
            MetMetric {
                number: Some(number),
                other: Some((other, _)),
                ..
            } => Err(Error(format!(
                "the metric {} is a number in {} and not in {}: runs that are compared measure it \
                 in the same way",
                quote(name),
                escape(number),
                escape(other)
            ))),
            met => Ok(met.place),
        }
    }

    /// Returns the metrics that are no numbers.
    pub(super) fn left_out(self) -> Vec<LeftOut> {
        self.met
            .into_iter()
            .filter_map(|(name, met)| {
                let (dir, kind) = met.other?;
                Some(LeftOut {
                    name,
                    kind: kind.with_article(),
                    dir,
                })
            })
            .collect()
    }
}

/// Finds the episodes below some paths.
///
/// # Errors
///
/// An error where there is none, and nothing that could not be read either.
pub(super) fn episodes_below<P: AsRef<Path>>(
    paths: &[P],
    gate: &Gate,
) -> Result<WalkFindings, Error> {
    let found = gate.search(paths, GivenPaths::Each);
    if !found.episodes.is_empty() || !found.faults.is_empty() {
        return Ok(found);
    }

    let paths: Vec<_> = paths
        .iter()
        .map(|path| escape(&path.as_ref().to_string_lossy()).into_owned())
        .collect();
    let (paths, exclusion) = (paths.join(", "), found.exclusion());

    Err(Error(format!("no episode found below {paths}{exclusion}")))
}

/// Returns why a run is not compared, if that is so whatever is asked of it.
pub(super) fn why_apart(
    valid: Option<bool>,
    verdict: Verdict,
    lifecycle: Lifecycle,
) -> Option<&'static str> {
    match (valid, lifecycle) {
        (Some(false) | None, _) => Some(verdict.word()),
        (_, Lifecycle::NonTerminal | Lifecycle::Unknown) => Some("unfinished"),
        (Some(true), Lifecycle::Terminal) => None,
    }
}

/// The runs of one path.
#[derive(Default)]
pub(super) struct Set {
    pub(super) runs: u64,
    pub(super) by_key: ByKey,
    /// Runs that are not compared, why, and the rule of the first error.
    pub(super) apart: Vec<(String, &'static str, Option<String>)>,
    pub(super) faults: Vec<ReportedFault>,
    /// Keys that several runs have.
    ambiguous: Vec<String>,
}

/// The keys that an error names, at most.
const MAX_NAMED: usize = 8;

impl Set {
    pub(super) fn read(
        path: &Path,
        keys: &[PairBy],
        gate: &Gate,
        metrics: &mut ComparedMetrics,
    ) -> Result<Self, Error> {
        let found = episodes_below(&[path], gate)?;
        let mut set = Self {
            runs: found.episodes.len() as u64,
            faults: found
                .faults
                .iter()
                .map(Into::into)
                .collect(),
            ..Self::default()
        };

        let mut result = Ok(());
        in_order(
            &found.episodes,
            gate.parallelism(),
            || gate.clone(),
            |gate, episode| {
                let run = RunReader::from(episode.episode());
                gate.judge(|worker| run.check_and(worker, None, |it| read(it, keys)))
            },
            |judged| {
                match judged {
                    Ok((report, read)) => result = set.add(report, read, metrics),
                    Err(fault) => set.faults.push((&fault).into()),
                }
                while_ok(&result)
            },
        );
        result?;

        if set.ambiguous.is_empty() {
            Ok(set)
        } else {
            Err(Error(format!(
                "several runs of one set have the same key, so it is open which to compare: {}; \
                 pair by more keys, such as task,seed or tag:NAME",
                set.ambiguous.join("; ")
            )))
        }
    }

    fn add(
        &mut self,
        report: EpisodeReport,
        read: ReadRun,
        metrics: &mut ComparedMetrics,
    ) -> Result<(), Error> {
        let key = match why_apart(report.valid, report.verdict, report.lifecycle) {
            Some(why) => Err(why),
            None => read.key.ok_or("no_key"),
        };

        self.faults.extend(report.fault());
        let key = match key {
            Ok(key) => key,
            Err(why) => {
                let rule = report
                    .first_error()
                    .map(|error| error.rule.clone());
                self.apart.push((report.dir, why, rule));
                return Ok(());
            }
        };

        let mut figures = Vec::new();
        for ReadMeasure { name, value } in read.measures {
            let place = metrics.place(&name, value.as_ref().err().copied(), &report.dir)?;
            figures.extend(value.map(|number| (place, number)));
        }

        let run = ComparedRun {
            dir: report.dir,
            outcome: read.outcome,
            figures,
        };

        if let Some(other) = self.by_key.get(&key) {
            if self.ambiguous.len() < MAX_NAMED {
                let (a, b) = (escape(&other.dir), escape(&run.dir));
                self.ambiguous
                    .push(format!("{} in {a} and {b}", shown(&key)));
            }
        } else {
            self.by_key.insert(key, run);
        }

        Ok(())
    }
}

fn read(loaded: &Loaded<'_, '_>, keys: &[PairBy]) -> ReadRun {
    let (state, summary) = (loaded.state.written(), loaded.summary.written());
    let mut measures = Vec::new();
    for (name, path) in BUILT_IN {
        let number = summary.and_then(|summary| summary.at(path)?.number());
        measures.extend(number.map(|number| ReadMeasure {
            name: name.to_owned(),
            value: Ok(number.text().into()),
        }));
    }

    if let Some(own) = state.and_then(|state| state.at(&["outcomes", "metrics"])) {
        add_metrics("metric:", own, &mut measures);
    }

    ReadRun {
        key: keys
            .iter()
            .map(|key| value_of(key, state, summary))
            .collect(),
        outcome: summary
            .and_then(|summary| summary.get("outcome")?.text())
            .map(Cow::into_owned),
        measures,
    }
}

/// Adds the metrics in an object, with those in the objects in it, whose names have the path to
/// them. A boolean is the number 0 or 1.
fn add_metrics(prefix: &str, metrics: Node<'_>, measures: &mut Vec<ReadMeasure>) {
    for key in metrics.members() {
        let (name, value) = (format!("{prefix}{}", key.name()), key.value());
        let read = match (value.kind(), value.boolean(), value.number()) {
            (Kind::Object, ..) => {
                add_metrics(&format!("{name}/"), value, measures);
                continue;
            }
            (_, Some(is_true), _) => Ok(if is_true { "1" } else { "0" }.into()),
            (.., Some(number)) => Ok(number.text().into()),
            (kind, ..) => Err(kind),
        };

        if !is_missing(value)
            && measures
                .iter()
                .all(|other| other.name != name)
        {
            measures.push(ReadMeasure { name, value: read });
        }
    }
}

/// Returns `true` if a metric has no value: null, or a text that writers put for a number that is
/// none.
fn is_missing(value: Node<'_>) -> bool {
    let number = value
        .text()
        .and_then(|text| text.parse::<f64>().ok());
    value.is_null() || number.is_some_and(|number| !number.is_finite())
}

/// Returns the value of a key, from the state or else from the summary.
fn value_of(key: &PairBy, state: Option<Node<'_>>, summary: Option<Node<'_>>) -> Option<String> {
    let either = |in_state: &[&str], in_summary: &[&str]| {
        let value = state
            .and_then(|state| state.at(in_state))
            .or_else(|| summary?.at(in_summary))?;
        let whole = value
            .number()
            .filter(|number| number.is_integer())
            .and_then(|number| number.shifted(0));
        value
            .text()
            .map(Cow::into_owned)
            .or_else(|| whole.map(|whole| whole.to_string()))
            .or_else(|| (!value.is_null()).then(|| value.raw().to_owned()))
    };

    match key {
        PairBy::Task => either(&["goal", "task"], &["task"]),
        PairBy::Seed => either(&["episode", "seed"], &["seed"]),
        PairBy::Tag(name) => either(&["episode", "tags", name], &["tags", name]),
    }
}
