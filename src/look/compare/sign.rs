//! The number of tasks that changed in each direction -> the p-value of the two-sided sign test.

/// Returns the p-value with mid-p: the exact two-sided one minus the probability of the observed
/// split. It is 1 where nothing changed, and where as many changed in each direction.
pub(super) fn p_value(fewer: u64, more: u64) -> f64 {
    let (all, least) = (fewer + more, fewer.min(more));
    let observed = probability(all, least);
    // From the observed split outwards, the probabilities fall to 0.
    let (mut tail, mut term) = (0.0, observed);

    for successes in (1..=least).rev() {
        term *= double(successes) / double(all - successes + 1);
        tail += term;
        if term < tail * f64::EPSILON / 8.0 {
            break;
        }
    }

    2.0_f64.mul_add(tail, observed).min(1.0)
}

/// Returns the probability of a number of heads among tosses of a fair coin. Factors that are above
/// 1 and halves take turns, so that no part of the product leaves the range of a double.
fn probability(tosses: u64, heads: u64) -> f64 {
    let (mut product, mut halves) = (1.0, tosses);
    for factor in 1..=heads {
        product *= double(tosses - heads + factor) / double(factor);
        while product > 1.0 && halves > 0 {
            product *= 0.5;
            halves -= 1;
        }
    }

    let halves = i32::try_from(halves).unwrap_or(i32::MAX);
    product * 0.5_f64.powi(halves)
}

#[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^53 runs")]
pub(super) fn double(number: u64) -> f64 {
    number as f64
}

/// Returns the smallest p-value that a number of tasks can give: where all changed in one
/// direction.
pub(super) fn least(tasks: u64) -> f64 {
    0.5_f64.powi(i32::try_from(tasks).unwrap_or(i32::MAX))
}

/// Returns the smallest number of tasks that can give a p-value below a limit.
pub(super) fn fewest_tasks(limit: f64) -> u64 {
    let mut tasks = 1..;
    tasks
        .find(|tasks| least(*tasks) < limit)
        .unwrap_or(u64::MAX)
}

/// Returns a p-value for people.
pub(super) fn shown(p: f64) -> String {
    if p < 0.0001 {
        "< 0.0001".to_owned()
    } else {
        format!("{p:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::p_value;

    #[test]
    fn p_value_is_the_exact_one_minus_the_observed_split() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} is not {b}");
        near(p_value(0, 8), 1.0 / 256.0);
        near(p_value(2, 0), 0.25);
        near(p_value(0, 0), 1.0);
        near(p_value(3, 3), 1.0);
        near(p_value(1, 4), 2.0 / 32.0 + 5.0 / 32.0);
        assert!(p_value(0, 2_000) >= 0.0 && p_value(50_000, 50_200) > 0.4);
    }
}
