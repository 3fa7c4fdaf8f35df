//! A function of CEL's standard library, and its arguments -> its value.

use super::pattern;
use super::time::{self, SECOND, TimePart};
use super::value::{BYTES_OF_STEP, Type, Value};
use super::{Budget, Stop};
use crate::ground::printable::quote;

/// A function, by its operation on its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Size,
    Contains,
    StartsWith,
    EndsWith,
    Matches,
    Int,
    Uint,
    Double,
    Text,
    Bool,
    Bytes,
    Timestamp,
    Duration,
    Type,
    Dyn,
    /// The shortest form of a path.
    Path,
    /// The host of an address.
    Host,
    LowerAscii,
    Field(TimePart),
}

/// The form of a call of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallForm {
    /// `size(x)`
    Of(usize),
    /// `x.size()`: the number of arguments besides the first.
    Method(usize),
    /// `x.getHours()` or `x.getHours("+02:00")`
    Zoned,
}

impl CallForm {
    /// Returns `true` if a call has it; the object of a method counts as an argument.
    pub(super) fn takes(self, is_method: bool, arguments: usize) -> bool {
        match self {
            Self::Of(number) => !is_method && arguments == number,
            Self::Method(number) => is_method && arguments == number + 1,
            Self::Zoned => is_method && (1..=2).contains(&arguments),
        }
    }

    pub(super) fn shown(self, name: &str) -> String {
        match self {
            Self::Of(1) => format!("`{name}(x)`"),
            Self::Of(_) => format!("`{name}(x, y)`"),
            Self::Method(0) => format!("`x.{name}()`"),
            Self::Method(_) => format!("`x.{name}(y)`"),
            Self::Zoned => format!("`x.{name}()` or `x.{name}(\"Europe/Berlin\")`"),
        }
    }
}

pub(super) const FUNCTIONS: [(&str, Function, CallForm); 30] = {
    use CallForm::{Method, Of, Zoned};
    use Function::Field;
    [
        ("size", Function::Size, Of(1)),
        ("size", Function::Size, Method(0)),
        ("contains", Function::Contains, Method(1)),
        ("startsWith", Function::StartsWith, Method(1)),
        ("endsWith", Function::EndsWith, Method(1)),
        ("matches", Function::Matches, Method(1)),
        ("matches", Function::Matches, Of(2)),
        ("int", Function::Int, Of(1)),
        ("uint", Function::Uint, Of(1)),
        ("double", Function::Double, Of(1)),
        ("string", Function::Text, Of(1)),
        ("bool", Function::Bool, Of(1)),
        ("bytes", Function::Bytes, Of(1)),
        ("timestamp", Function::Timestamp, Of(1)),
        ("duration", Function::Duration, Of(1)),
        ("type", Function::Type, Of(1)),
        ("dyn", Function::Dyn, Of(1)),
        ("path", Function::Path, Of(1)),
        ("host", Function::Host, Of(1)),
        ("lowerAscii", Function::LowerAscii, Method(0)),
        ("getFullYear", Field(TimePart::FullYear), Zoned),
        ("getMonth", Field(TimePart::Month), Zoned),
        ("getDayOfYear", Field(TimePart::DayOfYear), Zoned),
        ("getDayOfMonth", Field(TimePart::DayOfMonth), Zoned),
        ("getDate", Field(TimePart::Date), Zoned),
        ("getDayOfWeek", Field(TimePart::DayOfWeek), Zoned),
        ("getHours", Field(TimePart::Hours), Zoned),
        ("getMinutes", Field(TimePart::Minutes), Zoned),
        ("getSeconds", Field(TimePart::Seconds), Zoned),
        ("getMilliseconds", Field(TimePart::Milliseconds), Zoned),
    ]
};

impl Function {
    /// Returns the value for some arguments, of which there are as many as a form of it takes.
    pub(super) fn of<'a>(
        self,
        arguments: &[Value<'a>],
        budget: &mut Budget,
    ) -> Result<Value<'a>, Stop> {
        let bytes: usize = arguments.iter().map(Value::bytes).sum();
        budget.spend(bytes / BYTES_OF_STEP)?;
        let value = match (self, arguments) {
            (Self::Size, [of]) => match of.size(budget)? {
                Some(size) => i64::try_from(size).ok().map(Value::Int),
                None => None,
            },
            (Self::Contains, [Value::Text(a), Value::Text(b)]) => {
                Some(Value::Bool(a.contains(&**b)))
            }
            (Self::StartsWith, [Value::Text(a), Value::Text(b)]) => {
                Some(Value::Bool(a.starts_with(&**b)))
            }
            (Self::EndsWith, [Value::Text(a), Value::Text(b)]) => {
                Some(Value::Bool(a.ends_with(&**b)))
            }
            (Self::Matches, [Value::Text(text), Value::Text(pattern)]) => {
                Some(Value::Bool(pattern::is_match(text, pattern, budget)?))
            }
            (Self::Type, [of]) => Some(Value::Type(of.type_())),
            (Self::Dyn, [of]) => Some(of.clone()),
            (Self::Path, [Value::Text(text)]) => {
                budget.spend(bytes)?;
                Some(Value::Text(path(text).into()))
            }
            (Self::Host, [Value::Text(text)]) => {
                budget.spend(bytes)?;
                let host = host(text).map(|host| Value::Text(host.into()));
                let why = || format!("{} is no address that has a host", quote(text));
                Some(host.ok_or_else(|| Stop::because(why()))?)
            }
            (Self::LowerAscii, [Value::Text(text)]) => {
                budget.spend(bytes)?;
                Some(Value::Text(text.to_ascii_lowercase().into()))
            }
            (Self::Path | Self::Host | Self::LowerAscii, _) => None,
            (Self::Field(field), _) => field_of(field, arguments)?,
            (_, [of]) => {
                if matches!(self, Self::Text | Self::Bytes) {
                    budget.spend(bytes)?;
                }
                self.convert(of)?
            }
            _ => None,
        };

        value.ok_or_else(|| self.without_meaning(arguments))
    }

    /// Returns a value as one of another type; `None` where there is no such conversion.
    fn convert<'a>(self, of: &Value<'a>) -> Result<Option<Value<'a>>, Stop> {
        let (type_, name) = self.result();
        if of.type_() == type_ {
            return Ok(Some(of.clone()));
        }

        let value = match (self, of) {
            (Self::Int, Value::Timestamp(instant)) => i64::try_from(instant.div_euclid(SECOND))
                .ok()
                .map(Value::Int),
            (Self::Int, Value::Text(text)) => text.parse().ok().map(Value::Int),
            (Self::Int, Value::Uint(value)) => i64::try_from(*value)
                .ok()
                .map(Value::Int),
            (Self::Int, Value::Double(value)) => truncated(*value)
                .and_then(|it| i64::try_from(it).ok())
                .map(Value::Int),
            (Self::Uint, Value::Text(text)) => text.parse().ok().map(Value::Uint),
            (Self::Uint, Value::Int(value)) => u64::try_from(*value)
                .ok()
                .map(Value::Uint),
            (Self::Uint, Value::Double(value)) => truncated(*value)
                .and_then(|it| u64::try_from(it).ok())
                .map(Value::Uint),
            (Self::Double, Value::Text(text)) => text.parse().ok().map(Value::Double),
            #[expect(clippy::cast_precision_loss, reason = "what the conversion means")]
            (Self::Double, of) => of
                .integer()
                .map(|it| Value::Double(it as f64)),
            (Self::Text, of) => match shown(of) {
                None => return Ok(None),
                shown => shown.map(|text| Value::Text(text.into())),
            },
            (Self::Bool, Value::Text(text)) => match &**text {
                "true" | "True" | "TRUE" | "t" | "1" => Some(Value::Bool(true)),
                "false" | "False" | "FALSE" | "f" | "0" => Some(Value::Bool(false)),
                _ => None,
            },
            (Self::Bytes, Value::Text(text)) => Some(Value::Bytes(text.as_bytes().into())),
            (Self::Timestamp, Value::Int(seconds)) => {
                time::checked_instant(i128::from(*seconds) * SECOND)
            }
            (Self::Timestamp, Value::Text(text)) => {
                time::instant(text).and_then(time::checked_instant)
            }
            (Self::Duration, Value::Text(text)) => {
                time::length(text).and_then(time::checked_duration)
            }
            _ => return Ok(None),
        };

        let unable = || match of {
            Value::Text(text) => format!("{} is not {name}", quote(text)),
            of => {
                let type_ = of.shown_type();
                format!("the value does not fit: {type_} is not {name}")
            }
        };

        value
            .map(Some)
            .ok_or_else(|| Stop::because(unable()))
    }

    /// Returns the type of a conversion's result, and what messages call that.
    fn result(self) -> (Type, &'static str) {
        match self {
            Self::Int => (Type::Int, "an int"),
            Self::Uint => (Type::Uint, "a uint"),
            Self::Double => (Type::Double, "a double"),
            Self::Text => (Type::Text, "a string"),
            Self::Bool => (Type::Bool, "a bool"),
            Self::Bytes => (Type::Bytes, "bytes"),
            Self::Timestamp => (Type::Timestamp, "an instant in RFC 3339"),
            _ => (Type::Duration, "a length of time such as `1h30m`"),
        }
    }

    fn without_meaning(self, arguments: &[Value<'_>]) -> Stop {
        let name = FUNCTIONS
            .iter()
            .find(|(_, function, _)| *function == self)
            .map_or("", |(name, ..)| name);
        let types: Vec<&str> = arguments
            .iter()
            .map(Value::shown_type)
            .collect();

        Stop::because(format!(
            "`{name}` is not defined for {}",
            types.join(" and ")
        ))
    }
}

/// Returns a field of a length of time, or of an instant in a zone; `None` of anything else.
fn field_of<'a>(field: TimePart, arguments: &[Value<'_>]) -> Result<Option<Value<'a>>, Stop> {
    let (instant, zone) = match arguments {
        [Value::Duration(length)] => {
            return Ok(time::field_of_length(*length, field).map(Value::Int));
        }
        [Value::Timestamp(instant)] => (*instant, "UTC"),
        [Value::Timestamp(instant), Value::Text(zone)] => (*instant, &**zone),
        _ => return Ok(None),
    };

    time::field(instant, field, zone)
        .map(|value| Some(Value::Int(value)))
        .map_err(Stop::because)
}

/// Returns a path without parts that say nothing: `.`, empty ones, and `..` with the part before
/// it.
fn path(text: &str) -> String {
    let is_absolute = text.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match (part, parts.last()) {
            ("" | ".", _) => {}
            ("..", None) if is_absolute => {}
            ("..", Some(last)) if *last != ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }

    match (is_absolute, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".to_owned(),
        (false, path) => path,
    }
}

/// Returns the host of an address, as browsers read it; `None` for any other text.
#[cfg(feature = "expressions")]
fn host(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    let host = url
        .host_str()
        .filter(|_| matches!(url.scheme(), "http" | "https" | "ws" | "wss" | "ftp"))?
        .trim_start_matches('[')
        .trim_end_matches(']');

    Some(
        host.strip_suffix('.')
            .unwrap_or(host)
            .to_owned(),
    )
}

#[cfg(not(feature = "expressions"))]
fn host(_: &str) -> Option<String> {
    None
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a double without a fraction below 2^100 is an integer of 128 bits"
)]
fn truncated(value: f64) -> Option<i128> {
    (value.abs() < 1e30).then_some(value.trunc() as i128)
}

fn shown(of: &Value<'_>) -> Option<String> {
    Some(match of {
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Bytes(bytes) => String::from_utf8(bytes.to_vec()).ok()?,
        Value::Timestamp(instant) => time::shown_instant(*instant),
        Value::Duration(length) => time::shown_length(*length),
        _ => return None,
    })
}
