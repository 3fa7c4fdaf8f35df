//! The values of a measure in pairs, task by task -> means, the difference and tests of it.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::Serialize;

use super::interval::Moments;
use super::reading::Figure;
use super::sign::{self, double};
use super::stratified::Strata;
use crate::ground::document::{Number, compare_sum};

/// A measure, over all pairs in which both runs have it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct Measure {
    /// `success`, `duration_sec`, a count, a latency, or `metric:` and the name of a metric.
    pub(super) name: String,
    /// The mean of the base.
    pub(super) base: f64,
    /// The mean of the candidate.
    pub(super) candidate: f64,
    /// The mean over tasks of the candidate's mean in the task minus that of the base; null where
    /// it is beyond a double.
    pub(super) difference: Option<f64>,
    /// The 95 % confidence interval of the difference, by the t-distribution over tasks; null for
    /// one task, and where all tasks differ by the same.
    pub(super) difference_ci: Option<[f64; 2]>,
    /// The number of pairs.
    pub(super) pairs: u64,
    /// The number of pairs that are not among these, because a value is missing.
    pub(super) missing: u64,
    /// The number of those in which one run has a value.
    pub(super) one_sided: u64,
    /// The number of tasks whose mean is lower in the candidate.
    pub(super) lower: u64,
    /// The number of tasks whose mean is the same.
    pub(super) same: u64,
    /// The number of tasks whose mean is higher in the candidate.
    pub(super) higher: u64,
    /// The p-value of the two-sided sign test over tasks, with mid-p.
    pub(super) p: f64,
    /// The smallest p-value that this test can give for this number of tasks.
    pub(super) p_min: f64,
    /// The p-value of the exact two-sided Cochran-Mantel-Haenszel test with a stratum for each
    /// task, without mid-p; null unless each value is 0 or 1.
    pub(super) cmh_p: Option<f64>,
    /// The smallest p-value that this test can give for these numbers of pairs of each task.
    pub(super) cmh_p_min: Option<f64>,
}

impl Measure {
    pub(super) const fn tasks(&self) -> u64 {
        self.lower + self.same + self.higher
    }
}

/// A measure while pairs are added, and those of the task at hand.
#[derive(Clone, Default)]
pub(super) struct Sums {
    /// The measure so far; its means are sums.
    pub(super) so_far: Measure,
    pub(super) task: TaskSums,
    differences: Moments,
    strata: Strata,
    /// `true` if a value is neither 0 nor 1.
    has_others: bool,
}

#[derive(Clone, Default)]
pub(super) struct TaskSums {
    pairs: u64,
    sums: [f64; 2],
    pub(super) differing: Vec<[Figure; 2]>,
}

impl Sums {
    /// Adds a pair of the task at hand.
    #[expect(clippy::float_cmp, reason = "all but exactly these two are others")]
    pub(super) fn add(&mut self, values: [f64; 2]) {
        for (sum, value) in self.task.sums.iter_mut().zip(values) {
            *sum += value;
            self.has_others |= value != 0.0 && value != 1.0;
        }
        self.task.pairs += 1;
    }

    /// Compares the means, which are of as many runs each, by their sums.
    pub(super) fn end_task(&mut self) {
        let task = std::mem::take(&mut self.task);
        if task.pairs == 0 {
            return;
        }

        let [base, candidate] = task.sums;
        self.so_far.base += base;
        self.so_far.candidate += candidate;
        self.so_far.pairs += task.pairs;
        if !self.has_others {
            self.strata
                .add(task.pairs, task.sums.map(whole));
        }

        let numbers = task
            .differing
            .iter()
            .map(<[_; 2]>::each_ref)
            .map(|pair| pair.map(|text| Number::of(text)));
        let terms = numbers
            .clone()
            .flat_map(|[base, candidate]| [(-1, base), (1, candidate)]);
        let order = compare_sum(terms);
        let difference = match order {
            Ordering::Equal => 0.0,
            _ => numbers.map(difference).sum::<f64>() / double(task.pairs),
        };

        self.differences.add(difference);
        *match order {
            Ordering::Less => &mut self.so_far.lower,
            Ordering::Equal => &mut self.so_far.same,
            Ordering::Greater => &mut self.so_far.higher,
        } += 1;
    }

    pub(super) fn measure(self, name: &str, all: u64) -> Measure {
        let so_far = self.so_far;
        // A sum may be beyond a double, which JSON does not have.
        let mean = |sum: f64| (sum / double(so_far.pairs)).clamp(f64::MIN, f64::MAX);
        let strata = (!self.has_others).then_some(&self.strata);

        Measure {
            name: name.to_owned(),
            base: mean(so_far.base),
            candidate: mean(so_far.candidate),
            difference: self.differences.mean(),
            difference_ci: self.differences.interval(),
            missing: all - so_far.pairs,
            p: sign::p_value(so_far.lower, so_far.higher),
            p_min: sign::least(so_far.tasks()),
            cmh_p: strata.map(Strata::p_value),
            cmh_p_min: strata.map(Strata::least),
            ..so_far
        }
    }
}

/// Returns how much larger the second of two numbers is: of integers, that of their exact values.
#[expect(
    clippy::cast_precision_loss,
    reason = "the difference is rounded, not what it is of"
)]
fn difference([base, candidate]: [Number<'_>; 2]) -> f64 {
    let whole = |number: Number<'_>| {
        number
            .shifted(0)
            .filter(|_| number.is_integer())
    };

    let exact = whole(base)
        .zip(whole(candidate))
        .and_then(|(base, candidate)| candidate.checked_sub(base));

    exact.map_or(candidate.as_f64() - base.as_f64(), |exact| exact as f64)
}

/// Returns a sum of ones as an integer.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is one, and there are fewer than 2^53 runs"
)]
const fn whole(sum: f64) -> u64 {
    sum as u64
}
