//! The text of a condition, such as `success: worse, p < 0.05` -> whether it holds.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use super::Measure;
use super::reading::lower_is_better;
use super::sign::{fewest_tasks, shown as p_value};
use super::stratified::fewest_pairs;
use crate::ground::printable::{count, quote};

/// A condition on which a comparison fails.
#[derive(Clone, Debug)]
pub(crate) struct FailCondition {
    text: String,
    pub(super) measure: String,
    direction: FailDirection,
    /// The limit of the p-value, and whether that is of the test within tasks.
    below: Option<(f64, bool)>,
}

/// A condition, and whether it holds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Gated {
    /// As it was given.
    pub(super) condition: String,
    /// `true` if it holds, so that the comparison fails.
    pub(super) fails: bool,
    /// The reason why it can't hold, whatever the candidate does, and what it needs; null where it
    /// can.
    pub(super) why_not: Option<String>,
}

impl Gated {
    /// Returns the word for its result.
    pub(super) const fn word(&self) -> &'static str {
        match (self.fails, &self.why_not) {
            (_, Some(_)) => "can't fail",
            (true, None) => "fails",
            (false, None) => "passes",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailDirection {
    Worse,
    Better,
    Lower,
    Higher,
}

impl FromStr for FailCondition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "expected MEASURE: worse|better|lower|higher, p < NUMBER, such as \
             `success: worse, p < 0.05`, or cmh_p in the place of p"
                .to_owned()
        };

        let (measure, rest) = text
            .rsplit_once(':')
            .ok_or_else(wrong)?;
        let (direction, limit) = match rest.split_once(',') {
            Some((direction, limit)) => (direction, Some(limit)),
            None => (rest, None),
        };

        let direction = match direction.trim() {
            "worse" => FailDirection::Worse,
            "better" => FailDirection::Better,
            "lower" => FailDirection::Lower,
            "higher" => FailDirection::Higher,
            _ => return Err(wrong()),
        };

        let number = |limit: &str| {
            let (name, number) = limit.split_once('<')?;
            let is_within = match name.trim() {
                "p" => false,
                "cmh_p" => true,
                _ => return None,
            };
            let number: f64 = number.trim().parse().ok()?;
            (number > 0.0 && number <= 1.0).then_some((number, is_within))
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

impl FailCondition {
    /// Decides whether more tasks changed in the direction than in the other one, with a p-value
    /// below the limit. By the test within tasks, the sum over all pairs must have changed so.
    pub(super) fn decide(&self, measures: &[Measure]) -> Result<Gated, String> {
        let measure = measures
            .iter()
            .find(|it| it.name == self.measure)
            .ok_or_else(|| {
                let known: Vec<String> = measures
                    .iter()
                    .map(|it| quote(&it.name))
                    .collect();
                let measure = quote(&self.measure);
                format!(
                    "no pair has the measure {measure}; expected one of {}",
                    known.join(", ")
                )
            })?;
        let is_lower = match (self.direction, lower_is_better(&self.measure)) {
            (FailDirection::Lower, _)
            | (FailDirection::Better, Some(true))
            | (FailDirection::Worse, Some(false)) => true,
            (FailDirection::Higher, _) | (_, Some(_)) => false,
            (_, None) => {
                return Err(format!(
                    "runvet does not know which value of {} is better: use `lower` or `higher`",
                    quote(&self.measure)
                ));
            }
        };

        let is_so = |lower: bool, higher: bool| if is_lower { lower } else { higher };
        let by_tasks = is_so(
            measure.lower > measure.higher,
            measure.lower < measure.higher,
        );
        let (fails, why_not) = match self.below {
            None => (by_tasks, None),
            Some((limit, false)) => {
                let why_not = (measure.p_min >= limit).then(|| too_few_tasks(measure, limit));
                (by_tasks && measure.p < limit, why_not)
            }
            Some((limit, true)) => {
                let (Some(p), Some(least)) = (measure.cmh_p, measure.cmh_p_min) else {
                    return Err(format!(
                        "`cmh_p` needs a measure that is 0 or 1 in each run, and {} is not",
                        quote(&self.measure)
                    ));
                };

                let (base, candidate) = (measure.base, measure.candidate);
                let why_not = (least >= limit).then(|| too_few_pairs(measure, least, limit));
                let by_pairs = is_so(candidate < base, candidate > base);
                (by_pairs && p < limit, why_not)
            }
        };

        Ok(Gated {
            condition: self.text.clone(),
            fails: fails && why_not.is_none(),
            why_not,
        })
    }
}

fn too_few_tasks(measure: &Measure, limit: f64) -> String {
    let has_power = measure
        .cmh_p_min
        .is_some_and(|least| least < limit);
    let other = if has_power {
        format!("; `cmh_p < {limit}` compares the runs within each task")
    } else {
        String::new()
    };

    format!(
        "{} can't give a p-value below {}: at least {} are needed{other}",
        count(measure.tasks(), "task"),
        p_value(measure.p_min),
        count(fewest_tasks(limit), "task")
    )
}

fn too_few_pairs(measure: &Measure, least: f64, limit: f64) -> String {
    format!(
        "{} of {} can't give a p-value below {}: at least {} of one task, or of {}, are needed",
        count(measure.pairs, "pair"),
        count(measure.tasks(), "task"),
        p_value(least),
        count(fewest_pairs(limit), "pair"),
        count(fewest_tasks(limit / 2.0), "task")
    )
}
