//! A value -> the same as it is kept of an event, and as it is counted.

use std::borrow::Cow;

use super::Value;

/// The bytes of the longest text that is kept.
pub(super) const MAX_TEXT: usize = 256;

/// Returns a value that outlives its record.
pub(in crate::policy::expression) fn kept(value: &Value<'_>) -> Result<Value<'static>, String> {
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

/// Returns the key of a value among different ones: two have the same if they are equal.
pub(in crate::policy::expression) fn key(value: &Value<'_>) -> Result<Box<str>, String> {
    let integer = |value: &Value<'_>| match value {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it has no fraction, and is small"
        )]
        Value::Double(double) if double.fract() == 0.0 && double.abs() < 1e30 => {
            Some(*double as i128)
        }
        value => value.integer(),
    };

    Ok(match (integer(value), kept(value)?) {
        (Some(integer), _) => format!("n{integer}").into(),
        (None, Value::Double(double)) => format!("n{double:e}").into(),
        (None, Value::Text(text)) => format!("t{text}").into(),
        (None, Value::Bool(value)) => format!("b{value}").into(),
        (None, Value::Timestamp(value)) => format!("i{value}").into(),
        (None, Value::Duration(value)) => format!("d{value}").into(),
        (None, _) => "null".into(),
    })
}
