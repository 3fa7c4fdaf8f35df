//! A value of a document -> the same value as `serde_json` holds it, to make types of it.

use serde_json::Value;

use super::{Key, Kind, Node};

impl Node<'_> {
    /// Returns the value for types: with the last of several equal keys, and numbers rounded to a
    /// `u64`, an `i64` or else a double. A number beyond a double becomes the largest or smallest
    /// double.
    pub(crate) fn to_value(self) -> Value {
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::True => true.into(),
            Kind::False => false.into(),
            Kind::String => self
                .text()
                .unwrap_or_default()
                .into_owned()
                .into(),
            Kind::Number => number(self.raw()),
            Kind::Array => self
                .items()
                .map(Node::to_value)
                .collect(),
            Kind::Object => {
                let member = |key: Key<'_>| (key.name().into_owned(), key.value().to_value());
                Value::Object(self.members().map(member).collect())
            }
        }
    }
}

fn number(text: &str) -> Value {
    // Only a double has a negative zero.
    if text != "-0" {
        if let Ok(number) = text.parse::<u64>() {
            return number.into();
        }
        if let Ok(number) = text.parse::<i64>() {
            return number.into();
        }
    }

    let number: f64 = text.parse().unwrap_or_default();
    number.clamp(f64::MIN, f64::MAX).into()
}

#[cfg(test)]
mod tests {
    use crate::ground::document::OwnedDocument;

    #[test]
    fn value_is_that_of_serde_json_where_it_has_one() {
        for text in [
            "0",
            "-0",
            "-1",
            "18446744073709551615",
            "-9223372036854775808",
            "1.5e3",
            "-2.5E-7",
            "\"\\u00e9\\n\"",
            "[]",
            "{}",
            "[null,true,false]",
            r#"{"b":{"a":[1]},"a":"x"}"#,
        ] {
            let document = OwnedDocument::read(text.into()).unwrap();
            let expected: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(document.root().to_value(), expected, "{text}");
        }
        for (text, expected) in [("1e400", f64::MAX), ("-1e400", f64::MIN), ("1e-400", 0.0)] {
            let document = OwnedDocument::read(text.into()).unwrap();
            assert_eq!(
                document.root().to_value().as_f64(),
                Some(expected),
                "{text}"
            );
        }
    }
}
