//! The earlier events of a run, one after the other -> the answer to a question about all of them.
//!
//! `earlier("name")` reads as a list, and is never one: what is asked of it is kept up to date with
//! each event, in constant memory.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::evaluate::Evaluator;
use super::part::ExpressionPart;
use super::value::Value;
use super::{Budget, Expression, Stop};

/// A question of an expression about earlier events.
#[derive(Debug)]
pub(in crate::policy) struct Fold {
    /// The name of the selector of these events, and its place.
    pub(in crate::policy) of: Box<str>,
    pub(in crate::policy) span: Range<usize>,
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
    All(ExpressionPart),
    Exists(ExpressionPart),
    ExistsOne(ExpressionPart),
}

/// The state of a fold after the events so far.
#[derive(Clone, Debug, Default)]
pub(in crate::policy) struct FoldState {
    /// The events that were counted, or met the condition.
    count: u64,
    /// The sum, the least, the largest or the last value.
    value: Option<Value<'static>>,
    /// `true` if an event decided `all` or `exists`.
    is_decided: bool,
    /// The reason why an event can't be taken into account.
    failure: Option<Box<str>>,
    /// `true` if nobody can tell whether or as what the list has an event: then nothing is decided.
    is_unknown: bool,
}

/// The bytes of the longest text that is kept.
const MAX_TEXT: usize = 256;

impl FoldState {
    /// Notes that an event on a line can't be taken into account: its item of the list is unknown.
    pub(in crate::policy) fn lose(&mut self, line: u64, why: &str) {
        self.is_unknown = true;
        self.fail(line, why);
    }

    fn fail(&mut self, line: u64, why: &str) {
        let failure = || format!("of the event on line {line}, {why}").into();
        self.failure.get_or_insert_with(failure);
    }
}

impl Fold {
    /// Returns the parts that are evaluated for an event.
    pub(super) fn parts(&self) -> impl Iterator<Item = &ExpressionPart> {
        let stages = self.stages.iter().map(|stage| match stage {
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

    /// Returns its value for the events so far.
    ///
    /// # Errors
    ///
    /// Why it has none.
    pub(in crate::policy) fn value(&self, folded: &FoldState) -> Result<Value<'static>, String> {
        let is_all = matches!(self.outcome, FoldOutcome::All(_));
        if folded.is_decided && !folded.is_unknown {
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
            FoldOutcome::Sum => folded.value.clone().unwrap_or(Value::Int(0)),
            FoldOutcome::Min | FoldOutcome::Max | FoldOutcome::Last => {
                let value = folded.value.clone();
                value.ok_or_else(|| "there is no earlier value".to_owned())?
            }
        })
    }
}

impl Expression {
    /// Returns its questions about earlier events, by the numbers of the parts that ask them.
    pub(in crate::policy) fn folds(&self) -> &[Fold] {
        &self.folds
    }

    /// Adds an event on a line to the state of a fold; `None` where the budget is spent.
    pub(in crate::policy) fn fold<'a>(
        &'a self,
        fold: &'a Fold,
        folded: &mut FoldState,
        (line, event): (u64, Value<'a>),
        bound: &'a [Value<'a>],
        budget: &mut Budget,
    ) -> Option<()> {
        let mut evaluator = Evaluator::new(&self.text, bound, &[], budget);
        let item = evaluator.item_of(fold, event);
        folded.is_unknown |= item.is_err();
        let added = item.and_then(|item| match item {
            Some(item) => evaluator.add(fold, folded, &item),
            None => Ok(()),
        });
        match added {
            Ok(()) => {}
            Err(Stop::Spent) => return None,
            // The message about its value names the place of the question.
            Err(Stop::Failed(failure)) if failure.span.as_ref() == Some(&fold.span) => {
                folded.fail(line, &failure.why);
            }
            Err(Stop::Failed(failure)) => folded.fail(line, &self.describe(&failure)),
        }
        Some(())
    }
}

impl<'a> Evaluator<'a, '_> {
    /// Returns the item that an event is in the list, if it is in that.
    fn item_of(&mut self, fold: &'a Fold, event: Value<'a>) -> Result<Option<Value<'a>>, Stop> {
        let mut item = event;
        for stage in &fold.stages {
            self.items = vec![item.clone()];
            match stage {
                FoldStage::Filter(part) if !self.condition(part)? => return Ok(None),
                FoldStage::Filter(_) => {}
                FoldStage::Map(part) => item = self.value(part)?,
            }
        }
        Ok(Some(item))
    }

    fn add(
        &mut self,
        fold: &'a Fold,
        folded: &mut FoldState,
        item: &Value<'a>,
    ) -> Result<(), Stop> {
        self.items = vec![item.clone()];
        let failed = |why: String| Stop::because(why).at(&fold.span);
        let before = folded.value.as_ref();
        match &fold.outcome {
            FoldOutcome::Size => folded.count += 1,
            FoldOutcome::All(part) => folded.is_decided |= !self.condition(part)?,
            FoldOutcome::Exists(part) => folded.is_decided |= self.condition(part)?,
            FoldOutcome::ExistsOne(part) => folded.count += u64::from(self.condition(part)?),
            FoldOutcome::Last => folded.value = Some(kept(item).map_err(failed)?),
            FoldOutcome::Sum => {
                let sum = sum(before.unwrap_or(&Value::Int(0)), item);
                folded.value = Some(sum.map_err(failed)?);
            }
            FoldOutcome::Min | FoldOutcome::Max => {
                let order = before.map_or(Some(Ordering::Equal), |before| item.order(before));
                let why = || {
                    format!(
                        "{} can't be compared with the values before",
                        item.shown_type()
                    )
                };
                let target = match fold.outcome {
                    FoldOutcome::Min => Ordering::Less,
                    _ => Ordering::Greater,
                };
                let order = order.ok_or_else(|| failed(why()))?;
                if before.is_none() || order == target {
                    folded.value = Some(kept(item).map_err(failed)?);
                }
            }
        }
        Ok(())
    }
}

/// Returns a value that outlives its record.
fn kept(value: &Value<'_>) -> Result<Value<'static>, String> {
    Ok(match value {
        Value::Null => Value::Null,
        Value::Bool(value) => Value::Bool(*value),
        Value::Int(value) => Value::Int(*value),
        Value::Uint(value) => Value::Uint(*value),
        Value::Double(value) => Value::Double(*value),
        Value::Timestamp(value) => Value::Timestamp(*value),
        Value::Duration(value) => Value::Duration(*value),
        Value::Text(text) if text.len() <= MAX_TEXT => {
            Value::Text(Cow::Owned(text.clone().into_owned()))
        }
        Value::Text(_) => {
            return Err(format!(
                "a string of more than {MAX_TEXT} bytes is not kept"
            ));
        }
        other => return Err(format!("{} is not kept", other.shown_type())),
    })
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
