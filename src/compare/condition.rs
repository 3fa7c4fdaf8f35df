//! The text of a condition, such as `success: worse, p < 0.05` -> whether it holds.

use std::fmt;
use std::str::FromStr;

use super::Measure;
use super::reading::lower_is_better;
use crate::printable::quote;

/// What makes a comparison fail.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    text: String,
    measure: String,
    direction: Direction,
    below: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Worse,
    Better,
    Lower,
    Higher,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "expected MEASURE: worse|better|lower|higher, p < NUMBER, such as \
             `success: worse, p < 0.05`"
                .to_owned()
        };
        let (measure, rest) = text.rsplit_once(':').ok_or_else(wrong)?;
        let (direction, limit) = match rest.split_once(',') {
            Some((direction, limit)) => (direction, Some(limit)),
            None => (rest, None),
        };
        let direction = match direction.trim() {
            "worse" => Direction::Worse,
            "better" => Direction::Better,
            "lower" => Direction::Lower,
            "higher" => Direction::Higher,
            _ => return Err(wrong()),
        };
        let number = |limit: &str| {
            let number = limit.trim().strip_prefix('p')?.trim_start();
            let number: f64 = number.strip_prefix('<')?.trim().parse().ok()?;
            (number > 0.0 && number <= 1.0).then_some(number)
        };
        Ok(Self {
            text: text.to_owned(),
            measure: measure.trim().to_owned(),
            direction,
            below: match limit {
                Some(limit) => Some(number(limit).ok_or_else(wrong)?),
                None => None,
            },
        })
    }
}

impl Condition {
    /// The measure that it is about.
    pub(super) fn measure(&self) -> &str {
        &self.measure
    }

    /// Whether more tasks changed in the direction than in the other one, with a p-value below the
    /// limit.
    pub(crate) fn holds(&self, measures: &[Measure]) -> Result<bool, String> {
        let found = measures.iter().find(|it| it.name == self.measure);
        let measure = found.ok_or_else(|| {
            let known: Vec<String> = measures.iter().map(|it| quote(&it.name)).collect();
            let measure = quote(&self.measure);
            format!(
                "no pair has the measure {measure}; expected one of {}",
                known.join(", ")
            )
        })?;
        let is_lower = match (self.direction, lower_is_better(&self.measure)) {
            (Direction::Lower, _)
            | (Direction::Better, Some(true))
            | (Direction::Worse, Some(false)) => true,
            (Direction::Higher, _) | (_, Some(_)) => false,
            (_, None) => {
                return Err(format!(
                    "runvet does not know which value of {} is better: use `lower` or `higher`",
                    quote(&self.measure)
                ));
            }
        };
        let (this, other) = if is_lower {
            (measure.lower, measure.higher)
        } else {
            (measure.higher, measure.lower)
        };
        Ok(this > other && self.below.is_none_or(|limit| measure.p < limit))
    }
}
