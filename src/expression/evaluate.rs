//! The parts of an expression and values for its names -> its value.

mod operators;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex::Regex;

use super::part::{Constant, Each, ExpressionPart, Macro, PartKind};
use super::pattern::steps_of_byte;
use super::time;
use super::value::{BYTES_OF_STEP, LazyItem, Type, Unable, Value};
use super::{Budget, EvaluationFailure, Expression, Stop, code};
use crate::printable::{brief, quote};
use crate::select::KeyPath;

/// The steps of an item that an expression makes, which bound the memory that it takes.
const STEPS_OF_ITEM: usize = 50;

impl Expression {
    /// Returns its value, with a value for each name and for each of its folds, or why that has
    /// none.
    ///
    /// # Errors
    ///
    /// Why it has none.
    pub(crate) fn evaluate<'a>(
        &'a self,
        bound: &'a [Value<'a>],
        folded: &'a [Result<Value<'a>, String>],
        budget: &mut Budget,
    ) -> Result<Value<'a>, Stop> {
        Evaluator::new(&self.text, bound, folded, budget).value(&self.root)
    }
}

impl Value<'_> {
    /// Returns its value, as a message shows it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Uint(value) => value.to_string(),
            Self::Double(value) => value.to_string(),
            Self::Text(text) => quote(text),
            Self::Node(node) => brief(node.raw()),
            Self::Timestamp(nanoseconds) => time::shown_instant(*nanoseconds),
            Self::Duration(nanoseconds) => time::shown_length(*nanoseconds),
            other => other.shown_type().to_owned(),
        }
    }
}

pub(super) struct Evaluator<'a, 'b> {
    text: &'a str,
    bound: &'a [Value<'a>],
    folded: &'a [Result<Value<'a>, String>],
    /// The items of the macros around a part.
    pub(super) items: Vec<Value<'a>>,
    budget: &'b mut Budget,
}

fn failed(part: &ExpressionPart, why: impl Into<String>) -> Stop {
    Stop::Failed(EvaluationFailure {
        span: part.span.clone(),
        why: why.into(),
    })
}

/// Returns a function that turns the reason why a part can't be evaluated into an error.
fn at(part: &ExpressionPart) -> impl FnOnce(Unable) -> Stop {
    |unable| match unable {
        Unable::Why(why) => failed(part, why),
        Unable::Spent => Stop::Spent,
    }
}

impl<'a, 'b> Evaluator<'a, 'b> {
    pub(super) fn new(
        text: &'a str,
        bound: &'a [Value<'a>],
        folded: &'a [Result<Value<'a>, String>],
        budget: &'b mut Budget,
    ) -> Self {
        Self {
            text,
            bound,
            folded,
            items: Vec::new(),
            budget,
        }
    }

    pub(super) fn failed_at(span: &Range<usize>, why: String) -> Stop {
        Stop::Failed(EvaluationFailure {
            span: span.clone(),
            why,
        })
    }

    pub(super) fn value(&mut self, part: &'a ExpressionPart) -> Result<Value<'a>, Stop> {
        self.budget.spend(1)?;
        Ok(match &part.kind {
            PartKind::Constant(constant) => of_constant(constant),
            PartKind::Bound(name) => copy(self.bound.get(*name), self.budget)?,
            PartKind::Item(item) => copy(self.items.get(*item), self.budget)?,
            PartKind::Member(of, name, path) => match self.at_hand(of, path.as_ref()) {
                Some(value) => value.map_err(at(part))?,
                None => self.member(part, of, name)?,
            },
            PartKind::Has(of, name) => {
                let map = self.map(part, of)?;
                Value::Bool(map.has(&Value::Text((&**name).into()), self.budget)?)
            }
            PartKind::Not(of) => Value::Bool(!self.condition(of)?),
            PartKind::Negate(of) => self.negated(part, of)?,
            PartKind::And(of) => Value::Bool(self.both(of, false)?),
            PartKind::Or(of) => Value::Bool(self.both(of, true)?),
            PartKind::If(of) => {
                let [condition, yes, no] = &**of;
                let chosen = if self.condition(condition)? { yes } else { no };
                self.value(chosen)?
            }
            PartKind::Operation(operator, of) => {
                let [a, b] = &**of;
                let is_sum = [a, b]
                    .iter()
                    .any(|it| matches!(it.kind, PartKind::Fold { is_sum: true, .. }));
                let (mut a, mut b) = (self.value(a)?, self.value(b)?);
                let is_mixed = matches!((&a, &b), (Value::Double(_), _) | (_, Value::Double(_)));
                if is_sum && is_mixed {
                    let double = |it: &Value<'_>| it.double().map(Value::Double);
                    (a, b) = (double(&a).unwrap_or(a), double(&b).unwrap_or(b));
                }
                self.operation(part, *operator, &a, &b)?
            }
            PartKind::List(parts) => Value::List(Arc::new(self.values(parts)?)),
            PartKind::Map(entries) => self.map_of(entries)?,
            PartKind::Call(function, arguments) => {
                let arguments = self.values(arguments)?;
                function.of(&arguments, self.budget).map_err(at(part))?
            }
            PartKind::Matches(of, pattern) => Value::Bool(self.matches(part, of, pattern)?),
            PartKind::Each(each) => self.each(part, each)?,
            PartKind::Fold { number, .. } => match self.folded.get(*number) {
                Some(Ok(value)) => value.copied(self.budget)?,
                Some(Err(why)) => return Err(failed(part, why.as_str())),
                None => Value::Null,
            },
        })
    }

    /// Returns `true` if a text matches a constant pattern.
    fn matches(
        &mut self,
        part: &ExpressionPart,
        of: &'a ExpressionPart,
        (pattern, steps): &(Regex, OnceLock<usize>),
    ) -> Result<bool, Stop> {
        let value = self.value(of)?;
        let Value::Text(text) = &value else {
            let type_ = value.shown_type();
            let why = format!("`matches` is not defined for {type_}");
            return Err(failed(part, why));
        };
        self.budget.spend(text.len() / BYTES_OF_STEP)?;
        let steps = || *steps.get_or_init(|| steps_of_byte(pattern.as_str()));
        self.budget.spend_on_match(text.len(), steps)?;
        Ok(pattern.is_match(text))
    }

    fn negated(
        &mut self,
        part: &ExpressionPart,
        of: &'a ExpressionPart,
    ) -> Result<Value<'a>, Stop> {
        match self.value(of)? {
            Value::Int(value) => {
                let negated = value.checked_neg().map(Value::Int);
                negated.ok_or_else(|| failed(part, "the result does not fit in its type"))
            }
            Value::Double(value) => Ok(Value::Double(-value)),
            other => {
                let type_ = other.shown_type();
                Err(failed(part, format!("`-` is not defined for {type_}")))
            }
        }
    }

    fn values(&mut self, parts: &'a [ExpressionPart]) -> Result<Vec<Value<'a>>, Stop> {
        parts.iter().map(|part| self.value(part)).collect()
    }

    fn shown(&self, span: &Range<usize>) -> String {
        code(self.text.get(span.clone()).unwrap_or_default())
    }

    /// Returns a map that has members.
    fn map(&mut self, part: &ExpressionPart, of: &'a ExpressionPart) -> Result<Value<'a>, Stop> {
        let value = self.value(of)?;
        if value.type_() != Type::Map {
            let (what, type_) = (self.shown(&of.span), value.shown_type());
            return Err(failed(part, format!("{what} is {type_}, not a map")));
        }
        Ok(value)
    }

    /// Returns the scalar at a path of a record, if it is at hand.
    fn at_hand(
        &mut self,
        of: &ExpressionPart,
        path: Option<&KeyPath>,
    ) -> Option<Result<Value<'a>, Unable>> {
        let record = match of.origin() {
            PartKind::Bound(name) => self.bound.get(*name),
            PartKind::Item(item) => self.items.get(*item),
            _ => None,
        };
        let Some(Value::Record(record)) = record else {
            return None;
        };
        Value::scalar(record.value(path?)?, self.budget).transpose()
    }

    fn member(
        &mut self,
        part: &ExpressionPart,
        of: &'a ExpressionPart,
        name: &'a str,
    ) -> Result<Value<'a>, Stop> {
        let map = self.map(part, of)?;
        let key = Value::Text(name.into());
        let value = map.get(&key, self.budget).map_err(at(part))?;
        value.ok_or_else(|| {
            let what = self.shown(&of.span);
            failed(part, format!("there is no {} in {what}", code(name)))
        })
    }

    pub(super) fn condition(&mut self, part: &'a ExpressionPart) -> Result<bool, Stop> {
        match self.value(part)? {
            Value::Bool(value) => Ok(value),
            other => {
                let type_ = other.shown_type();
                Err(failed(part, format!("the value is {type_}, not a bool")))
            }
        }
    }

    /// Returns a conjunction or a disjunction: the side that decides it does so even where the
    /// other can't be evaluated.
    fn both(
        &mut self,
        [first, second]: &'a [ExpressionPart; 2],
        decisive: bool,
    ) -> Result<bool, Stop> {
        let first = self.condition(first);
        match first {
            Ok(value) if value == decisive => return Ok(decisive),
            Err(Stop::Spent) => return Err(Stop::Spent),
            _ => {}
        }
        if self.condition(second)? == decisive {
            return Ok(decisive);
        }
        first
    }

    fn map_of(
        &mut self,
        entries: &'a [(ExpressionPart, ExpressionPart)],
    ) -> Result<Value<'a>, Stop> {
        let mut map: Vec<(Value<'a>, Value<'a>)> = Vec::new();
        for (key_part, value) in entries {
            let key = self.value(key_part)?;
            if !matches!(
                key.type_(),
                Type::Bool | Type::Int | Type::Uint | Type::Text
            ) {
                let type_ = key.shown_type();
                return Err(failed(
                    key_part,
                    format!("the key of a map can't be {type_}"),
                ));
            }
            for (known, _) in &map {
                if known.equals(&key, self.budget).map_err(at(key_part))? {
                    return Err(failed(key_part, "the map has this key before"));
                }
            }
            map.push((key, self.value(value)?));
        }
        Ok(Value::Map(Arc::new(map)))
    }

    fn each(&mut self, part: &ExpressionPart, each: &'a Each) -> Result<Value<'a>, Stop> {
        let list = self.value(&each.list)?;
        match list.type_() {
            Type::List => self.each_of(each, list.items()),
            Type::Map => self.each_of(each, list.keys()),
            other => {
                let what = self.shown(&each.list.span);
                let why = format!("{what} is {}, neither a list nor a map", other.shown());
                Err(failed(part, why))
            }
        }
    }

    fn each_of(
        &mut self,
        each: &'a Each,
        items: impl Iterator<Item = LazyItem<'a>>,
    ) -> Result<Value<'a>, Stop> {
        let mut made = Vec::new();
        let mut met = 0_usize;
        // Of `all` and `exists`: a later item may decide.
        let mut failure = None;
        for item in items {
            self.budget.spend(1)?;
            let item = item.value(self.budget).map_err(at(&each.list))?;
            self.items.push(item);
            let outcome = self.item(each, &mut made);
            self.items.pop();
            match (each.macro_, outcome) {
                (_, Err(Stop::Spent)) => return Err(Stop::Spent),
                (Macro::All, Ok(false)) => return Ok(Value::Bool(false)),
                (Macro::Exists, Ok(true)) => return Ok(Value::Bool(true)),
                (Macro::All | Macro::Exists, Err(stop)) => failure = failure.or(Some(stop)),
                (_, Err(stop)) => return Err(stop),
                (_, Ok(is_met)) => met += usize::from(is_met),
            }
        }
        if let Some(stop) = failure {
            return Err(stop);
        }
        Ok(match each.macro_ {
            Macro::All => Value::Bool(true),
            Macro::Exists => Value::Bool(false),
            Macro::ExistsOne => Value::Bool(met == 1),
            Macro::Filter | Macro::Map => Value::List(Arc::new(made)),
        })
    }

    /// Evaluates a macro for the item that was put on top; returns whether the item meets it.
    fn item(&mut self, each: &'a Each, made: &mut Vec<Value<'a>>) -> Result<bool, Stop> {
        if let Some(filter) = &each.filter
            && !self.condition(filter)?
        {
            return Ok(false);
        }
        let made_item = match each.macro_ {
            Macro::Map => self.value(&each.body)?,
            _ if !self.condition(&each.body)? => return Ok(false),
            Macro::Filter => copy(self.items.last(), self.budget)?,
            _ => return Ok(true),
        };
        self.budget.spend(STEPS_OF_ITEM)?;
        made.push(made_item);
        Ok(true)
    }
}

/// Returns a value that is used once more.
fn copy<'a>(value: Option<&Value<'a>>, budget: &mut Budget) -> Result<Value<'a>, Stop> {
    match value.unwrap_or(&Value::Null) {
        Value::Record(record) => Ok(record.node().map_or(Value::Null, Value::of_record)),
        value => value.copied(budget),
    }
}

fn of_constant(constant: &Constant) -> Value<'_> {
    match constant {
        Constant::Null => Value::Null,
        Constant::Bool(value) => Value::Bool(*value),
        Constant::Int(value) => Value::Int(*value),
        Constant::Uint(value) => Value::Uint(*value),
        Constant::Double(value) => Value::Double(*value),
        Constant::Text(text) => Value::Text((&**text).into()),
        Constant::Bytes(bytes) => Value::Bytes((&**bytes).into()),
        Constant::Type(type_) => Value::Type(*type_),
    }
}
