//! A record -> its text, as one of the writers that people have writes it.

use std::fmt::Write as _;

use serde_json::Value;

use super::Random;

/// A writer of records. Each writes the same values, and none the same text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    /// Minified, with sorted keys.
    Sorted,
    /// As Python's `json.dumps` does by default: a space after commas and colons, all else than
    /// ASCII escaped, keys in the order in which they were set.
    Python,
    /// Indented, with sorted keys; events are minified.
    Indented,
    /// Minified, with the keys of each object in another order.
    Shuffled,
}

impl Writer {
    pub(super) fn any(random: &mut Random) -> Self {
        match random.below(4) {
            0 => Self::Sorted,
            1 => Self::Python,
            2 => Self::Indented,
            _ => Self::Shuffled,
        }
    }

    /// Returns the text of a state or a summary.
    pub(super) fn document(self, value: &Value, random: &mut Random) -> String {
        match self {
            Self::Indented => {
                let text = serde_json::to_string_pretty(value);
                text.expect("a value is JSON") + "\n"
            }
            _ => self.line(value, random),
        }
    }

    /// Returns the line of an event.
    pub(super) fn line(self, value: &Value, random: &mut Random) -> String {
        let mut text = String::new();
        match self {
            Self::Sorted | Self::Indented => write!(text, "{value}").expect("a string takes all"),
            Self::Python | Self::Shuffled => self.put(&mut text, value, random),
        }
        text.push('\n');
        text
    }

    fn put(self, text: &mut String, value: &Value, random: &mut Random) {
        let comma = if self == Self::Python { ", " } else { "," };
        let colon = if self == Self::Python { ": " } else { ":" };
        match value {
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                for at in (1..members.len()).rev() {
                    let other = random.below(at as u64 + 1);
                    members.swap(at, usize::try_from(other).expect("below a length"));
                }

                text.push('{');
                for (number, (key, value)) in members.into_iter().enumerate() {
                    text.push_str(if number > 0 { comma } else { "" });
                    self.put_string(text, key);
                    text.push_str(colon);
                    self.put(text, value, random);
                }
                text.push('}');
            }
            Value::Array(items) => {
                text.push('[');
                for (number, item) in items.iter().enumerate() {
                    text.push_str(if number > 0 { comma } else { "" });
                    self.put(text, item, random);
                }
                text.push(']');
            }
            Value::String(string) => self.put_string(text, string),
            other => write!(text, "{other}").expect("a string takes all"),
        }
    }

    fn put_string(self, text: &mut String, string: &str) {
        let quoted = Value::from(string).to_string();
        if self != Self::Python {
            text.push_str(&quoted);
            return;
        }

        for c in quoted.chars() {
            if c.is_ascii() {
                text.push(c);
                continue;
            }
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(text, "\\u{unit:04x}").expect("a string takes all");
            }
        }
    }
}
