//! The number of runs of each task with the value 1 -> the p-value of the exact
//! Cochran-Mantel-Haenszel test.

use super::sign::double;

/// The least probability that is kept. What is below is far below the last digit of any p-value.
const LEAST: f64 = 1e-300;

/// Tasks as strata: in each, the base and the candidate have as many runs, each with a value of 0
/// or 1. If the runs of a task are independent and both sets are equally good, then the number of
/// ones in the candidate, given that of both sets, has the hypergeometric distribution.
#[derive(Clone, Debug)]
pub(super) struct Strata {
    /// The ones in the base and in the candidate.
    ones: [u64; 2],
    /// The number of ones that the first of the probabilities is of.
    first: u64,
    /// The probabilities of the numbers of ones in the candidate.
    chances: Vec<f64>,
    /// The smallest p-value that runs as many as these can give.
    least: f64,
}

impl Default for Strata {
    fn default() -> Self {
        Self {
            ones: [0, 0],
            first: 0,
            chances: vec![1.0],
            least: 2.0,
        }
    }
}

impl Strata {
    /// Adds a task: its number of runs in each set, and the ones among them.
    pub(super) fn add(&mut self, runs: u64, ones: [u64; 2]) {
        for (sum, ones) in self.ones.iter_mut().zip(ones) {
            *sum += ones;
        }

        self.least *= least_share(runs);
        let all = ones.iter().sum();
        let (first, chances) = hypergeometric(runs, all);
        self.first += first;

        if chances.len() > 1 {
            let mut sums = vec![0.0; self.chances.len() + chances.len() - 1];
            for (at, known) in self.chances.iter().enumerate() {
                for (sum, chance) in sums.iter_mut().skip(at).zip(&chances) {
                    *sum += known * chance;
                }
            }

            let is_lost = |chance: &f64| *chance < LEAST;
            let lost = sums
                .iter()
                .copied()
                .take_while(is_lost)
                .count();
            sums.drain(..lost);
            while sums.last().is_some_and(is_lost) {
                sums.pop();
            }

            self.first += lost as u64;
            self.chances = sums;
        }
    }

    /// Returns the two-sided p-value. The distribution is symmetric, so both tails are alike.
    pub(super) fn p_value(&self) -> f64 {
        let [base, candidate] = self.ones;
        if base == candidate {
            return 1.0;
        }

        let tail = (base.min(candidate) + 1).saturating_sub(self.first);
        let tail = self.chances.iter().zip(0..tail);
        2.0 * tail
            .map(|(chance, _)| chance)
            .sum::<f64>()
    }

    /// Returns the smallest p-value that these numbers of runs can give: where all runs of one set
    /// have the value 1, and all of the other 0.
    pub(super) const fn least(&self) -> f64 {
        self.least.min(1.0)
    }
}

/// Returns the probability that all of a number of ones are among as many runs of a set.
fn least_share(runs: u64) -> f64 {
    (1..=runs)
        .map(|at| double(at) / double(runs + at))
        .product()
}

/// Returns the smallest number of pairs of one task that can give a p-value below a limit.
pub(super) fn fewest_pairs(limit: f64) -> u64 {
    let mut pairs = 1..;
    pairs
        .find(|pairs| 2.0 * least_share(*pairs) < limit)
        .unwrap_or(u64::MAX)
}

/// Returns the probability of each number of ones among half of some runs, and the first such
/// number.
fn hypergeometric(half: u64, ones: u64) -> (u64, Vec<f64>) {
    // From the middle outwards, the probabilities fall.
    let middle = ones.div_ceil(2);
    let mut upper = Vec::new();
    let mut weight = 1.0;
    for at in middle..=ones.min(half) {
        if weight < LEAST {
            break;
        }
        upper.push(weight);
        weight *= double(ones - at) * double(half - at);
        weight /= double(at + 1) * double(half + at + 1 - ones);
    }

    let has_center = usize::from(ones.is_multiple_of(2));
    let mut weights: Vec<f64> = upper
        .iter()
        .skip(has_center)
        .rev()
        .copied()
        .collect();
    let first = middle.saturating_sub(weights.len() as u64);
    weights.append(&mut upper);

    let sum: f64 = weights.iter().sum();
    for weight in &mut weights {
        *weight /= sum;
    }

    (first, weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the p-value by counting each way to share the runs of each task out.
    #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
    fn counted(tasks: &[(u32, u32, [u32; 2])]) -> f64 {
        let mut ways = vec![(0, 1_u64)];
        for (runs, _, ones) in tasks {
            let all = ones[0] + ones[1];
            let shares = (0_u32..1 << (2 * runs)).filter(|share| share.count_ones() == *runs);
            let of_task: Vec<u32> = shares
                .map(|share| (share & ((1 << all) - 1)).count_ones())
                .collect();
            let pairs = ways.iter().flat_map(|(sum, many)| {
                of_task
                    .iter()
                    .map(move |ones| (sum + ones, *many))
            });
            let mut sums = std::collections::BTreeMap::new();
            for (sum, many) in pairs {
                *sums.entry(sum).or_insert(0) += many;
            }
            ways = sums.into_iter().collect();
        }
        let seen: u32 = tasks
            .iter()
            .map(|(_, _, ones)| ones[1])
            .sum();
        let of_seen = ways
            .iter()
            .find(|(sum, _)| *sum == seen)
            .unwrap()
            .1;
        let all: u64 = ways.iter().map(|(_, many)| many).sum();
        let tail = ways
            .iter()
            .filter(|(_, many)| *many <= of_seen);
        tail.map(|(_, many)| many).sum::<u64>() as f64 / all as f64
    }

    #[test]
    fn p_value_is_that_of_counting_all_ways() {
        let mut random = 7_u32;
        let mut below = |end: u32| {
            random = random
                .wrapping_mul(1_664_525)
                .wrapping_add(1_013_904_223);
            (random >> 16) % end
        };
        for _ in 0..300 {
            let tasks: Vec<_> = (0..=below(4))
                .map(|task| {
                    let runs = 1 + below(4);
                    (runs, task, [below(runs + 1), below(runs + 1)])
                })
                .collect();
            let mut strata = Strata::default();
            for (runs, _, ones) in &tasks {
                strata.add((*runs).into(), ones.map(Into::into));
            }
            let (p, expected) = (strata.p_value(), counted(&tasks));
            assert!((p - expected).abs() < 1e-12, "{tasks:?}: {p}, {expected}");
            assert!(strata.least() <= p + 1e-12, "{tasks:?}");
        }
    }

    #[test]
    fn smallest_p_value_is_reached_where_each_run_of_one_set_alone_succeeds() {
        let mut strata = Strata::default();
        strata.add(5, [5, 0]);
        strata.add(2, [2, 0]);
        assert!((strata.p_value() - 2.0 / 252.0 / 6.0).abs() < 1e-15);
        assert!((strata.least() - strata.p_value()).abs() < 1e-15);
        assert_eq!((fewest_pairs(0.05), fewest_pairs(0.5)), (4, 2));
    }

    #[test]
    fn many_runs_and_many_tasks_stay_exact() {
        let mut one = Strata::default();
        one.add(100_000, [50_400, 50_000]);
        // By the normal approximation with a correction for continuity.
        assert!((one.p_value() - 0.0745).abs() < 0.001, "{}", one.p_value());
        let mut tasks = Strata::default();
        (0..2_000).for_each(|at| tasks.add(1, [1, u64::from(at < 900)]));
        assert!((tasks.p_value() - 2.0 * 0.5_f64.powi(1_100)).abs() < 1e-300);
    }
}
