//! The earlier events of a run, one after the other -> the answer to a question about all of them.
//!
//! `earlier("name")` reads as a list, and is never one: what is asked of it is kept up to date with
//! each event, in constant memory. Where events leave the list again, what each of them added is
//! kept, too.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::evaluate::Evaluator;
use super::part::ExpressionPart;
use super::value::{Value, kept, key};
use super::{Budget, Expression, Stop};
use crate::ground::select::KeyPath;

/// A question of an expression about earlier events.
#[derive(Debug)]
pub(in crate::policy) struct Fold {
    /// The name of the selector of these events, and its place.
    pub(in crate::policy) of: Box<str>,
    pub(in crate::policy) span: Range<usize>,
    /// The places of the values by which these events are grouped, if they are not those of the
    /// rule.
    pub(in crate::policy) pointers: Vec<KeyPath>,
    /// `filter` and `map`, in their order.
    pub(super) stages: Vec<FoldStage>,
    pub(super) outcome: FoldOutcome,
}

#[derive(Debug)]
pub(super) enum FoldStage {
    Filter(ExpressionPart),
    Map(ExpressionPart),
}

#[derive(Debug)]
pub(super) enum FoldOutcome {
    Size,
    Sum,
    Min,
    Max,
    Last,
    Distinct,
    All(ExpressionPart),
    Exists(ExpressionPart),
    ExistsOne(ExpressionPart),
}

/// What an event adds to the answer.
#[derive(Clone, Debug)]
pub(crate) enum FoldStep<'a> {
    /// Nothing: it is not in the list.
    Nothing,
    /// It is in the list, and whether it meets the condition, if there is one.
    Met(bool),
    Value(Value<'a>),
    /// The key of its value among those that are counted.
    Key(Box<str>),
    /// It can't be taken into account.
    Failed {
        why: Box<str>,
        /// `true` if nobody can tell whether or as what the list has it.
        is_unknown: bool,
    },
}

impl FoldStep<'_> {
    /// Returns the same, to be kept.
    pub(crate) fn kept(self) -> FoldStep<'static> {
        match self {
            Self::Nothing => FoldStep::Nothing,
            Self::Met(is_met) => FoldStep::Met(is_met),
            Self::Key(key) => FoldStep::Key(key),
            Self::Failed { why, is_unknown } => FoldStep::Failed { why, is_unknown },
            Self::Value(value) => match kept(&value) {
                Ok(value) => FoldStep::Value(value),
                Err(why) => FoldStep::Failed {
                    why: why.into(),
                    is_unknown: false,
                },
            },
        }
    }
}

/// The state of a fold after the events so far.
#[derive(Clone, Debug, Default)]
pub(in crate::policy) struct FoldState {
    /// The events that were counted, met the condition, or decided `all` or `exists`.
    count: u64,
    /// The sum, the least, the largest or the last value.
    value: Option<Value<'static>>,
    /// The keys of different values, each with the number of its events.
    distinct: Arc<BTreeMap<Box<str>, u64>>,
    /// The sum of the sizes of the integers in a sum; `None` where it has other numbers.
    size: Option<u128>,
    /// The reason why an event can't be taken into account.
    failure: Option<Box<str>>,
    /// `true` if nobody can tell whether or as what the list has an event: then nothing is decided.
    is_unknown: bool,
}

/// The number of different values that are counted in a group.
const MAX_DISTINCT: usize = 1_000;

impl FoldState {
    fn fail(&mut self, line: u64, why: &str) {
        let failure = || format!("of the event on line {line}, {why}").into();
        self.failure.get_or_insert_with(failure);
    }

    /// Returns the number of values that it keeps.
    pub(crate) fn room(&self) -> usize {
        self.distinct.len()
    }
}

impl Fold {
    /// Returns the parts that are evaluated for an event.
    pub(super) fn parts(&self) -> impl Iterator<Item = &ExpressionPart> {
        let stages = self
            .stages
            .iter()
            .map(|stage| match stage {
                FoldStage::Filter(part) | FoldStage::Map(part) => part,
            });
        let outcome = match &self.outcome {
            FoldOutcome::All(part) | FoldOutcome::Exists(part) | FoldOutcome::ExistsOne(part) => {
                Some(part)
            }
            _ => None,
        };

        stages.chain(outcome)
    }

    /// Returns `true` if it only counts or sums up, or asks if there is an event.
    pub(in crate::policy) fn is_simple(&self) -> bool {
        !matches!(
            self.outcome,
            FoldOutcome::Min | FoldOutcome::Max | FoldOutcome::Last | FoldOutcome::ExistsOne(_)
        )
    }

    /// Returns its value for the events so far.
    ///
    /// # Errors
    ///
    /// Why it has none.
    pub(in crate::policy) fn value(&self, folded: &FoldState) -> Result<Value<'static>, String> {
        let is_all = matches!(self.outcome, FoldOutcome::All(_));
        let decides = is_all || matches!(self.outcome, FoldOutcome::Exists(_));
        if decides && folded.count > 0 && !folded.is_unknown {
            return Ok(Value::Bool(!is_all));
        }
        if let Some(failure) = &folded.failure {
            return Err(failure.to_string());
        }

        let count = i64::try_from(folded.count).unwrap_or(i64::MAX);
        Ok(match &self.outcome {
            FoldOutcome::All(_) | FoldOutcome::Exists(_) => Value::Bool(is_all),
            FoldOutcome::ExistsOne(_) => Value::Bool(count == 1),
            FoldOutcome::Size => Value::Int(count),
            FoldOutcome::Sum => folded
                .value
                .clone()
                .unwrap_or(Value::Int(0)),
            FoldOutcome::Distinct if folded.distinct.len() > MAX_DISTINCT => {
                return Err(format!(
                    "there are more than {MAX_DISTINCT} different values"
                ));
            }
            FoldOutcome::Distinct => Value::Distinct(Arc::clone(&folded.distinct)),
            FoldOutcome::Min | FoldOutcome::Max | FoldOutcome::Last => folded
                .value
                .clone()
                .ok_or_else(|| "there is no earlier value".to_owned())?,
        })
    }

    /// Adds what an event on a line adds to the state; `may_leave` if the event may leave again.
    pub(crate) fn add(
        &self,
        folded: &mut FoldState,
        line: u64,
        step: &FoldStep<'_>,
        may_leave: bool,
    ) {
        let before = folded.value.as_ref();
        match (step, &self.outcome) {
            (FoldStep::Nothing, _) => {}
            (FoldStep::Met(is_met), FoldOutcome::All(_)) => folded.count += u64::from(!is_met),
            (FoldStep::Met(is_met), _) => folded.count += u64::from(*is_met),
            (FoldStep::Key(key), _) => {
                let has_room = may_leave || folded.distinct.len() <= MAX_DISTINCT;
                if has_room || folded.distinct.contains_key(key) {
                    let distinct = Arc::make_mut(&mut folded.distinct);
                    *distinct.entry(key.clone()).or_default() += 1;
                }
            }
            (FoldStep::Failed { why, is_unknown }, _) => {
                folded.is_unknown |= is_unknown;
                folded.fail(line, why);
            }
            (FoldStep::Value(item), FoldOutcome::Sum) => {
                let size = if before.is_none() {
                    Some(0)
                } else {
                    folded.size
                };

                let of_item = item.integer().map(i128::unsigned_abs);
                let sum = sum(before.unwrap_or(&Value::Int(0)), item);
                folded.size = size
                    .zip(of_item)
                    .map(|(size, more)| size + more);
                folded.take(line, sum);
            }
            (FoldStep::Value(item), FoldOutcome::Min | FoldOutcome::Max) => {
                let order = before.map_or(Some(Ordering::Equal), |before| item.order(before));
                let target = match self.outcome {
                    FoldOutcome::Min => Ordering::Less,
                    _ => Ordering::Greater,
                };

                match order {
                    None => {
                        let type_ = item.shown_type();
                        let why = format!("{type_} can't be compared with the values before");
                        folded.fail(line, &why);
                    }
                    Some(order) if before.is_none() || order == target => {
                        folded.take(line, kept(item));
                    }
                    Some(_) => {}
                }
            }
            (FoldStep::Value(item), _) => folded.take(line, kept(item)),
        }
    }

    /// Takes away what an event added; returns `false` where the answer has to be made anew of what
    /// the others add.
    pub(crate) fn take_away(&self, folded: &mut FoldState, step: &FoldStep<'_>) -> bool {
        if folded.failure.is_some() {
            return false;
        }

        match (step, &self.outcome) {
            (FoldStep::Nothing, _) => true,
            (FoldStep::Met(is_met), FoldOutcome::All(_)) => {
                folded.count -= u64::from(!is_met);
                true
            }
            (FoldStep::Met(is_met), _) => {
                folded.count -= u64::from(*is_met);
                true
            }
            (FoldStep::Key(key), _) => {
                let distinct = Arc::make_mut(&mut folded.distinct);
                if let Some(number) = distinct.get_mut(key) {
                    *number -= 1;
                    if *number == 0 {
                        distinct.remove(key);
                    }
                }
                true
            }
            (FoldStep::Value(item), FoldOutcome::Sum) => {
                // No sum on the way to it was out of range, and none will be.
                let size = folded
                    .size
                    .filter(|size| *size <= i64::MAX as u128);
                let sums = folded
                    .value
                    .as_ref()
                    .and_then(Value::integer)
                    .zip(item.integer())
                    .zip(size);
                if let Some(((sum, item), size)) = sums {
                    folded.value = Value::of_integer(sum - item);
                    folded.size = Some(size.saturating_sub(item.unsigned_abs()));
                }

                sums.is_some()
            }
            (FoldStep::Value(item), _) => folded
                .value
                .as_ref()
                .is_some_and(|value| {
                    item.order(value)
                        .is_some_and(Ordering::is_ne)
                }),
            (FoldStep::Failed { .. }, _) => false,
        }
    }
}

impl FoldState {
    /// Notes the value after an event on a line, or why there is none.
    fn take(&mut self, line: u64, value: Result<Value<'static>, String>) {
        match value {
            Ok(value) => self.value = Some(value),
            Err(why) => self.fail(line, &why),
        }
    }
}

impl Expression {
    /// Returns its questions about earlier events, by the numbers of the parts that ask them.
    pub(in crate::policy) fn folds(&self) -> &[Fold] {
        &self.folds
    }

    /// Returns what an event adds to the answer of a fold; `None` where the budget is spent.
    pub(in crate::policy) fn step<'a>(
        &'a self,
        fold: &'a Fold,
        event: Value<'a>,
        bound: &'a [Value<'a>],
        budget: &mut Budget,
    ) -> Option<FoldStep<'a>> {
        let mut evaluator = Evaluator::new(&self.text, bound, &[], budget);
        let item = evaluator.item_of(fold, event);
        let is_unknown = item.is_err();
        let step = item.and_then(|item| match item {
            Some(item) => evaluator.step(fold, item),
            None => Ok(FoldStep::Nothing),
        });
        let why = match step {
            Ok(step) => return Some(step),
            Err(Stop::Spent) => return None,
            // The message about its value names the place of the question.
            Err(Stop::Failed(failure)) if failure.span.as_ref() == Some(&fold.span) => failure.why,
            Err(Stop::Failed(failure)) => self.describe(&failure),
        };

        let why = why.into();
        Some(FoldStep::Failed { why, is_unknown })
    }
}

impl<'a> Evaluator<'a, '_> {
    /// Returns the item that an event is in the list, if it is in that: of one that is counted as a
    /// value, the text is its key.
    fn item_of(&mut self, fold: &'a Fold, event: Value<'a>) -> Result<Option<Value<'a>>, Stop> {
        let mut item = event;
        let last = fold.stages.len();
        for (number, stage) in (1..).zip(&fold.stages) {
            self.items = vec![item.clone()];
            match stage {
                FoldStage::Filter(part) if !self.condition(part)? => return Ok(None),
                FoldStage::Filter(_) => {}
                FoldStage::Map(part)
                    if number == last && matches!(fold.outcome, FoldOutcome::Distinct) =>
                {
                    item = Value::Text(String::from(self.key(part)?).into());
                }
                FoldStage::Map(part) => item = self.value(part)?,
            }
        }

        Ok(Some(item))
    }

    fn step(&mut self, fold: &'a Fold, item: Value<'a>) -> Result<FoldStep<'a>, Stop> {
        self.items = vec![item.clone()];
        Ok(match &fold.outcome {
            FoldOutcome::Size => FoldStep::Met(true),
            FoldOutcome::All(part) | FoldOutcome::Exists(part) | FoldOutcome::ExistsOne(part) => {
                FoldStep::Met(self.condition(part)?)
            }
            FoldOutcome::Distinct => match (fold.stages.last(), item) {
                (Some(FoldStage::Map(_)), Value::Text(key)) => FoldStep::Key((&*key).into()),
                (_, item) => {
                    let key = key(&item).map_err(|why| Stop::because(why).at(&fold.span));
                    FoldStep::Key(key?)
                }
            },
            FoldOutcome::Sum | FoldOutcome::Min | FoldOutcome::Max | FoldOutcome::Last => {
                FoldStep::Value(item)
            }
        })
    }
}

/// Returns the sum of two numbers: an integer if both are, else a double.
fn sum(a: &Value<'_>, b: &Value<'_>) -> Result<Value<'static>, String> {
    let sum = match (a.integer(), b.integer()) {
        (Some(a), Some(b)) => Value::of_integer(a + b),
        _ => match (a.double(), b.double()) {
            (Some(a), Some(b)) => Some(Value::Double(a + b)),
            _ if b.is_number() => None,
            _ => return Err(format!("{} can't be summed up", b.shown_type())),
        },
    };

    sum.ok_or_else(|| "the sum does not fit in its type".to_owned())
}
