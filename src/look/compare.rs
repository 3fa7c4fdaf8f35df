//! Two sets of runs: the runs of each, paired -> the changes per pair and in sum.
//!
//! ```
//! use runvet::compare::{self, PairBy};
//! use runvet::gate::Gate;
//!
//! let gate = Gate::default();
//! let demo = "corpus/demo/episodes/ep_01_answer".as_ref();
//! let same = compare::json(demo, demo, &[PairBy::Task, PairBy::Seed], &gate)?;
//! assert!(same.contains(r#""pairs":1,"#));
//! # Ok::<(), runvet::compare::Error>(())
//! ```

mod condition;
mod groups;
mod interval;
mod measure;
#[cfg(feature = "commands")]
pub(crate) mod page;
mod reading;
mod sign;
mod stratified;
pub(crate) mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::gate::{Gate, Limit};
use crate::ground::document::Number;
use crate::ground::finding::{FaultSort, ReportedFault};
use crate::ground::printable::{brief, count, quote};
pub(crate) use condition::FailCondition;
use condition::Gated;
pub(crate) use groups::GroupComparison;
#[cfg(feature = "serve")]
pub(crate) use groups::Grouping;
use measure::{Measure, Sums};
use reading::{ComparedRun, Figure, Set};

/// A key by which the runs of two sets are paired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PairBy {
    /// The task.
    Task,
    /// The seed.
    Seed,
    /// The value of a tag.
    Tag(String),
}

impl fmt::Display for PairBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task => f.write_str("task"),
            Self::Seed => f.write_str("seed"),
            Self::Tag(name) => write!(f, "tag:{name}"),
        }
    }
}

impl FromStr for PairBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("tag:") {
            Some(name) if !name.is_empty() => Ok(Self::Tag(name.to_owned())),
            _ if text == "task" => Ok(Self::Task),
            _ if text == "seed" => Ok(Self::Seed),
            _ => Err(format!(
                "expected task, seed or tag:NAME, not {}",
                quote(text)
            )),
        }
    }
}

/// The reason why two sets of runs can't be compared.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

/// The metrics that are compared, at most.
const MAX_METRICS: usize = 256;

/// The rows of a list that is only for people to look at.
const MAX_LISTED: usize = 1_000;

/// Two sets of runs side by side.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet compare --format json",
    extend("$id" = crate::ground::record::schema_id("compare"))
)]
pub(crate) struct Comparison {
    /// The keys by which runs are paired; the first of them names the task.
    pair: Vec<String>,
    /// The set to compare with.
    base: SetSums,
    /// The set that may be better or worse.
    candidate: SetSums,
    /// The number of pairs.
    pairs: u64,
    /// The number of tasks. Pairs of one task are repeats, and count as one.
    tasks: u64,
    /// The changes in sum: success first, then durations, counts and metrics.
    measures: Vec<Measure>,
    /// Pairs of which one run succeeded and the other did not, to worse first; at most 1,000.
    pub(crate) flipped: Vec<Pair>,
    /// The number of flipped pairs that are to worse, listed or not.
    worse: u64,
    /// The number of flipped pairs that are not listed.
    flipped_more: u64,
    /// All pairs in which a measure differs, by their keys.
    changed: Vec<Pair>,
    /// Runs that are not compared, at most 1,000.
    apart: Vec<Apart>,
    /// The number of such runs that are not listed.
    apart_more: u64,
    /// The number of such runs by reason.
    apart_by: BTreeMap<&'static str, u64>,
    /// Metrics that are no numbers, and so are not compared, by their names.
    left_out: Vec<LeftOut>,
    /// The conditions that were to fail the comparison.
    gates: Vec<Gated>,
    /// The paths that could not be read or judged, with the reasons.
    pub(crate) faults: Vec<ReportedFault>,
}

/// The runs of a set.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct SetSums {
    /// The path that was given.
    path: String,
    /// The number of runs found.
    runs: u64,
    /// The number of runs that are in pairs.
    paired: u64,
}

/// Two runs with the same key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Pair {
    /// The values that pair them, in the order of `pair`.
    key: Vec<String>,
    /// The directory of the run in the base.
    pub(crate) base: String,
    /// The directory of the run in the candidate.
    pub(crate) candidate: String,
    /// `worse` or `better` where success flipped, else null.
    flipped: Option<&'static str>,
    /// The outcomes of both, from their summaries.
    outcomes: [Option<String>; 2],
    /// The measures that differ: base and candidate.
    #[schemars(with = "BTreeMap<String, [f64; 2]>")]
    values: BTreeMap<String, [Value; 2]>,
}

impl Pair {
    /// Returns two runs with a key; their measures, by their places among some names, are added to
    /// sums.
    fn of(
        key: Vec<String>,
        a: ComparedRun,
        b: ComparedRun,
        names: &[String],
        sums: &mut [Sums],
    ) -> Self {
        let mut pair = Self {
            key,
            flipped: None,
            values: BTreeMap::new(),
            outcomes: [a.outcome, b.outcome],
            base: a.dir,
            candidate: b.dir,
        };

        let one_sided = |at: usize, sums: &mut [Sums]| {
            sums.get_mut(at)
                .into_iter()
                .for_each(|sum| sum.so_far.one_sided += 1);
        };

        let mut others: BTreeMap<usize, Figure> = b.figures.into_iter().collect();
        for (at, value) in a.figures {
            let (Some(other), Some(name), Some(sum)) =
                (others.remove(&at), names.get(at), sums.get_mut(at))
            else {
                one_sided(at, sums);
                continue;
            };

            let [a, b] = [&value, &other].map(|text| Number::of(text));
            sum.add([a, b].map(Number::as_f64));
            if !a.equals(b) {
                if name == reading::SUCCESS {
                    pair.flipped = Some(if a.exceeds(b) { "worse" } else { "better" });
                }
                pair.values
                    .insert(name.clone(), [a, b].map(shown_number));
                sum.task.differing.push([value, other]);
            }
        }

        for at in others.into_keys() {
            one_sided(at, sums);
        }

        pair
    }
}

/// A metric that is not compared.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct LeftOut {
    /// Its name, as those of measures.
    name: String,
    /// The kind of its value: `a string` or `an array`.
    kind: &'static str,
    /// The directory of the first run that has it.
    dir: String,
}

/// A run that is not compared.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct Apart {
    /// `base` or `candidate`.
    set: &'static str,
    /// Its directory.
    dir: String,
    /// `invalid`, `breaks_rule`, `undecided`, `unfinished`, `no_key` or `unpaired`.
    why: &'static str,
    /// The rule of its first error; null where there is none.
    rule: Option<String>,
}

/// Reads, judges and compares the runs of two paths, and returns the output of `runvet compare
/// --format json`. Only runs that ended and are valid are compared.
///
/// # Errors
///
/// An error where runs of one set have the same key, or a metric is a number in one run and not in
/// another.
pub fn json(base: &Path, candidate: &Path, keys: &[PairBy], gate: &Gate) -> Result<String, Error> {
    let compared = compare(base, candidate, keys, gate)?;
    Ok(serde_json::to_string(&compared).unwrap_or_default())
}

/// Reads, judges and compares the runs of two paths.
pub(crate) fn compare(
    base: &Path,
    candidate: &Path,
    keys: &[PairBy],
    gate: &Gate,
) -> Result<Comparison, Error> {
    let mut sums = Comparison {
        pair: keys
            .iter()
            .map(ToString::to_string)
            .collect(),
        base: SetSums::of(base),
        candidate: SetSums::of(candidate),
        ..Comparison::default()
    };

    let mut metrics = reading::ComparedMetrics::default();
    let [before, after] = [("base", base), ("candidate", candidate)].map(|(name, path)| {
        let mut set = Set::read(path, keys, gate, &mut metrics)?;
        sums.faults.append(&mut set.faults);
        for (dir, why, rule) in std::mem::take(&mut set.apart) {
            sums.list_apart(name, dir, why, rule);
        }
        Ok(set)
    });
    let (mut before, mut after) = (before?, after?);
    sums.base.runs = before.runs;
    sums.candidate.runs = after.runs;
    sums.pair_up(&mut before.by_key, &mut after.by_key, &metrics.names);
    sums.left_out = metrics.left_out();
    ReportedFault::tidy(&mut sums.faults);

    Ok(sums)
}

impl SetSums {
    fn of(path: &Path) -> Self {
        Self {
            path: path.to_string_lossy().into_owned(),
            ..Self::default()
        }
    }
}

/// Returns a number in JSON: an integer of 64 bits as it is, any other as the nearest double.
fn shown_number(number: Number<'_>) -> Value {
    let beyond_a_double = |_| number.as_f64().into();
    serde_json::from_str(number.text()).unwrap_or_else(beyond_a_double)
}

type ByKey = BTreeMap<Vec<String>, ComparedRun>;

/// Returns the keys of the runs of two sets, each once and in the order of a list.
fn keys_of(base: &ByKey, candidate: &ByKey) -> Vec<Vec<String>> {
    let mut keys: Vec<Vec<String>> = base
        .keys()
        .chain(candidate.keys())
        .collect::<BTreeSet<&Vec<String>>>()
        .into_iter()
        .cloned()
        .collect();
    keys.sort_by_cached_key(|key| {
        key.iter()
            .map(|part| place_of(part))
            .collect::<Vec<_>>()
    });

    keys
}

impl Comparison {
    fn list_apart(
        &mut self,
        set: &'static str,
        dir: String,
        why: &'static str,
        rule: Option<String>,
    ) {
        *self.apart_by.entry(why).or_default() += 1;
        if self.apart.len() < MAX_LISTED {
            self.apart.push(Apart {
                set,
                dir,
                why,
                rule,
            });
        } else {
            self.apart_more += 1;
        }
    }

    /// Adds up the pairs, which come by task.
    fn pair_up(&mut self, base: &mut ByKey, candidate: &mut ByKey, names: &[String]) {
        let mut sums = vec![Sums::default(); names.len()];
        let mut tasks: BTreeSet<String> = BTreeSet::new();
        let (mut better, mut worse) = (Vec::new(), Vec::new());
        for key in keys_of(base, candidate) {
            let task = key.first().cloned().unwrap_or_default();
            let (a, b) = match (base.remove(&key), candidate.remove(&key)) {
                (Some(a), Some(b)) => (a, b),
                (Some(a), None) => {
                    self.list_apart("base", a.dir, "unpaired", None);
                    continue;
                }
                (None, b) => {
                    let dir = b.map(|b| b.dir).unwrap_or_default();
                    self.list_apart("candidate", dir, "unpaired", None);
                    continue;
                }
            };

            if tasks.insert(task) {
                sums.iter_mut().for_each(Sums::end_task);
            }

            self.pairs += 1;
            let pair = Pair::of(key, a, b, names, &mut sums);
            match pair.flipped {
                Some("worse") => worse.push(pair.clone()),
                Some(_) => better.push(pair.clone()),
                None => {}
            }

            if !pair.values.is_empty() || pair.outcomes[0] != pair.outcomes[1] {
                self.changed.push(pair);
            }
        }

        sums.iter_mut().for_each(Sums::end_task);
        self.tasks = tasks.len() as u64;
        (self.base.paired, self.candidate.paired) = (self.pairs, self.pairs);

        self.measures = self.measures_of(names, sums);
        self.worse = worse.len() as u64;
        worse.append(&mut better);
        self.flipped_more = worse.len().saturating_sub(MAX_LISTED) as u64;
        worse.truncate(MAX_LISTED);
        self.flipped = worse;
    }

    /// Returns the measures that pairs have, in their order.
    fn measures_of(&self, names: &[String], sums: Vec<Sums>) -> Vec<Measure> {
        let mut sums: Vec<(&String, Sums)> = names
            .iter()
            .zip(sums)
            .filter(|(_, sum)| sum.so_far.pairs > 0)
            .collect();
        sums.sort_by_key(|(name, _)| (reading::rank(name), *name));

        sums.into_iter()
            .map(|(name, sum)| sum.measure(name, self.pairs))
            .collect()
    }

    /// Decides conditions, and returns whether one holds. Where more runs are left out than a limit
    /// allows, that is a fault: the rest does not speak for them.
    ///
    /// # Errors
    ///
    /// An error where a condition names a measure that the runs do not have, or no runs are paired.
    pub(crate) fn decide(
        &mut self,
        conditions: &[FailCondition],
        most_left_out: Option<&Limit>,
    ) -> Result<bool, String> {
        if self.pairs == 0 && !conditions.is_empty() {
            let why = "there are no pairs to compare; `--pair` names the parts of their key, and \
                       without `--fail-if` each run is listed with the reason";
            return Err(why.into());
        }

        for condition in conditions {
            let gated = condition.decide(&self.measures)?;
            self.faults.extend(
                gated.why_not.as_ref().map(|why| {
                    self.fault(format!("{} can't fail: {why}", quote(&gated.condition)))
                }),
            );
            self.gates.push(gated);
        }

        let none = Limit::none();
        let limit = most_left_out.or((!conditions.is_empty()).then_some(&none));
        self.faults
            .extend(limit.and_then(|limit| self.left_out(conditions, limit)));

        Ok(self.gates.iter().any(|gate| gate.fails))
    }

    /// Returns the fault that too many runs are left out, or lack a measure that decides.
    fn left_out(&self, conditions: &[FailCondition], limit: &Limit) -> Option<ReportedFault> {
        let apart = self.apart.len() as u64 + self.apart_more;
        let decides = |it: &&Measure| {
            conditions
                .iter()
                .any(|by| by.measure == it.name)
        };

        let lacking: u64 = (self.measures.iter().filter(decides))
            .map(|it| it.one_sided)
            .sum();
        if !limit.is_exceeded(apart + lacking, self.base.runs + self.candidate.runs) {
            return None;
        }

        let lacking = match lacking {
            0 => String::new(),
            _ => format!(", and a value is missing in {}", count(lacking, "pair")),
        };

        let (apart, limit) = (count(apart, "run"), &limit.text);
        let message = format!(
            "not compared: {apart}{lacking}; that is more than `--max-left-out {limit}` allows: \
             repair or repeat these runs, or allow that many"
        );

        Some(self.fault(message))
    }

    fn fault(&self, message: String) -> ReportedFault {
        ReportedFault {
            path: self.candidate.path.clone(),
            message,
            sort: FaultSort::default(),
        }
    }
}

/// Returns the place of a part of a key among others: numbers by their size, then texts.
fn place_of(part: &str) -> (bool, i128, String) {
    let number = part.parse::<i128>().ok();
    (
        number.is_none(),
        number.unwrap_or_default(),
        part.to_owned(),
    )
}

/// Returns the key of a run for people.
pub(super) fn shown(key: &[String]) -> String {
    key.iter()
        .map(|part| brief(part))
        .collect::<Vec<String>>()
        .join(", ")
}
