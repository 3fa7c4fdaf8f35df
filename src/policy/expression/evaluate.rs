//! The parts of an expression and values for its names -> its value.

mod operators;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::part::{Each, ExpressionPart, Macro, PartKind};
use super::pattern::ConstantPattern;
use super::time;
use super::value::{BYTES_OF_STEP, LazyItem, Type, Value, key};
use super::{Budget, Expression, Stop, code};
use crate::ground::printable::{brief, quote};
use crate::ground::select::{KeyPath, Written};

/// The steps of an item that an expression makes, which bound the memory that it takes.
const STEPS_OF_ITEM: usize = 50;

/// The bytes of a list or a map that an expression makes, but for its items.
const BYTES_OF_LIST: usize = 96;

impl Expression {
    /// Returns its value, with a value for each name and for each of its folds, or why that has
    /// none.
    ///
    /// # Errors
    ///
    /// Why it has none.
    pub(in crate::policy) fn evaluate<'a>(
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
    pub(in crate::policy) fn shown(&self) -> String {
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

impl<'a, 'b> Evaluator<'a, 'b> {
    pub(super) fn new(
        text: &'a str,
        bound: &'a [Value<'a>],
        folded: &'a [Result<Value<'a>, String>],
        budget: &'b mut Budget,
    ) -> Self {
        budget.made = 0;
        Self {
            text,
            bound,
            folded,
            items: Vec::new(),
            budget,
        }
    }

    /// Returns the value of a part, which is the place of a failure that names no other.
    pub(super) fn value(&mut self, part: &'a ExpressionPart) -> Result<Value<'a>, Stop> {
        self.value_of(&part.kind)
            .map_err(|stop| stop.at(&part.span))
    }

    fn value_of(&mut self, part: &'a PartKind) -> Result<Value<'a>, Stop> {
        self.budget.spend(1)?;
        Ok(match part {
            // The text of a constant is not copied.
            PartKind::Constant(Value::Text(text)) => Value::Text((&**text).into()),
            PartKind::Constant(constant) => constant.clone(),
            PartKind::Bound(name) => copy(self.bound.get(*name), self.budget)?,
            PartKind::Item(item) => copy(self.items.get(*item), self.budget)?,
            PartKind::Member(of, name, path) => match self.at_hand(of, path.as_ref()) {
                Some(value) => value?,
                None => self.member(of, name)?,
            },
            PartKind::Has(of, name, path) => Value::Bool(self.has(of, name, path.as_ref())?),
            PartKind::Not(of) => Value::Bool(!self.condition(of)?),
            PartKind::Negate(of) => self.negated(of)?,
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

                self.operation(*operator, &a, &b)?
            }
            PartKind::Index(of, key, path) => self.index(of, key, path.as_ref())?,
            PartKind::List(parts) => {
                self.budget.make(BYTES_OF_LIST)?;
                let items = self.values(parts)?;
                for item in &items {
                    self.budget.make(item.made_bytes())?;
                }
                Value::List(Arc::new(items))
            }
            PartKind::Map(entries) => self.map_of(entries)?,
            PartKind::Call(function, arguments) => {
                let arguments = self.values(arguments)?;
                function.of(&arguments, self.budget)?
            }
            PartKind::Matches(of, pattern) => Value::Bool(self.matches(of, pattern)?),
            PartKind::Each(each) => self.each(each)?,
            PartKind::Fold { number, more, .. } => match self.folded.get(*number) {
                Some(Ok(Value::Distinct(known))) => self.number_of(known, more.as_deref())?,
                Some(Ok(value)) => value.copied(self.budget)?,
                Some(Err(why)) => return Err(Stop::because(why)),
                None => Value::Null,
            },
        })
    }

    /// Returns the number of different values, with one more if that is given.
    fn number_of(
        &mut self,
        known: &BTreeMap<Box<str>, u64>,
        more: Option<&'a ExpressionPart>,
    ) -> Result<Value<'a>, Stop> {
        let mut number = known.len();
        if let Some(more) = more {
            let key = self.key(more)?;
            number += usize::from(!known.contains_key(&*key));
        }

        Ok(Value::Int(i64::try_from(number).unwrap_or(i64::MAX)))
    }

    /// Returns the key of the value of a part, by which it is counted: of a shortened one that of
    /// its digest.
    pub(super) fn key(&mut self, part: &'a ExpressionPart) -> Result<Box<str>, Stop> {
        match self.value(part) {
            Ok(value) => key(&value).map_err(|why| Stop::because(why).at(&part.span)),
            Err(Stop::Failed(failure)) if failure.span.as_ref() == Some(&part.span) => failure
                .sha256
                .as_ref()
                .map(|digest| format!("#{digest}").into())
                .ok_or(Stop::Failed(failure)),
            Err(stop) => Err(stop),
        }
    }

    /// Returns `true` if a text matches a constant pattern.
    fn matches(
        &mut self,
        of: &'a ExpressionPart,
        pattern: &Arc<ConstantPattern>,
    ) -> Result<bool, Stop> {
        let value = self.value(of)?;
        let Value::Text(text) = &value else {
            let type_ = value.shown_type();
            let why = format!("`matches` is not defined for {type_}");
            return Err(Stop::because(why));
        };

        self.budget
            .spend(text.len() / BYTES_OF_STEP)?;
        self.budget
            .spend_on_match(text.len(), pattern)?;

        Ok(pattern.regex.is_match(text))
    }

    fn negated(&mut self, of: &'a ExpressionPart) -> Result<Value<'a>, Stop> {
        match self.value(of)? {
            Value::Int(value) => value
                .checked_neg()
                .map(Value::Int)
                .ok_or_else(|| Stop::because("the result does not fit in its type")),
            Value::Double(value) => Ok(Value::Double(-value)),
            other => {
                let why = format!("`-` is not defined for {}", other.shown_type());
                Err(Stop::because(why))
            }
        }
    }

    fn values(&mut self, parts: &'a [ExpressionPart]) -> Result<Vec<Value<'a>>, Stop> {
        parts
            .iter()
            .map(|part| self.value(part))
            .collect()
    }

    fn shown(&self, span: &Range<usize>) -> String {
        code(
            self.text
                .get(span.clone())
                .unwrap_or_default(),
        )
    }

    /// Returns a map that has members.
    fn map(&mut self, of: &'a ExpressionPart) -> Result<Value<'a>, Stop> {
        let value = self.value(of)?;
        if value.type_() != Type::Map {
            let (what, type_) = (self.shown(&of.span), value.shown_type());
            return Err(Stop::because(format!("{what} is {type_}, not a map")));
        }

        Ok(value)
    }

    /// Returns the scalar at a path of a record, if it is at hand.
    fn at_hand(
        &mut self,
        of: &ExpressionPart,
        path: Option<&KeyPath>,
    ) -> Option<Result<Value<'a>, Stop>> {
        let written = self.written(of, path)?;
        Value::scalar(written, self.budget).transpose()
    }

    /// Returns the value at a path of a record as it is written, if it is at hand.
    fn written(&self, of: &ExpressionPart, path: Option<&KeyPath>) -> Option<Written<'a>> {
        let record = match of.origin() {
            PartKind::Bound(name) => self.bound.get(*name),
            PartKind::Item(item) => self.items.get(*item),
            _ => None,
        };

        match record {
            Some(Value::Record(record)) => record.value(path?),
            _ => None,
        }
    }

    /// Returns `true` if a map has a key, which a path leads to.
    fn has(
        &mut self,
        of: &'a ExpressionPart,
        name: &'a str,
        path: Option<&KeyPath>,
    ) -> Result<bool, Stop> {
        if self.written(of, path).is_some() {
            return Ok(true);
        }
        self.map(of)?
            .has(&Value::Text(name.into()), self.budget)
    }

    fn member(&mut self, of: &'a ExpressionPart, name: &'a str) -> Result<Value<'a>, Stop> {
        self.map(of)?
            .get(&Value::Text(name.into()), self.budget)?
            .ok_or_else(|| {
                let what = self.shown(&of.span);
                Stop::because(format!("there is no {} in {what}", code(name)))
            })
    }

    pub(super) fn condition(&mut self, part: &'a ExpressionPart) -> Result<bool, Stop> {
        match self.value(part)? {
            Value::Bool(value) => Ok(value),
            other => {
                let why = format!("the value is {}, not a bool", other.shown_type());
                Err(Stop::because(why).at(&part.span))
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
        self.budget.make(BYTES_OF_LIST)?;
        let mut map: Vec<(Value<'a>, Value<'a>)> = Vec::with_capacity(entries.len());
        for (key_part, value) in entries {
            let key = self.value(key_part)?;
            if !matches!(
                key.type_(),
                Type::Bool | Type::Int | Type::Uint | Type::Text
            ) {
                let why = format!("the key of a map can't be {}", key.shown_type());
                return Err(Stop::because(why).at(&key_part.span));
            }

            for (known, _) in &map {
                let is_known = known.equals(&key, self.budget);
                if is_known.map_err(|stop| stop.at(&key_part.span))? {
                    let stop = Stop::because("the map has this key before");
                    return Err(stop.at(&key_part.span));
                }
            }

            let value = self.value(value)?;
            self.budget
                .make(key.made_bytes() + value.made_bytes())?;
            map.push((key, value));
        }

        Ok(Value::Map(Arc::new(map)))
    }

    fn each(&mut self, each: &'a Each) -> Result<Value<'a>, Stop> {
        let list = self.value(&each.list)?;
        match list.type_() {
            Type::List => self.each_of(each, list.items()),
            Type::Map => self.each_of(each, list.keys()),
            other => {
                let what = self.shown(&each.list.span);
                let why = format!("{what} is {}, neither a list nor a map", other.shown());
                Err(Stop::because(why))
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
            let item = item.value(self.budget);
            let outcome = match item.map_err(|stop| stop.at(&each.list.span)) {
                Ok(item) => {
                    self.items.push(item);
                    let outcome = self.item(each, &mut made);
                    self.items.pop();
                    outcome
                }
                Err(stop) => Err(stop),
            };

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
        // A list that grows has up to twice the room that it needs.
        self.budget
            .make(2 * made_item.made_bytes())?;
        made.push(made_item);

        Ok(true)
    }
}

/// Returns a value that is used once more.
fn copy<'a>(value: Option<&Value<'a>>, budget: &mut Budget) -> Result<Value<'a>, Stop> {
    match value.unwrap_or(&Value::Null) {
        Value::Record(record) => Ok(record
            .node()
            .map_or(Value::Null, Value::of_record)),
        value => value.copied(budget),
    }
}
