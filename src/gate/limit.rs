//! The text of a limit, such as `5` or `1%` -> whether a number is above it.

use std::str::FromStr;

/// A number of runs, or a share of all.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    /// As it was given.
    pub(crate) text: String,
    number: f64,
    is_share: bool,
}

impl Limit {
    /// Returns a limit of no run at all.
    pub(crate) fn none() -> Self {
        Self {
            text: "0".to_owned(),
            number: 0.0,
            is_share: false,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^53 runs")]
    pub(crate) fn is_exceeded(&self, count: u64, all: u64) -> bool {
        if self.is_share {
            count as f64 * 100.0 > self.number * all as f64
        } else {
            count as f64 > self.number
        }
    }
}

impl FromStr for Limit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "expected a number of runs, such as 5, or a share of them, such as 1%";
        let (number, is_share) = match text.strip_suffix('%') {
            Some(share) => (
                share
                    .parse()
                    .ok()
                    .filter(|it| *it <= 100.0),
                true,
            ),
            None => (text.parse::<u32>().ok().map(f64::from), false),
        };

        let number = number.filter(|it: &f64| it.is_finite() && *it >= 0.0);
        Ok(Self {
            text: text.to_owned(),
            number: number.ok_or(wrong)?,
            is_share,
        })
    }
}
