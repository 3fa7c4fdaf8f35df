//! The differences of tasks -> their mean, and its confidence interval.

use std::f64::consts::FRAC_PI_2;

use super::sign::double;

/// The mean of some numbers and the sum of their squared distances from it (Welford).
#[derive(Clone, Debug, Default)]
pub(super) struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1;
        let from_mean = value - self.mean;
        self.mean += from_mean / double(self.count);
        self.squares += from_mean * (value - self.mean);
    }

    /// Returns the mean; `None` where it is beyond a double.
    pub(super) fn mean(&self) -> Option<f64> {
        self.mean
            .is_finite()
            .then_some(self.mean)
    }

    /// Returns the 95 % confidence interval of the mean by the t-distribution; `None` where the
    /// numbers do not vary, so that they do not tell how far they are from others.
    pub(super) fn interval(&self) -> Option<[f64; 2]> {
        let freedom = self
            .count
            .checked_sub(1)
            .filter(|it| *it > 0)?;
        let variance = self.squares / double(freedom) / double(self.count);
        let is_known = variance.is_finite() && variance > 0.0;
        let half = is_known.then(|| t_quantile(freedom) * variance.sqrt())?;
        Some([self.mean - half, self.mean + half])
    }
}

/// Returns the 97.5 % quantile of the t-distribution.
fn t_quantile(freedom: u64) -> f64 {
    // The tangent of the angle is t / sqrt(n).
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..64 {
        let angle = f64::midpoint(low, high);
        if central_share(freedom, angle) < 0.95 {
            low = angle;
        } else {
            high = angle;
        }
    }

    low.tan() * double(freedom).sqrt()
}

/// Returns the probability of the t-distribution between both values that an angle stands for, by
/// its finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4).
fn central_share(freedom: u64, angle: f64) -> f64 {
    let (sine, cosine) = angle.sin_cos();
    let odd = freedom % 2;
    let mut term = if odd == 1 { cosine } else { 1.0 };
    let mut sum = if freedom == 1 { 0.0 } else { term };

    for at in (2 + odd..freedom.saturating_sub(1)).step_by(2) {
        term *= cosine * cosine * double(at - 1) / double(at);
        sum += term;
    }

    match odd {
        1 => (angle + sine * sum) / FRAC_PI_2,
        _ => sine * sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (freedom, expected) in [
            (1, 12.706_204_736_174_7),
            (2, 4.302_652_729_749_46),
            (3, 3.182_446_305_283_71),
            (10, 2.228_138_851_964_94),
            (39, 2.022_690_920_036_76),
            (1_000, 1.962_339_080_826_49),
            (100_000, 1.959_987_7),
        ] {
            let found = t_quantile(freedom);
            assert!((found - expected).abs() < 1e-7, "{freedom}: {found}");
        }
    }

    #[test]
    fn interval_is_that_of_the_t_test() {
        let mut moments = Moments::default();
        assert_eq!(moments.interval(), None);
        for value in [1.0, 2.0, 4.0, 5.0] {
            moments.add(value);
        }
        let half = 3.182_446_305_283_71 * (10.0_f64 / 3.0 / 4.0).sqrt();
        let [low, high] = moments.interval().unwrap();
        assert!((low - 3.0 + half).abs() < 1e-9 && (high - 3.0 - half).abs() < 1e-9);
        let mut same = Moments::default();
        for _ in 0..5 {
            same.add(0.1);
        }
        assert_eq!((same.mean(), same.interval()), (Some(0.1), None));
    }
}
