//! An operator and two values -> the value of the operation.

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::part::{ExpressionPart, Operator};
use super::super::value::{BYTES_OF_STEP, LazyItem, Type, Value};
use super::super::{Stop, time};
use super::{Evaluator, STEPS_OF_ITEM};
use crate::ground::printable::{brief, quote};
use crate::ground::select::KeyPath;

impl<'a> Evaluator<'a, '_> {
    /// Applies an operator to two values.
    pub(super) fn operation(
        &mut self,
        operator: Operator,
        a: &Value<'a>,
        b: &Value<'a>,
    ) -> Result<Value<'a>, Stop> {
        let value = match operator {
            Operator::Equal => Some(Value::Bool(a.equals(b, self.budget)?)),
            Operator::Unequal => Some(Value::Bool(!a.equals(b, self.budget)?)),
            Operator::Less
            | Operator::LessOrEqual
            | Operator::Greater
            | Operator::GreaterOrEqual => {
                self.budget
                    .spend(a.bytes().min(b.bytes()) / BYTES_OF_STEP)?;
                compared(operator, a, b)
            }
            Operator::In => self.within(a, b)?,
            _ => self.arithmetic(operator, a, b)?,
        };

        value.ok_or_else(|| {
            let (sign, a, b) = (operator.sign(), a.shown_type(), b.shown_type());
            Stop::because(format!("`{sign}` is not defined for {a} and {b}"))
        })
    }

    /// Evaluates `in`; `None` where the right side has no items and no keys.
    fn within(&mut self, value: &Value<'a>, all: &Value<'a>) -> Result<Option<Value<'a>>, Stop> {
        match all.type_() {
            Type::List => {
                for item in all.items() {
                    let item = item.value(self.budget)?;
                    if item.equals(value, self.budget)? {
                        return Ok(Some(Value::Bool(true)));
                    }
                }
                Ok(Some(Value::Bool(false)))
            }
            Type::Map => Ok(Some(Value::Bool(all.has(value, self.budget)?))),
            _ => Ok(None),
        }
    }

    /// Returns the value that one in brackets, or a path, leads to in another one.
    pub(super) fn index(
        &mut self,
        of: &'a ExpressionPart,
        key: &'a ExpressionPart,
        path: Option<&KeyPath>,
    ) -> Result<Value<'a>, Stop> {
        if let Some(value) = self.at_hand(of, path) {
            return value;
        }

        let (of, key) = (&self.value(of)?, &self.value(key)?);
        match of.type_() {
            Type::List => {
                let index = match key {
                    Value::Double(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                        format!("{value}").parse().ok()
                    }
                    key => key.integer(),
                };

                let Some(index) = index else {
                    let why = format!("the index of a list can't be {}", key.shown_type());
                    return Err(Stop::because(why));
                };

                let place = usize::try_from(index).ok();
                let found = match of {
                    Value::List(items) => place
                        .filter(|place| *place < items.len())
                        .map(|place| LazyItem::Built(Arc::clone(items), place)),
                    // Items of a record are found one after the other.
                    of => {
                        let looked_at = place
                            .unwrap_or_default()
                            .min(u32::MAX as usize);
                        self.budget.spend(looked_at)?;
                        place.and_then(|place| of.items().nth(place))
                    }
                };

                found
                    .ok_or_else(|| Stop::because(format!("the list has no item {index}")))?
                    .value(self.budget)
            }
            Type::Map => of
                .get(key, self.budget)?
                .ok_or_else(|| {
                    let key = match key {
                        Value::Text(name) => quote(name),
                        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) => {
                            brief(&format!("{key:?}"))
                        }
                        key => key.shown_type().to_owned(),
                    };
                    Stop::because(format!("there is no {key} in the map"))
                }),
            other => {
                let why = format!("{} has neither items nor keys", other.shown());
                Err(Stop::because(why))
            }
        }
    }

    /// Sums and the like; `None` where the types have none.
    fn arithmetic(
        &mut self,
        operator: Operator,
        a: &Value<'a>,
        b: &Value<'a>,
    ) -> Result<Option<Value<'a>>, Stop> {
        use Operator::{Add, Divide, Multiply, Remainder, Subtract};
        use Value::{Double, Duration, Int, Timestamp, Uint};

        let value = match (operator, a, b) {
            (_, Int(_), Int(_)) | (_, Uint(_), Uint(_)) => integer(operator, a, b),
            (Add, Double(a), Double(b)) => Some(Double(a + b)),
            (Subtract, Double(a), Double(b)) => Some(Double(a - b)),
            (Multiply, Double(a), Double(b)) => Some(Double(a * b)),
            (Divide, Double(a), Double(b)) => Some(Double(a / b)),
            (Add, Timestamp(a), Duration(b)) | (Add, Duration(a), Timestamp(b)) => {
                time::checked_instant(a + b)
            }
            (Subtract, Timestamp(a), Duration(b)) => time::checked_instant(a - b),
            (Subtract, Timestamp(a), Timestamp(b)) | (Subtract, Duration(a), Duration(b)) => {
                time::checked_duration(a - b)
            }
            (Add, Duration(a), Duration(b)) => time::checked_duration(a + b),
            (Add, ..) => return self.joined(a, b),
            _ => return Ok(None),
        };

        let why = match b.integer() {
            Some(0) if matches!(operator, Divide | Remainder) => "the divisor is 0",
            _ => "the result does not fit in its type",
        };

        value
            .map(Some)
            .ok_or_else(|| Stop::because(why))
    }

    /// Returns two texts or lists as one.
    fn joined(&mut self, a: &Value<'a>, b: &Value<'a>) -> Result<Option<Value<'a>>, Stop> {
        self.budget
            .spend(a.bytes() + b.bytes())?;
        self.budget
            .make(a.bytes() + b.bytes())?;

        Ok(Some(match (a, b) {
            (Value::Text(a), Value::Text(b)) => Value::Text(format!("{a}{b}").into()),
            (Value::Bytes(a), Value::Bytes(b)) => Value::Bytes([&**a, &**b].concat().into()),
            _ if a.type_() == Type::List && b.type_() == Type::List => {
                let mut made = Vec::new();
                for item in a.items().chain(b.items()) {
                    self.budget.spend(STEPS_OF_ITEM)?;
                    match item.value(self.budget) {
                        Ok(item) => {
                            self.budget
                                .make(2 * item.made_bytes())?;
                            made.push(item);
                        }
                        Err(Stop::Spent) => return Err(Stop::Spent),
                        Err(Stop::Failed(_)) => return Ok(None),
                    }
                }

                Value::List(Arc::new(made))
            }
            _ => return Ok(None),
        }))
    }
}

/// Returns a comparison; `None` where the values have no order.
fn compared<'a>(operator: Operator, a: &Value<'_>, b: &Value<'_>) -> Option<Value<'a>> {
    let is_nan = |value: &Value<'_>| matches!(value, Value::Double(value) if value.is_nan());
    if a.is_number() && b.is_number() && (is_nan(a) || is_nan(b)) {
        return Some(Value::Bool(false));
    }

    let order = a.order(b)?;
    Some(Value::Bool(match operator {
        Operator::Less => order == Ordering::Less,
        Operator::LessOrEqual => order != Ordering::Greater,
        Operator::Greater => order == Ordering::Greater,
        _ => order != Ordering::Less,
    }))
}

/// Returns the result for two integers of one type, where it fits in that type.
fn integer<'a>(operator: Operator, a: &Value<'_>, b: &Value<'_>) -> Option<Value<'a>> {
    let (x, y) = (a.integer()?, b.integer()?);
    let value = match operator {
        Operator::Add => x.checked_add(y),
        Operator::Subtract => x.checked_sub(y),
        Operator::Multiply => x.checked_mul(y),
        Operator::Divide => x.checked_div(y),
        _ => x.checked_rem(y),
    }?;

    match a {
        Value::Int(_) => i64::try_from(value)
            .ok()
            .map(Value::Int),
        _ => u64::try_from(value)
            .ok()
            .map(Value::Uint),
    }
}
