//! Numbers and strings with a narrower range than their JSON type.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ground::timestamp::Timestamp;

/// Implements `JsonSchema` for a type from the schema of its values.
macro_rules! schema_of {
    ($type:ident, $schema:tt) => {
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

/// An RFC 3339 date-time with an offset, kept as it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DateTime(pub String);

schema_of!(DateTime, { "type": "string", "format": "date-time" });

impl DateTime {
    /// Returns the instant; `None` where the text is not a valid date-time.
    #[must_use]
    pub fn instant(&self) -> Option<Timestamp> {
        Timestamp::parse(&self.0)
    }
}

/// The number of times something happened: an integer, at least 0. In JSON `2`, `2.0` and `2e0` are
/// the same count. One beyond a `u64` is read as `u64::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Count(pub u64);

schema_of!(Count, { "type": "integer", "minimum": 0 });

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const EXPECTED: &str = "a whole number, at least 0";
        let number = serde_json::Number::deserialize(deserializer)?;
        if let Some(count) = number.as_u64() {
            return Ok(Self(count));
        }

        let float = number.as_f64().unwrap_or(f64::NAN);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and not negative, and a cast ends at the largest"
        )]
        if float.fract() == 0.0 && float >= 0.0 {
            Ok(Self(float as u64))
        } else {
            Err(D::Error::invalid_value(Unexpected::Float(float), &EXPECTED))
        }
    }
}

/// Writes success as a number.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields so")]
pub(super) fn write_flag<S: Serializer>(flag: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8((*flag).into())
}

/// Reads success, which is a number.
pub(super) fn read_flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match Count::deserialize(deserializer)? {
        Count(0) => Ok(false),
        Count(1) => Ok(true),
        Count(other) => Err(D::Error::invalid_value(
            Unexpected::Unsigned(other),
            &"0 or 1",
        )),
    }
}
